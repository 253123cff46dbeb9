/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a task is on a CPU, which a kernel for one CPU does not keep
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_TASK_H
#define TASKACCT_COMPAT_LINUX_SCHED_TASK_H

#include_next <linux/sched/task.h>
#include <linux/sched.h>

/**
 * taskacct_may_be_on_cpu() - whether a task may be running
 * @t: the task
 *
 * Pairs with the release in the kernel's finish_task(): if it is not running,
 * all that it did is seen.
 *
 * Return: true if so, or if it is not known.
 */
static inline bool taskacct_may_be_on_cpu(const struct task_struct *t)
{
#ifdef CONFIG_SMP
	/* Pairs with the release in finish_task() */
	return smp_load_acquire(&t->on_cpu);
#else
	return true;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_TASK_H */
