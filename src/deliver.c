// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of messages to listeners
 */

#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "batch.h"
#include "listener.h"
#include "loss.h"
#include "message.h"
#include "stat.h"

/*
 * A CPU's numbers tell how many tasks of others exited there: one who may not
 * know of them gets his own.
 */
static bool has_own_numbers(const struct taskacct_subscription *sub)
{
	return sub && taskacct_reach_is_limited(&sub->reach);
}

/* Has a message, of its own bytes, say what differs from listener to listener */
static void make_own(const struct taskacct_listener *listener,
		     const struct taskacct_subscription *sub, u8 *message,
		     const struct taskacct_label *label)
{
	if (has_own_numbers(sub))
		((struct nlmsghdr *)message)->nlmsg_seq = listener->info.made;
	if (label->stream)
		taskacct_loss_tell_stream(&listener->info,
			    (struct taskacct_stream *)(message + label->stream));
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

static void drop_one(struct taskacct_listener *listener, enum taskacct_loss why,
		     unsigned int cpu)
{
	taskacct_loss_drop(listener, why, 1, cpumask_of(cpu));
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

/* Begins with a message, which is lost if there is no room in the queue */
static bool begin_message(struct taskacct_listener *listener,
			  const struct taskacct_label *label)
{
	taskacct_loss_take_missed(listener);
	if (unlikely(taskacct_loss_has_gap(listener))) {
		/* What waits is older than what was lost. */
		flush(listener);
		taskacct_loss_send_gap(listener);
	}
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	if (taskacct_listener_has_room(listener, label->vital))
		return true;
	drop_one(listener, TASKACCT_LOSS_QUEUE, label->cpu);
	return false;
}

/* Returns the message with bytes of its own, if any are to be changed */
static struct sk_buff *unshare(struct sk_buff *skb,
			       const struct taskacct_subscription *sub,
			       const struct taskacct_label *label)
{
	if (!label->stream && !has_own_numbers(sub))
		return skb;
	return skb_unshare(skb, TASKACCT_GFP_QUEUED);
}

static void deliver_alone(struct taskacct_listener *listener,
			  const struct taskacct_subscription *sub,
			  struct sk_buff *skb)
{
	const struct taskacct_label label = *taskacct_label(skb);

	/* Where it has just changed its mind, older ones may wait. */
	if (unlikely(listener->batch.skb))
		flush(listener);
	if (!begin_message(listener, &label)) {
		kfree_skb(skb);
		return;
	}
	skb = unshare(skb, sub, &label);
	if (!skb) {
		drop_one(listener, TASKACCT_LOSS_MEMORY, label.cpu);
		return;
	}
	make_own(listener, sub, skb->data, &label);
	/* From here on it is netlink's. */
	memset(skb->cb, 0, sizeof(skb->cb));
	queue(listener, skb, 1, cpumask_of(label.cpu), label.vital);
}

/* Returns false if it is lost */
static bool append(struct taskacct_listener *listener,
		   const struct taskacct_subscription *sub,
		   const struct sk_buff *skb)
{
	const struct taskacct_label *label = taskacct_label(skb);
	struct taskacct_batch *batch = &listener->batch;
	u8 *message;

	if (taskacct_batch_is_full(batch, skb->len))
		flush(listener);
	if (!batch->skb && !taskacct_batch_begin(batch, sub, skb->len)) {
		drop_one(listener, TASKACCT_LOSS_MEMORY, label->cpu);
		return false;
	}
	message = taskacct_batch_add(batch, skb, label);
	make_own(listener, sub, message, label);
	/* Another like this would not fit, or nothing waits. */
	if (taskacct_batch_is_full(batch, skb->len) || listener->hasty)
		flush(listener);
	return true;
}

static void deliver_in_batch(struct taskacct_listener *listener,
			     const struct taskacct_subscription *sub,
			     struct sk_buff *skb)
{
	/* Nobody reads what is sent to one that is gone. */
	if (listener->dead ||
	    (begin_message(listener, taskacct_label(skb)) &&
	     append(listener, sub, skb)))
		consume_skb(skb);
	else
		kfree_skb(skb);
}

/**
 * taskacct_listener_push() - let a message have its place on the way to a listener
 * @listener: the listener
 * @skb: the message with its label, complete but for how the listener fared
 *
 * Context: the exit hook, under rcu_read_lock(), with preemption off; does not sleep
 *	on PREEMPT_RT either.
 * Return: how many messages are delivered until this one is, for
 *	taskacct_listener_deliver().
 */
unsigned int taskacct_listener_push(struct taskacct_listener *listener,
				    struct sk_buff *skb)
{
	unsigned int ahead;

	raw_spin_lock(&listener->arrival_lock);
	if (listener->arrivals)
		listener->last->next = skb;
	else
		listener->first = skb;
	listener->last = skb;
	ahead = ++listener->arrivals;
	raw_spin_unlock(&listener->arrival_lock);
	return ahead;
}

/* Returns the next message on its way, or NULL */
static struct sk_buff *pull(struct taskacct_listener *listener)
{
	struct sk_buff *skb = NULL;

	lockdep_assert_held(&listener->lock);

	raw_spin_lock(&listener->arrival_lock);
	if (listener->arrivals) {
		skb = listener->first;
		listener->first = skb->next;
		listener->arrivals--;
	}
	raw_spin_unlock(&listener->arrival_lock);
	if (skb)
		skb_mark_not_on_list(skb);
	return skb;
}

/* Returns whether there was one */
static bool deliver_next(struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub;
	struct sk_buff *skb;

	spin_lock_bh(&listener->lock);
	skb = pull(listener);
	if (skb) {
		sub = rcu_dereference(listener->sub);
		if (sub && sub->batch_bytes)
			deliver_in_batch(listener, sub, skb);
		else
			deliver_alone(listener, sub, skb);
	}
	spin_unlock_bh(&listener->lock);
	return skb;
}

/**
 * taskacct_listener_deliver() - see to it that a message is delivered
 * @listener: the listener
 * @ahead: from taskacct_listener_push(), which pushed it
 *
 * Whoever comes delivers what is first; others may have done it all.
 *
 * Context: the exit hook, under rcu_read_lock() since the message was pushed; does
 *	not sleep, but for the locks of PREEMPT_RT. Preemption is off for one message
 *	at a time.
 */
void taskacct_listener_deliver(struct taskacct_listener *listener,
			       unsigned int ahead)
{
	while (ahead-- && deliver_next(listener))
		;
}

/**
 * taskacct_listener_lose() - count a message that could not be made
 * @listener: the listener it was meant for
 * @why: why not
 * @cpu: where the task exited
 *
 * Context: the exit hook; does not sleep, but for the locks of PREEMPT_RT.
 */
void taskacct_listener_lose(struct taskacct_listener *listener,
			    enum taskacct_loss why, unsigned int cpu)
{
	spin_lock_bh(&listener->lock);
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	drop_one(listener, why, cpu);
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
