/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a CPU counts CPU time
 */
#ifndef TASKACCT_COMPAT_LINUX_VTIME_H
#define TASKACCT_COMPAT_LINUX_VTIME_H

#include <linux/version.h>
#include_next <linux/vtime.h>

/**
 * taskacct_vtime_accounting_cpu() - whether a CPU measures CPU time at the
 *	kernel's boundaries, and does not sample it at ticks
 * @cpu: the CPU
 *
 * Before 5.11 what tells is not exported; then it is not said to be so.
 */
static inline bool taskacct_vtime_accounting_cpu(unsigned int cpu)
{
#if defined(CONFIG_VIRT_CPU_ACCOUNTING_GEN) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return vtime_accounting_enabled_cpu(cpu);
#else
	return false;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_VTIME_H */
