// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of messages to listeners, and what is lost
 */

#include <linux/netlink.h>
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

	if (sub && sub->reach.limited)
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
	if (!has_room(listener->sk))
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

/* Queues a datagram with @n messages, made on the CPUs @from; consumes it */
static void queue(struct taskacct_listener *listener, struct sk_buff *skb,
		  unsigned int n, const struct cpumask *from)
{
	const unsigned int bytes = skb->len;
	int err;

	lockdep_assert_held(&listener->lock);

	if (!has_room(listener->sk)) {
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
	} else {
		listener->info.filtered += n;
		taskacct_stat_add(TASKACCT_STAT_FILTERED, n);
	}
	kfree_skb(skb);
}

/* Takes the datagram out; NULL if there is none */
static struct sk_buff *take(struct taskacct_batch *batch)
{
	struct sk_buff *skb = batch->skb;

	batch->skb = NULL;
	return skb;
}

static void begin_anew(struct taskacct_batch *batch)
{
	batch->messages = 0;
	cpumask_clear(batch->cpus);
}

static void flush(struct taskacct_listener *listener)
{
	struct taskacct_batch *batch = &listener->batch;
	struct sk_buff *skb = take(batch);

	if (!skb)
		return;
	queue(listener, skb, batch->messages, batch->cpus);
	begin_anew(batch);
}

/* Begins with a message, which is lost if there is no room in the queue */
static bool begin_message(struct taskacct_listener *listener)
{
	if (unlikely(has_gap(listener))) {
		/* What waits is older than what was lost. */
		flush(listener);
		send_gap(listener);
	}
	listener->info.made++;
	taskacct_stat_inc(TASKACCT_STAT_MADE);
	if (has_room(listener->sk))
		return true;
	drop_one(listener, TASKACCT_LOSS_QUEUE);
	return false;
}

/*
 * Consumes the message; NULL if there was no memory for it. One that is shared
 * with others has its number already.
 */
static void deliver(struct taskacct_listener *listener, struct sk_buff *skb,
		    struct taskacct_stream *stream, bool shared)
{
	spin_lock_bh(&listener->lock);
	/* Where it has just changed its mind, older ones may wait. */
	if (unlikely(listener->batch.skb))
		flush(listener);
	if (begin_message(listener)) {
		if (skb) {
			if (!shared)
				number(listener, nlmsg_hdr(skb));
			if (stream)
				tell_stream(&listener->info, stream);
			queue(listener, skb, 1,
			      cpumask_of(raw_smp_processor_id()));
			skb = NULL;
		} else {
			drop_one(listener, TASKACCT_LOSS_MEMORY);
		}
	}
	spin_unlock_bh(&listener->lock);
	kfree_skb(skb);
}

/* A datagram with room for a message */
static bool make_place(struct taskacct_batch *batch,
		       const struct taskacct_subscription *sub,
		       unsigned int length)
{
	batch->room = max(sub->batch_bytes, length);
	batch->skb = alloc_skb(batch->room, TASKACCT_GFP_QUEUED);
	if (!batch->skb)
		return false;
	hrtimer_start(&batch->end, ns_to_ktime(sub->batch_wait),
		      HRTIMER_MODE_REL_SOFT);
	return true;
}

/* Returns where the message is now */
static void *add(struct taskacct_batch *batch, const struct sk_buff *message)
{
	batch->room -= message->len;
	batch->messages++;
	cpumask_set_cpu(raw_smp_processor_id(), batch->cpus);
	return skb_put_data(batch->skb, message->data, message->len);
}

static bool is_full(const struct taskacct_batch *batch, unsigned int length)
{
	return batch->skb && batch->room < length;
}

