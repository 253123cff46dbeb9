// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queue of a listener: messages get a position in it and are delivered in that order
 *
 * An exiting task gives each of its messages a position (taskacct_queue_push()), then
 * delivers everything up to that position (taskacct_queue_deliver()), also messages of
 * other tasks. So no exit waits for another task that was preempted.
 */

#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "base/base.h"
#include "record/record.h"

#include "batch.h"
#include "listen.h"
#include "loss.h"
#include "queue.h"

/*
 * Per-CPU sequence numbers would reveal other users' exits, so a restricted listener gets a
 * private sequence.
 */
static bool has_own_numbers(const struct taskacct_subscription *sub)
{
	return sub && taskacct_access_is_limited(&sub->access);
}

/* Writes what differs between listeners into a message that shares no bytes. */
static void make_own(const struct taskacct_pending *pending,
		     const struct taskacct_subscription *sub, u8 *message)
{
	const struct taskacct_listener_info *info = &pending->listener->info;

	if (has_own_numbers(sub))
		((struct nlmsghdr *)message)->nlmsg_seq = info->made;
	if (pending->stream)
		taskacct_loss_tell_stream(info,
					  (void *)(message + pending->stream));
}

/*
 * As with all sockets, the last message may exceed the limit of the queue. A message that is
 * not vital must still leave the part that is kept for vital ones.
 */
static bool fits_queue(const struct taskacct_listener *listener,
		       const struct sk_buff *skb, bool vital)
{
	const int used = atomic_read(&listener->sk->sk_rmem_alloc);
	const int room = taskacct_listener_room(listener, vital);

	if (used >= room)
		return false;
	return vital || !used || skb->truesize <= room - used;
}

static void drop_one(const struct taskacct_pending *pending,
		     enum taskacct_loss why)
{
	taskacct_loss_drop(pending->listener, why, 1, cpumask_of(pending->cpu));
}

