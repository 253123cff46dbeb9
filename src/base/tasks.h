/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks over all tasks, in parts
 */
#ifndef TASKACCT_TASKS_H
#define TASKACCT_TASKS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/* An RCU read section ends after so many ids. */
#define TASKACCT_TASKS_SECTION	1000

/* So many tasks are looked for at once: to find one more costs less. */
#define TASKACCT_TASKS_AHEAD	32

/**
 * struct taskacct_tasks - a way through the ids of a namespace
 * @ns: the namespace
 * @type: PIDTYPE_PID for tasks, PIDTYPE_TGID for processes, of which the leader is
 *	found
 * @next: the smallest id that has not been looked at; 0: there are none left
 * @left: how many ids may still be looked at
 */
struct taskacct_tasks {
	struct pid_namespace *ns;
	enum pid_type type;
	int next;
	unsigned int left;
};

/**
 * struct taskacct_task_found - a task and its id
 * @task: the task
 * @id: its id in the namespace that it was looked for in
 */
struct taskacct_task_found {
	struct task_struct *task;
	int id;
};

unsigned int taskacct_tasks_find(struct taskacct_tasks *tasks,
				 struct taskacct_task_found *found,
				 unsigned int max);

/**
 * taskacct_tasks_visit() - visit all tasks, zombies as well
 * @visit: called for each, under rcu_read_lock()
 * @data: given to @visit
 *
 * A task that is there from beginning to end is visited once, unless it executes a
 * program meanwhile and is not its process's first thread: it then takes the id of
 * its process, and is visited twice or not at all. Inlined, so that @visit is.
 *
 * Context: task context, may sleep.
 * Return: 0, or -EINTR if we were killed before the end.
 */
static __always_inline int
taskacct_tasks_visit(void (*visit)(struct task_struct *t, void *data),
		     void *data)
{
	struct taskacct_task_found found[TASKACCT_TASKS_AHEAD];
	struct taskacct_tasks tasks = {
		.ns = &init_pid_ns,
		.type = PIDTYPE_PID,
		.next = 1,
	};
	unsigned int i, n;

	might_sleep();
	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		tasks.left = TASKACCT_TASKS_SECTION;
		rcu_read_lock();
		do {
			n = taskacct_tasks_find(&tasks, found, ARRAY_SIZE(found));
			for (i = 0; i < n; i++)
				visit(found[i].task, data);
		} while (tasks.next && tasks.left);
		rcu_read_unlock();
		cond_resched();
	} while (tasks.next);
	return 0;
}

#endif /* TASKACCT_TASKS_H */
