/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user: what other directories may use
 */
#ifndef TASKACCT_UID_H
#define TASKACCT_UID_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delayacct.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <linux/taskacct.h>

#include "base/base.h"
#include "task/task.h"

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* uid.c: loading and unloading */

DECLARE_STATIC_KEY_FALSE(taskacct_uid_on);
int taskacct_uid_init(unsigned int max, bool debug);
void taskacct_uid_start(void);
void taskacct_uid_exit(void);

/* task.c: tasks of which more is kept */

/* So many dead tasks of a bucket take no memory besides. */
#define TASKACCT_UID_DEAD	3

/**
 * struct taskacct_uid_bucket - tasks whose addresses have the same hash
 * @tasks: those of which something is kept
 * @dead: some that are dead, or NULL. Set from NULL by the task itself at its
 *	exit, and to NULL when it is freed
 */
struct taskacct_uid_bucket {
	struct taskacct_bucket tasks;
	const struct task_struct *dead[TASKACCT_UID_DEAD];
};

/* Buckets are struct taskacct_uid_bucket. */
extern struct taskacct_table taskacct_uid_table;

/* Debug mode: what is kept of tasks has @reported. */
DECLARE_STATIC_KEY_FALSE(taskacct_uid_debug);
void taskacct_uid_task_forget(const struct task_struct *t);
unsigned int taskacct_uid_task_count(void);

/**
 * taskacct_uid_task_bucket() - where what is kept of a task is
 * @t: the task
 *
 * Return: its bucket.
 */
static inline struct taskacct_uid_bucket *
taskacct_uid_task_bucket(const struct task_struct *t)
{
	struct taskacct_uid_bucket *buckets = taskacct_uid_table.buckets;

	return &buckets[taskacct_table_index(&taskacct_uid_table, t)];
}

/**
 * taskacct_uid_bucket_mark_dead() - mark a task as dead in its bucket
 * @bucket: its bucket
 * @t: the task, which is current
 *
 * Return: true; or false and nothing is done: there are too many.
 */
static inline bool taskacct_uid_bucket_mark_dead(struct taskacct_uid_bucket *bucket,
						 const struct task_struct *t)
{
	unsigned int i;

	for (i = 0; i < TASKACCT_UID_DEAD; i++)
		if (!READ_ONCE(bucket->dead[i]) &&
		    !cmpxchg(&bucket->dead[i], NULL, t))
			return true;
	return false;
}

/**
 * taskacct_uid_bucket_has() - whether a task is marked as dead in its bucket
 * @bucket: its bucket
 * @t: the task
 *
 * Return: true if it is.
 */
static inline bool taskacct_uid_bucket_has(const struct taskacct_uid_bucket *bucket,
					   const struct task_struct *t)
{
	unsigned int i;

	for (i = 0; i < TASKACCT_UID_DEAD; i++)
		if (READ_ONCE(bucket->dead[i]) == t)
			return true;
	return false;
}

/**
 * taskacct_uid_task_free() - forget a task
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI; the task's address has not been reused.
 */
static inline void taskacct_uid_task_free(const struct task_struct *t)
{
	struct taskacct_uid_bucket *bucket = taskacct_uid_task_bucket(t);
	unsigned int i;

	for (i = 0; i < TASKACCT_UID_DEAD; i++) {
		if (READ_ONCE(bucket->dead[i]) == t) {
			WRITE_ONCE(bucket->dead[i], NULL);
			return;
		}
	}
	if (!hlist_empty(&bucket->tasks.head))
		taskacct_uid_task_forget(t);
}

/* entry.c: how many users there are */

unsigned int taskacct_uid_entry_count(void);

/* uid.c: for exits and the hooks */

void taskacct_uid_add(void);
void taskacct_uid_add_values(struct taskacct_values *values);
void taskacct_uid_change(kuid_t uid);
void taskacct_uid_fsync(void);

/* Whether calls of fsync() are seen, which the hooks say */
extern bool taskacct_uid_sees_fsync;

/**
 * taskacct_uid_note() - count an exiting task for its user
 *
 * Context: the exit hook, for current, where nobody else wants its values.
 */
static inline void taskacct_uid_note(void)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add();
}

/**
 * taskacct_uid_note_values() - read an exiting task's values, and count them
 * @values: receives them, as from taskacct_fill_values_of_current()
 *
 * What is counted for the user is what others see: nothing is read twice.
 *
 * Context: the exit hook, for current.
 */
static inline void taskacct_uid_note_values(struct taskacct_values *values)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add_values(values);
	else
		taskacct_fill_values_of_current(values);
}

/**
 * taskacct_uid_notes() - whether values of exiting tasks are counted for their users
 */
static inline bool taskacct_uid_notes(void)
{
	return static_branch_unlikely(&taskacct_uid_on);
}

/**
 * taskacct_uid_forget() - forget a task
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI.
 */
static inline void taskacct_uid_forget(const struct task_struct *t)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_task_free(t);
}

/* proc.c: Android's files */

/**
 * enum taskacct_uid_dir - directories in /proc
 * @TASKACCT_UID_DIR_IO: with stats
 * @TASKACCT_UID_DIR_PROCSTAT: with set
 * @TASKACCT_UID_DIR_CPUTIME: with show_uid_stat and remove_uid_range
 * @TASKACCT_UID_DIRS: how many there are
 */
enum taskacct_uid_dir {
	TASKACCT_UID_DIR_IO,
	TASKACCT_UID_DIR_PROCSTAT,
	TASKACCT_UID_DIR_CPUTIME,
	TASKACCT_UID_DIRS,
};

int taskacct_uid_proc_init(char *const *names);
void taskacct_uid_proc_exit(void);

/* netlink.c: the family's answers */

int taskacct_uid_netlink_get(struct sk_buff *request, struct genl_info *info);
int taskacct_uid_netlink_start(struct netlink_callback *cb);
int taskacct_uid_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);
int taskacct_uid_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_UID_H */
