/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners: what they asked for, how they fare; delivery; losses
 */
#ifndef TASKACCT_LISTENERS_H
#define TASKACCT_LISTENERS_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "filter.h"
#include "heard.h"
#include "reach.h"

struct netlink_ext_ack;
struct sock;
struct taskacct_listener;
struct taskacct_parcel;

/**
 * enum taskacct_loss - why a message is lost to a listener
 * @TASKACCT_LOSS_QUEUE: no room in its queue
 * @TASKACCT_LOSS_MEMORY: no memory
 * @TASKACCT_LOSSES: how many reasons there are
 */
enum taskacct_loss {
	TASKACCT_LOSS_QUEUE,
	TASKACCT_LOSS_MEMORY,
	TASKACCT_LOSSES,
};

/**
 * struct taskacct_subscription - what a listener asked for
 * @rcu: for freeing
 * @classic: it asked for nothing: classic records of all that it may hear of
 * @want: TASKACCT_WANT_*
 * @filter: which tasks
 * @reach: which tasks it may hear of, and in whose numbers; held
 * @met: how many have met all its conditions but "one in so many"
 * @batch_bytes: size of a datagram that messages wait to fill; 0: none waits
 * @batch_wait: how long the first of them waits at most, in ns
 */
struct taskacct_subscription {
	struct rcu_head rcu;
	bool classic;
	u32 want;
	struct taskacct_filter filter;
	struct taskacct_reach reach;
	atomic_t met;
	u32 batch_bytes;
	u64 batch_wait;
};

/* Of who has asked for nothing, and may hear of everything; shared, never freed */
extern struct taskacct_subscription taskacct_subscription_default;

/**
 * struct taskacct_listener_info - a listener, as it is told to users
 * @portid: netlink port of its socket
 * @netns: inode of the network namespace of that port
 * @pid: process that registered, in the initial pid namespace
 * @own_pid: the same in its own pid namespace
 * @comm: name of that process
 * @made: messages made for it so far
 * @delivered: of these, queued
 * @waiting: of these, in a datagram that is not full
 * @filtered: of these, refused by its own socket filter
 * @lost: of these, lost, by enum taskacct_loss
 * @mask: CPUs that it hears; valid while the callback runs
 * @sub: what it asked for, likewise
 */
struct taskacct_listener_info {
	u32 portid;
	u32 netns;
	u32 pid;
	u32 own_pid;
	char comm[TASK_COMM_LEN];
	u64 made;
	u64 delivered;
	u64 waiting;
	u64 filtered;
	u64 lost[TASKACCT_LOSSES];
	const struct cpumask *mask;
	const struct taskacct_subscription *sub;
};

int taskacct_listeners_init(void);
void taskacct_listeners_exit(void);

void taskacct_subscription_free(struct taskacct_subscription *sub);
int taskacct_listeners_register(struct sock *sk, u32 portid,
				struct cpumask *mask,
				struct taskacct_subscription *sub,
				struct netlink_ext_ack *extack);
int taskacct_listeners_deregister(struct sock *sk, const struct cpumask *mask,
				  struct netlink_ext_ack *extack);

void taskacct_listener_push(struct taskacct_parcel *parcel);
void taskacct_listener_deliver(const struct taskacct_parcel *parcel);
void taskacct_listener_lose(const struct taskacct_parcel *parcel);
void taskacct_listener_miss(struct taskacct_listener *listener);

unsigned int taskacct_listeners_count(void);
int taskacct_listeners_get(struct sock *sk,
			   int (*tell)(const struct taskacct_listener_info *info,
				       void *data),
			   void *data);
int taskacct_listeners_dump(unsigned long *next,
			    int (*tell)(const struct taskacct_listener_info *info,
					void *data),
			    void *data);

#endif /* TASKACCT_LISTENERS_H */
