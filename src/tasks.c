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
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/radix-tree.h>

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
