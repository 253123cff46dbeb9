/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A user's entry, and users at one time for those who read
 */
#ifndef TASKACCT_UID_ROWS_H
#define TASKACCT_UID_ROWS_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "uid.h"

/**
 * struct taskacct_uid_entry - a user of whom a task has been seen
 * @node: in the table of users
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
 */
struct taskacct_uid_entry {
	struct hlist_node node;
	struct rcu_head rcu;
	kuid_t uid;
	unsigned int tasks;
	raw_spinlock_t lock;
	bool removed;
	u8 state;
	u64 first;
	u64 last;
	u64 ended;
	struct taskacct_uid_usage *sum;
	struct taskacct_uid_usage usage[TASKACCT_UID_STATES];
};

int taskacct_uid_rows_alloc(struct taskacct_uid_rows *rows, unsigned int room);
int taskacct_uid_rows_add(struct taskacct_uid_rows *rows,
			  struct taskacct_uid_entry *entry,
			  struct user_namespace *ns);
void taskacct_uid_rows_fill(struct taskacct_uid_rows *rows);
int taskacct_uid_rows_read_lines(struct taskacct_uid_rows *rows, kuid_t only,
				 struct user_namespace *ns);

#endif /* TASKACCT_UID_ROWS_H */
