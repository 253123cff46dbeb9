// SPDX-License-Identifier: GPL-2.0-only
/* How is a timer made ready? */
#include <linux/hrtimer.h>

static __used void question(struct hrtimer *timer,
			    enum hrtimer_restart (*fn)(struct hrtimer *))
{
#if defined(TASKACCT_HRTIMER_SETUP) /* from 6.13 on */
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_setup_on_stack(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#elif defined(TASKACCT_HRTIMER_INIT)
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_init_on_stack(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = fn;
#endif
}
