/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: threads that have begun to exit
 */
#ifndef TASKACCT_TGID_MARK_H
#define TASKACCT_TGID_MARK_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "base/base.h"
#include "task/task.h"

#include "tgid.h"

struct taskacct_group;

int taskacct_mark_init(void);
void taskacct_mark_exit(void (*let_go)(struct taskacct_group *group));
struct taskacct_mark *taskacct_mark_alloc(void);
void taskacct_mark_free(struct taskacct_mark *mark);
void taskacct_mark_insert(struct taskacct_mark *mark,
			  struct task_struct *t);
struct taskacct_mark *taskacct_mark_remove(struct task_struct *t);
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
static inline struct taskacct_mark *
taskacct_mark_of(const struct task_struct *t)
{
	return READ_ONCE(t->flags) & PF_EXITING ? taskacct_mark_find(t) : NULL;
}

#endif /* TASKACCT_TGID_MARK_H */
