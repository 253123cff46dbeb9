// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of messages to listeners
 */

#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "base/base.h"
#include "record/record.h"

#include "batch.h"
#include "deliver.h"
#include "listen.h"
#include "loss.h"

/*
 * A CPU's numbers tell how many tasks of others exited there: one who may not
 * know of them gets his own.
 */
static bool has_own_numbers(const struct taskacct_subscription *sub)
{
	return taskacct_reach_is_limited(&sub->reach);
}

/* Has a message, of its own bytes, say what differs from listener to listener */
static void make_own(const struct taskacct_parcel *parcel,
		     const struct taskacct_subscription *sub, u8 *message)
{
	const struct taskacct_listener_info *info = &parcel->listener->info;

	if (has_own_numbers(sub))
		((struct nlmsghdr *)message)->nlmsg_seq = info->made;
	if (parcel->stream)
		taskacct_loss_tell_stream(info,
					  (void *)(message + parcel->stream));
}

/*
 * The last message in a queue may be larger than what room there was, as with
 * all sockets; but not so that it takes what is kept back from it.
 */
static bool fits(const struct taskacct_listener *listener,
		 const struct sk_buff *skb, bool vital)
{
	const int used = atomic_read(&listener->sk->sk_rmem_alloc);
	const int room = taskacct_listener_room(listener, vital);

	if (used >= room)
		return false;
	return vital || !used || skb->truesize <= room - used;
}

static void drop_one(const struct taskacct_parcel *parcel,
		     enum taskacct_loss why)
{
	taskacct_loss_drop(parcel->listener, why, 1, cpumask_of(parcel->cpu));
}

/* Queues a datagram with @n messages, made on the CPUs @from; consumes it */
static void queue(struct taskacct_listener *listener, struct sk_buff *skb,
		  unsigned int n, const struct cpumask *from, bool vital)
{
	const unsigned int bytes = skb->len;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!fits(listener, skb, vital)) {
		taskacct_loss_drop(listener, TASKACCT_LOSS_QUEUE, n, from);
		kfree_skb(skb);
		return;
	}
	err = sock_queue_rcv_skb(listener->sk, skb);
	if (!err) {
		listener->info.delivered += n;
		listener->overrun = false;
		taskacct_stat_add(TASKACCT_STAT_DELIVERED, n);
		taskacct_stat_add(TASKACCT_STAT_BYTES, bytes);
		return;
	}
	/* Others may have filled the queue meanwhile: that is one drop to it. */
	if (err == -ENOMEM || err == -ENOBUFS) {
		atomic_add(n - 1, &listener->sk->sk_drops);
		taskacct_loss_count(listener, TASKACCT_LOSS_QUEUE, n, from);
		kfree_skb(skb);
	} else {
		listener->info.filtered += n;
		taskacct_stat_add(TASKACCT_STAT_FILTERED, n);
		consume_skb(skb);
	}
}

static void flush(struct taskacct_listener *listener)
{
	struct taskacct_batch *batch = &listener->batch;
	struct sk_buff *skb = taskacct_batch_take(batch);

	if (!skb)
		return;
	queue(listener, skb, batch->messages, batch->cpus, batch->vital);
	taskacct_batch_end(batch);
}

/* Counts a message, and tells of what was lost before it */
static void begin_message(const struct taskacct_parcel *parcel)
{
	struct taskacct_listener *listener = parcel->listener;

	taskacct_loss_take_missed(listener);
	if (unlikely(taskacct_loss_has_gap(listener))) {
		/* What waits is older than what was lost. */
		flush(listener);
		taskacct_loss_send_gap(listener);
	}
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
}

/*
 * Returns a message that no one else has, with bytes of its own if any are to be
 * changed; or NULL
 */
static struct sk_buff *unshare(const struct taskacct_parcel *parcel,
			       const struct taskacct_subscription *sub)
{
	struct sk_buff *skb = parcel->skb;

	skb = skb_share_check(skb, TASKACCT_GFP_QUEUED);
	if (skb && (parcel->stream || has_own_numbers(sub)))
		skb = skb_unshare(skb, TASKACCT_GFP_QUEUED);
	return skb;
}

