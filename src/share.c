// SPDX-License-Identifier: GPL-2.0-only
/*
 * Batches that several listeners share
 *
 * Listeners that want exactly the same, in batches, have one place together.
 * Who comes to share it, and who parts to want something else, does so in new
 * arrays, so that each exit is told to each of them once.
 */

#include <linux/hrtimer.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "batch.h"
#include "filter.h"
#include "heard.h"
#include "listener.h"
#include "share.h"

/**
 * struct taskacct_share - listeners that want exactly the same, in batches
 * @lock: protects all below it; outside of the listeners' own
 * @retired: others take its place: what still comes does not wait
 * @batch: what waits for all of them
 * @n: how many places there are in @by
 * @by: the listeners; NULL where one was taken away
 *
 * Each message is put into one datagram, of which all get a clone. None is told
 * in it how it fared itself, and none has a say of its own about a message, so
 * that a message counts for each when it is sent.
 */
struct taskacct_share {
	spinlock_t lock; /* inside taskacct_group.sending */
	bool retired;
	struct taskacct_batch batch;
	unsigned int n;
	struct taskacct_listener *by[];
};

static void flush_share(struct taskacct_share *share)
{
	struct taskacct_batch *batch = &share->batch;
	struct sk_buff *skb = taskacct_batch_take(batch);
	unsigned int i;

	lockdep_assert_held(&share->lock);

	if (!skb)
		return;
	for (i = 0; i < share->n; i++)
		if (share->by[i])
			taskacct_listener_take(share->by[i], batch,
					       skb_clone(skb, GFP_ATOMIC |
							 __GFP_NOWARN));
	consume_skb(skb);
	taskacct_batch_end(batch);
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
	if (message && taskacct_batch_is_full(batch, message->len))
		flush_share(share);
	if (message &&
	    (batch->skb || taskacct_batch_begin(batch, sub, message->len))) {
		taskacct_batch_add(batch, message);
		if (share->retired || taskacct_batch_is_full(batch, message->len))
			flush_share(share);
	} else {
		for (i = 0; i < share->n; i++)
			if (share->by[i])
				taskacct_listener_lose(share->by[i],
						       TASKACCT_LOSS_MEMORY);
	}
	spin_unlock_bh(&share->lock);
}

static void flush(struct taskacct_share *share)
{
	spin_lock_bh(&share->lock);
	flush_share(share);
	spin_unlock_bh(&share->lock);
}

/* Sends a listener what waits, and no more */
static void end_for(struct taskacct_share *share,
		    const struct taskacct_listener *listener)
{
	unsigned int i;

	spin_lock_bh(&share->lock);
	flush_share(share);
	for (i = 0; i < share->n; i++)
		if (share->by[i] == listener)
			share->by[i] = NULL;
	spin_unlock_bh(&share->lock);
}

static enum hrtimer_restart end_shared_batch(struct hrtimer *timer)
{
	flush(container_of(timer, struct taskacct_share, batch.end));
	return HRTIMER_NORESTART;
}

/* With room for @n, but nobody in it; NULL if there is no memory */
static struct taskacct_share *new_share(unsigned int n)
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
	return share;
}

/*
 * Lets nothing wait any longer, from now on: there will be another place for each
 * of them. An exit that still finds this one has its message queued at once: before
 * that of any exit after it, which may find the other place.
 */
static void retire(struct taskacct_share *share)
{
	spin_lock_bh(&share->lock);
	share->retired = true;
	flush_share(share);
	spin_unlock_bh(&share->lock);
}

/* Sends what waits, and ends. Nobody finds it any more. */
static void free_share(struct taskacct_share *share)
{
	flush(share);
	hrtimer_cancel(&share->batch.end);
	free_cpumask_var(share->batch.cpus);
	kfree(share);
}

/* It is told nothing, and has no say, that others are not or have not. */
static bool can_share(const struct taskacct_subscription *sub)
{
	return sub && sub->batch_bytes && !taskacct_reach_is_limited(&sub->reach) &&
	       !(sub->want & TASKACCT_WANT_STREAM) &&
	       taskacct_filter_is_common(&sub->filter);
}

/**
 * taskacct_share_is_like() - whether two listeners may share their batches
 * @listener: one of them
 * @other: the other
 *
 * Context: task context; with taskacct_heard_mutex.
 * Return: true if both want exactly the same, and of the same CPUs.
 */
bool taskacct_share_is_like(const struct taskacct_listener *listener,
			    const struct taskacct_listener *other)
{
	const struct taskacct_subscription *sub = taskacct_listener_sub(listener);
	const struct taskacct_subscription *as = taskacct_listener_sub(other);

	return can_share(sub) && can_share(as) && sub->want == as->want &&
	       sub->batch_bytes == as->batch_bytes &&
	       sub->batch_wait == as->batch_wait &&
	       !memcmp(&sub->filter, &as->filter, sizeof(sub->filter)) &&
	       cpumask_equal(listener->mask, other->mask);
}

