/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel that the module is built for does not have
 */
#ifndef TASKACCT_FEATURES_H
#define TASKACCT_FEATURES_H

#include <linux/bits.h>
#include <linux/delayacct.h>
#include <linux/kconfig.h>
#include <linux/kernel_stat.h>
#include <linux/sched.h>
#include <linux/tick.h>
#include <linux/types.h>
#include <linux/vtime.h>

#include <linux/taskacct.h>
#include <linux/taskacct_values.h>

/**
 * taskacct_features_on_cpu() - whether a task is on a CPU
 * @t: the task, kept by the caller
 *
 * Return: true if it was; on a machine with one CPU, of current alone.
 */
static inline bool taskacct_features_on_cpu(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	return READ_ONCE(t->on_cpu);
#else
	return t == current;
#endif
}

/**
 * taskacct_features_is_leaving() - whether a task is about to leave its CPU
 * @t: the task, which is on a CPU; kept by the caller
 *
 * Return: true if it has been decided that it does, or that it waits for a CPU; for a
 *	moment thereafter it is not to be seen.
 */
static inline bool taskacct_features_is_leaving(struct task_struct *t)
{
	const bool is_running = taskacct_is_running(t);
#ifdef CONFIG_SCHED_INFO
	const bool is_waiting = READ_ONCE(t->sched_info.last_queued);
#else
	const bool is_waiting = false;
#endif

	return !is_running || is_waiting || test_tsk_need_resched(t);
}

#define TASKACCT_WAIT_BIT(number, kind, name, group, ...) BIT_ULL(TASKACCT_HAS_##group) |

/**
 * taskacct_features_waits() - the groups of values that need delay accounting
 *
 * Return: bits of enum taskacct_values_bit.
 */
static inline u64 taskacct_features_waits(void)
{
	/* Waits for a CPU do not. */
	return (TASKACCT_EACH_WAIT(TASKACCT_WAIT_BIT)
			BIT_ULL(TASKACCT_HAS_EXTREMES)) &
	       ~BIT_ULL(TASKACCT_HAS_RUN_QUEUE);
}

/**
 * taskacct_features_absent() - the groups of values that no record has
 *
 * Return: bits of enum taskacct_values_bit.
 */
static inline u64 taskacct_features_absent(void)
{
	u64 groups = 0;

	if (!IS_ENABLED(CONFIG_SCHED_INFO))
		groups |= BIT_ULL(TASKACCT_HAS_RUN_QUEUE);
	if (!IS_ENABLED(CONFIG_TASK_XACCT))
		groups |= BIT_ULL(TASKACCT_HAS_IO) | BIT_ULL(TASKACCT_HAS_INTEGRAL);
	if (!IS_ENABLED(CONFIG_TASK_IO_ACCOUNTING))
		groups |= BIT_ULL(TASKACCT_HAS_STORAGE);
	if (!IS_ENABLED(CONFIG_AUDIT))
		groups |= BIT_ULL(TASKACCT_HAS_LOGINUID);
	if (!IS_ENABLED(CONFIG_CGROUPS))
		groups |= BIT_ULL(TASKACCT_HAS_CGROUP);
	if (!IS_ENABLED(CONFIG_TASK_DELAY_ACCT))
		groups |= taskacct_features_waits();
	/* The only source of these waits; see also src/irqtime.c. */
	if (!IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) ||
	    !TASKACCT_HAVE_DELAY_IRQ)
		groups |= BIT_ULL(TASKACCT_HAS_IRQ);
	if (!TASKACCT_HAVE_DELAY_COMPACT)
		groups |= BIT_ULL(TASKACCT_HAS_COMPACT);
	if (!TASKACCT_HAVE_DELAY_WPCOPY)
		groups |= BIT_ULL(TASKACCT_HAS_WPCOPY);
	if (!TASKACCT_HAVE_DELAY_EXTREMES)
		groups |= BIT_ULL(TASKACCT_HAS_EXTREMES);
	return groups;
}

/**
 * taskacct_features_cpu_accounting() - how a CPU counts CPU time
 * @cpu: the CPU
 *
 * Return: as found on the running system, enum taskacct_cpu_accounting.
 */
static inline u8 taskacct_features_cpu_accounting(unsigned int cpu)
{
	if (IS_ENABLED(CONFIG_VIRT_CPU_ACCOUNTING_NATIVE))
		return TASKACCT_CPU_NATIVE;
	return taskacct_vtime_accounting_cpu(cpu) ? TASKACCT_CPU_GENERIC :
						    TASKACCT_CPU_TICK;
}

/**
 * taskacct_features_begin_is_told() - whether the kernel tells that a new task gets to
 * user mode
 *
 * The code that architectures share ends the system call for it, too, that has made it.
 * arm64 has code of its own, which does not.
 *
 * Return: true if the tracepoint sys_exit is called for it.
 */
static inline bool taskacct_features_begin_is_told(void)
{
	return IS_ENABLED(CONFIG_GENERIC_ENTRY);
}

/**
 * taskacct_features_ticks() - when a CPU has ticks
 * @cpu: the CPU
 *
 * Before 5.11 what tells of CPUs of nohz_full= is not exported; then it is not
 * said of any.
 *
 * Return: "nohz_full", "nohz" where there are none while it is idle, or
 *	"periodic".
 */
static inline const char *taskacct_features_ticks(unsigned int cpu)
{
	if (TASKACCT_NOHZ_FULL(cpu))
		return "nohz_full";
	return get_cpu_idle_time_us(cpu, NULL) == (u64)-1 ? "periodic" : "nohz";
}

/**
 * taskacct_features_may_measure_irqs() - whether the kernel was built to measure
 *	interrupts
 *
 * Return: false if it does not. Whether it does has to be found out.
 */
static inline bool taskacct_features_may_measure_irqs(void)
{
	return IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING) ||
	       IS_ENABLED(CONFIG_VIRT_CPU_ACCOUNTING_NATIVE);
}

/**
 * taskacct_features_may_deduct_irqs() - whether the kernel was built to take the time
 *	of interrupts from that of the task that runs
 *
 * Return: true if so; it does where it measures them.
 */
static inline bool taskacct_features_may_deduct_irqs(void)
{
	return IS_ENABLED(CONFIG_IRQ_TIME_ACCOUNTING);
}

/**
 * taskacct_features_may_deduct_steal() - the same of what a hypervisor takes
 *
 * Return: true if so; it does where the hypervisor tells.
 */
static inline bool taskacct_features_may_deduct_steal(void)
{
	return IS_ENABLED(CONFIG_PARAVIRT_TIME_ACCOUNTING);
}

/* Whether the kernel can tell of returns to user mode */
#define TASKACCT_HAVE_USER_RETURN	IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER)

#endif /* TASKACCT_FEATURES_H */
