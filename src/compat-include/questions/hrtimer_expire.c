// SPDX-License-Identifier: GPL-2.0-only
/* What does tracepoint hrtimer_expire_entry tell? */
#include <trace/events/timer.h>

#if defined(TASKACCT_TIMER_NOW) /* by 7.3 */
static void callback(void *data, struct hrtimer *timer, ktime_t now)
#elif defined(TASKACCT_TIMER_NOW_POINTER)
static void callback(void *data, struct hrtimer *timer, ktime_t *now)
#endif
{
}

static __used void question(void)
{
	check_trace_callback_type_hrtimer_expire_entry(callback);
}
