// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of messages to listeners, and what is lost
 */

#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "listener.h"
#include "message.h"
#include "stat.h"

/*
 * The kernel's own senders set a socket's congestion flag when it overflows,
 * and it stays deaf until its queue is empty. Looking first avoids that.
 */
static bool has_room(const struct sock *sk)
{
	return atomic_read(&sk->sk_rmem_alloc) < READ_ONCE(sk->sk_rcvbuf);
}

/* In ms: how long after a loss it is looked whether there is room again */
#define RETRY_INTERVAL	10

static bool wants_stream(const struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub;
	bool wants;

	rcu_read_lock();
	sub = rcu_dereference(listener->sub);
	wants = sub && (sub->want & TASKACCT_WANT_STREAM);
	rcu_read_unlock();
	return wants;
}

static bool has_gap(const struct taskacct_listener *listener)
{
	return listener->gap_since;
}

static void open_gap(struct taskacct_listener *listener, enum taskacct_loss why)
{
	lockdep_assert_held(&listener->lock);

	listener->gap[why]++;
	cpumask_set_cpu(raw_smp_processor_id(), listener->gap_mask);
	if (has_gap(listener))
		return;
	listener->gap_since = ktime_get_boottime_ns();
	if (!listener->dead && wants_stream(listener))
		schedule_delayed_work(&listener->retry,
				      msecs_to_jiffies(RETRY_INTERVAL));
}

static void close_gap(struct taskacct_listener *listener)
{
	memset(listener->gap, 0, sizeof(listener->gap));
	cpumask_clear(listener->gap_mask);
	listener->gap_since = 0;
}

static void tell_stream(const struct taskacct_listener_info *info,
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

	tell_stream(&listener->info, &gap.stream);
	return taskacct_message_gap(&gap);
}

/*
 * Tells of what was lost, before what comes next. Without memory for it the
 * gap stays open; the counts in what comes next tell anyway.
 */
static void send_gap(struct taskacct_listener *listener)
{
	struct sk_buff *skb;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!has_room(listener->sk) || !wants_stream(listener))
		return;
	skb = make_gap(listener);
	if (!skb)
		return;
	err = sock_queue_rcv_skb(listener->sk, skb);
	if (err)
		kfree_skb(skb);
	if (err != -ENOMEM && err != -ENOBUFS)
		close_gap(listener);
}

/**
 * taskacct_listener_retry() - tell of losses where no exit comes to do it
 * @work: a listener's
 *
 * Context: a work queue.
 */
void taskacct_listener_retry(struct work_struct *work)
{
	struct taskacct_listener *listener =
		container_of(to_delayed_work(work), struct taskacct_listener,
			     retry);

	spin_lock(&listener->lock);
	if (has_gap(listener))
		send_gap(listener);
	if (has_gap(listener) && !listener->dead && wants_stream(listener))
		schedule_delayed_work(&listener->retry,
				      msecs_to_jiffies(RETRY_INTERVAL));
	spin_unlock(&listener->lock);
}

/* Counts a message that was lost and, once for each run of them, says so. */
static void lose(struct taskacct_listener *listener, enum taskacct_loss why)
{
	static const enum taskacct_stat stats[TASKACCT_LOSSES] = {
		[TASKACCT_LOSS_QUEUE] = TASKACCT_STAT_LOST_QUEUE,
		[TASKACCT_LOSS_MEMORY] = TASKACCT_STAT_LOST_MEMORY,
	};
	struct sock *sk = listener->sk;

	lockdep_assert_held(&listener->lock);

	listener->info.lost[why]++;
	taskacct_stat_inc(stats[why]);
	open_gap(listener, why);
	if (listener->overrun)
		return;
	listener->overrun = true;
	sk->sk_err = ENOBUFS;
	sk->sk_error_report(sk);
}

/* Consumes the message; NULL if there was no memory for it. */
static void deliver(struct taskacct_listener *listener, struct sk_buff *skb,
		    struct taskacct_stream *stream)
{
	struct taskacct_listener_info *info = &listener->info;
	int err = -ENOMEM;

	spin_lock(&listener->lock);
	info->made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	if (unlikely(has_gap(listener)))
		send_gap(listener);
	if (!has_room(listener->sk)) {
		atomic_inc(&listener->sk->sk_drops);
		lose(listener, TASKACCT_LOSS_QUEUE);
	} else if (!skb) {
		atomic_inc(&listener->sk->sk_drops);
		lose(listener, TASKACCT_LOSS_MEMORY);
	} else {
		if (stream)
			tell_stream(info, stream);
		err = sock_queue_rcv_skb(listener->sk, skb);
		if (!err) {
			info->delivered++;
			listener->overrun = false;
			taskacct_stat_inc(TASKACCT_STAT_DELIVERED);
		} else if (err == -ENOMEM || err == -ENOBUFS) {
			/* Others may have filled the queue meanwhile. */
			lose(listener, TASKACCT_LOSS_QUEUE);
		} else {
			info->filtered++;
			taskacct_stat_inc(TASKACCT_STAT_FILTERED);
		}
	}
	spin_unlock(&listener->lock);