static void deliver_alone(const struct taskacct_parcel *parcel,
			  const struct taskacct_subscription *sub)
{
	struct taskacct_listener *listener = parcel->listener;
	struct sk_buff *skb;

	/* Where it has just changed its mind, older ones may wait. */
	if (unlikely(listener->batch.skb))
		flush(listener);
	begin_message(parcel);
	skb = unshare(parcel, sub);
	if (!skb) {
		drop_one(parcel, TASKACCT_LOSS_MEMORY);
		return;
	}
	make_own(parcel, sub, skb->data);
	queue(listener, skb, 1, cpumask_of(parcel->cpu), parcel->vital);
}

/* Returns false if it is lost */
static bool append(const struct taskacct_parcel *parcel,
		   const struct taskacct_subscription *sub)
{
	struct taskacct_listener *listener = parcel->listener;
	struct taskacct_batch *batch = &listener->batch;
	const unsigned int length = parcel->skb->len;

	if (!taskacct_listener_has_room(listener, parcel->vital)) {
		drop_one(parcel, TASKACCT_LOSS_QUEUE);
		return false;
	}
	if (taskacct_batch_is_full(batch, length))
		flush(listener);
	if (!batch->skb && !taskacct_batch_begin(batch, sub, length)) {
		drop_one(parcel, TASKACCT_LOSS_MEMORY);
		return false;
	}
	make_own(parcel, sub, taskacct_batch_add(batch, parcel));
	/* Another like this would not fit, or nothing waits. */
	if (taskacct_batch_is_full(batch, length) || listener->hasty)
		flush(listener);
	return true;
}

static void deliver_in_batch(const struct taskacct_parcel *parcel,
			     const struct taskacct_subscription *sub)
{
	/* Nobody reads what is sent to one that is gone. */
	bool kept = parcel->listener->dead;

	if (!kept) {
		begin_message(parcel);
		kept = append(parcel, sub);
	}
	if (kept)
		consume_skb(parcel->skb);
	else
		kfree_skb(parcel->skb);
}

/**
 * taskacct_listener_push() - let a message have its place on the way to its listener
 * @parcel: the message, complete but for how the listener fared. It stays there until
 *	taskacct_listener_deliver() returns
 *
 * Context: the exit hook, under rcu_read_lock(), with preemption off; does not sleep
 *	on PREEMPT_RT either.
 */
void taskacct_listener_push(struct taskacct_parcel *parcel)
{
	struct taskacct_listener *listener = parcel->listener;
	unsigned long flags;

	raw_spin_lock_irqsave(&listener->arrival_lock, flags);
	if (listener->arrivals)
		listener->last->next = parcel;
	else
		listener->first = parcel;
	listener->last = parcel;
	parcel->ahead = ++listener->arrivals;
	raw_spin_unlock_irqrestore(&listener->arrival_lock, flags);
}

/* Returns the next message on its way, or NULL */
static struct taskacct_parcel *pull(struct taskacct_listener *listener)
{
	struct taskacct_parcel *parcel = NULL;

	lockdep_assert_held(&listener->lock);

	raw_spin_lock(&listener->arrival_lock);
	if (listener->arrivals) {
		parcel = listener->first;
		listener->first = parcel->next;
		listener->arrivals--;
	}
	raw_spin_unlock(&listener->arrival_lock);
	return parcel;
}

/* Returns whether there was one */
static bool deliver_next(struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub;
	struct taskacct_parcel *parcel;

	spin_lock_bh(&listener->lock);
	parcel = pull(listener);
	if (parcel) {
		sub = rcu_dereference(listener->sub);
		if (sub->batch_bytes)
			deliver_in_batch(parcel, sub);
		else
			deliver_alone(parcel, sub);
	}
	spin_unlock_bh(&listener->lock);
	return parcel;
}

