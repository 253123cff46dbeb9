/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The misc devices
 */
#ifndef TASKACCT_DEV_H
#define TASKACCT_DEV_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_TASKACCT_COUNTERS)

int taskacct_dev_init(void);
void taskacct_dev_exit(void);
void taskacct_dev_wake(void);

#else

static inline int taskacct_dev_init(void)
{
	return 0;
}

static inline void taskacct_dev_exit(void)
{
}

#endif /* CONFIG_TASKACCT_COUNTERS */

#endif /* TASKACCT_DEV_H */
