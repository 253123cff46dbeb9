// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over all tasks, in parts
 *
 * A walk goes by ids, so that it can go on after others had their turn.
 */

#include <linux/idr.h>
#include <linux/kcsan-checks.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/radix-tree.h>
#include <linux/rculist.h>

#include "base.h"

/**
 * taskacct_tasks_find() - find the tasks, or the processes, that come next
 * @tasks: where to look, and how far; moved on
 * @found: receives them, in the order of their ids; not referenced
 * @max: how many at most
 *
 * As the kernel's own walks over ids, which are not exported for more than one
 * step at a time.
 *
 * Context: under rcu_read_lock().
 * Return: how many were found. There may be more where @tasks->next is not 0.
 */
unsigned int taskacct_tasks_find(struct taskacct_tasks *tasks,
				 struct taskacct_task_found *found,
				 unsigned int max)
{
	unsigned int left = tasks->left, n = 0;
	const enum pid_type type = tasks->type;
	struct radix_tree_iter iter;
	struct hlist_node *first;
	struct pid *pid;
	void __rcu **slot;
	int next = 0;

	/* The step to the next slot reads plainly, to see whether it has an id. */
	kcsan_nestable_atomic_begin();
	radix_tree_for_each_slot(slot, &tasks->ns->idr.idr_rt, &iter,
				 tasks->next) {
		pid = radix_tree_deref_slot(slot);
		/* An id that is about to be given to a task */
		if (!pid)
			continue;
		if (unlikely(radix_tree_deref_retry(pid))) {
			slot = radix_tree_iter_retry(&iter);
			continue;
		}
		if (n == max || !left) {
			next = iter.index;
			break;
		}
		left--;
		/* As pid_task(). Of processes: most are ids of threads. */
		first = rcu_dereference(hlist_first_rcu(&pid->tasks[type]));
		if (!first)
			continue;
		found[n].task = hlist_entry(first, struct task_struct,
					    pid_links[type]);
		found[n++].id = iter.index;
	}
	kcsan_nestable_atomic_end();
	tasks->left = left;
	tasks->next = next;
	return n;
}