static void append(struct taskacct_listener *listener,
		   const struct taskacct_message *message)
{
	const struct taskacct_subscription *sub = rcu_dereference(listener->sub);
	struct taskacct_batch *batch = &listener->batch;
	const struct sk_buff *from = message->skb;
	ptrdiff_t stream;
	u8 *to;

	if (is_full(batch, from->len))
		flush(listener);
	if (!batch->skb && !make_place(batch, sub, from->len)) {
		drop_one(listener, TASKACCT_LOSS_MEMORY);
		return;
	}
	to = add(batch, from);
	number(listener, (struct nlmsghdr *)to);
	if (message->stream) {
		stream = (u8 *)message->stream - from->data;
		tell_stream(&listener->info,
			    (struct taskacct_stream *)(to + stream));
	}
	/* Another like this would not fit. */
	if (is_full(batch, from->len))
		flush(listener);
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
		listener = rcu_dereference(heard->by[i].listener);
		if (!listener)
			continue;
		if (heard->by[i].extended) {
			by.extended = true;
		} else {
			by.classic = true;
			by.room |= has_room(listener->sk);
		}
	}
	return by;
}

/* The one that hears it at place @i and asked for nothing, or NULL */
static struct taskacct_listener *classic_at(const struct taskacct_heard *heard,
					    unsigned int i)
{
	const struct taskacct_hearer *by = &heard->by[i];

	return by->extended ? NULL : rcu_dereference(by->listener);
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
		deliver(listener, copy, NULL, true);
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
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_listener_deliver(struct taskacct_listener *listener,
			       const struct taskacct_message *message)
{
	deliver(listener, message->skb, message->stream, false);
}

/**
 * taskacct_listener_append() - let a message wait for others
 * @listener: the listener, subscribed to batches
 * @message: filled but for how the listener fared; copied
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_listener_append(struct taskacct_listener *listener,
			      const struct taskacct_message *message)
{
	spin_lock_bh(&listener->lock);
	/* Nobody reads what is sent to one that is gone. */
	if (!listener->dead && begin_message(listener))
		append(listener, message);
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

/* Tells of losses where no exit comes to do it */
static void retry(struct work_struct *work)
{
	struct taskacct_listener *listener =
		container_of(to_delayed_work(work), struct taskacct_listener,
			     retry);

	spin_lock_bh(&listener->lock);
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
 * taskacct_listener_end() - see to it that a listener has nothing under way
 * @listener: the listener. Exiting tasks may still see it, but start nothing
 *
 * Context: task context, may sleep.
 */
void taskacct_listener_end(struct taskacct_listener *listener)
{
	spin_lock_bh(&listener->lock);
	flush(listener);
	listener->dead = true;
	spin_unlock_bh(&listener->lock);
	cancel_delayed_work_sync(&listener->retry);
	hrtimer_cancel(&listener->batch.end);
}

/* One of those who share a batch gets it; no skb: there was no memory for it */
static void share_out(struct taskacct_listener *listener,
		      const struct taskacct_batch *batch, struct sk_buff *skb)
{
	const unsigned int n = batch->messages;

	spin_lock(&listener->lock);
	/* Where it has just changed its mind, others may wait. */
	flush(listener);
	listener->info.made += n;
	taskacct_stat_add(TASKACCT_STAT_MADE, n);
	if (skb)
		queue(listener, skb, n, batch->cpus);
	else
		drop(listener, TASKACCT_LOSS_MEMORY, n, batch->cpus);
	spin_unlock(&listener->lock);
}

static void flush_share(struct taskacct_share *share)
{
	struct taskacct_batch *batch = &share->batch;
	struct sk_buff *skb = take(batch);
	unsigned int i;

	lockdep_assert_held(&share->lock);

	if (!skb)
		return;
	for (i = 0; i < share->n; i++)
		if (share->by[i])
			share_out(share->by[i], batch,
				  skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN));
	consume_skb(skb);
	begin_anew(batch);
}

/**
 * taskacct_share_append() - let a message wait for others, for all who share it
 * @share: those
 * @sub: what each of them asked for
 * @message: complete; copied. NULL: there was no memory for it
 *
 * Context: the exit hook, under rcu_read_lock(); does not sleep.
 */
void taskacct_share_append(struct taskacct_share *share,
			   const struct taskacct_subscription *sub,
			   const struct sk_buff *message)
{
	struct taskacct_batch *batch = &share->batch;
	unsigned int i;

	spin_lock_bh(&share->lock);
	if (message && is_full(batch, message->len))
		flush_share(share);
	if (message &&
	    (batch->skb || make_place(batch, sub, message->len))) {
		add(batch, message);
		if (share->retired || is_full(batch, message->len))
			flush_share(share);
	} else {
		for (i = 0; i < share->n; i++)
			if (share->by[i])
				taskacct_listener_lose(share->by[i],
						       TASKACCT_LOSS_MEMORY);
	}
	spin_unlock_bh(&share->lock);
}

/**
 * taskacct_share_flush() - let nothing wait any longer
 * @share: those who share it
 *
 * Context: task or softirq context.
 */
void taskacct_share_flush(struct taskacct_share *share)
{
	spin_lock_bh(&share->lock);
	flush_share(share);
	spin_unlock_bh(&share->lock);
}

/**
 * taskacct_share_leave() - send a listener what waits, and no more
 * @share: those who share it
 * @listener: one of them
 *
 * Context: task context.
 */
void taskacct_share_leave(struct taskacct_share *share,
			  struct taskacct_listener *listener)
{
	unsigned int i;

	spin_lock_bh(&share->lock);
	flush_share(share);
	for (i = 0; i < share->n; i++)
		if (share->by[i] == listener)
			share->by[i] = NULL;
	spin_unlock_bh(&share->lock);
}

static void tell_figures(struct taskacct_listener *listener,
			 struct taskacct_listener_info *info)
{
	spin_lock_bh(&listener->lock);
	*info = listener->info;
	info->waiting = listener->batch.messages;
	spin_unlock_bh(&listener->lock);
}

/**
 * taskacct_listener_figures() - how a listener fares
 * @listener: the listener; listeners_mutex is held
 * @info: receives it, but for what it asked for
 *
 * Context: task context.
 */
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info)
{
	struct taskacct_share *share = listener->share;

	if (!share) {
		tell_figures(listener, info);
		return;
	}
	spin_lock_bh(&share->lock);
	tell_figures(listener, info);
	info->made += share->batch.messages;
	info->waiting += share->batch.messages;
	spin_unlock_bh(&share->lock);
}