/**
 * taskacct_listener_deliver() - see to it that a message is delivered
 * @parcel: the message, after taskacct_listener_push(); consumed
 *
 * Whoever comes delivers what is first, under the listener's lock. So when it is
 * seen there that all up to this one have been taken, this one is done with, though
 * another task may have done it.
 *
 * Context: the exit hook, under rcu_read_lock() since the message was pushed; does
 *	not sleep, but for the locks of PREEMPT_RT. Preemption is off for one message
 *	at a time.
 */
void taskacct_listener_deliver(const struct taskacct_parcel *parcel)
{
	struct taskacct_listener *listener = parcel->listener;
	unsigned int ahead = parcel->ahead;

	while (ahead-- && deliver_next(listener))
		;
}

/**
 * taskacct_listener_lose() - count a message that could not be made
 * @parcel: in the place of the message
 *
 * Context: the exit hook; does not sleep, but for the locks of PREEMPT_RT.
 */
void taskacct_listener_lose(const struct taskacct_parcel *parcel)
{
	struct taskacct_listener *listener = parcel->listener;

	spin_lock_bh(&listener->lock);
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	drop_one(parcel, parcel->why);
	spin_unlock_bh(&listener->lock);
}

/* Tells of losses where no exit comes to do it */
static void retry(struct work_struct *work)
{
	struct taskacct_listener *listener =
		container_of(to_delayed_work(work), struct taskacct_listener,
			     retry);

	spin_lock_bh(&listener->lock);
	taskacct_loss_take_missed(listener);
	if (taskacct_loss_has_gap(listener)) {
		flush(listener);
		taskacct_loss_send_gap(listener);
	}
	if (taskacct_loss_has_gap(listener) && !listener->dead)
		taskacct_loss_retry(listener);
	spin_unlock_bh(&listener->lock);
}

static enum hrtimer_restart end_batch(struct hrtimer *timer)
{
	struct taskacct_listener *listener =
		container_of(timer, struct taskacct_listener, batch.end);

	taskacct_listener_flush(listener);
	return HRTIMER_NORESTART;
}

/**
 * taskacct_listener_begin() - make a listener ready for messages
 * @listener: the listener, zeroed
 *
 * Context: task context.
 */
void taskacct_listener_begin(struct taskacct_listener *listener)
{
	spin_lock_init(&listener->lock);
	raw_spin_lock_init(&listener->arrival_lock);
	INIT_DELAYED_WORK(&listener->retry, retry);
	taskacct_hrtimer_setup(&listener->batch.end, end_batch, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_SOFT);
}

/**
 * taskacct_listener_flush() - let nothing wait any longer
 * @listener: the listener
 *
 * Context: task or softirq context.
 */
void taskacct_listener_flush(struct taskacct_listener *listener)
{
	spin_lock_bh(&listener->lock);
	flush(listener);
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_listener_hurry() - send what waits, and say what becomes of what comes
 * @listener: the listener
 * @hasty: nothing waits any more
 *
 * Context: task context.
 */
void taskacct_listener_hurry(struct taskacct_listener *listener, bool hasty)
{
	spin_lock_bh(&listener->lock);
	flush(listener);
	listener->hasty = hasty;
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_listener_end() - let a listener have nothing new
 * @listener: the listener. Exiting tasks may still see it, but start nothing
 *
 * Context: task context.
 */
void taskacct_listener_end(struct taskacct_listener *listener)
{
	spin_lock_bh(&listener->lock);
	flush(listener);
	listener->dead = true;
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_listener_stop() - see to it that a listener has nothing under way
 * @listener: the listener, which no exiting task sees any more
 *
 * Context: task context, may sleep.
 */
void taskacct_listener_stop(struct taskacct_listener *listener)
{
	cancel_delayed_work_sync(&listener->retry);
	hrtimer_cancel(&listener->batch.end);
}

/**
 * taskacct_listener_figures() - how a listener fares
 * @listener: the listener
 * @info: receives it, but for what it asked for
 *
 * Context: task context.
 */
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info)
{
	spin_lock_bh(&listener->lock);
	taskacct_loss_take_missed(listener);
	*info = listener->info;
	info->waiting = listener->batch.messages;
	spin_unlock_bh(&listener->lock);
}
