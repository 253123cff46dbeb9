/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a task that runs has run, to this instant
 *
 * What the scheduler keeps of it (se.sum_exec_runtime) is as old as its last tick
 * or switch, at which se.exec_start was set: up to 4 ms at 250 Hz. Many tasks are
 * over in less.
 */
#ifndef TASKACCT_RUNTIME_H
#define TASKACCT_RUNTIME_H

#include <linux/atomic.h>
#include <linux/kernel_stat.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <taskacct_features.h>

#include "cputime/irqtime.h"

/*
 * Without ticks the kernel looks once a second. If it seems to be longer ago, its clock
 * is not the one that is read here.
 */
#define TASKACCT_RUNTIME_MAX	(2 * NSEC_PER_SEC)

/**
 * taskacct_runtime_is_all() - whether the kernel counts all time of a CPU for tasks
 * @cpu: the kernel's figures of the CPU
 *
 * What it takes from it first is told nowhere to the ns: not ksoftirqd's part of the
 * time of interrupts, nor what a hypervisor took since the last tick. The caller looks
 * whether it was this CPU.
 *
 * Context: any.
 */
static __always_inline bool
taskacct_runtime_is_all(const struct kernel_cpustat *cpu)
{
	if (taskacct_features_may_deduct_irqs() && taskacct_irqtime_is_measured())
		return false;
	return !taskacct_features_may_deduct_steal() ||
	       !READ_ONCE(cpu->cpustat[CPUTIME_STEAL]);
}

/* Of so many tasks more was told than the kernel has counted yet. */
extern atomic_t taskacct_runtime_n_told;

u64 taskacct_runtime_told(struct task_struct *t, u64 ns);
u64 taskacct_runtime_of_running(struct task_struct *t);
int taskacct_runtime_init(void);
void taskacct_runtime_exit(void);

/**
 * taskacct_runtime_is_told() - whether more was told of any task than is counted
 *
 * Asked before what the kernel has counted is read: if it is over by then that is no less
 * than what was told.
 *
 * Context: any.
 * Return: false if what is counted can be told.
 */
static __always_inline bool taskacct_runtime_is_told(void)
{
	const bool is_told = atomic_read(&taskacct_runtime_n_told);

	smp_rmb(); /* with give_up() */
	return is_told;
}

/**
 * taskacct_runtime_of_current() - CPU time of the running task, to this instant
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
		since = taskacct_runtime_is_all(raw_cpu_ptr(&kernel_cpustat)) ?
				local_clock() - start : 0;
	} while (unlikely(start != READ_ONCE(se->exec_start)));
	if (likely(since < TASKACCT_RUNTIME_MAX))
		sum += since;
	return unlikely(taskacct_runtime_is_told()) ?
		       taskacct_runtime_told(current, sum) : sum;
}

/**
 * taskacct_runtime_of() - CPU time of a task
 * @t: any task; the caller keeps it from being freed
 *
 * Context: any but NMI.
 * Return: its CPU time as the scheduler counts it, in ns: of one that runs as
 *	taskacct_runtime_of_running(). It does not get less.
 */
static __always_inline u64 taskacct_runtime_of(struct task_struct *t)
{
	if (unlikely(taskacct_features_on_cpu(t)))
		return taskacct_runtime_of_running(t);
	return unlikely(taskacct_runtime_is_told()) ?
		       taskacct_runtime_told(t, 0) :
		       READ_ONCE(t->se.sum_exec_runtime);
}

#endif /* TASKACCT_RUNTIME_H */
