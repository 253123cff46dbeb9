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
#include <linux/types.h>

#include <linux/taskacct.h>

#include "task/task.h"

struct taskacct_values;

/**
 * struct taskacct_uid_used - what tasks of a user have used and waited for
 * @value: values
 * @wait: waits, by enum taskacct_wait_kind
 *
 * All are u64 and add up.
 */
struct taskacct_uid_used {
	struct taskacct_uid_usage value;
	struct taskacct_uid_wait wait[TASKACCT_WAITS];
};

/**
 * struct taskacct_uid_split - how the kernel divides what it has counted of a task
 * @user: in user mode, in ns
 * @system: in the kernel, in ns
 */
struct taskacct_uid_split {
	u64 user;
	u64 system;
};

void taskacct_uid_usage_add_waits(struct taskacct_uid_used *sum,
				  const struct task_struct *t, bool runs);
u64 taskacct_uid_usage_add_cpu(struct taskacct_uid_used *sum,
			       struct task_struct *t, bool now);
void taskacct_uid_usage_add_values(struct taskacct_uid_used *sum,
				   const struct task_struct *t,
				   const struct taskacct_values *values,
				   const struct taskacct_uid_split *split);
void taskacct_uid_usage_add(struct taskacct_uid_used *sum,
			    const struct taskacct_uid_used *usage);
void taskacct_uid_usage_keep_up(struct taskacct_uid_used *now,
				const struct taskacct_uid_used *seen);
void taskacct_uid_usage_settle(struct taskacct_uid_used *sum,
			       struct taskacct_uid_used *seen,
			       const struct taskacct_uid_used *now);

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
 * taskacct_uid_usage_copy_io() - take what was read and written from another
 * @usage: receives it
 * @other: the other
 *
 * Context: any.
 */
static inline void taskacct_uid_usage_copy_io(struct taskacct_uid_used *usage,
					      const struct taskacct_uid_used *other)
{
	const struct taskacct_uid_usage *from = &other->value;
	struct taskacct_uid_usage *to = &usage->value;

	TASKACCT_IO_SUMS(TASKACCT_COPY)
	to->written = from->written;
}

/**
 * taskacct_uid_usage_add_task() - add what a task has used so far
 * @used: to add to
 * @t: any task; the caller keeps it from being freed
 * @now: it is current: to this instant, and not to what the kernel has counted
 * @ends: it is current, was never asked about, and will not be again
 *
 * Each exit does it, so that every instruction counts.
 *
 * Context: any; task context for @now.
 */
static __always_inline void
taskacct_uid_usage_add_task(struct taskacct_uid_used *used,
			    struct task_struct *t, bool now, bool ends)
{
	struct taskacct_uid_usage *sum = &used->value;
	struct taskacct_delay cpu = {};
	u64 runtime;

	if (ends && likely(taskacct_cputime_undivided(t))) {
		runtime = taskacct_runtime_of_current();
		sum->user += runtime;
	} else {
		runtime = taskacct_uid_usage_add_cpu(used, t, now);
	}
	TASKACCT_SOURCES(TASKACCT_ADD_OF_TASK)
	sum->written += taskacct_written(TASKACCT_STORAGE(t, write_bytes),
					 TASKACCT_STORAGE(t, cancelled_write_bytes));
	taskacct_add_cpu_delay(&cpu, &t->sched_info);
	used->wait[TASKACCT_WAIT_CPU].count += cpu.count;
	used->wait[TASKACCT_WAIT_CPU].total += cpu.total;
	if (taskacct_has_delays(t))
		taskacct_uid_usage_add_waits(used, t, ends);
}

#endif /* TASKACCT_UID_USAGE_H */
