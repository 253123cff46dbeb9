/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far the clock of a time namespace is ahead, in ns: has a function since 5.11
 */
#ifndef TASKACCT_COMPAT_LINUX_TIME_NAMESPACE_H
#define TASKACCT_COMPAT_LINUX_TIME_NAMESPACE_H

#include <linux/version.h>
#include_next <linux/time_namespace.h>
#include <linux/time64.h>

/**
 * taskacct_boot_offset() - what current's time namespace adds to the time since boot
 *
 * Return: that, in ns; negative as its two's complement.
 */
static inline u64 taskacct_boot_offset(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return timens_add_boottime_ns(0);
#else
	struct timespec64 offset = {};

	timens_add_boottime(&offset);
	return timespec64_to_ns(&offset);
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TIME_NAMESPACE_H */
