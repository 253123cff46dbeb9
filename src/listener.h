/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listener as those know it who send to it; others see a pointer
 */
#ifndef TASKACCT_LISTENER_H
#define TASKACCT_LISTENER_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "batch.h"
#include "listeners.h"

struct sk_buff;
struct taskacct_share;

/**
 * struct taskacct_listener - a socket that registered
 * @node: in the list of all, under taskacct_heard_mutex
 * @rcu: for freeing
 * @freed: likewise, after @rcu
 * @sk: the socket; referenced, so that its address cannot be reused
 * @mask: CPUs that it hears, under taskacct_heard_mutex
 * @id: grows from listener to listener, so that a dump can go on behind one
 *	that has gone; does not change
 * @info: what users are told; identity does not change, counters are under
 *	@lock
 * @sub: what it asked for, NULL: classic records of everything; changed
 *	under taskacct_heard_mutex, read under RCU
 * @share: with whom it shares its batches, or NULL; under taskacct_heard_mutex
 * @lock: protects all below it, and the counters; taken in softirq too
 * @overrun: the last message was lost, and the socket told so
 * @dead: it is about to be freed
 * @gap: messages that were lost since it was last told how many, by enum
 *	taskacct_loss
 * @gap_mask: CPUs that they came from
 * @gap_since: time of the first of them, in ns since boot
 * @retry: tells it when there is room and nobody else comes
 * @batch: what waits for it alone
 */
struct taskacct_listener {
	struct list_head node;
	struct rcu_head rcu;
	struct llist_node freed;
	struct sock *sk;
	cpumask_var_t mask;
	unsigned long id;
	struct taskacct_listener_info info;
	struct taskacct_subscription __rcu *sub;
	struct taskacct_share *share;
	spinlock_t lock; /* inside taskacct_group.sending, taskacct_share.lock */
	bool overrun;
	bool dead;
	u64 gap[TASKACCT_LOSSES];
	cpumask_var_t gap_mask;
	u64 gap_since;
	struct delayed_work retry;
	struct taskacct_batch batch;
};

/**
 * taskacct_listener_sub() - what a listener asked for
 * @listener: the listener
 *
 * Context: task context; with taskacct_heard_mutex.
 * Return: that, or NULL: classic records of everything.
 */
static inline struct taskacct_subscription *
taskacct_listener_sub(const struct taskacct_listener *listener)
{
	return rcu_dereference_protected(listener->sub,
					 lockdep_is_held(&taskacct_heard_mutex));
}

/**
 * taskacct_listener_has_room() - whether making a message is worth while
 * @listener: the listener
 *
 * The kernel's own senders set a socket's congestion flag when it overflows,
 * and it stays deaf until its queue is empty. Looking first avoids that.
 *
 * Context: any.
 * Return: true if there is room in its queue.
 */
static inline bool
taskacct_listener_has_room(const struct taskacct_listener *listener)
{
	const struct sock *sk = listener->sk;

	return atomic_read(&sk->sk_rmem_alloc) < READ_ONCE(sk->sk_rcvbuf);
}

void taskacct_listener_begin(struct taskacct_listener *listener);
void taskacct_listener_flush(struct taskacct_listener *listener);
void taskacct_listener_take(struct taskacct_listener *listener,
			    const struct taskacct_batch *batch,
			    struct sk_buff *skb);
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info);
void taskacct_listener_end(struct taskacct_listener *listener);

#endif /* TASKACCT_LISTENER_H */
