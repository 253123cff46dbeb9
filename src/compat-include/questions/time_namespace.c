// SPDX-License-Identifier: GPL-2.0-only
/* How is it told how far the clock of a time namespace is ahead? */
#include <linux/time_namespace.h>

static __used u64 question(struct timespec64 *offset)
{
#if defined(TASKACCT_BOOTTIME_NS) /* from 5.11 on */
	return timens_add_boottime_ns(0);
#elif defined(TASKACCT_BOOTTIME_TIMESPEC)
	timens_add_boottime(offset);
	return 0;
#endif
}
