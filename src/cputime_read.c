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
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "cputime.h"
#include "cputime_cpu.h"
#include "slots.h"

/* More than are read between begin_read() and end_read(), as seqlock.h has it */
#define READS 1000

/*
 * The reader's loop of <linux/taskacct_counters.h>, with the barriers it names.
 * What is read until end_read() may change meanwhile, and is not used then.
 */
static u32 begin_read(const struct taskacct_cpu *cpu)
{
	u32 updates;

	do {
		updates = READ_ONCE(cpu->figures->words.updates);
		/* Pairs with U1. */
		smp_rmb();
		cpu_relax();
	} while (READ_ONCE(cpu->figures->words.updating));
	/* Pairs with U2. */
	smp_rmb();
	kcsan_atomic_next(READS);
	return updates;
}

/* Returns the time, if nothing has changed by then; else 0 */
static u64 end_read(const struct taskacct_cpu *cpu, u32 updates)
{
	const u64 time = ktime_get_ns();
	u32 updating;

	kcsan_atomic_next(0);
	/* Pairs with U1, and with smp_mb() in begin_section(). */
	smp_mb();
	updating = READ_ONCE(cpu->figures->words.updating);
	/* Pairs with U2. */
	smp_rmb();
	if (updating || READ_ONCE(cpu->figures->words.updates) != updates)
		return 0;
	return time;
}

/* One try; returns whether it has to be done again */
static bool read_once(const struct taskacct_cpu *cpu, u64 *ns)
{
	const u32 updates = begin_read(cpu);
	u64 figures[SWITCHES];
	struct taskacct_more more;
	u64 time, delta;

	memcpy(figures, cpu->figures->at, sizeof(figures));
	more = taskacct_more_get(cpu);
	time = end_read(cpu, updates);
	if (!time)
		return true;
	memcpy(ns, figures, CLASSES * sizeof(*ns));
	/* Nothing passes on a CPU that is not accounted for. */
	if (!figures[SINCE])
		return false;
	delta = taskacct_cputime_elapsed(figures[SINCE], time);
	taskacct_more_spread(&more, figures[TARGET], figures[SHARE], delta, ns);
	return false;
}

/**
 * taskacct_cputime_read() - where a CPU's time went
 * @cpu: the CPU, be it online or not
 * @ns: receives the time of each class, up to now
 *
 * Time is counted while the mode is not off and the CPU is online. It never
 * goes back.
 *
 * Context: task context.
 */
void taskacct_cputime_read(unsigned int cpu, u64 *ns)
{
	while (read_once(per_cpu_ptr(&taskacct_cpus, cpu), ns))
		cpu_relax();
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
	const struct taskacct_cpu *c = per_cpu_ptr(&taskacct_cpus, cpu);
	u32 updates;

	do {
		updates = begin_read(c);
		memcpy(ns, c->figures->at, CLASSES * sizeof(*ns));
	} while (!end_read(c, updates));
}

/**
 * taskacct_cputime_switches() - how often a CPU was switched
 * @cpu: the CPU
 *
 * Context: any.
 * Return: switches while the mode was not off.
 */
u64 taskacct_cputime_switches(unsigned int cpu)
{
	return READ_ONCE(per_cpu(taskacct_cpus, cpu).figures->at[SWITCHES]);
}

static bool read_task_once(struct task_struct *t,
			   const struct taskacct_slot *slot, u64 *ns)
{
	const unsigned int n = task_cpu(t);
	const struct taskacct_cpu *cpu = per_cpu_ptr(&taskacct_cpus, n);
	const u32 updates = begin_read(cpu);
	u64 unused[CLASSES] = {};
	u64 figures[SWITCHES];
	struct taskacct_more more;
	u64 time, delta;
	bool is_here;

	*ns = READ_ONCE(slot->ns);
	is_here = cpu->is.is_running && cpu->is.is_task && cpu->slot == slot;
	memcpy(figures, cpu->figures->at, sizeof(figures));
	more = taskacct_more_get(cpu);
	time = end_read(cpu, updates);
	if (!time || task_cpu(t) != n)
		return true;
	if (!is_here)
		return false;
	delta = taskacct_cputime_elapsed(figures[SINCE], time);
	*ns += taskacct_more_spread(&more, figures[TARGET], figures[SHARE],
				    delta, unused);
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
	const struct taskacct_slot *slot;
	bool missed;

	*ns = 0;
	rcu_read_lock();
	/* It gives its place back a grace period after this. */
	if (READ_ONCE(t->exit_state) == EXIT_DEAD)
		known = TASKACCT_CPUTIME_UNTRACKED;
	slot = taskacct_slots_find(t, &missed);
	while (slot && read_task_once(t, slot, ns))
		cpu_relax();
	/* It does not change any more: a claim is in the section, too. */
	if (slot)
		missed = READ_ONCE(slot->missed);
	/* Off before the places go. Pairs with barriers in switch_off(). */
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
