// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks of a user have used: what few tasks need
 */

#include "fill.h"
#include "uid_usage.h"

#define NUMBERS	(sizeof(struct taskacct_uid_usage) / sizeof(u64))

static void add_io(struct taskacct_io *sum, const struct taskacct_io *io)
{
	sum->rchar += io->rchar;
	sum->wchar += io->wchar;
	sum->syscr += io->syscr;
	sum->syscw += io->syscw;
	sum->read_bytes += io->read_bytes;
	sum->write_bytes += io->write_bytes;
	sum->cancelled_write_bytes += io->cancelled_write_bytes;
}

/* Those behind waits for a CPU */
static void add_other_waits(struct taskacct_uid_wait *sum,
			    const struct taskacct_delay *delay)
{
	unsigned int i;

	for (i = 1; i < TASKACCT_DELAYS; i++) {
		sum[i].count += delay[i].count;
		sum[i].total += delay[i].total;
	}
}

/**
 * taskacct_uid_usage_add_waits() - add a task's waits, but those for a CPU
 * @sum: to add to
 * @t: any task that has them; the caller keeps it from being freed
 * @runs: it is current
 *
 * Context: any.
 */
void taskacct_uid_usage_add_waits(struct taskacct_uid_usage *sum,
				  const struct task_struct *t, bool runs)
{
	/* The kernel's kinds are the first of those that are told. */
	BUILD_BUG_ON((int)TASKACCT_DELAYS > (int)TASKACCT_WAITS);
	BUILD_BUG_ON(TASKACCT_DELAY_CPU || TASKACCT_WAIT_CPU);
	taskacct_add_task_waits(sum->wait, t, runs);
}

/**
 * taskacct_uid_usage_add_cpu() - add what a task ran, as it is divided
 * @sum: to add to
 * @t: any task; the caller keeps it from being freed
 *
 * Context: any.
 */
void taskacct_uid_usage_add_cpu(struct taskacct_uid_usage *sum,
				struct task_struct *t)
{
	u64 user, system;

	task_cputime_adjusted(t, &user, &system);
	sum->user += user;
	sum->system += system;
}

/**
 * taskacct_uid_usage_add_values() - add values of a task that were read before
 * @sum: to add to
 * @t: the task
 * @values: its values
 *
 * Context: any.
 */
void taskacct_uid_usage_add_values(struct taskacct_uid_usage *sum,
				   struct task_struct *t,
				   const struct taskacct_values *values)
{
	const struct taskacct_usage *from = &values->usage;

	sum->utime += from->utime;
	sum->stime += from->stime;
	sum->runtime += from->runtime;
	sum->min_flt += from->min_flt;
	sum->maj_flt += from->maj_flt;
	sum->nvcsw += from->nvcsw;
	sum->nivcsw += from->nivcsw;
	add_io(taskacct_uid_usage_io(sum), &from->io);
	taskacct_uid_usage_add_written(sum, &from->io);
	taskacct_uid_usage_add_cpu(sum, t);
	sum->wait[TASKACCT_WAIT_CPU].count +=
		from->delay[TASKACCT_DELAY_CPU].count;
	sum->wait[TASKACCT_WAIT_CPU].total +=
		from->delay[TASKACCT_DELAY_CPU].total;
	if (taskacct_has_delays(t))
		add_other_waits(sum->wait, from->delay);
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
