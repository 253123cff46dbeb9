/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time since boot, to a tick, for next to nothing
 */
#ifndef TASKACCT_UID_CLOCK_H
#define TASKACCT_UID_CLOCK_H

#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(taskacct_uid_clock_moves);
extern u64 taskacct_uid_clock_ahead;

int taskacct_uid_clock_init(void);
void taskacct_uid_clock_exit(void);

/**
 * taskacct_uid_clock() - the time since boot, to a tick
 *
 * Each exit asks for it, so that every instruction counts.
 *
 * Context: any but NMI.
 * Return: it, in ns, with the time that the machine slept.
 */
static __always_inline u64 taskacct_uid_clock(void)
{
	if (static_branch_unlikely(&taskacct_uid_clock_moves))
		return ktime_to_ns(ktime_get_coarse_boottime());
	return get_jiffies_64() * TICK_NSEC +
	       READ_ONCE(taskacct_uid_clock_ahead);
}

#endif /* TASKACCT_UID_CLOCK_H */
