/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory integrals, which a kernel without CONFIG_TASK_XACCT does not have
 */
#ifndef TASKACCT_COMPAT_LINUX_TSACCT_KERN_H
#define TASKACCT_COMPAT_LINUX_TSACCT_KERN_H

#include <linux/sched.h>
#include <linux/taskstats.h>
#include_next <linux/tsacct_kern.h>

/**
 * struct taskacct_integrals - memory over CPU time, of one or several tasks
 * @rss: resident memory over CPU time, in pages * ns / 1024
 * @vm: address space over CPU time, in pages * ns / 1024
 *
 * Both are u64 and add up.
 */
struct taskacct_integrals {
	u64 rss;
	u64 vm;
};

/**
 * taskacct_add_integrals() - add those of a task
 * @sum: to add to
 * @t: any task
 */
static inline void taskacct_add_integrals(struct taskacct_integrals *sum,
					  const struct task_struct *t)
{
#ifdef CONFIG_TASK_XACCT
	sum->rss += READ_ONCE(t->acct_rss_mem1);
	sum->vm += READ_ONCE(t->acct_vm_mem1);
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TSACCT_KERN_H */