/* The one whose place in the arrays is that of all; NULL: all have left */
static struct taskacct_listener *first_of(const struct taskacct_share *share)
{
	unsigned int i;

	for (i = 0; i < share->n; i++)
		if (share->by[i])
			return share->by[i];
	return NULL;
}

/*
 * All who share with a listener, or it alone, without @but and with @more, who
 * may be NULL
 */
static struct taskacct_share *gather(struct taskacct_listener *listener,
				     const struct taskacct_listener *but,
				     struct taskacct_listener *more)
{
	const struct taskacct_share *old = listener->share;
	struct taskacct_share *share;
	unsigned int i;

	share = new_share(old ? old->n + 1 : 2);
	if (!share)
		return NULL;
	for (i = 0; old && i < old->n; i++)
		if (old->by[i] && old->by[i] != but)
			share->by[share->n++] = old->by[i];
	if (!old)
		share->by[share->n++] = listener;
	if (more)
		share->by[share->n++] = more;
	return share;
}

static void set_share(struct taskacct_share *share)
{
	unsigned int i;

	for (i = 0; i < share->n; i++)
		share->by[i]->share = share;
}

/**
 * taskacct_share_join() - let a listener share its batches
 * @listener: the listener, which does so with nobody yet
 * @other: one that it may do so with
 *
 * Without memory for that it goes on without.
 *
 * Context: task context, may sleep; with taskacct_heard_mutex.
 */
void taskacct_share_join(struct taskacct_listener *listener,
			 struct taskacct_listener *other)
{
	struct taskacct_share *share, *old = other->share;
	struct taskacct_heard **heard;
	struct taskacct_heard_change change;

	lockdep_assert_held(&taskacct_heard_mutex);

	share = gather(other, NULL, listener);
	if (!share)
		return;
	change = (struct taskacct_heard_change){
		.from = old ? first_of(old) : other,
		.to = taskacct_heard_place(first_of(share), share, true),
		.out = listener,
	};
	heard = taskacct_heard_make(&change, listener->mask, NULL);
	if (!heard) {
		free_share(share);
		return;
	}
	if (old)
		retire(old);
	taskacct_heard_use(heard);
	set_share(share);
	synchronize_rcu();
	taskacct_listener_flush(listener);
	taskacct_listener_flush(other);
	if (old)
		free_share(old);
}

/**
 * taskacct_share_part() - give a listener a place of its own
 * @listener: the listener; nothing changes if it shares with nobody
 *
 * Context: task context, may sleep; with taskacct_heard_mutex.
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int taskacct_share_part(struct taskacct_listener *listener)
{
	struct taskacct_share *share, *old = listener->share;
	struct taskacct_heard **heard;
	struct taskacct_heard_change change;

	lockdep_assert_held(&taskacct_heard_mutex);

	if (!old)
		return 0;
	share = gather(listener, listener, NULL);
	if (!share)
		return -ENOMEM;
	change = (struct taskacct_heard_change){
		.from = first_of(old),
		.to = taskacct_heard_place(first_of(share), share, true),
		.last = taskacct_heard_place(listener, NULL, true),
	};
	heard = taskacct_heard_make(&change, listener->mask, NULL);
	if (!heard) {
		free_share(share);
		return -ENOMEM;
	}
	retire(old);
	taskacct_heard_use(heard);
	set_share(share);
	listener->share = NULL;
	synchronize_rcu();
	free_share(old);
	if (!share->n)
		free_share(share);
	return 0;
}

/**
 * taskacct_share_leave() - take a listener away from those with whom it shares
 * @listener: the listener; nothing changes if it does so with nobody. Of
 *	several, one that hears no more
 *
 * What waits is sent to it.
 *
 * Context: task context, may sleep; with taskacct_heard_mutex. Cannot fail.
 */
void taskacct_share_leave(struct taskacct_listener *listener)
{
	struct taskacct_share *share = listener->share;
	struct taskacct_listener *first;

	lockdep_assert_held(&taskacct_heard_mutex);

	if (!share)
		return;
	first = first_of(share);
	end_for(share, listener);
	listener->share = NULL;
	if (first != listener)
		return;
	first = first_of(share);
	if (first) {
		taskacct_heard_give(listener, first);
		return;
	}
	taskacct_heard_drop(listener, listener->mask);
	synchronize_rcu();
	free_share(share);
}

/**
 * taskacct_share_figures() - how a listener fares, with what waits for it here
 * @listener: the listener, which shares its batches
 * @info: receives it, but for what it asked for
 *
 * Context: task context; with taskacct_heard_mutex.
 */
void taskacct_share_figures(struct taskacct_listener *listener,
			    struct taskacct_listener_info *info)
{
	struct taskacct_share *share = listener->share;

	lockdep_assert_held(&taskacct_heard_mutex);

	spin_lock_bh(&share->lock);
	taskacct_listener_figures(listener, info);
	info->made += share->batch.messages;
	info->waiting += share->batch.messages;
	spin_unlock_bh(&share->lock);
}
