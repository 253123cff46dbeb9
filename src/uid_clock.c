// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time since boot, to a tick, for next to nothing
 *
 * Ticks do not go on while the machine sleeps. How far the time since boot is
 * ahead of them changes then alone, and not while this is told of: between the
 * begin, when tasks still run, and the end, when they do so again, the kernel's
 * clock is asked.
 */

#include <linux/notifier.h>
#include <linux/suspend.h>

#include "uid_clock.h"

DEFINE_STATIC_KEY_FALSE(taskacct_uid_clock_moves);
u64 taskacct_uid_clock_ahead;

/* Where a tick comes meanwhile it would be a tick too much. */
static void look_at_clock(void)
{
	u64 ticks = get_jiffies_64(), before, now;

	do {
		before = ticks;
		now = ktime_to_ns(ktime_get_coarse_boottime());
		ticks = get_jiffies_64();
	} while (ticks != before);
	WRITE_ONCE(taskacct_uid_clock_ahead, now - ticks * TICK_NSEC);
}

static int on_sleep(struct notifier_block *nb, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		static_branch_enable(&taskacct_uid_clock_moves);
		break;
	default:
		look_at_clock();
		static_branch_disable(&taskacct_uid_clock_moves);
	}
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = { .notifier_call = on_sleep };

/**
 * taskacct_uid_clock_init() - set the clock, and be told when it has to be again
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_uid_clock_init(void)
{
	look_at_clock();
	return register_pm_notifier(&sleep_notifier);
}

/**
 * taskacct_uid_clock_exit() - let go of it
 *
 * Context: task context, may sleep; nobody asks for the time any more.
 */
void taskacct_uid_clock_exit(void)
{
	unregister_pm_notifier(&sleep_notifier);
}