static enum hrtimer_restart end_shared_batch(struct hrtimer *timer)
{
	taskacct_share_flush(container_of(timer, struct taskacct_share,
					  batch.end));
	return HRTIMER_NORESTART;
}

/**
 * taskacct_share_new() - have batches for several listeners
 * @n: how many
 *
 * Context: task context, may sleep.
 * Return: it, for taskacct_share_free(), to put the listeners in; or NULL if
 *	there is no memory.
 */
struct taskacct_share *taskacct_share_new(unsigned int n)
{
	struct taskacct_share *share;

	share = kzalloc(struct_size(share, by, n), GFP_KERNEL);
	if (!share)
		return NULL;
	if (!zalloc_cpumask_var(&share->batch.cpus, GFP_KERNEL)) {
		kfree(share);
		return NULL;
	}
	spin_lock_init(&share->lock);
	taskacct_hrtimer_setup(&share->batch.end, end_shared_batch,
			       CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	share->n = n;
	return share;
}

/**
 * taskacct_share_retire() - let nothing wait any longer, from now on
 * @share: those who share it, for each of whom there will be another place
 *
 * An exit that still finds it has its message queued at once: before that of any
 * exit after it, which may find the other place.
 *
 * Context: task context.
 */
void taskacct_share_retire(struct taskacct_share *share)
{
	spin_lock_bh(&share->lock);
	share->retired = true;
	flush_share(share);
	spin_unlock_bh(&share->lock);
}

/**
 * taskacct_share_free() - send what waits, and end
 * @share: those who shared it, which nobody finds any more
 *
 * Context: task context, may sleep.
 */
void taskacct_share_free(struct taskacct_share *share)
{
	taskacct_share_flush(share);
	hrtimer_cancel(&share->batch.end);
	free_cpumask_var(share->batch.cpus);
	kfree(share);
}
