/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory integrals, which a kernel without CONFIG_TASK_XACCT does not have
 */
#ifndef TASKACCT_COMPAT_LINUX_TSACCT_KERN_H
#define TASKACCT_COMPAT_LINUX_TSACCT_KERN_H

#include <linux/sched.h>
#include <linux/taskstats.h>
#include_next <linux/tsacct_kern.h>

/* Memory over CPU time, in pages * ns / 1024: TASKACCT_INTEGRAL(task, its member) */
#ifdef CONFIG_TASK_XACCT
#define TASKACCT_INTEGRAL(t, member)	READ_ONCE((t)->member)
#else
#define TASKACCT_INTEGRAL(t, member)	0
#endif

#endif /* TASKACCT_COMPAT_LINUX_TSACCT_KERN_H */
