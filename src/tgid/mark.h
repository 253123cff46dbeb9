/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: threads that have begun to exit
 */
#ifndef TASKACCT_MARK_H
#define TASKACCT_MARK_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "base/table.h"
#include "task/fill.h"

struct taskacct_group;

/**
 * struct taskacct_mark - a thread that has begun to exit and is not yet freed
 * @node: in the table of marks, under its bucket's lock
 * @rcu: for freeing
 * @task: the thread, which follows its own mark only; others may until it was noted.
 *	No other task can have the same address while the mark is there
 * @group: its process; until it was noted
 * @entered: how many threads of its process had been marked with this one
 * @ending: in taskacct_group.ending until it was noted
 * @nr: how many threads of its process had been noted with this one; 0: it was not
 *	yet
 * @values: its values as they were added to the sum, for who has seen a
 *	taskacct_group.nr that is not less than @nr
 * @spare: where nobody has it, among others of the kind
 *
 * All but @node, @rcu and @spare are written under the lock of the group.
 */
struct taskacct_mark {
	union {
		struct hlist_node node;
		struct llist_node spare;
	};
	struct rcu_head rcu;
	struct task_struct *task;
	struct taskacct_group *group;
	u64 entered;
	struct list_head ending;
	u64 nr;
	struct taskacct_values values;
};

extern struct taskacct_table taskacct_marks;

int taskacct_mark_init(void);
void taskacct_mark_exit(void);
struct taskacct_mark *taskacct_mark_alloc(void);
void taskacct_mark_free(struct taskacct_mark *mark);
void taskacct_mark_insert(struct taskacct_mark *mark,
			  struct task_struct *t);
void taskacct_mark_remove(struct task_struct *t);
struct taskacct_mark *taskacct_mark_find(const struct task_struct *t);
unsigned int taskacct_mark_count(void);

/**
 * taskacct_mark_may_be() - whether a task may have a mark
 * @t: the task
 *
 * Context: any.
 * Return: false if it has none.
 */
static inline bool taskacct_mark_may_be(const struct task_struct *t)
{
	return !hlist_empty(&taskacct_table_bucket(&taskacct_marks, t)->head);
}

/**
 * taskacct_mark_of() - the mark of a thread
 * @t: a thread on its process's list
 *
 * A thread that is not exiting has none, and that is known for less.
 *
 * Context: under rcu_read_lock(), and the thread was found in it.
 * Return: its mark, or NULL if it has none.
 */
static inline struct taskacct_mark *
taskacct_mark_of(const struct task_struct *t)
{
	return READ_ONCE(t->flags) & PF_EXITING ? taskacct_mark_find(t) : NULL;
}

#endif /* TASKACCT_MARK_H */
