/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries: threads that have begun to exit
 */
#ifndef TASKACCT_TGID_EXITED_H
#define TASKACCT_TGID_EXITED_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "base/base.h"
#include "task/task.h"

#include "tgid.h"

struct taskacct_group;

int taskacct_exited_init(void);
void taskacct_exited_exit(void (*let_go)(struct taskacct_group *group));
struct taskacct_exited *taskacct_exited_alloc(void);
void taskacct_exited_free(struct taskacct_exited *exited);
void taskacct_exited_insert(struct taskacct_exited *exited,
			    struct task_struct *t);
struct taskacct_exited *taskacct_exited_remove(struct task_struct *t);
unsigned int taskacct_exited_count(void);

/**
 * taskacct_exited_of() - the entry of a thread
 * @t: a thread on its process's list
 *
 * A thread that is not exiting has none, and that is known for less.
 *
 * Context: under rcu_read_lock(), and the thread was found in it.
 * Return: its entry, or NULL if it has none.
 */
static inline struct taskacct_exited *
taskacct_exited_of(const struct task_struct *t)
{
	return READ_ONCE(t->flags) & PF_EXITING ? taskacct_exited_find(t) : NULL;
}

#endif /* TASKACCT_TGID_EXITED_H */
