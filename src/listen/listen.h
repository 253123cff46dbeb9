/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners, and messages on their way to them: what other directories may use
 */
#ifndef TASKACCT_LISTEN_H
#define TASKACCT_LISTEN_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "record/record.h"

struct genl_info;
struct netlink_callback;
struct nlattr;
struct sk_buff;
struct sock;
struct task_struct;
struct taskacct_kept;
struct taskacct_access;
struct taskacct_shape;

/* registration.c: what a listener asked for */

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
 * @classic: it asked for nothing: classic records of all that it may receive
 * @want: TASKACCT_WANT_*
 * @filter: which tasks
 * @access: which tasks it may see, and in whose numbers; held
 * @met: how many have met all its conditions but "one in so many"
 * @batch_bytes: size of a datagram that messages wait to fill; 0: none waits
 * @batch_wait: how long the first of them waits at most, in ns
 */
struct taskacct_subscription {
	struct rcu_head rcu;
	bool classic;
	u32 want;
	struct taskacct_filter filter;
	struct taskacct_access access;
	atomic_t met;
	u32 batch_bytes;
	u64 batch_wait;
};

/* Of who has asked for nothing, and may receive everything; shared, never freed */
extern struct taskacct_subscription taskacct_subscription_default;

/**
 * struct taskacct_listener_info - a listener, as users see it
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
 * @mask: CPUs that it listens to; valid while the callback runs
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

/* Longest list of CPUs: the limit that users of the kernel's own know */
#define TASKACCT_MASK_LENGTH_MAX	(100 + 6 * NR_CPUS)

int taskacct_registration_set(struct sk_buff *skb, struct genl_info *info,
			      const struct nlattr *attr,
			      const struct taskacct_access *access);
int taskacct_registration_subscribe(struct sk_buff *skb, struct genl_info *info,
				    const struct taskacct_access *access);

/* cpu_listeners.c: who listens to which CPUs */

/**
 * struct taskacct_cpu_listener - one who listens to a CPU
 * @listener: the listener, NULL where it was taken away. It is not freed while
 *	it can be read here
 * @extended: it has asked for something, or may not receive everything; does
 *	not change here, so that an exit takes it for the one or for the other
 *	throughout
 */
struct taskacct_cpu_listener {
	struct taskacct_listener __rcu *listener;
	bool extended;
};

/**
 * struct taskacct_cpu_listeners - who listens to one CPU
 * @rcu: for freeing
 * @n: places in @by
 * @extended: one of them may be extended
 * @by: those who do
 */
struct taskacct_cpu_listeners {
	struct rcu_head rcu;
	unsigned int n;
	bool extended;
	struct taskacct_cpu_listener by[];
};

DECLARE_PER_CPU(struct taskacct_cpu_listeners __rcu *, taskacct_cpu_listeners);

/**
 * taskacct_cpu_listeners_here() - who listens to this CPU
 *
 * Return: those, as long as rcu_read_lock() is held; NULL if nobody does.
 *	Without rcu_read_lock() it can only be compared with NULL.
 */
static inline struct taskacct_cpu_listeners *taskacct_cpu_listeners_here(void)
{
	return rcu_dereference_check(*raw_cpu_ptr(&taskacct_cpu_listeners), true);
}

/* wanted.c: who wants to receive an exit */

/**
 * taskacct_wanted_kinds() - of what there is to tell, what a listener asked for
 * @sub: what it asked for
 * @kinds: what there is, TASKACCT_KIND_*
 * @several: the process has had several threads
 *
 * Return: TASKACCT_KIND_*
 */
static inline u32
taskacct_wanted_kinds(const struct taskacct_subscription *sub, u32 kinds,
		      bool several)
{
	if (sub->filter.kinds)
		return sub->filter.kinds & kinds;
	/* As the kernel: none of a process that only ever had one thread */
	return several ? kinds : kinds & TASKACCT_KIND_TASK;
}

bool taskacct_wanted(bool several, const struct taskacct_kept *kept);
bool taskacct_wanted_by(const struct taskacct_cpu_listener *by, bool several,
			const struct taskacct_kept *kept);
void taskacct_wanted_miss(bool several, const struct taskacct_kept *kept);
void taskacct_wanted_shape(struct taskacct_shape *shape, bool last, bool several);
u32 taskacct_wanted_strings(void);
struct task_struct *taskacct_wanted_leader(const struct taskacct_kept *kept);
u32 taskacct_wanted_meet(struct taskacct_subscription *sub, u32 kinds,
			 const struct taskacct_values *task,
			 const struct taskacct_values *process);

/* listener.c: a listener */

/**
 * struct taskacct_batch - a datagram that waits to be filled
 * @skb: the datagram, or NULL
 * @messages: how many are in it
 * @room: bytes that it may still take; there may be memory for more
 * @cpus: where they come from
 * @vital: there is one among them with what is known of a process
 * @end: gives it to the listener when it has waited long enough
 */
struct taskacct_batch {
	struct sk_buff *skb;
	unsigned int messages;
	unsigned int room;
	cpumask_var_t cpus;
	bool vital;
	struct hrtimer end;
};

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
 * struct taskacct_pending - a message for one listener
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
struct taskacct_pending {
	struct taskacct_pending *next;
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
 * @node: in the list of all, under taskacct_listeners_mutex
 * @rcu: for freeing
 * @freed: likewise, after @rcu
 * @sk: the socket; referenced, so that its address cannot be reused
 * @mask: CPUs that it listens to, under taskacct_listeners_mutex
 * @id: grows from listener to listener, so that a dump can go on behind one
 *	that has gone; does not change
 * @payer: who it counts for; does not change
 * @info: what users can see; identity does not change, counters are under
 *	@lock
 * @sub: what it asked for, never NULL; changed under taskacct_listeners_mutex, read
 *	under RCU
 * @lock: protects all below it up to @batch, and the counters; taken in softirq
 *	too
 * @overrun: the last message was lost, and the socket got ENOBUFS
 * @dead: it is about to be freed
 * @hasty: it listens to no CPU any more: what exits on their way still give it does
 *	not wait
 * @gap: messages that were lost since their number was last reported, by enum
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
	struct taskacct_pending *first;
	struct taskacct_pending *last;
	unsigned int arrivals;
	unsigned int missed;
	cpumask_var_t missed_mask;
};

/**
 * taskacct_listener_room() - bytes up to which a queue may be filled
 * @listener: the listener
 * @vital: for a message with what is known of a process: all there is. A
 *	sixteenth is kept back from messages with no more than a thread's record
 *
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
 * Return: true if there is room in its queue.
 */
static inline bool
taskacct_listener_has_room(const struct taskacct_listener *listener, bool vital)
{
	return atomic_read(&listener->sk->sk_rmem_alloc) <
	       taskacct_listener_room(listener, vital);
}

/* queue.c, loss.c: delivery, and what is lost */

void taskacct_queue_push(struct taskacct_pending *pending);
void taskacct_queue_deliver(const struct taskacct_pending *pending);
void taskacct_queue_lose(const struct taskacct_pending *pending);
void taskacct_loss_miss(struct taskacct_listener *listener);

/* listeners.c: all listeners */

int taskacct_listeners_init(void);
void taskacct_listeners_exit(void);
unsigned int taskacct_listeners_count(void);

/* netlink.c: the family's answers about them */

int taskacct_listeners_netlink_get(struct sk_buff *request,
				   struct genl_info *info);
int taskacct_listeners_netlink_start(struct netlink_callback *cb);
int taskacct_listeners_netlink_dump(struct sk_buff *skb,
				    struct netlink_callback *cb);
int taskacct_listeners_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_LISTEN_H */
