/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who hears which CPUs; delivery; losses
 */
#ifndef TASKACCT_LISTENERS_H
#define TASKACCT_LISTENERS_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct netlink_ext_ack;
struct sk_buff;
struct sock;
struct taskacct_heard;

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
 * struct taskacct_listener_info - a listener, as it is told to users
 * @portid: netlink port of its socket
 * @netns: inode of the network namespace of that port
 * @pid: process that registered, in the initial pid namespace
 * @comm: name of that process
 * @made: messages made for it so far
 * @delivered: of these, queued
 * @filtered: of these, refused by its own socket filter
 * @lost: of these, lost, by enum taskacct_loss
 * @mask: CPUs that it hears; valid while the callback runs
 */
struct taskacct_listener_info {
	u32 portid;
	u32 netns;
	u32 pid;
	char comm[TASK_COMM_LEN];
	u64 made;
	u64 delivered;
	u64 filtered;
	u64 lost[TASKACCT_LOSSES];
	const struct cpumask *mask;
};

DECLARE_PER_CPU(struct taskacct_heard __rcu *, taskacct_heard);

/**
 * taskacct_listeners_heard() - who hears this CPU
 *
 * Context: any.
 * Return: to be given to taskacct_listeners_send() within the same
 *	rcu_read_lock(); NULL if nobody does. Without rcu_read_lock() it can
 *	only be compared with NULL.
 */
static inline struct taskacct_heard *taskacct_listeners_heard(void)
{
	return rcu_dereference_check(*raw_cpu_ptr(&taskacct_heard), true);
}

int taskacct_listeners_init(void);
void taskacct_listeners_exit(void);

int taskacct_listeners_register(struct sock *sk, u32 portid,
				const struct cpumask *mask);
int taskacct_listeners_deregister(struct sock *sk, const struct cpumask *mask,
				  struct netlink_ext_ack *extack);
bool taskacct_listeners_room(const struct taskacct_heard *heard);
void taskacct_listeners_send(const struct taskacct_heard *heard,
			     struct sk_buff *skb);
void taskacct_listeners_lose(const struct taskacct_heard *heard,
			     enum taskacct_loss why);

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
