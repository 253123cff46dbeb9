/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users of whom a task has been seen, and the table where they are found
 */
#ifndef TASKACCT_UID_ENTRY_H
#define TASKACCT_UID_ENTRY_H

#include <linux/compiler.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/taskacct.h>

#include "task.h"
#include "uid.h"

/* As many are ready for where no memory can be had. */
#define TASKACCT_UID_ENTRY_RESERVED	64

/**
 * struct taskacct_uid_entry - a user of whom a task has been seen
 * @node: in the table of users
 * @all: in the list of all users
 * @rcu: for freeing
 * @uid: the user
 * @tasks: live tasks that the reader has met; the reader's own
 * @lock: protects all below it, and what is kept of tasks that are counted
 *	here. Taken in task context only
 * @removed: it is not in the table any more
 * @state: in which its tasks are counted; changed by one at a time
 * @first: when a task was first seen, in ns since boot
 * @last: when one ended last, in ns since boot, by taskacct_uid_clock(), which
 *	may be less than @first by a tick
 * @ended: how many tasks were counted to their end
 * @sum: where it is counted now: that of @usage which @state says
 * @usage: what was counted, by state
 * @view: @then is of the instant of this view; in debug mode, see uid/view.h
 * @then: what was read and written at that instant, by state
 */
struct taskacct_uid_entry {
	struct hlist_node node;
	struct list_head all;
	struct rcu_head rcu;
	kuid_t uid;
	unsigned int tasks;
	raw_spinlock_t lock;
	bool removed;
	u8 state;
	u64 first;
	u64 last;
	u64 ended;
	struct taskacct_uid_used *sum;
	struct taskacct_uid_used usage[TASKACCT_UID_STATES];
	unsigned int view;
	struct taskacct_uid_io then[TASKACCT_UID_STATES];
};

/*
 * Of those beyond max. Its lock protects the table against changes too, and is
 * taken inside that of another entry.
 */
extern struct taskacct_uid_entry taskacct_uid_entry_rest;

/**
 * struct taskacct_uid_entry_table - where users are found
 * @chains: by a hash of the user's number; read under RCU
 * @factor: odd and random, so that nobody knows which numbers meet
 * @shift: how many bits of the product of number and @factor are dropped
 */
struct taskacct_uid_entry_table {
	struct hlist_head *chains;
	u32 factor;
	unsigned int shift;
};

extern struct taskacct_uid_entry_table taskacct_uid_entry_table;
int taskacct_uid_entry_init(unsigned int max);
void taskacct_uid_entry_start(void);
void taskacct_uid_entry_exit(void);
struct taskacct_uid_entry *taskacct_uid_entry_make(kuid_t uid);
void taskacct_uid_entry_remove(struct taskacct_uid_entry *entry);
int taskacct_uid_entry_fill(unsigned int users);
bool taskacct_uid_entry_is_full(kuid_t uid);
int taskacct_uid_entry_each(int (*visit)(struct taskacct_uid_entry *entry,
					 void *data),
			    void *data, bool to_the_end);

/**
 * taskacct_uid_entry_chain() - where a user's entry is, if there is one
 * @uid: the user
 *
 * Context: any.
 * Return: its chain.
 */
static inline struct hlist_head *taskacct_uid_entry_chain(kuid_t uid)
{
	return &taskacct_uid_entry_table
			.chains[__kuid_val(uid) *
					taskacct_uid_entry_table.factor >>
				taskacct_uid_entry_table.shift];
}

/**
 * taskacct_uid_entry_find() - find a user's entry
 * @uid: the user
 *
 * Each exit does it, so that every instruction counts.
 *
 * Context: under rcu_read_lock(), or preemption off, or the lock of the rest.
 * Return: it, or NULL.
 */
static inline struct taskacct_uid_entry *taskacct_uid_entry_find(kuid_t uid)
{
	struct taskacct_uid_entry *entry;

	hlist_for_each_entry_rcu(entry, taskacct_uid_entry_chain(uid), node,
				 rcu_read_lock_any_held())
		if (uid_eq(entry->uid, uid))
			return entry;
	return NULL;
}

/**
 * taskacct_uid_entry_get() - find a user's entry, or make it
 * @uid: the user
 *
 * Context: task context, under rcu_read_lock(), or preemption off.
 * Return: it, or the rest where there is none and none can be had.
 */
static inline struct taskacct_uid_entry *taskacct_uid_entry_get(kuid_t uid)
{
	struct taskacct_uid_entry *entry = taskacct_uid_entry_find(uid);

	return likely(entry) ? entry : taskacct_uid_entry_make(uid);
}

#endif /* TASKACCT_UID_ENTRY_H */
