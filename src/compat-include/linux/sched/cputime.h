/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task ran, divided into user and system time
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H
#define TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H

#include_next <linux/sched/cputime.h>
#include <linux/sched.h>
#include <linux/types.h>

/**
 * taskacct_cputime_undivided() - whether all that a task ran is user time
 * @t: the task
 *
 * The kernel's rule for a task that no tick has found in the kernel, and that
 * nobody has asked about before. Where it measures CPU time there is no rule.
 *
 * Context: any.
 * Return: false where task_cputime_adjusted() has to be asked.
 */
static inline bool taskacct_cputime_undivided(const struct task_struct *t)
{
#ifdef CONFIG_VIRT_CPU_ACCOUNTING_NATIVE
	return false;
#else
	return !(READ_ONCE(t->stime) | READ_ONCE(t->prev_cputime.utime) |
		 READ_ONCE(t->prev_cputime.stime));
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H */
