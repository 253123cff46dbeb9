// SPDX-License-Identifier: GPL-2.0-only
/* Where is it kept whether a task's program may be looked into? */
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/user_namespace.h>
#ifdef TASKACCT_DUMPABLE_OF_TASK
#include <linux/sched/exec_state.h>
#endif

static __used bool question(struct task_struct *t, struct mm_struct *mm)
{
#if defined(TASKACCT_DUMPABLE_OF_TASK) /* by 7.2 */
	const struct task_exec_state *state = rcu_dereference(t->exec_state);

	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER &&
	       state->user_ns == &init_user_ns;
#elif defined(TASKACCT_DUMPABLE_LEFT_TO_TASK) /* fixes of the spring of 2026 */
	return t->user_dumpable && get_dumpable(mm) == SUID_DUMP_USER &&
	       mm->user_ns == &init_user_ns;
#elif defined(TASKACCT_DUMPABLE_OF_MM)
	return get_dumpable(mm) == SUID_DUMP_USER &&
	       mm->user_ns == &init_user_ns;
#endif
}
