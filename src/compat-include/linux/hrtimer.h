/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a timer is made ready: in two steps up to 6.12, in one later
 */
#ifndef TASKACCT_COMPAT_LINUX_HRTIMER_H
#define TASKACCT_COMPAT_LINUX_HRTIMER_H

#include <linux/version.h>
#include_next <linux/hrtimer.h>

/**
 * taskacct_hrtimer_setup() - make a timer ready
 * @timer: the timer
 * @function: what it calls
 * @clock: by which clock
 * @mode: how it is going to be started
 */
static inline void
taskacct_hrtimer_setup(struct hrtimer *timer,
		       enum hrtimer_restart (*function)(struct hrtimer *timer),
		       clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/**
 * taskacct_hrtimer_setup_on_stack() - make a timer on the stack ready
 * @timer: the timer, for destroy_hrtimer_on_stack()
 * @function: what it calls
 * @clock: by which clock
 * @mode: how it is going to be started
 */
static inline void
taskacct_hrtimer_setup_on_stack(struct hrtimer *timer,
				enum hrtimer_restart (*function)(struct hrtimer *timer),
				clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup_on_stack(timer, function, clock, mode);
#else
	hrtimer_init_on_stack(timer, clock, mode);
	timer->function = function;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_HRTIMER_H */