/* Queues a datagram of @n messages from exits on the CPUs @from. Consumes @skb. */
static void queue_datagram(struct taskacct_listener *listener, struct sk_buff *skb,
			   unsigned int n, const struct cpumask *from, bool vital)
{
	const unsigned int bytes = skb->len;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!fits_queue(listener, skb, vital)) {
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
	/* Another sender filled the queue. The socket has counted one drop for it. */
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

static void flush_batch(struct taskacct_listener *listener)
{
	struct taskacct_batch *batch = &listener->batch;
	struct sk_buff *skb = taskacct_batch_take(batch);

	if (!skb)
		return;
	queue_datagram(listener, skb, batch->messages, batch->cpus, batch->vital);
	taskacct_batch_end(batch);
}

/* Counts a message (made-is-delivered-or-lost) and reports earlier losses first. */
static void begin_message(const struct taskacct_pending *pending)
{
	struct taskacct_listener *listener = pending->listener;

	taskacct_loss_take_missed(listener);
	if (unlikely(taskacct_loss_has_gap(listener))) {
		/* The batch is older than the losses. */
		flush_batch(listener);
		taskacct_loss_send_gap(listener);
	}
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
}

/*
 * Returns an skb that no other listener has, with bytes of its own where some have to be
 * changed; NULL if there is no memory.
 */
static struct sk_buff *unshare_message(const struct taskacct_pending *pending,
				       const struct taskacct_subscription *sub)
{
	struct sk_buff *skb = pending->skb;

	skb = skb_share_check(skb, TASKACCT_GFP_QUEUED);
	if (skb && (pending->stream || has_own_numbers(sub)))
		skb = skb_unshare(skb, TASKACCT_GFP_QUEUED);
	return skb;
}

static void deliver_alone(const struct taskacct_pending *pending,
			  const struct taskacct_subscription *sub)
{
	struct taskacct_listener *listener = pending->listener;
	struct sk_buff *skb;

	/* A listener that has just left batches may have older messages in one. */
	if (unlikely(listener->batch.skb))
		flush_batch(listener);
	begin_message(pending);
	skb = unshare_message(pending, sub);
	if (!skb) {
		drop_one(pending, TASKACCT_LOSS_MEMORY);
		return;
	}
	make_own(pending, sub, skb->data);
	queue_datagram(listener, skb, 1, cpumask_of(pending->cpu), pending->vital);
}

/* Returns false if the message is lost. */
static bool append_to_batch(const struct taskacct_pending *pending,
			    const struct taskacct_subscription *sub)
{
	struct taskacct_listener *listener = pending->listener;
	struct taskacct_batch *batch = &listener->batch;
	const unsigned int length = pending->skb->len;

	if (!taskacct_listener_has_room(listener, pending->vital)) {
		drop_one(pending, TASKACCT_LOSS_QUEUE);
		return false;
	}
	if (taskacct_batch_is_full(batch, length))
		flush_batch(listener);
	if (!batch->skb && !taskacct_batch_begin(batch, sub, length)) {
		drop_one(pending, TASKACCT_LOSS_MEMORY);
		return false;
	}
	make_own(pending, sub, taskacct_batch_add(batch, pending));
	/* Send now if the next such message would not fit, or nothing may wait. */
	if (taskacct_batch_is_full(batch, length) || listener->hasty)
		flush_batch(listener);
	return true;
}

static void deliver_in_batch(const struct taskacct_pending *pending,
			     const struct taskacct_subscription *sub)
{
	/* A dead listener has no reader. */
	bool kept = pending->listener->dead;

	if (!kept) {
		begin_message(pending);
		kept = append_to_batch(pending, sub);
	}
	if (kept)
		consume_skb(pending->skb);
	else
		kfree_skb(pending->skb);
}

/**
 * taskacct_queue_push() - give a message its position in the queue
 * @pending: the message, complete except for the state of the stream. It has to stay
 *	valid until taskacct_queue_deliver() returns
 *
 * Context: the exit hook, under rcu_read_lock(), with preemption off; does not sleep
 *	on PREEMPT_RT either.
 */
void taskacct_queue_push(struct taskacct_pending *pending)
{
	struct taskacct_listener *listener = pending->listener;
	unsigned long flags;

	raw_spin_lock_irqsave(&listener->arrival_lock, flags);
	if (listener->arrivals)
		listener->last->next = pending;
	else
		listener->first = pending;
	listener->last = pending;
	pending->ahead = ++listener->arrivals;
	raw_spin_unlock_irqrestore(&listener->arrival_lock, flags);
}

/* Returns the first pending message, or NULL. */
static struct taskacct_pending *pull_pending(struct taskacct_listener *listener)
{
	struct taskacct_pending *pending = NULL;

	lockdep_assert_held(&listener->lock);

	raw_spin_lock(&listener->arrival_lock);
	if (listener->arrivals) {
		pending = listener->first;
		listener->first = pending->next;
		listener->arrivals--;
	}
	raw_spin_unlock(&listener->arrival_lock);
	return pending;
}

/* Delivers the first pending message. Returns false if there was none. */
static bool deliver_next(struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub;
	struct taskacct_pending *pending;

	spin_lock_bh(&listener->lock);
	pending = pull_pending(listener);
	if (pending) {
		sub = rcu_dereference(listener->sub);
		if (sub && sub->batch_bytes)
			deliver_in_batch(pending, sub);
		else
			deliver_alone(pending, sub);
	}
	spin_unlock_bh(&listener->lock);
	return pending;
}

/**
 * taskacct_queue_deliver() - deliver a message and all before it
 * @pending: the message, after taskacct_queue_push(); consumed
 *
 * Every caller takes the first pending message under the listener's lock. Another task may
 * have delivered this one already: it is done when as many were taken as were before it.
 *
 * Context: the exit hook, under rcu_read_lock() since the message was pushed; does
 *	not sleep, but for the locks of PREEMPT_RT. Preemption is off for one message
 *	at a time.
 */
void taskacct_queue_deliver(const struct taskacct_pending *pending)
{
	struct taskacct_listener *listener = pending->listener;
	unsigned int ahead = pending->ahead;

	while (ahead-- && deliver_next(listener))
		;
}

/**
 * taskacct_queue_lose() - count a message that could not be made
 * @pending: says which listener and why
 *
 * Context: the exit hook; does not sleep, but for the locks of PREEMPT_RT.
 */
void taskacct_queue_lose(const struct taskacct_pending *pending)
{
	struct taskacct_listener *listener = pending->listener;

	spin_lock_bh(&listener->lock);
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	drop_one(pending, pending->why);
	spin_unlock_bh(&listener->lock);
}

/* Reports losses when no exit on the listener's CPUs does so. */
static void retry_gap(struct work_struct *work)
{
	struct taskacct_listener *listener =
		container_of(to_delayed_work(work), struct taskacct_listener,
			     retry);

	spin_lock_bh(&listener->lock);
	taskacct_loss_take_missed(listener);
	if (taskacct_loss_has_gap(listener)) {
		flush_batch(listener);
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

	taskacct_queue_flush(listener);
	return HRTIMER_NORESTART;
}

/**
 * taskacct_queue_begin() - initialise the queue of a listener
 * @listener: the listener, zeroed
 *
 * Context: task context.
 */
void taskacct_queue_begin(struct taskacct_listener *listener)
{
	spin_lock_init(&listener->lock);
	raw_spin_lock_init(&listener->arrival_lock);
	INIT_DELAYED_WORK(&listener->retry, retry_gap);
	taskacct_hrtimer_setup(&listener->batch.end, end_batch, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_SOFT);
}

/**
 * taskacct_queue_flush() - send the batch
 * @listener: the listener
 *
 * Context: task or softirq context.
 */
void taskacct_queue_flush(struct taskacct_listener *listener)
{
	spin_lock_bh(&listener->lock);
	flush_batch(listener);
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_queue_hurry() - send the batch, and say whether later messages may wait
 * @listener: the listener
 * @hasty: later messages are not batched
 *
 * Context: task context.
 */
void taskacct_queue_hurry(struct taskacct_listener *listener, bool hasty)
{
	spin_lock_bh(&listener->lock);
	flush_batch(listener);
	listener->hasty = hasty;
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_queue_end() - mark a listener as dead
 * @listener: the listener. Exiting tasks may still see it; they start no batch, timer or
 *	work
 *
 * Context: task context.
 */
void taskacct_queue_end(struct taskacct_listener *listener)
{
	spin_lock_bh(&listener->lock);
	flush_batch(listener);
	listener->dead = true;
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_queue_stop() - stop the timer and the work of a listener
 * @listener: the listener, which no exiting task can see
 *
 * Context: task context, may sleep.
 */
void taskacct_queue_stop(struct taskacct_listener *listener)
{
	cancel_delayed_work_sync(&listener->retry);
	hrtimer_cancel(&listener->batch.end);
}

/**
 * taskacct_queue_statistics() - read the counters of a listener
 * @listener: the listener
 * @info: receives them; the subscription is not filled in
 *
 * Context: task context.
 */
void taskacct_queue_statistics(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info)
{
	spin_lock_bh(&listener->lock);
	taskacct_loss_take_missed(listener);
	*info = listener->info;
	info->waiting = listener->batch.messages;
	spin_unlock_bh(&listener->lock);
}
