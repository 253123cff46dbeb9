/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task ran, divided into user and system time
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H
#define TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H

#include_next <linux/sched/cputime.h>
#include <linux/sched.h>
#include <linux/types.h>

/*
 * Whether a task runs where CPU time is measured at the kernel's boundaries, as
 * on CPUs of nohz_full=. What it has measured is with the task until it makes a
 * tick. By the task, and not by its CPU, which 5.10 does not tell modules. 0 is
 * VTIME_INACTIVE.
 */
#ifdef CONFIG_VIRT_CPU_ACCOUNTING_GEN
#define TASKACCT_CPUTIME_PENDING(t) READ_ONCE((t)->vtime.state)
#else
#define TASKACCT_CPUTIME_PENDING(t) 0
#endif

/**
 * taskacct_cputime_undivided() - whether all that a task ran is user time
 * @t: the task
 *
 * The kernel's rule for a task that no tick has found in the kernel, and that
 * nobody has asked about before. Where it measures CPU time there is no rule.
 *
 * Return: false where task_cputime_adjusted() has to be asked.
 */
static inline bool taskacct_cputime_undivided(const struct task_struct *t)
{
#ifdef CONFIG_VIRT_CPU_ACCOUNTING_NATIVE
	return false;
#else
	return !(READ_ONCE(t->stime) | READ_ONCE(t->prev_cputime.utime) |
		 READ_ONCE(t->prev_cputime.stime) |
		 TASKACCT_CPUTIME_PENDING(t));
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_CPUTIME_H */
