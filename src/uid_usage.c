// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks of a user have used: reading it, and adding it up
 *
 * The values are those of exit records (fill.c), without what does not add up.
 */

#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/delayacct.h>
#include <linux/sched/cputime.h>
#include <linux/task_io_accounting.h>

#include "fill.h"
#include "uid_usage.h"

#define NUMBERS	(sizeof(struct taskacct_uid_usage) / sizeof(u64))

static void add_io(struct taskacct_uid_usage *sum, const struct taskacct_io *io)
{
	sum->rchar += io->rchar;
	sum->wchar += io->wchar;
	sum->syscr += io->syscr;
	sum->syscw += io->syscw;
	sum->read_bytes += io->read_bytes;
	sum->write_bytes += io->write_bytes;
	sum->cancelled_write_bytes += io->cancelled_write_bytes;
	if (io->write_bytes > io->cancelled_write_bytes)
		sum->written += io->write_bytes - io->cancelled_write_bytes;
}

static void add_waits(struct taskacct_uid_wait *sum,
		      const struct taskacct_delay *delay, unsigned int kinds)
{
	unsigned int i;

	/* The kernel's kinds are the first of those that are told. */
	BUILD_BUG_ON((int)TASKACCT_DELAYS > (int)TASKACCT_WAITS);
	for (i = 0; i < kinds; i++) {
		sum[i].count += delay[i].count;
		sum[i].total += delay[i].total;
	}
}

static noinline void add_all_waits(struct taskacct_uid_wait *sum,
				   const struct task_struct *t)
{
	struct taskacct_delay delay[TASKACCT_DELAYS] = {};

	taskacct_add_delays(delay, t);
	add_waits(sum, delay, TASKACCT_DELAYS);
}

static void add_cpu_time(struct taskacct_uid_usage *sum, struct task_struct *t)
{
	u64 user, system;

	task_cputime_adjusted(t, &user, &system);
	sum->user += user;
	sum->system += system;
}

/**
 * taskacct_uid_usage_add_task() - add what a task has used so far
 * @sum: to add to
 * @t: any task; the caller keeps it from being freed
 *
 * Context: any.
 */
void taskacct_uid_usage_add_task(struct taskacct_uid_usage *sum,
				 struct task_struct *t)
{
	struct taskacct_delay cpu = {};
	struct taskacct_io io = {};

	sum->utime += READ_ONCE(t->utime);
	sum->stime += READ_ONCE(t->stime);
	sum->runtime += READ_ONCE(t->se.sum_exec_runtime);
	sum->min_flt += READ_ONCE(t->min_flt);
	sum->maj_flt += READ_ONCE(t->maj_flt);
	sum->nvcsw += READ_ONCE(t->nvcsw);
	sum->nivcsw += READ_ONCE(t->nivcsw);
	taskacct_add_io(&io, &t->ioac);
	add_io(sum, &io);
	add_cpu_time(sum, t);
	if (taskacct_has_delays(t)) {
		add_all_waits(sum->wait, t);
	} else {
		taskacct_add_cpu_delay(&cpu, &t->sched_info);
		add_waits(sum->wait, &cpu, 1);
	}
}

/**
 * taskacct_uid_usage_of_values() - the same of values that were read before
 * @usage: receives them
 * @t: the task that they are of
 * @values: its values
 *
 * Context: any.
 */
void taskacct_uid_usage_of_values(struct taskacct_uid_usage *usage,
				  struct task_struct *t,
				  const struct taskacct_values *values)
{
	const struct taskacct_usage *from = &values->usage;

	*usage = (struct taskacct_uid_usage){
		.utime = from->utime,
		.stime = from->stime,
		.runtime = from->runtime,
		.min_flt = from->min_flt,
		.maj_flt = from->maj_flt,
		.nvcsw = from->nvcsw,
		.nivcsw = from->nivcsw,
	};
	add_io(usage, &from->io);
	add_cpu_time(usage, t);
	add_waits(usage->wait, from->delay, TASKACCT_DELAYS);
}

/**
 * taskacct_uid_usage_add() - add what others have used
 * @sum: to add to
 * @usage: what is added
 *
 * Context: any.
 */
void taskacct_uid_usage_add(struct taskacct_uid_usage *sum,
			    const struct taskacct_uid_usage *usage)
{
	const u64 *from = (const u64 *)usage;
	u64 *to = (u64 *)sum;
	unsigned int i;

	for (i = 0; i < NUMBERS; i++)
		to[i] += from[i];
}

/**
 * taskacct_uid_usage_settle() - add what a task has used since it was last seen
 * @sum: to add to
 * @seen: what it had used then, and has been added; becomes @now
 * @now: what it has used now
 *
 * All of it only ever grows, but for what was written less what was cancelled:
 * what that falls is not taken from the sum (R79).
 *
 * Context: any.
 */
void taskacct_uid_usage_settle(struct taskacct_uid_usage *sum,
			       struct taskacct_uid_usage *seen,
			       const struct taskacct_uid_usage *now)
{
	const u64 *from = (const u64 *)now;
	u64 *before = (u64 *)seen;
	u64 *to = (u64 *)sum;
	unsigned int i;

	if (now->written < seen->written)
		seen->written = now->written;
	for (i = 0; i < NUMBERS; i++) {
		to[i] += from[i] - before[i];
		before[i] = from[i];
	}
}
