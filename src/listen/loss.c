// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is lost to a listener, and how it is reported
 *
 * A loss is counted. The socket gets ENOBUFS once per run of losses. A listener that
 * asked for the stream gets a message about the gap as soon as there is room.
 */

#include <linux/ktime.h>
#include <linux/netlink.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "base/base.h"
#include "record/record.h"

#include "listen.h"
#include "loss.h"

/* In ms: how long after a loss the queue is checked for room again */
#define RETRY_INTERVAL	10

/**
 * taskacct_loss_retry() - schedule another attempt to report a gap
 * @listener: the listener, whose taskacct_listener.retry does it
 */
void taskacct_loss_retry(struct taskacct_listener *listener)
{
	schedule_delayed_work(&listener->retry,
			      msecs_to_jiffies(RETRY_INTERVAL));
}

static bool wants_stream(const struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub;
	bool wants;

	rcu_read_lock();
	sub = rcu_dereference(listener->sub);
	wants = sub->want & TASKACCT_WANT_STREAM;
	rcu_read_unlock();
	return wants;
}

static void open_gap(struct taskacct_listener *listener, enum taskacct_loss why,
		     unsigned int n, const struct cpumask *from)
{
	lockdep_assert_held(&listener->lock);

	if (!wants_stream(listener))
		return;
	listener->gap[why] += n;
	cpumask_or(listener->gap_mask, listener->gap_mask, from);
	if (taskacct_loss_has_gap(listener))
		return;
	listener->gap_since = ktime_get_boottime_ns();
	if (!listener->dead)
		taskacct_loss_retry(listener);
}

static void close_gap(struct taskacct_listener *listener)
{
	memset(listener->gap, 0, sizeof(listener->gap));
	cpumask_clear(listener->gap_mask);
	listener->gap_since = 0;
}

/**
 * taskacct_loss_tell_stream() - write the state of a stream
 * @info: the counters of the listener
 * @stream: receives the state
 *
 * Context: any; the listener is locked.
 */
void taskacct_loss_tell_stream(const struct taskacct_listener_info *info,
			       struct taskacct_stream *stream)
{
	*stream = (struct taskacct_stream){
		.seq = info->made,
		.lost_queue = info->lost[TASKACCT_LOSS_QUEUE],
		.lost_memory = info->lost[TASKACCT_LOSS_MEMORY],
		.filtered = info->filtered,
	};
}

static struct sk_buff *make_gap(const struct taskacct_listener *listener)
{
	struct taskacct_gap gap = {
		.queue = listener->gap[TASKACCT_LOSS_QUEUE],
		.memory = listener->gap[TASKACCT_LOSS_MEMORY],
		.since = listener->gap_since,
		.mask = listener->gap_mask,
	};

	taskacct_loss_tell_stream(&listener->info, &gap.stream);
	return taskacct_message_gap(&gap);
}

/**
 * taskacct_loss_send_gap() - report lost messages before the next one
 * @listener: the listener, which has a gap
 *
 * Without memory the gap stays open. The counters in the next message show it anyway.
 *
 * Context: any but hard interrupts; the listener is locked.
 */
void taskacct_loss_send_gap(struct taskacct_listener *listener)
{
	struct sk_buff *skb;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!wants_stream(listener)) {
		/* It does not want the stream any more. */
		close_gap(listener);
		return;
	}
	if (!taskacct_listener_has_room(listener, true))
		return;
	skb = make_gap(listener);
	if (!skb)
		return;
	err = sock_queue_rcv_skb(listener->sk, skb);
	/* The report is made again, or a socket filter refused it: no loss. */
	if (err)
		consume_skb(skb);
	if (err != -ENOMEM && err != -ENOBUFS)
		close_gap(listener);
}

/**
 * taskacct_loss_count() - count messages that were lost
 * @listener: the listener
 * @why: why
 * @n: how many
 * @from: CPUs on which the lost messages were made
 *
 * The socket gets ENOBUFS once per run of losses.
 *
 * Context: any but hard interrupts; the listener is locked.
 */
void taskacct_loss_count(struct taskacct_listener *listener,
			 enum taskacct_loss why, unsigned int n,
			 const struct cpumask *from)
{
	static const enum taskacct_stat stats[TASKACCT_LOSSES] = {
		[TASKACCT_LOSS_QUEUE] = TASKACCT_STAT_LOST_QUEUE,
		[TASKACCT_LOSS_MEMORY] = TASKACCT_STAT_LOST_MEMORY,
	};
	struct sock *sk = listener->sk;

	lockdep_assert_held(&listener->lock);

	listener->info.lost[why] += n;
	taskacct_stat_add(stats[why], n);
	open_gap(listener, why, n, from);
	if (listener->overrun)
		return;
	listener->overrun = true;
	sk->sk_err = ENOBUFS;
	sk->sk_error_report(sk);
}

/**
 * taskacct_loss_drop() - count losses that the socket has not counted as drops
 * @listener: the listener
 * @why: why
 * @n: how many
 * @from: CPUs on which the lost messages were made
 *
 * The socket gets ENOBUFS once per run of losses.
 *
 * Context: any but hard interrupts; the listener is locked.
 */
void taskacct_loss_drop(struct taskacct_listener *listener,
			enum taskacct_loss why, unsigned int n,
			const struct cpumask *from)
{
	atomic_add(n, &listener->sk->sk_drops);
	taskacct_loss_count(listener, why, n, from);
}

/**
 * taskacct_loss_take_missed() - turn missed messages into counted losses
 * @listener: the listener
 *
 * The CPUs are added to the mask of the gap, which is cleared if there is no gap.
 *
 * Context: any but hard interrupts; the listener is locked.
 */
void taskacct_loss_take_missed(struct taskacct_listener *listener)
{
	unsigned int n;

	lockdep_assert_held(&listener->lock);

	if (likely(!READ_ONCE(listener->missed)))
		return;
	raw_spin_lock(&listener->arrival_lock);
	n = listener->missed;
	WRITE_ONCE(listener->missed, 0);
	cpumask_or(listener->gap_mask, listener->gap_mask,
		   listener->missed_mask);
	cpumask_clear(listener->missed_mask);
	raw_spin_unlock(&listener->arrival_lock);

	listener->info.made += n;
	taskacct_stat_add(TASKACCT_STAT_MADE, n);
	taskacct_loss_drop(listener, TASKACCT_LOSS_MEMORY, n,
			   listener->gap_mask);
	if (!taskacct_loss_has_gap(listener))
		cpumask_clear(listener->gap_mask);
}

/**
 * taskacct_loss_miss() - count a message for want of memory, where nothing may
 *	sleep
 * @listener: the listener it was meant for
 *
 * It is reported a little later.
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep on PREEMPT_RT
 *	either.
 */
void taskacct_loss_miss(struct taskacct_listener *listener)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&listener->arrival_lock, flags);
	WRITE_ONCE(listener->missed, listener->missed + 1);
	cpumask_set_cpu(raw_smp_processor_id(), listener->missed_mask);
	raw_spin_unlock_irqrestore(&listener->arrival_lock, flags);
	taskacct_loss_retry(listener);
}
