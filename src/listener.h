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
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "batch.h"
#include "listeners.h"

/**
 * struct taskacct_payer - who a listener counts for
 * @ns: user namespace, referenced
 * @uid: a user of it
 *
 * A user may have many uids in namespaces of his own: what is made in them
 * counts for him. A namespace that root has made, such as a container's, counts
 * as a whole, apart from others that root has made: its @uid is INVALID_UID.
 */
struct taskacct_payer {
	struct user_namespace *ns;
	kuid_t uid;
};

/**
 * struct taskacct_parcel - a message for one listener
 * @next: the next on the way to the same listener
 * @listener: the listener; NULL: the message is not sent after all
 * @skb: the message; others may have the same, or share its bytes. NULL: it is lost
 * @stream: where in it stands how the listener fared, in bytes; 0: nowhere
 * @cpu: where the task exited
 * @ahead: how many are delivered until this one is
 * @vital: it has what is known of a process: the process's record, or that of the
 *	only thread it ever had
 * @why: why it is lost, by enum taskacct_loss
 */
struct taskacct_parcel {
	struct taskacct_parcel *next;
	struct taskacct_listener *listener;
	struct sk_buff *skb;
	u32 stream;
	unsigned int cpu;
	unsigned int ahead;
	bool vital;
	u8 why;
};

/**
 * struct taskacct_listener - a socket that registered
 * @node: in the list of all, under taskacct_heard_mutex
 * @rcu: for freeing
 * @freed: likewise, after @rcu
 * @sk: the socket; referenced, so that its address cannot be reused
 * @mask: CPUs that it hears, under taskacct_heard_mutex
 * @id: grows from listener to listener, so that a dump can go on behind one
 *	that has gone; does not change
 * @payer: who it counts for; does not change
 * @info: what users are told; identity does not change, counters are under
 *	@lock
 * @sub: what it asked for, never NULL; changed under taskacct_heard_mutex, read
 *	under RCU
 * @lock: protects all below it up to @batch, and the counters; taken in softirq
 *	too
 * @overrun: the last message was lost, and the socket told so
 * @dead: it is about to be freed
 * @hasty: it hears no CPU any more: what exits on their way still give it does
 *	not wait
 * @gap: messages that were lost since it was last told how many, by enum
 *	taskacct_loss
 * @gap_mask: CPUs that they came from
 * @gap_since: time of the first of them, in ns since boot
 * @retry: tells it when there is room and nobody else comes
 * @batch: what waits for it
 * @arrival_lock: protects all below it. Innermost; taken where @lock cannot be,
 *	then with interrupts off, since softirq takes @lock
 * @first: the first of the messages that are on their way: each has its place,
 *	and whose exit it tells of, or another exit, delivers it; valid if there
 *	are any
 * @last: the last of them, likewise
 * @arrivals: how many they are
 * @missed: messages that were lost where nothing may sleep, and are not in @info
 *	yet
 * @missed_mask: CPUs that they came from
 */
struct taskacct_listener {
	struct list_head node;
	struct rcu_head rcu;
	struct llist_node freed;
	struct sock *sk;
	cpumask_var_t mask;
	unsigned long id;
	struct taskacct_payer payer;
	struct taskacct_listener_info info;
	struct taskacct_subscription __rcu *sub;
	spinlock_t lock; /* outside arrival_lock */
	bool overrun;
	bool dead;
	bool hasty;
	u64 gap[TASKACCT_LOSSES];
	cpumask_var_t gap_mask;
	u64 gap_since;
	struct delayed_work retry;
	struct taskacct_batch batch;
	raw_spinlock_t arrival_lock; /* inside lock, and taskacct_group.lock */
	struct taskacct_parcel *first;
	struct taskacct_parcel *last;
	unsigned int arrivals;
	unsigned int missed;
	cpumask_var_t missed_mask;
};

/**
 * taskacct_listener_sub() - what a listener asked for
 * @listener: the listener
 *
 * Context: task context; with taskacct_heard_mutex.
 * Return: that.
 */
static inline struct taskacct_subscription *
taskacct_listener_sub(const struct taskacct_listener *listener)
{
	return rcu_dereference_protected(listener->sub,
					 lockdep_is_held(&taskacct_heard_mutex));
}

/**
 * taskacct_listener_room() - bytes up to which a queue may be filled
 * @listener: the listener
 * @vital: for a message with what is known of a process: all there is. A
 *	sixteenth is kept back from messages with no more than a thread's record
 *
 * Context: any.
 * Return: their number.
 */
static inline int taskacct_listener_room(const struct taskacct_listener *listener,
					 bool vital)
{
	const int size = READ_ONCE(listener->sk->sk_rcvbuf);

	return vital ? size : size - size / 16;
}

/**
 * taskacct_listener_has_room() - whether making a message is worth while
 * @listener: the listener
 * @vital: as in taskacct_listener_room()
 *
 * The kernel's own senders set a socket's congestion flag when it overflows,
 * and it stays deaf until its queue is empty. Looking first avoids that.
 *
 * Context: any.
 * Return: true if there is room in its queue.
 */
static inline bool
taskacct_listener_has_room(const struct taskacct_listener *listener, bool vital)
{
	return atomic_read(&listener->sk->sk_rmem_alloc) <
	       taskacct_listener_room(listener, vital);
}

/**
 * taskacct_payer_is_same() - whether two listeners count for the same
 * @payer: the one's
 * @other: the other's
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool taskacct_payer_is_same(const struct taskacct_payer *payer,
					  const struct taskacct_payer *other)
{
	return payer->ns == other->ns && uid_eq(payer->uid, other->uid);
}

struct taskacct_listener *taskacct_listener_new(struct sock *sk, u32 portid);
void taskacct_listener_replace_sub(struct taskacct_listener *listener,
				   struct taskacct_subscription *sub);
void taskacct_listener_free(struct taskacct_listener *listener);
void taskacct_listener_free_later(struct taskacct_listener *listener);
void taskacct_listener_wait(void);

void taskacct_listener_begin(struct taskacct_listener *listener);
void taskacct_listener_flush(struct taskacct_listener *listener);
void taskacct_listener_hurry(struct taskacct_listener *listener, bool hasty);
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info);
void taskacct_listener_end(struct taskacct_listener *listener);
void taskacct_listener_stop(struct taskacct_listener *listener);

#endif /* TASKACCT_LISTENER_H */
