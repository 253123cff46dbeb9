// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks of a user have used: what few tasks need
 */

#include <linux/math64.h>
#include <linux/minmax.h>

#include "task/task.h"

#include "usage.h"

#define NUMBERS	(sizeof(struct taskacct_uid_used) / sizeof(u64))

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
 */
void taskacct_uid_usage_add_waits(struct taskacct_uid_used *sum,
				  const struct task_struct *t, bool runs)
{
	/* The kernel's kinds are the first of those that are reported. */
	BUILD_BUG_ON((int)TASKACCT_DELAYS > (int)TASKACCT_WAITS);
	BUILD_BUG_ON(TASKACCT_DELAY_CPU || TASKACCT_WAIT_CPU);
	/* Each sum has a source, and the struct has all sums and nothing else. */
	BUILD_BUG_ON(0 TASKACCT_SOURCES(TASKACCT_ONE) !=
		     0 TASKACCT_USER_SUMS(TASKACCT_ONE));
	BUILD_BUG_ON(sizeof(sum->value) / sizeof(u64) !=
		     0 TASKACCT_USER_SUMS(TASKACCT_ONE)
			     TASKACCT_USER_ONLY(TASKACCT_ONE));
	taskacct_add_task_waits(sum->wait, t, runs);
}

/*
 * The kernel divides what it has counted, and never takes back what it has reported. What
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

static void add_divided(struct taskacct_uid_used *sum,
			const struct task_struct *t,
			struct taskacct_uid_split split, u64 runtime)
{
	if (runtime > split.user + split.system)
		divide_rest(runtime - split.user - split.system, t,
			    &split.user, &split.system);
	sum->value.user += split.user;
	sum->value.system += split.system;
}

/**
 * taskacct_uid_usage_add_cpu() - add what a task ran, divided into user and system time
 * @sum: to add to; its runtime stays
 * @t: any task; the caller keeps it from being freed
 * @now: it is current: to this instant, and not to what the kernel has counted
 *
 * Context: any; task context for @now.
 * Return: what it ran, in ns.
 */
u64 taskacct_uid_usage_add_cpu(struct taskacct_uid_used *sum,
			       struct task_struct *t, bool now)
{
	struct taskacct_uid_split split;
	u64 runtime;

	taskacct_uid_usage_divide(&split, t);
	runtime = now ? taskacct_runtime_of_current() :
			taskacct_runtime_of(t);
	add_divided(sum, t, split, now ? runtime : 0);
	return runtime;
}

/**
 * taskacct_uid_usage_add_values() - add values of a task that were read before
 * @sum: to add to
 * @t: the task
 * @values: its values
 * @split: from taskacct_uid_usage_divide(), before its values were read
 */
void taskacct_uid_usage_add_values(struct taskacct_uid_used *sum,
				   const struct task_struct *t,
				   const struct taskacct_values *values,
				   const struct taskacct_uid_split *split)
{
	const struct taskacct_usage *from = &values->usage;
	struct taskacct_uid_usage *to = &sum->value;

	TASKACCT_USER_SUMS(TASKACCT_ADD)
	to->written += taskacct_written(from->write_bytes,
					from->cancelled_write_bytes);
	add_divided(sum, t, *split, from->runtime);
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
 */
void taskacct_uid_usage_add(struct taskacct_uid_used *sum,
			    const struct taskacct_uid_used *usage)
{
	const u64 *from = (const u64 *)usage;
	u64 *to = (u64 *)sum;
	unsigned int i;

	for (i = 0; i < NUMBERS; i++)
		to[i] += from[i];
}

/**
 * taskacct_uid_usage_keep_up() - what a task has used is no less than was reported
 * @now: what is read from it
 * @seen: what was reported of it, to the instant; the kernel may have counted less of it yet
 */
void taskacct_uid_usage_keep_up(struct taskacct_uid_used *now,
				const struct taskacct_uid_used *seen)
{
	const u64 ran = max(now->value.user + now->value.system,
			    seen->value.user + seen->value.system);

	now->value.runtime = max(now->value.runtime, seen->value.runtime);
	now->value.user = clamp(now->value.user, seen->value.user,
				ran - seen->value.system);
	now->value.system = ran - now->value.user;
}

/**
 * taskacct_uid_usage_settle() - add what a task has used since it was last seen
 * @sum: to add to
 * @seen: what it had used then, and has been added; becomes @now
 * @now: what it has used now
 *
 * All of it only ever grows, but for what was written less what was cancelled:
 * what that falls is not taken from the sum (R79).
 */
void taskacct_uid_usage_settle(struct taskacct_uid_used *sum,
			       struct taskacct_uid_used *seen,
			       const struct taskacct_uid_used *now)
{
	const u64 *from = (const u64 *)now;
	u64 *before = (u64 *)seen;
	u64 *to = (u64 *)sum;
	unsigned int i;

	if (now->value.written < seen->value.written)
		seen->value.written = now->value.written;
	for (i = 0; i < NUMBERS; i++) {
		to[i] += from[i] - before[i];
		/* Some of it is read without the lock: taskacct_uid_task_is_unchanged() */
		WRITE_ONCE(before[i], from[i]);
	}
}
