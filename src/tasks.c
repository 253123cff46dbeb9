// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over all tasks, in parts
 *
 * A walk goes by ids, so that it can go on after others had their turn: a task
 * that is there from its beginning to its end is met once. One that executes a
 * program takes the id of its process meanwhile, and may be met under both.
 */

#include <linux/idr.h>
#include <linux/kcsan-checks.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/radix-tree.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "tasks.h"

/**
 * taskacct_tasks_from() - find the tasks that come next
 * @ns: whose ids
 * @from: smallest id
 * @found: receives them, in the order of their ids; not referenced
 * @max: how many at most
 *
 * As the kernel's own walks over ids, which are not exported for more than one
 * step at a time.
 *
 * Context: under rcu_read_lock().
 * Return: how many there are; 0: none from there on.
 */
unsigned int taskacct_tasks_from(struct pid_namespace *ns, int from,
				 struct taskacct_task_found *found,
				 unsigned int max)
{
	struct radix_tree_iter iter;
	unsigned int n = 0;
	struct pid *pid;
	void __rcu **slot;

	/* The step to the next slot reads plainly, to see whether it has an id. */
	kcsan_nestable_atomic_begin();
	radix_tree_for_each_slot(slot, &ns->idr.idr_rt, &iter, from) {
		pid = radix_tree_deref_slot(slot);
		/* An id that is about to be given to a task */
		if (!pid)
			continue;
		if (radix_tree_deref_retry(pid)) {
			slot = radix_tree_iter_retry(&iter);
			continue;
		}
		found[n].task = pid_task(pid, PIDTYPE_PID);
		if (!found[n].task)
			continue;
		found[n].id = iter.index;
		if (++n == max)
			break;
	}
	kcsan_nestable_atomic_end();
	return n;
}

/* An RCU read section ends after about so many tasks. */
#define TASKS_AT_ONCE 1000

/* Returns where to go on; 0: there are no more */
static int visit_some(int from, void (*visit)(struct task_struct *t, void *data),
		      void *data)
{
	struct taskacct_task_found found[TASKACCT_TASKS_AHEAD];
	unsigned int i, n, left;

	for (left = TASKS_AT_ONCE / TASKACCT_TASKS_AHEAD; left; left--) {
		n = taskacct_tasks_from(&init_pid_ns, from, found,
					ARRAY_SIZE(found));
		for (i = 0; i < n; i++)
			visit(found[i].task, data);
		if (n < ARRAY_SIZE(found))
			return 0;
		from = found[n - 1].id + 1;
	}
	return from;
}

/**
 * taskacct_tasks_visit() - meet all tasks, zombies as well
 * @visit: called for each, under rcu_read_lock()
 * @data: given to @visit
 *
 * Others have their turn meanwhile.
 *
 * Context: the asker's task, may sleep.
 * Return: 0, or -EINTR if the asker is killed before the end.
 */
int taskacct_tasks_visit(void (*visit)(struct task_struct *t, void *data),
			 void *data)
{
	int next = 1;

	might_sleep();
	while (next) {
		if (fatal_signal_pending(current))
			return -EINTR;
		rcu_read_lock();
		next = visit_some(next, visit, data);
		rcu_read_unlock();
		cond_resched();
	}
	return 0;
}
