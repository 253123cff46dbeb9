/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of each task has been counted for its user
 */
#ifndef TASKACCT_UID_TASK_H
#define TASKACCT_UID_TASK_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delayacct.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/taskacct.h>

#include "base/base.h"

#include "uid.h"
#include "usage.h"

/* The foreground and the background */
#define TASKACCT_UID_STATES	2

/**
 * struct taskacct_uid_io - what debug mode tells of a task
 * @rchar: bytes that system calls read
 * @wchar: bytes that system calls wrote
 * @read_bytes: bytes read from storage
 * @written: bytes written to storage, less those cancelled
 * @fsync: calls of fsync and its like, see uid.c
 */
struct taskacct_uid_io {
	u64 rchar;
	u64 wchar;
	u64 read_bytes;
	u64 written;
	u64 fsync;
};

/**
 * struct taskacct_uid_told - what debug mode keeps of a task besides
 * @io: what of it was read and written in the foreground and in the background
 * @view: @then and @whose are of the instant of this view, see uid.c
 * @whose: the user that it was counted for at that instant; INVALID_UID: it was
 *	not there yet
 * @then: @io at that instant
 */
struct taskacct_uid_told {
	struct taskacct_uid_io io[TASKACCT_UID_STATES];
	unsigned int view;
	kuid_t whose;
	struct taskacct_uid_io then[TASKACCT_UID_STATES];
};

/**
 * struct taskacct_uid_task - a task of which something has been counted
 * @node: in its bucket's chain
 * @rcu: for freeing
 * @task: the task; only compared, and no other can have the same address while
 *	this is there
 * @uid: whom it is counted for. The lock of that user's entry protects this
 *	member and all below it
 * @dead: it has been counted to its end
 * @moved: it had another user before, for whom more may have been counted than what
 *	the kernel has of it yet
 * @away: it was on no CPU when it was last seen
 * @whole: what it had read and written was seen then, too
 * @round: the walk in which a reader met it last; the reader's own
 * @switches: how often it had left one before that
 * @seen: what it had used then. All of it has been counted
 * @told: in debug mode only
 */
struct taskacct_uid_task {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	kuid_t uid;
	bool dead;
	bool moved;
	bool away;
	bool whole;
	unsigned int round;
	u64 switches;
	struct taskacct_uid_used seen;
	struct taskacct_uid_told told[];
};

/* The view that began last, see view.h. The only reader sets it. */
extern unsigned int taskacct_uid_view;

int taskacct_uid_task_init(bool debug);
void taskacct_uid_task_exit(void);
struct taskacct_uid_task *taskacct_uid_task_new(const struct task_struct *t,
						kuid_t uid, bool may_fail);
int taskacct_uid_task_fill(unsigned int more);
void taskacct_uid_task_bury(const struct task_struct *t,
			    struct taskacct_uid_task *task);
bool taskacct_uid_task_buried(const struct task_struct *t,
			      const struct taskacct_uid_task *task);

/**
 * taskacct_uid_task_find() - what is kept of a task
 * @t: the task
 *
 * A reader asks it for each task, so that every instruction counts.
 *
 * Context: under rcu_read_lock(), or preemption off.
 * Return: it, or NULL.
 */
static inline struct taskacct_uid_task *
taskacct_uid_task_find(const struct task_struct *t)
{
	struct taskacct_uid_task *task;

	hlist_for_each_entry_rcu(task, &taskacct_uid_task_bucket(t)->tasks.head,
				 node, rcu_read_lock_any_held())
		if (task->task == t)
			return task;
	return NULL;
}

/**
 * taskacct_uid_task_switches() - how often a task has left a CPU
 * @t: the task
 *
 * Context: any.
 * Return: how often.
 */
static inline u64 taskacct_uid_task_switches(const struct task_struct *t)
{
	return READ_ONCE(t->nvcsw) + READ_ONCE(t->nivcsw);
}

/**
 * taskacct_uid_task_note() - a task is looked at
 * @task: what is kept of it
 * @t: the task
 *
 * That it has used nothing since can be seen later.
 *
 * Context: before its values are read; under the lock of the entry of its user.
 */
static inline void taskacct_uid_task_note(struct taskacct_uid_task *task,
					  const struct task_struct *t)
{
	WRITE_ONCE(task->switches, taskacct_uid_task_switches(t));
	/*
	 * If it leaves a CPU between the two, it is seen to have done so. Pairs
	 * with the release of on_cpu in the kernel's finish_task().
	 */
	smp_rmb();
	WRITE_ONCE(task->away, !taskacct_may_be_on_cpu(t));
}

/**
 * taskacct_uid_task_is_unchanged() - whether a task has used nothing since
 * @task: what is kept of it
 * @t: the task
 *
 * A task that was on no CPU, and is on none, and has not left one in between,
 * has used nothing. How long it waited for I/O is counted by who wakes it, how
 * long it waits for a CPU also where it is moved to another.
 *
 * A reader asks it of each task, so that every instruction counts.
 *
 * Context: under rcu_read_lock(), without a lock.
 * Return: true if so; false if it is not known.
 */
static inline bool
taskacct_uid_task_is_unchanged(const struct taskacct_uid_task *task,
			       const struct task_struct *t)
{
	const struct taskacct_uid_wait *seen =
		&task->seen.wait[TASKACCT_WAIT_CPU];
	struct taskacct_delay cpu = {};

	if (!READ_ONCE(task->away) || READ_ONCE(t->on_rq) ||
	    taskacct_may_be_on_cpu(t) ||
	    READ_ONCE(task->switches) != taskacct_uid_task_switches(t))
		return false;
	taskacct_add_cpu_delay(&cpu, &t->sched_info);
	return READ_ONCE(seen->count) == cpu.count &&
	       READ_ONCE(seen->total) == cpu.total;
}

/**
 * taskacct_uid_task_bury_first() - mark a task as dead, in the usual case
 * @t: the task, which is current
 *
 * Context: under the lock of the entry of its user.
 * Return: true; or false and nothing is done, where something is kept of it, or
 *	too many others that are dead have the same hash.
 */
static inline bool taskacct_uid_task_bury_first(const struct task_struct *t)
{
	return !taskacct_uid_task_find(t) &&
	       taskacct_uid_bucket_bury(taskacct_uid_task_bucket(t), t);
}

#endif /* TASKACCT_UID_TASK_H */
