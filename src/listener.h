/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listener as those know it who send to it; others see a pointer
 */
#ifndef TASKACCT_LISTENER_H
#define TASKACCT_LISTENER_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "listeners.h"

/**
 * struct taskacct_batch - a datagram that waits to be filled
 * @skb: the datagram, or NULL
 * @messages: how many are in it
 * @room: bytes that it may still take; there may be memory for more
 * @cpus: where they come from
 * @end: gives it to the listener when it has waited long enough
 */
struct taskacct_batch {
	struct sk_buff *skb;
	unsigned int messages;
	unsigned int room;
	cpumask_var_t cpus;
	struct hrtimer end;
};

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

/**
 * struct taskacct_listener - a socket that registered
 * @node: in the list of all, under listeners_mutex
 * @rcu: for freeing
 * @freed: likewise, after @rcu
 * @sk: the socket; referenced, so that its address cannot be reused
 * @mask: CPUs that it hears, under listeners_mutex
 * @id: grows from listener to listener, so that a dump can go on behind one
 *	that has gone; does not change
 * @info: what users are told; identity does not change, counters are under
 *	@lock
 * @sub: what it asked for, NULL: classic records of everything; changed
 *	under listeners_mutex, read under RCU
 * @share: with whom it shares its batches, or NULL; under listeners_mutex
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

void taskacct_listener_begin(struct taskacct_listener *listener);
void taskacct_listener_flush(struct taskacct_listener *listener);
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info);
void taskacct_listener_end(struct taskacct_listener *listener);

struct taskacct_share *taskacct_share_new(unsigned int n);
void taskacct_share_flush(struct taskacct_share *share);
void taskacct_share_leave(struct taskacct_share *share,
			  struct taskacct_listener *listener);
void taskacct_share_retire(struct taskacct_share *share);
void taskacct_share_free(struct taskacct_share *share);

#endif /* TASKACCT_LISTENER_H */
