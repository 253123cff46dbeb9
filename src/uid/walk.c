// SPDX-License-Identifier: GPL-2.0-only
/*
 * A way through all tasks, in parts
 *
 * It goes by the numbers of processes, from the smallest one up, and through the
 * threads of each. A process keeps its number for as long as it lives, also
 * where a thread other than the first executes a program and takes the number
 * of the first. So a task that is there from the beginning to the end is
 * visited.
 *
 * Within a process the walk goes on behind the thread that it visited last, as
 * new threads come at the end of the list. Where that thread is gone the process
 * is begun again, twice at most, and the last time not interrupted.
 */

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "base/base.h"
#include "task/task.h"

#include "walk.h"

/* A process is gone through three times at most. */
#define RESTARTS	2

/* So often memory that was got is gone before it can be used. */
#define REFILLS		16

/*
 * Finds processes that come next, and says where to look for more. Half of what is
 * left of the section is kept for their threads: behind the id of a process there
 * may be a thousand ids of threads, and a section that only passed these would end
 * where it began.
 *
 * Where the walk is within a process no other is looked for until that is done: the
 * ids behind it would be passed in each section again.
 */
static unsigned int find_next_processes(struct taskacct_uid_walk *walk,
					struct taskacct_task_found *found, int *next)
{
	const unsigned int most = walk->thread ? 1 : TASKACCT_TASKS_AHEAD;
	const unsigned int kept = walk->left / 2;
	struct taskacct_tasks tasks = {
		.ns = &init_pid_ns,
		.type = PIDTYPE_TGID,
		.next = walk->next,
		.left = walk->left - kept,
	};
	unsigned int n = taskacct_tasks_find(&tasks, found, most);

	walk->left = kept + tasks.left;
	*next = tasks.next;
	return n;
}

/* The thread behind which to go on, or NULL for all */
static struct task_struct *go_on_behind(struct taskacct_uid_walk *walk,
					const struct taskacct_task_found *found)
{
	struct task_struct *thread = walk->thread;

	walk->thread = NULL;
	if (walk->process != found->id) {
		walk->process = found->id;
		walk->restarts = 0;
		return NULL;
	}
	/*
	 * While it has its number it is on the list, and what is behind it stays
	 * readable until the section ends.
	 */
	if (thread && !taskacct_was_released(thread) &&
	    thread->signal == found->task->signal)
		return thread;
	if (thread)
		walk->restarts++;
	return NULL;
}

/* Returns false where the section ends before it. */
static bool visit_one(struct taskacct_uid_walk *walk, struct task_struct *t)
{
	if (walk->left)
		walk->left--;
	else if (walk->restarts < RESTARTS)
		return false;
	if (unlikely(!walk->visit(walk, t))) {
		walk->refused = true;
		return false;
	}
	walk->visited = true;
	return true;
}

/* Returns false if there are threads left. */
static bool visit_threads(struct taskacct_uid_walk *walk,
			  const struct taskacct_task_found *found)
{
	struct list_head *head = &found->task->signal->thread_head;
	struct task_struct *last = go_on_behind(walk, found), *t;

	t = last ?: list_entry(head, struct task_struct, thread_node);
	list_for_each_entry_continue_rcu(t, head, thread_node) {
		if (!visit_one(walk, t)) {
			if (last)
				walk->thread = get_task_struct(last);
			return false;
		}
		last = t;
	}
	return true;
}

/* As visit_threads(), for less where there is one alone, as in nearly all */
static bool visit_process(struct taskacct_uid_walk *walk,
			  const struct taskacct_task_found *found)
{
	if (unlikely(walk->thread || !thread_group_empty(found->task)))
		return visit_threads(walk, found);
	/* Of the process before: this one is not to go on beyond the section. */
	walk->restarts = 0;
	return visit_one(walk, found->task);
}

/* Returns false if there are no tasks left. */
static bool visit_some(struct taskacct_uid_walk *walk)
{
	struct taskacct_task_found found[TASKACCT_TASKS_AHEAD];
	unsigned int i, n;
	int next;

	walk->left = TASKACCT_TASKS_SECTION;
	walk->refused = false;
	walk->visited = false;
	do {
		n = find_next_processes(walk, found, &next);
		for (i = 0; i < n; i++) {
			walk->next = found[i].id;
			if (!visit_process(walk, &found[i]))
				return true;
		}
		walk->next = next;
	} while (next && walk->left);
	return next;
}

/**
 * taskacct_uid_walk() - visit all tasks
 * @walk: what to do with each
 *
 * A task that is there from beginning to end is visited at least once.
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -EINTR if we were killed.
 */
int taskacct_uid_walk(struct taskacct_uid_walk *walk)
{
	struct task_struct *held;
	unsigned int refills = 0;
	bool more;
	int err;

	might_sleep();
	walk->next = 1;
	walk->process = 0;
	walk->thread = NULL;
	do {
		held = walk->thread;
		rcu_read_lock();
		more = visit_some(walk);
		rcu_read_unlock();
		if (held)
			put_task_struct(held);
		cond_resched();
		err = 0;
		if (!walk->to_the_end && fatal_signal_pending(current))
			err = -EINTR;
		if (err || !walk->refused)
			continue;
		refills = walk->visited ? 0 : refills + 1;
		err = refills > REFILLS ? -ENOMEM : walk->refill();
	} while (!err && more);
	if (walk->thread)
		put_task_struct(walk->thread);
	return err;
}
