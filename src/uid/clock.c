// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time since boot, to a tick, for next to nothing
 *
 * Ticks do not go on while the machine sleeps. How far the time since boot is
 * ahead of them changes then alone, and not while this is told of: between the
 * begin, when tasks still run, and the end, when they do so again, the kernel's
 * clock is asked.
 */

#include <linux/delay.h>
#include <linux/minmax.h>
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "clock.h"

DEFINE_STATIC_KEY_FALSE(taskacct_uid_clock_moves);
u64 taskacct_uid_clock_ahead;

/* Looks, and looks for each tick that goes by meanwhile */
#define LOOKS		32
#define LOOKS_A_TICK	16

/* Where a tick comes meanwhile it would be a tick too much. */
static s64 how_far_ahead(void)
{
	u64 ticks = get_jiffies_64(), before, now;

	do {
		before = ticks;
		now = ktime_get_boottime_ns();
		ticks = get_jiffies_64();
	} while (ticks != before);
	return now - ticks * TICK_NSEC;
}

/*
 * It is least when a tick has just come. That is told a little later, and by how
 * much varies: with a share of a tick less nothing has ended before it ends.
 */
static void look_at_clock(void)
{
	const unsigned long pause = TICK_NSEC / LOOKS_A_TICK / NSEC_PER_USEC;
	s64 ahead = how_far_ahead();
	unsigned int i;

	for (i = 1; i < LOOKS; i++) {
		usleep_range(pause, pause + pause / 2);
		ahead = min(ahead, how_far_ahead());
	}
	WRITE_ONCE(taskacct_uid_clock_ahead, ahead - TICK_NSEC / 8);
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
	int err = register_pm_notifier(&sleep_notifier);

	if (err)
		return err;
	look_at_clock();
	return 0;
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
