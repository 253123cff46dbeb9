/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the running task has run, to this instant
 *
 * What the scheduler keeps of it (se.sum_exec_runtime) is as old as its last tick
 * or switch, at which se.exec_start was set: up to 4 ms at 250 Hz. Many tasks are
 * over in less.
 */
#ifndef TASKACCT_RUNTIME_H
#define TASKACCT_RUNTIME_H

#include <linux/kernel_stat.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <taskacct_features.h>

#include "irqtime.h"

/*
 * Without ticks the kernel looks once a second. If it seems to be longer ago, its clock
 * is not the one that is read here.
 */
#define TASKACCT_RUNTIME_MAX	(2 * NSEC_PER_SEC)

/*
 * Does the kernel count all time of this CPU for tasks? What it takes from it first is
 * told nowhere to the ns: not ksoftirqd's part of the time of interrupts, nor what a
 * hypervisor took since the last tick. The caller looks whether it was this CPU.
 */
static __always_inline bool taskacct_runtime_is_all(void)
{
	if (taskacct_features_may_deduct_irqs() && taskacct_irqtime_is_measured())
		return false;
	return !taskacct_features_may_deduct_steal() ||
	       !raw_cpu_ptr(&kernel_cpustat)->cpustat[CPUTIME_STEAL];
}

/**
 * taskacct_runtime_of_current() - CPU time of the running task, to this instant
 *
 * What is read from the task itself afterwards may be less, until the kernel looks
 * at its clock again.
 *
 * Context: task context.
 * Return: its CPU time as the scheduler counts it, in ns; as of the last tick where the
 *	kernel takes interrupts, or what a hypervisor takes, from it.
 */
static __always_inline u64 taskacct_runtime_of_current(void)
{
	const struct sched_entity *se = &current->se;
	u64 start, sum, since;

	/* An interrupt may have the kernel count, or the task moved to another CPU. */
	do {
		start = READ_ONCE(se->exec_start);
		sum = READ_ONCE(se->sum_exec_runtime);
		since = taskacct_runtime_is_all() ? local_clock() - start : 0;
	} while (unlikely(start != READ_ONCE(se->exec_start)));
	return likely(since < TASKACCT_RUNTIME_MAX) ? sum + since : sum;
}

#endif /* TASKACCT_RUNTIME_H */
