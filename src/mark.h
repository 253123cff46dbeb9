/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: threads whose values are in their process's sum already
 */
#ifndef TASKACCT_MARK_H
#define TASKACCT_MARK_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "fill.h"

/**
 * struct taskacct_mark - a thread that was noted and is not yet freed
 * @node: in the table of marks, under its bucket's lock
 * @rcu: for freeing
 * @task: the thread; not followed, only compared, and no other task can have
 *	the same address while the mark is there
 * @nr: how many threads of its process had been noted with this one
 * @usage: its values as they were added to the sum; written once it is in the
 *	table, under the lock of the group
 *
 * All others but @node and @rcu are constant while it is in the table.
 */
struct taskacct_mark {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	u64 nr;
	struct taskacct_usage usage;
};

int taskacct_mark_init(void);
void taskacct_mark_exit(void);
struct taskacct_mark *taskacct_mark_alloc(void);
void taskacct_mark_free(struct taskacct_mark *mark);
void taskacct_mark_insert(struct taskacct_mark *mark,
			  const struct task_struct *t);
void taskacct_mark_remove(const struct task_struct *t);
const struct taskacct_mark *taskacct_mark_find(const struct task_struct *t);
unsigned int taskacct_mark_count(void);

/**
 * taskacct_mark_of() - the mark of a thread
 * @t: a thread on its process's list
 *
 * A thread that is not exiting has none, and that is known for less.
 *
 * Context: under rcu_read_lock(), and the thread was found in it.
 * Return: its mark, or NULL if it has none.
 */
static inline const struct taskacct_mark *
taskacct_mark_of(const struct task_struct *t)
{
	return READ_ONCE(t->flags) & PF_EXITING ? taskacct_mark_find(t) : NULL;
}

#endif /* TASKACCT_MARK_H */
