/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A way through all tasks, in parts
 */
#ifndef TASKACCT_UID_WALK_H
#define TASKACCT_UID_WALK_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct taskacct_uid_walk - a way through all tasks
 * @visit: called for each task, under rcu_read_lock(); a task may come twice.
 *	Returns false if it needs memory: then @refill is called, and this task
 *	comes again
 * @to_the_end: it goes on where we are killed
 * @refill: gets memory; may sleep. Returns 0 or -ENOMEM, which ends the walk
 * @next: number of the next process, in the initial pid namespace
 * @process: number of the process of @thread
 * @thread: the thread of that process that was visited last, referenced; NULL
 *	if the process has not been begun
 * @restarts: how often that process was begun again, since such a thread was
 *	gone; the last time all its threads are visited in one section
 * @left: how many ids and tasks may still be passed in this RCU section, of
 *	TASKACCT_TASKS_SECTION; the last time, see @restarts, more tasks may be
 * @refused: @visit has returned false in this section
 * @visited: it has returned true there before
 *
 * All from @next on is the walk's own.
 */
struct taskacct_uid_walk {
	bool (*visit)(struct taskacct_uid_walk *walk, struct task_struct *t);
	bool to_the_end;
	int (*refill)(void);
	int next;
	int process;
	struct task_struct *thread;
	unsigned int restarts;
	unsigned int left;
	bool refused;
	bool visited;
};

int taskacct_uid_walk(struct taskacct_uid_walk *walk);

#endif /* TASKACCT_UID_WALK_H */
