// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of messages to listeners, and what is lost
 */

#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <net/sock.h>

#include "batch.h"
#include "listener.h"
#include "message.h"
#include "stat.h"

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

static void open_gap(struct taskacct_listener *listener, enum taskacct_loss why,
		     unsigned int n, const struct cpumask *from)
{
	lockdep_assert_held(&listener->lock);

	if (!wants_stream(listener))
		return;
	listener->gap[why] += n;
	cpumask_or(listener->gap_mask, listener->gap_mask, from);
	if (has_gap(listener))
		return;
	listener->gap_since = ktime_get_boottime_ns();
	if (!listener->dead)
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

/*
 * A CPU's numbers tell how many tasks of others exited there: one who may not
 * know of them gets his own.
 */
static void number(const struct taskacct_listener *listener,
		   struct nlmsghdr *nlh)
{
	const struct taskacct_subscription *sub = rcu_dereference(listener->sub);

	if (sub && taskacct_reach_is_limited(&sub->reach))
		nlh->nlmsg_seq = listener->info.made;
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

	if (!wants_stream(listener)) {
		/* It has changed its mind. */
		close_gap(listener);
		return;
	}
	if (!taskacct_listener_has_room(listener, true))
		return;
	skb = make_gap(listener);
	if (!skb)
		return;
	err = sock_queue_rcv_skb(listener->sk, skb);
	/* It is made again, or was not wanted: nothing is lost. */
	if (err)
		consume_skb(skb);
	if (err != -ENOMEM && err != -ENOBUFS)
		close_gap(listener);
}

/*
 * Counts messages that were lost, made on the CPUs @from, and, once for each
 * run of them, says so.
 */
static void lose(struct taskacct_listener *listener, enum taskacct_loss why,
		 unsigned int n, const struct cpumask *from)
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

/* Loses messages that the socket itself does not know of */
static void drop(struct taskacct_listener *listener, enum taskacct_loss why,
		 unsigned int n, const struct cpumask *from)
{
	atomic_add(n, &listener->sk->sk_drops);
	lose(listener, why, n, from);
}

/* Loses the message of the exit that this CPU is about */
static void drop_one(struct taskacct_listener *listener, enum taskacct_loss why)
{
	drop(listener, why, 1, cpumask_of(raw_smp_processor_id()));
}

/*
 * Adds what was missed to the losses. The mask of the gap takes in the CPUs at
 * once, and is of no use where there is no gap.
 */
static void lose_missed(struct taskacct_listener *listener)
{
	unsigned long flags;
	unsigned int n;

	lockdep_assert_held(&listener->lock);

	if (likely(!READ_ONCE(listener->missed)))
		return;
	raw_spin_lock_irqsave(&listener->missed_lock, flags);
	n = listener->missed;
	WRITE_ONCE(listener->missed, 0);
	cpumask_or(listener->gap_mask, listener->gap_mask,
		   listener->missed_mask);
	cpumask_clear(listener->missed_mask);
	raw_spin_unlock_irqrestore(&listener->missed_lock, flags);

	listener->info.made += n;
	taskacct_stat_add(TASKACCT_STAT_MADE, n);
	drop(listener, TASKACCT_LOSS_MEMORY, n, listener->gap_mask);
	if (!has_gap(listener))
		cpumask_clear(listener->gap_mask);
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

/* Queues a datagram with @n messages, made on the CPUs @from; consumes it */
static void queue(struct taskacct_listener *listener, struct sk_buff *skb,
		  unsigned int n, const struct cpumask *from, bool vital)
{
	const unsigned int bytes = skb->len;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!fits(listener, skb, vital)) {
		drop(listener, TASKACCT_LOSS_QUEUE, n, from);
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
		lose(listener, TASKACCT_LOSS_QUEUE, n, from);
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
static bool begin_message(struct taskacct_listener *listener, bool vital)
{
	lose_missed(listener);
	if (unlikely(has_gap(listener))) {
		/* What waits is older than what was lost. */
		flush(listener);
		send_gap(listener);
	}
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	if (taskacct_listener_has_room(listener, vital))
		return true;
	drop_one(listener, TASKACCT_LOSS_QUEUE);
	return false;
}

/*
 * Consumes the message; NULL if there was no memory for it. One that is shared
 * with others has its number already.
 */
static void deliver(struct taskacct_listener *listener, struct sk_buff *skb,
		    struct taskacct_stream *stream, bool shared, bool vital)
{
	spin_lock_bh(&listener->lock);
	/* Where it has just changed its mind, older ones may wait. */
	if (unlikely(listener->batch.skb))
		flush(listener);
	if (begin_message(listener, vital)) {
		if (skb) {
			if (!shared)
				number(listener, nlmsg_hdr(skb));
			if (stream)
				tell_stream(&listener->info, stream);
			queue(listener, skb, 1,
			      cpumask_of(raw_smp_processor_id()), vital);
			skb = NULL;
		} else {
			drop_one(listener, TASKACCT_LOSS_MEMORY);
		}
	}
	spin_unlock_bh(&listener->lock);
	/* Left where it is lost */
	kfree_skb(skb);
}

static void append(struct taskacct_listener *listener,
		   const struct taskacct_message *message, bool vital)
{
	const struct taskacct_subscription *sub = rcu_dereference(listener->sub);
	struct taskacct_batch *batch = &listener->batch;
	const struct sk_buff *from = message->skb;
	ptrdiff_t stream;
	u8 *to;

	if (taskacct_batch_is_full(batch, from->len))
		flush(listener);
	if (!batch->skb && !taskacct_batch_begin(batch, sub, from->len)) {
		drop_one(listener, TASKACCT_LOSS_MEMORY);
		return;
	}
	to = taskacct_batch_add(batch, from, vital);
	number(listener, (struct nlmsghdr *)to);
	if (message->stream) {
		stream = (u8 *)message->stream - from->data;
		tell_stream(&listener->info,
			    (struct taskacct_stream *)(to + stream));
	}
	/* Another like this would not fit, or nothing waits. */
	if (taskacct_batch_is_full(batch, from->len) || listener->hasty)
		flush(listener);
}

/**
 * taskacct_listener_deliver() - give a message to one listener
 * @listener: the listener
 * @message: filled but for how the listener fared; its datagram is consumed
 * @vital: as in taskacct_listener_room()
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_listener_deliver(struct taskacct_listener *listener,
			       const struct taskacct_message *message,
			       bool vital)
{
	deliver(listener, message->skb, message->stream, false, vital);
}

/**
 * taskacct_listener_deliver_shared() - give it a message that others get too
 * @listener: the listener
 * @skb: complete, with its number; consumed. NULL: there was no memory for it
 * @vital: as in taskacct_listener_room()
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_listener_deliver_shared(struct taskacct_listener *listener,
				      struct sk_buff *skb, bool vital)
{
	deliver(listener, skb, NULL, true, vital);
}

/**
 * taskacct_listener_append() - let a message wait for others
 * @listener: the listener, subscribed to batches
 * @message: filled but for how the listener fared; copied
 * @vital: as in taskacct_listener_room()
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_listener_append(struct taskacct_listener *listener,
			      const struct taskacct_message *message,
			      bool vital)
{
	spin_lock_bh(&listener->lock);
	/* Nobody reads what is sent to one that is gone. */
	if (!listener->dead && begin_message(listener, vital))
		append(listener, message, vital);
	spin_unlock_bh(&listener->lock);
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
	spin_lock_bh(&listener->lock);
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	drop_one(listener, why);
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_listener_miss() - count a message for want of memory, where nothing may
 *	sleep
 * @listener: the listener it was meant for
 *
 * It is told of it a little later.
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep on PREEMPT_RT
 *	either.
 */
void taskacct_listener_miss(struct taskacct_listener *listener)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&listener->missed_lock, flags);
	WRITE_ONCE(listener->missed, listener->missed + 1);
	cpumask_set_cpu(raw_smp_processor_id(), listener->missed_mask);
	raw_spin_unlock_irqrestore(&listener->missed_lock, flags);
	schedule_delayed_work(&listener->retry,
			      msecs_to_jiffies(RETRY_INTERVAL));
}

/* Tells of losses where no exit comes to do it */
static void retry(struct work_struct *work)
{
	struct taskacct_listener *listener =
		container_of(to_delayed_work(work), struct taskacct_listener,
			     retry);

	spin_lock_bh(&listener->lock);
	lose_missed(listener);
	if (has_gap(listener)) {
		flush(listener);
		send_gap(listener);
	}
	if (has_gap(listener) && !listener->dead)
		schedule_delayed_work(&listener->retry,
				      msecs_to_jiffies(RETRY_INTERVAL));
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
	raw_spin_lock_init(&listener->missed_lock);
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
	lose_missed(listener);
	*info = listener->info;
	info->waiting = listener->batch.messages;
	spin_unlock_bh(&listener->lock);
}
