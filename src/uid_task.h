/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of each task has been counted for its user
 */
#ifndef TASKACCT_UID_TASK_H
#define TASKACCT_UID_TASK_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/taskacct.h>

struct task_struct;

/**
 * struct taskacct_uid_io - what debug mode tells of a task
 * @rchar: bytes that system calls read
 * @wchar: bytes that system calls wrote
 * @read_bytes: bytes read from storage
 * @written: bytes written to storage, less those cancelled
 */
struct taskacct_uid_io {
	u64 rchar;
	u64 wchar;
	u64 read_bytes;
	u64 written;
};

/**
 * struct taskacct_uid_task - a task of which something has been counted
 * @node: in its bucket, under the bucket's lock
 * @rcu: for freeing
 * @task: the task; only compared, and no other can have the same address while
 *	this is there
 * @uid: whom it is counted for. The lock of that user's entry protects this
 *	member and all below it
 * @dead: it has been counted to its end
 * @moved: it had another user before
 * @away: it was on no CPU when it was last seen
 * @switches: how often it had left one before that
 * @seen: what it had used then. All of it has been counted
 * @io: what of it was read and written in the foreground and in the background;
 *	in debug mode only
 */
struct taskacct_uid_task {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	kuid_t uid;
	bool dead;
	bool moved;
	bool away;
	u64 switches;
	struct taskacct_uid_usage seen;
	struct taskacct_uid_io io[];
};

int taskacct_uid_task_init(bool debug);
void taskacct_uid_task_exit(void);
struct taskacct_uid_task *taskacct_uid_task_find(const struct task_struct *t);
struct taskacct_uid_task *taskacct_uid_task_new(const struct task_struct *t,
						kuid_t uid, bool may_fail);
int taskacct_uid_task_fill(unsigned int more);
void taskacct_uid_task_bury(const struct task_struct *t,
			    struct taskacct_uid_task *task);
bool taskacct_uid_task_buried(const struct task_struct *t,
			      const struct taskacct_uid_task *task);
void taskacct_uid_task_free(const struct task_struct *t);
unsigned int taskacct_uid_task_count(void);

#endif /* TASKACCT_UID_TASK_H */
