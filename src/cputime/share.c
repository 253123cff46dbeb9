// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU and class: how much of a task's time is user mode
 *
 * Where nothing is measured that is known by the kernel's samples. A sample comes
 * when much of the time that it stands for has been booked already, and what was
 * booked is never taken back. So each CPU keeps what it owes to user mode, or user
 * mode to it, and the tasks that run there afterwards pay, whoever had it: what has
 * been sampled in a class gets there even if each task ends before its first sample.
 *
 * A kernel that measures whenever it is entered and left (native) tells so at ticks and
 * when it switches tasks. What it has reported at the end of an interrupt is a sample, too.
 */

#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include <taskacct_features.h>

#include "cpu.h"
#include "cputime.h"
#include "cputime/tasks.h"
#include "user_return.h"

/* Of so much sampled time is a task's split, and of no more */
#define WINDOW		(8 * (u64)TICK_NSEC)

/* No sample will tell of more than this that has passed: tasks may evade ticks. */
#define UNREPORTED_MAX	(32 * (u64)TICK_NSEC)

/* So much is owed at most, and within so much time it is paid. */
#define DEBT_MAX	(32 * (s64)TICK_NSEC)

/*
 * How much of a task's time was in user mode, by all samples of it. Without any it
 * is what others had here until they were sampled.
 */
static u32 sampled_share(const struct taskacct_cpu *cpu,
			 const struct task_struct *t)
{
	const u64 utime = READ_ONCE(t->utime);
	const u64 total = utime + READ_ONCE(t->stime);

	if (!total)
		return cpu->begins;
	if (utime == total)
		return SHARE_ALL;
	/* Enough for nine years, and for samples of a microsecond */
	return div64_u64(utime << (SHARE_BITS - 10), (total >> 10) + 1);
}

/**
 * taskacct_share_in_kernel() - the share of a task that is in the kernel
 * @cpu: the CPU that it runs on
 * @t: the task
 *
 * Guests run there, too, and are in user mode: nothing but samples tells of them.
 *
 * Return: the share.
 */
u32 taskacct_share_in_kernel(const struct taskacct_cpu *cpu,
			     const struct task_struct *t)
{
	return likely(!t->gtime) ? 0 : sampled_share(cpu, t);
}

/* Is it switched in for the first time? Before that it was never switched out. */
static bool begins(const struct task_struct *t)
{
	return t != current && !(t->nvcsw | t->nivcsw);
}

/*
 * A task that is switched in goes on where it was switched out: behind a system
 * call, or behind an interrupt of user mode, whose end may not be seen. So may be the
 * end of the call that a new task begins in.
 */
static u32 measured_share(const struct taskacct_cpu *cpu, struct task_struct *t)
{
	if (taskacct_cputime_sees_return())
		return taskacct_share_in_kernel(cpu, t);
	if (!taskacct_cputime_in_call(t) ||
	    (!taskacct_features_begin_is_told() && begins(t)))
		return SHARE_ALL;
	return taskacct_share_in_kernel(cpu, t);
}

/**
 * taskacct_share_of() - the share of a task of which none is kept
 * @cpu: the CPU that it runs on
 * @t: the task
 *
 * Context: that CPU, interrupts off.
 * Return: the share.
 */
u32 taskacct_share_of(const struct taskacct_cpu *cpu, struct task_struct *t)
{
	if (t->flags & PF_KTHREAD)
		return 0;
	/* Its way to user mode will be seen. */
	if (cpu->is.is_measured)
		return taskacct_share_in_kernel(cpu, t);
	if (READ_ONCE(taskacct_cputime_in_force) == TASKACCT_CPUTIME_FULL)
		return measured_share(cpu, t);
	return sampled_share(cpu, t);
}

static bool goes_by_samples(const struct taskacct_cpu *cpu)
{
	return cpu->has_samples && !cpu->is.is_measured &&
	       READ_ONCE(taskacct_cputime_in_force) != TASKACCT_CPUTIME_FULL;
}

/**
 * taskacct_share_now() - the share of the running task, which goes on
 * @cpu: the CPU
 *
 * Context: that CPU, interrupts off.
 * Return: the share.
 */
u32 taskacct_share_now(const struct taskacct_cpu *cpu)
{
	if (cpu->share > SHARE_ALL || !goes_by_samples(cpu))
		return taskacct_share_of(cpu, current);
	return cpu->share;
}

/*
 * A task that ran for an hour in user mode may be in the kernel from now on: its
 * share goes with the last samples. So what goes to a class is what was sampled
 * in it, a little later. The first samples count as all of them do.
 */
