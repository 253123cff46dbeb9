/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs run without ticks: what tells is not exported before 5.11
 */
#ifndef TASKACCT_COMPAT_LINUX_TICK_H
#define TASKACCT_COMPAT_LINUX_TICK_H

#include <linux/version.h>
#include_next <linux/tick.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define TASKACCT_NOHZ_FULL(cpu) tick_nohz_full_cpu(cpu)
#else
#define TASKACCT_NOHZ_FULL(cpu) false
#endif

#endif /* TASKACCT_COMPAT_LINUX_TICK_H */
