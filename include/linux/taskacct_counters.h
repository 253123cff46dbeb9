/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters for other modules, read by mmap of /dev/taskacct_counters
 *
 * A module that uses them is built with CONFIG_TASKACCT_COUNTERS defined to 1
 * and with taskacct's Module.symvers; without, all of this does nothing and
 * costs nothing. What readers see stands in <uapi/linux/taskacct_counters.h>.
 */
#ifndef _LINUX_TASKACCT_COUNTERS_H
#define _LINUX_TASKACCT_COUNTERS_H

#include <linux/kconfig.h>
#include <linux/types.h>

/**
 * enum taskacct_counter_kind - how the values of a counter are to be read
 * @TASKACCT_COUNTER_COUNTS: what counts is the difference of two readings
 * @TASKACCT_COUNTER_GAUGE: what counts is the value
 */
enum taskacct_counter_kind {
	TASKACCT_COUNTER_COUNTS,
	TASKACCT_COUNTER_GAUGE,
};

#if IS_ENABLED(CONFIG_TASKACCT_COUNTERS)

int taskacct_counter_add(const char *name);
int taskacct_counter_add_kind(const char *name, enum taskacct_counter_kind kind,
			      const char *unit);
int taskacct_counter_del(int instance);
void taskacct_counter_adjust(int instance, s64 delta);
void taskacct_counters_begin(void);
void taskacct_counters_end(void);

#else

static inline int taskacct_counter_add(const char *name)
{
	return 0;
}

static inline int
taskacct_counter_add_kind(const char *name, enum taskacct_counter_kind kind,
			  const char *unit)
{
	return 0;
}

static inline int taskacct_counter_del(int instance)
{
	return 0;
}

static inline void taskacct_counter_adjust(int instance, s64 delta)
{
}

static inline void taskacct_counters_begin(void)
{
}

static inline void taskacct_counters_end(void)
{
}

#endif /* CONFIG_TASKACCT_COUNTERS */

#endif /* _LINUX_TASKACCT_COUNTERS_H */