static u32 share_behind(u32 share, u64 user, u64 all, u64 lifetime)
{
	const u64 window = max(all, min(lifetime, WINDOW));

	return div64_u64(user * SHARE_ALL + (window - all) * share, window);
}

/* A share, and what is paid */
static u32 share_with_debt(const struct taskacct_cpu *cpu, u32 share)
{
	const s64 more = div64_s64(cpu->debt * SHARE_ALL, DEBT_MAX);

	return clamp_t(s64, share + more, 0, SHARE_ALL);
}

/* The user mode of all tasks, as it has been booked, and all that they ran */
static void get_booked(const struct taskacct_cpu *cpu, u64 *booked)
{
	const u64 *ns = cpu->statistics->at;

	booked[0] = ns[USER] + ns[NICE];
	booked[1] = booked[0] + ns[SYSTEM];
}

/*
 * A sample tells of as much time as the kernel has it stand for, from what tasks ran
 * here before it, whichever they were; what was booked of that as user mode is known.
 * Where a CPU is idle at times that is not what has passed since the last sample, but
 * on the average it is.
 */
static void note_debt(struct taskacct_cpu *cpu, u64 user, u64 all)
{
	const u32 share = div64_u64(user * SHARE_ALL, all);
	u64 now[2], booked, passed, reported, gone;

	get_booked(cpu, now);
	booked = now[0] - cpu->reported[0];
	passed = now[1] - cpu->reported[1];
	if (!passed)
		return;
	reported = min(passed, all);
	cpu->debt += taskacct_cputime_part(reported, share);
	cpu->debt -= mul_u64_u64_div_u64(booked, reported, passed);
	cpu->debt = clamp(cpu->debt, -DEBT_MAX, DEBT_MAX);
	gone = max(reported, passed - min(passed, UNREPORTED_MAX));
	cpu->reported[0] += mul_u64_u64_div_u64(booked, gone, passed);
	cpu->reported[1] += gone;
}

/* The sample is of the running task, and of those that are young if it is one. */
static void note_share(struct taskacct_cpu *cpu, u64 user, u64 all)
{
	const u64 lifetime = READ_ONCE(current->utime) +
			     READ_ONCE(current->stime);
	u32 share;

	if (lifetime <= all)
		cpu->young = share_behind(cpu->young, user, all, WINDOW);
	/* It is not known where it had none yet. */
	if (cpu->share > SHARE_ALL)
		return;
	share = share_behind(cpu->share, user, all, lifetime);
	cpu->share = share_with_debt(cpu, share);
}

/**
 * taskacct_share_note() - look whether there are new samples
 * @cpu: the CPU
 *
 * The kernel takes its samples in interrupts, and each ends here: those that are
 * new are of the running task.
 *
 * Context: that CPU, in its write section, settled.
 */
void taskacct_share_note(struct taskacct_cpu *cpu)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;
	const u64 now[] = {
		theirs[CPUTIME_USER] + theirs[CPUTIME_NICE],
		theirs[CPUTIME_SYSTEM],
	};
	const s64 user = now[0] - cpu->sampled[0];
	const s64 kernel = now[1] - cpu->sampled[1];

	if (likely(!(user | kernel)))
		return;
	cpu->sampled[0] = now[0];
	cpu->sampled[1] = now[1];
	/* The kernel's statistics may go back. */
	if (user < 0 || kernel < 0 || !goes_by_samples(cpu))
		return;
	note_debt(cpu, user, user + kernel);
	if (!(current->flags & PF_KTHREAD))
		note_share(cpu, user, user + kernel);
	cpu->begins = share_with_debt(cpu, cpu->young);
}

/**
 * taskacct_share_begin() - begin to split time
 * @cpu: the CPU
 * @has_samples: the kernel tells there, at ticks, what was user and what was system
 *
 * Without any sample all of a task's time is in user mode, as the kernel itself
 * decides then.
 *
 * Context: that CPU, in its write section.
 */
void taskacct_share_begin(struct taskacct_cpu *cpu, bool has_samples)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;

	cpu->has_samples = has_samples;
	cpu->sampled[0] = theirs[CPUTIME_USER] + theirs[CPUTIME_NICE];
	cpu->sampled[1] = theirs[CPUTIME_SYSTEM];
	cpu->young = SHARE_ALL;
	cpu->begins = SHARE_ALL;
	cpu->debt = 0;
	get_booked(cpu, cpu->reported);
}
