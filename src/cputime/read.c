// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU and class, and per task: reading
 *
 * To what has been settled is added what has passed of the interval. It goes
 * where it will be settled, so that nothing ever goes back.
 */

#include <linux/kcsan-checks.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "cpu.h"
#include "cputime.h"
#include "cputime/tasks.h"

/* More than are read between begin_read() and end_read(), as seqlock.h has it */
#define READS 1000

/*
 * How often it is tried while the CPU is in a write section, or has been: some
 * milliseconds, where a hypervisor keeps it from going on.
 */
#define TRIES 100000

/*
 * What is read until end_read() may change meanwhile, and is not used then. In the
 * midst of a change end_read() fails.
 */
static u32 begin_read(const struct taskacct_cpu *cpu)
{
	const u32 seq = READ_ONCE(cpu->seq) & ~1U;

	/* Pairs with the write barrier in end_section(). */
	smp_rmb();
	kcsan_atomic_next(READS);
	return seq;
}

/* Returns the time, if nothing has changed by then; else 0 */
static u64 end_read(const struct taskacct_cpu *cpu, u32 seq)
{
	const u64 time = ktime_get_ns();

	kcsan_atomic_next(0);
	/* section-before-clock. Pairs with the barrier in begin_section(). */
	taskacct_mb_behind_clock();
	return READ_ONCE(cpu->seq) == seq ? time : 0;
}

/**
 * struct reading - where a CPU's time went
 * @ns: time of each class
 * @settled: without what passes now
 */
struct reading {
	u64 *ns;
	bool settled;
};

/* One try; returns whether it has to be done again */
static bool read_once(const struct taskacct_cpu *cpu, struct reading *reading)
{
	u64 *ns = reading->ns;
	const u32 seq = begin_read(cpu);
	struct taskacct_interval interval;
	struct taskacct_more more;
	u64 time, delta;

	memcpy(ns, cpu->statistics->at, CLASSES * sizeof(*ns));
	interval = cpu->interval;
	more = taskacct_more_get(cpu);
	time = end_read(cpu, seq);
	if (!time)
		return true;
	/* Nothing passes on a CPU that is not accounted for. */
	if (reading->settled || !interval.since)
		return false;
	delta = taskacct_cputime_elapsed(interval.since, time);
	taskacct_more_spread(&more, interval.target, interval.share, delta, ns);
	return false;
}

/* On the CPU itself, interrupts off: it is in no section. */
static void read_here(void *reading)
{
	read_once(this_cpu_ptr(&taskacct_cpus), reading);
}

static void read_cpu(unsigned int cpu, struct reading *reading)
{
	const struct taskacct_cpu *from = per_cpu_ptr(&taskacct_cpus, cpu);
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!read_once(from, reading))
			return;
		cpu_relax();
	}
	/* One that has gone offline changes nothing any more. */
	if (smp_call_function_single(cpu, read_here, reading, true))
		read_once(from, reading);
}

/**
 * taskacct_cputime_read() - where a CPU's time went
 * @cpu: the CPU, be it online or not
 * @ns: receives the time of each class, up to now
 *
 * Time is counted while the mode is not off and the CPU is online. It never
 * goes back. A CPU that is always in the midst of a change is interrupted.
 *
 * Context: task context.
 */
void taskacct_cputime_read(unsigned int cpu, u64 *ns)
{
	struct reading reading = { .ns = ns };

	read_cpu(cpu, &reading);
}

/**
 * taskacct_cputime_read_settled() - where a CPU's time went until it went to
 *	something else last
 * @cpu: the CPU, be it online or not
 * @ns: receives the time of each class
 *
 * As taskacct_cputime_read(), but for the interval that passes: what the CPU does
 * now is not in it.
 *
 * Context: task context.
 */
void taskacct_cputime_read_settled(unsigned int cpu, u64 *ns)
{
	struct reading reading = { .ns = ns, .settled = true };

	read_cpu(cpu, &reading);
}

/**
 * taskacct_cputime_switches() - how often a CPU was switched
 * @cpu: the CPU
 *
 * Return: switches while the mode was not off.
 */
u64 taskacct_cputime_switches(unsigned int cpu)
{
	return READ_ONCE(per_cpu(taskacct_cpus, cpu).statistics->at[SWITCHES]);
}

static bool read_task_once(struct task_struct *t,
			   const struct taskacct_cputime_slot *slot, u64 *ns)
{
	const unsigned int n = task_cpu(t);
	const struct taskacct_cpu *cpu = per_cpu_ptr(&taskacct_cpus, n);
	const u32 seq = begin_read(cpu);
	struct taskacct_interval interval;
	u64 unused[CLASSES] = {};
	struct taskacct_more more;
	u64 time, delta;
	bool is_here;

	*ns = READ_ONCE(slot->ns);
	is_here = cpu->is.is_running && cpu->is.is_task && cpu->slot == slot;
	interval = cpu->interval;
	more = taskacct_more_get(cpu);
	time = end_read(cpu, seq);
	if (!time || task_cpu(t) != n)
		return true;
	if (!is_here)
		return false;
	delta = taskacct_cputime_elapsed(interval.since, time);
	*ns += taskacct_more_spread(&more, interval.target, interval.share,
				    delta, unused);
	return false;
}

/* Returns whether it could be read */
static bool read_task(struct task_struct *t, const struct taskacct_cputime_slot *slot,
		      u64 *ns)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!read_task_once(t, slot, ns))
			return true;
		cpu_relax();
	}
	return false;
}

static enum taskacct_cputime_known known_of(const struct task_struct *t)
{
	return READ_ONCE(t->start_boottime) <
			       READ_ONCE(taskacct_cputime_began) ?
		       TASKACCT_CPUTIME_SINCE :
		       TASKACCT_CPUTIME_EXACT;
}

/**
 * taskacct_cputime_task() - a task's time on CPUs
 * @t: the task, kept by the caller
 * @ns: receives it, without interrupts and stolen time; 0 if it is not known
 *
 * Context: task context.
 * Return: how much of its time that is.
 */
enum taskacct_cputime_known taskacct_cputime_task(struct task_struct *t,
						  u64 *ns)
{
	enum taskacct_cputime_known known = known_of(t);
	const struct taskacct_cputime_slot *slot;
	bool missed;

	*ns = 0;
	rcu_read_lock();
	/* It gives its slot back a grace period after both. */
	if (READ_ONCE(t->exit_state) == EXIT_DEAD && taskacct_is_dead(t))
		known = TASKACCT_CPUTIME_UNTRACKED;
	slot = taskacct_cputime_tasks_find(t, &missed);
	if (slot && !read_task(t, slot, ns))
		known = TASKACCT_CPUTIME_UNTRACKED;
	/* It does not change any more: a claim is in the section, too. */
	if (slot)
		missed = READ_ONCE(slot->missed);
	/* off-before-free. Pairs with barriers in switch_off(). */
	smp_rmb();
	if (!taskacct_cputime_is_on())
		known = TASKACCT_CPUTIME_NOT;
	else if (missed)
		known = TASKACCT_CPUTIME_UNTRACKED;
	rcu_read_unlock();
	if (known == TASKACCT_CPUTIME_NOT ||
	    known == TASKACCT_CPUTIME_UNTRACKED)
		*ns = 0;
	return known;
}
