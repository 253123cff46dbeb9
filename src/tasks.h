/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks over all tasks, in parts
 */
#ifndef TASKACCT_TASKS_H
#define TASKACCT_TASKS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

/* How many are looked for at once, at most: to find one more costs less. */
#define TASKACCT_TASKS_AHEAD 16

/* An RCU read section ends after so many rounds of 40 tasks. */
#define TASKACCT_TASKS_ROUNDS 25
#define TASKACCT_TASKS_ROUND 40

/**
 * struct taskacct_task_found - a task and its id
 * @task: the task
 * @id: its id in the namespace that it was looked for in
 */
struct taskacct_task_found {
	struct task_struct *task;
	int id;
};

unsigned int taskacct_tasks_from(struct pid_namespace *ns, int from,
				 struct taskacct_task_found *found,
				 unsigned int max);

/**
 * taskacct_tasks_visit() - meet all tasks, zombies as well
 * @visit: called for each, under rcu_read_lock()
 * @data: given to @visit
 *
 * Others have their turn after every 1,000 tasks. Inlined, so that @visit is.
 *
 * Context: the asker's task, may sleep.
 * Return: 0, or -EINTR if the asker is killed before the end.
 */
static __always_inline int
taskacct_tasks_visit(void (*visit)(struct task_struct *t, void *data),
		     void *data)
{
	struct taskacct_task_found found[TASKACCT_TASKS_ROUND];
	unsigned int i, n, rounds;
	int next = 1;

	might_sleep();
	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		rcu_read_lock();
		rounds = TASKACCT_TASKS_ROUNDS;
		do {
			n = taskacct_tasks_from(&init_pid_ns, next, found,
						ARRAY_SIZE(found));
			for (i = 0; i < n; i++)
				visit(found[i].task, data);
			if (n)
				next = found[n - 1].id + 1;
		} while (n == ARRAY_SIZE(found) && --rounds);
		rcu_read_unlock();
		cond_resched();
	} while (n == ARRAY_SIZE(found));
	return 0;
}

#endif /* TASKACCT_TASKS_H */
