/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks of a user have used: reading it, and adding it up
 *
 * The values are those of exit records (fill.c), without what does not add up.
 */
#ifndef TASKACCT_UID_USAGE_H
#define TASKACCT_UID_USAGE_H

#include <linux/build_bug.h>
#include <linux/delayacct.h>
#include <linux/sched.h>
#include <linux/sched/cputime.h>
#include <linux/task_io_accounting.h>
#include <linux/types.h>

#include <linux/taskacct.h>

#include "task/task.h"

struct taskacct_values;

/**
 * struct taskacct_uid_split - how the kernel divides what it has counted of a task
 * @user: in user mode, in ns
 * @system: in the kernel, in ns
 */
struct taskacct_uid_split {
	u64 user;
	u64 system;
};

void taskacct_uid_usage_add_waits(struct taskacct_uid_usage *sum,
				  const struct task_struct *t, bool runs);
u64 taskacct_uid_usage_add_cpu(struct taskacct_uid_usage *sum,
			       struct task_struct *t, bool now);
void taskacct_uid_usage_add_values(struct taskacct_uid_usage *sum,
				   const struct task_struct *t,
				   const struct taskacct_values *values,
				   const struct taskacct_uid_split *split);
void taskacct_uid_usage_add(struct taskacct_uid_usage *sum,
			    const struct taskacct_uid_usage *usage);
void taskacct_uid_usage_keep_up(struct taskacct_uid_usage *now,
				const struct taskacct_uid_usage *seen);
void taskacct_uid_usage_settle(struct taskacct_uid_usage *sum,
			       struct taskacct_uid_usage *seen,
			       const struct taskacct_uid_usage *now);

/**
 * taskacct_uid_usage_divide() - how the kernel divides what a task ran
 * @split: receives it
 * @t: any task; the caller keeps it from being freed
 *
 * What it ran is read after this: a tick in between would have this be more.
 *
 * Context: any.
 */
static __always_inline void
taskacct_uid_usage_divide(struct taskacct_uid_split *split,
			  struct task_struct *t)
{
	task_cputime_adjusted(t, &split->user, &split->system);
}

/**
 * taskacct_uid_usage_io() - I/O, which is as struct taskacct_io has it
 * @usage: of this
 *
 * Context: any.
 * Return: its I/O.
 */
static __always_inline struct taskacct_io *
taskacct_uid_usage_io(struct taskacct_uid_usage *usage)
{
	BUILD_BUG_ON(offsetof(struct taskacct_uid_usage, written) -
			     offsetof(struct taskacct_uid_usage, rchar) !=
		     sizeof(struct taskacct_io));
	return (struct taskacct_io *)&usage->rchar;
}

/**
 * taskacct_uid_usage_copy_io() - take what was read and written from another
 * @usage: receives it
 * @from: the other
 *
 * Context: any.
 */
static inline void taskacct_uid_usage_copy_io(struct taskacct_uid_usage *usage,
					      struct taskacct_uid_usage *from)
{
	*taskacct_uid_usage_io(usage) = *taskacct_uid_usage_io(from);
	usage->written = from->written;
}

/**
 * taskacct_uid_usage_add_task() - add what a task has used so far
 * @sum: to add to
 * @t: any task; the caller keeps it from being freed
 * @now: it is current: to this instant, and not to what the kernel has counted
 * @ends: it is current, was never asked about, and will not be again
 *
 * Each exit does it, so that every instruction counts.
 *
 * Context: any; task context for @now.
 */
static __always_inline void
taskacct_uid_usage_add_task(struct taskacct_uid_usage *sum,
			    struct task_struct *t, bool now, bool ends)
{
	struct taskacct_delay cpu = {};
	u64 runtime;

	sum->utime += READ_ONCE(t->utime);
	sum->stime += READ_ONCE(t->stime);
	sum->min_flt += READ_ONCE(t->min_flt);
	sum->maj_flt += READ_ONCE(t->maj_flt);
	sum->nvcsw += READ_ONCE(t->nvcsw);
	sum->nivcsw += READ_ONCE(t->nivcsw);
	taskacct_add_io(taskacct_uid_usage_io(sum), &t->ioac);
	taskacct_add_written(&sum->written, &t->ioac);
	taskacct_add_cpu_delay(&cpu, &t->sched_info);
	sum->wait[TASKACCT_WAIT_CPU].count += cpu.count;
	sum->wait[TASKACCT_WAIT_CPU].total += cpu.total;
	if (ends && likely(taskacct_cputime_undivided(t))) {
		runtime = taskacct_runtime_of_current();
		sum->user += runtime;
	} else {
		runtime = taskacct_uid_usage_add_cpu(sum, t, now);
	}
	sum->runtime += runtime;
	if (taskacct_has_delays(t))
		taskacct_uid_usage_add_waits(sum, t, ends);
}

#endif /* TASKACCT_UID_USAGE_H */