	if (err)
		kfree_skb(skb);
}

/**
 * taskacct_listeners_look() - see who hears a CPU
 * @heard: from taskacct_listeners_heard(), within the same rcu_read_lock()
 *
 * Context: any.
 * Return: what kinds of listeners there are, and whether making a classic
 *	message is worth while.
 */
struct taskacct_heard_by
taskacct_listeners_look(const struct taskacct_heard *heard)
{
	struct taskacct_heard_by by = {};
	struct taskacct_listener *listener;
	unsigned int i;

	for (i = 0; i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i]);
		if (!listener)
			continue;
		if (rcu_access_pointer(listener->sub)) {
			by.extended = true;
		} else {
			by.classic = true;
			by.room |= has_room(listener->sk);
		}
	}
	return by;
}

/* The one that hears it at place @i and asked for nothing, or NULL */
static struct taskacct_listener *
classic_at(const struct taskacct_heard *heard, unsigned int i)
{
	struct taskacct_listener *listener = rcu_dereference(heard->by[i]);

	return listener && !rcu_access_pointer(listener->sub) ? listener : NULL;
}

/**
 * taskacct_listeners_send() - give a classic message to all who hear a CPU
 * @heard: from taskacct_listeners_heard(), within the same rcu_read_lock()
 * @skb: the message, consumed
 *
 * A message that a listener has no room for is lost to it and counted; no
 * other listener notices.
 *
 * Context: the exit hook; does not sleep.
 */
void taskacct_listeners_send(const struct taskacct_heard *heard,
			     struct sk_buff *skb)
{
	struct taskacct_listener *listener;
	struct sk_buff *copy;
	unsigned int i;

	for (i = 0; i < heard->n; i++) {
		listener = classic_at(heard, i);
		if (!listener)
			continue;
		copy = skb;
		if (i == heard->n - 1)
			skb = NULL;
		else if (skb)
			copy = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
		deliver(listener, copy, NULL);
	}
	/* Left where the last place in the array is empty */
	kfree_skb(skb);
}

/**
 * taskacct_listeners_lose() - count a classic message that could not be made
 * @heard: from taskacct_listeners_heard(), within the same rcu_read_lock()
 * @why: why not
 *
 * Context: the exit hook; does not sleep.
 */
void taskacct_listeners_lose(const struct taskacct_heard *heard,
			     enum taskacct_loss why)
{
	struct taskacct_listener *listener;
	unsigned int i;

	for (i = 0; i < heard->n; i++) {
		listener = classic_at(heard, i);
		if (!listener)
			continue;
		taskacct_listener_lose(listener, why);
	}
}

/**
 * taskacct_listener_sub() - what a listener asked for
 * @listener: the listener
 *
 * Context: under rcu_read_lock(), as long as it is used.
 * Return: its subscription, or NULL: classic records.
 */
struct taskacct_subscription *
taskacct_listener_sub(const struct taskacct_listener *listener)
{
	return rcu_dereference(listener->sub);
}

/**
 * taskacct_listener_has_room() - whether making a message is worth while
 * @listener: the listener
 *
 * Context: any.
 * Return: true if there is room in its queue.
 */
bool taskacct_listener_has_room(const struct taskacct_listener *listener)
{
	return has_room(listener->sk);
}

/**
 * taskacct_listener_deliver() - give a message to one listener
 * @listener: the listener
 * @message: filled but for how the listener fared; its datagram is consumed
 *
 * Context: the exit hook; does not sleep.
 */
void taskacct_listener_deliver(struct taskacct_listener *listener,
			       const struct taskacct_message *message)
{
	deliver(listener, message->skb, message->stream);
}

/**
 * taskacct_listener_lose() - count a message that could not be made
 * @listener: the listener it was meant for
 * @why: why not
 *
 * Context: the exit hook; does not sleep.
 */
void taskacct_listener_lose(struct taskacct_listener *listener,
			    enum taskacct_loss why)
{
	spin_lock(&listener->lock);
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	atomic_inc(&listener->sk->sk_drops);
	lose(listener, why);
	spin_unlock(&listener->lock);
}
