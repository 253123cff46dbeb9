// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks of a user have used: what few tasks need
 */

#include <linux/math64.h>
#include <linux/minmax.h>

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

/*
 * The kernel divides what it has counted, and never takes back what it has told. What
 * the task ran since is divided as its ticks are.
 */
static noinline void divide_rest(u64 rest, const struct task_struct *t,
				 u64 *user, u64 *system)
{
	const u64 stime = READ_ONCE(t->stime);
	const u64 ticks = READ_ONCE(t->utime) + stime;
	const u64 of_system = ticks ? mul_u64_u64_div_u64(rest, stime, ticks) : 0;

	*system += of_system;
	*user += rest - of_system;
}

/**
 * taskacct_uid_usage_add_cpu() - add what a task ran, as it is divided
 * @sum: to add to
 * @t: any task; the caller keeps it from being freed
 * @runtime: what it ran, in ns, where that is known to the instant; or 0
 *
 * Context: any.
 */
void taskacct_uid_usage_add_cpu(struct taskacct_uid_usage *sum,
				struct task_struct *t, u64 runtime)
{
	u64 user, system;

	task_cputime_adjusted(t, &user, &system);
	if (runtime > user + system)
		divide_rest(runtime - user - system, t, &user, &system);
	sum->user += user;
	sum->system += system;
}

/**
 * taskacct_uid_usage_add_cpu_now() - add what current ran to this instant, divided
 * @sum: to add to
 *
 * The clock is read behind what the kernel divides: a tick between the two would have
 * that be more.
 *
 * Context: task context.
 * Return: what it ran, in ns.
 */
u64 taskacct_uid_usage_add_cpu_now(struct taskacct_uid_usage *sum)
{
	u64 user, system, runtime;

	task_cputime_adjusted(current, &user, &system);
	runtime = taskacct_runtime_of_current();
	if (runtime > user + system)
		divide_rest(runtime - user - system, current, &user, &system);
	sum->user += user;
	sum->system += system;
	return runtime;
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
	taskacct_uid_usage_add_cpu(sum, t, from->runtime);
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
 * taskacct_uid_usage_keep_up() - what a task has used is no less than was told
 * @now: what is read from it
 * @seen: what was told of it, to the instant; the kernel may have counted less of it yet
 *
 * Context: any.
 */
void taskacct_uid_usage_keep_up(struct taskacct_uid_usage *now,
				const struct taskacct_uid_usage *seen)
{
	const u64 ran = max(now->user + now->system,
			    seen->user + seen->system);

	now->runtime = max(now->runtime, seen->runtime);
	now->user = clamp(now->user, seen->user, ran - seen->system);
	now->system = ran - now->user;
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
