// SPDX-License-Identifier: GPL-2.0-only
/* What does tracepoint sched_process_exit tell? */
#include <trace/events/sched.h>

#if defined(TASKACCT_EXIT_OF_GROUP) /* by 7.2 */
static void callback(void *data, struct task_struct *t, bool group_dead)
#elif defined(TASKACCT_EXIT_OF_TASK)
static void callback(void *data, struct task_struct *t)
#endif
{
}

static __used void question(void)
{
	check_trace_callback_type_sched_process_exit(callback);
}
