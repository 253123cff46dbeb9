// SPDX-License-Identifier: GPL-2.0-only
/* Which member of a task is its state? */
#include <linux/sched.h>

static __used unsigned int question(const struct task_struct *t)
{
#if defined(TASKACCT_STATE_UNDERSCORED) /* from 5.14 on */
	return READ_ONCE(t->__state);
#elif defined(TASKACCT_STATE_PLAIN)
	return READ_ONCE(t->state);
#endif
}
