// SPDX-License-Identifier: GPL-2.0-only
/* What does tracepoint sched_switch tell? */
#include <trace/events/sched.h>

#if defined(TASKACCT_SWITCH_STATE_LAST) /* from 5.18 on */
static void callback(void *data, bool preempt, struct task_struct *prev,
		     struct task_struct *next, unsigned int prev_state)
#elif defined(TASKACCT_SWITCH_STATE_FIRST) /* 5.18 at first */
static void callback(void *data, bool preempt, unsigned int prev_state,
		     struct task_struct *prev, struct task_struct *next)
#elif defined(TASKACCT_SWITCH_NO_STATE)
static void callback(void *data, bool preempt, struct task_struct *prev,
		     struct task_struct *next)
#endif
{
}

static __used void question(void)
{
	check_trace_callback_type_sched_switch(callback);
}
