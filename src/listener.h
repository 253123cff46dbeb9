/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listener as those know it who send to it; others see a pointer
 */
#ifndef TASKACCT_LISTENER_H
#define TASKACCT_LISTENER_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "listeners.h"

/**
 * struct taskacct_listener - a socket that registered
 * @node: in the list of all, under listeners_mutex
 * @rcu: for freeing
 * @sk: the socket; referenced, so that its address cannot be reused
 * @mask: CPUs that it hears, under listeners_mutex
 * @id: grows from listener to listener, so that a dump can go on behind one
 *	that has gone; does not change
 * @info: what users are told; identity does not change, counters are under
 *	@lock
 * @sub: what it asked for, NULL: classic records of everything; changed
 *	under listeners_mutex, read under RCU
 * @lock: protects all below it, and the counters; taken in softirq too
 * @overrun: the last message was lost, and the socket told so
 * @dead: it is about to be freed
 * @gap: messages that were lost since it was last told how many, by enum
 *	taskacct_loss
 * @gap_mask: CPUs that they came from
 * @gap_since: time of the first of them, in ns since boot
 * @retry: tells it when there is room and nobody else comes
 * @batch: a datagram that waits to be filled, or NULL
 * @batched: messages in it
 * @batch_mask: CPUs that they come from
 * @batch_room: bytes that it may still take; there may be memory for more
 * @batch_end: gives it to the listener when it has waited long enough
 */
struct taskacct_listener {
	struct list_head node;
	struct rcu_head rcu;
	struct sock *sk;
	cpumask_var_t mask;
	unsigned long id;
	struct taskacct_listener_info info;
	struct taskacct_subscription __rcu *sub;
	spinlock_t lock; /* inside taskacct_group.sending */
	bool overrun;
	bool dead;
	u64 gap[TASKACCT_LOSSES];
	cpumask_var_t gap_mask;
	u64 gap_since;
	struct delayed_work retry;
	struct sk_buff *batch;
	unsigned int batched;
	cpumask_var_t batch_mask;
	unsigned int batch_room;
	struct hrtimer batch_end;
};

void taskacct_listener_begin(struct taskacct_listener *listener);
void taskacct_listener_flush(struct taskacct_listener *listener);
void taskacct_listener_end(struct taskacct_listener *listener);

#endif /* TASKACCT_LISTENER_H */
