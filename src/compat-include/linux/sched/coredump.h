/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether what a task does is its user's to look into
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_COREDUMP_H
#define TASKACCT_COMPAT_LINUX_SCHED_COREDUMP_H

#include_next <linux/sched/coredump.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>
/* While it was among the flags of an address space (not by 7.2) this was one. */
#ifndef SUID_DUMP_USER
#include <linux/sched/exec_state.h>
#endif

/**
 * struct taskacct_dumpable - what guards the program that a task runs
 * @by_user: its user may look into it
 * @user_ns: user namespace that its executable is of; who may trace all that
 *	is in it may look into it anyway
 */
struct taskacct_dumpable {
	bool by_user;
	const struct user_namespace *user_ns;
};

/**
 * taskacct_left_dumpable() - what guarded the program that a task ran
 * @t: the task, which has left its address space
 *
 * Kernels since the spring of 2026 note it in the task when it leaves. Where it
 * is not known nobody may.
 *
 * Return: it.
 */
static inline bool taskacct_left_dumpable(const struct task_struct *t)
{
#ifdef TASKACCT_HAVE_USER_DUMPABLE
	return t->user_dumpable;
#else
	return false;
#endif
}

/**
 * taskacct_dumpable() - what guards the program that a task runs
 * @t: the task
 * @mm: its address space, kept by the caller, or NULL: it has left it
 *
 * Kept with the address space; by 7.2 with the task.
 *
 * Context: under rcu_read_lock(), as long as it is used.
 * Return: it.
 */
static inline struct taskacct_dumpable
taskacct_dumpable(struct task_struct *t, struct mm_struct *mm)
{
#ifndef SUID_DUMP_USER
	const struct task_exec_state *state = rcu_dereference(t->exec_state);

	return (struct taskacct_dumpable){
		.by_user = READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER,
		.user_ns = state->user_ns,
	};
#else
	if (!mm)
		return (struct taskacct_dumpable){
			.by_user = taskacct_left_dumpable(t),
			.user_ns = &init_user_ns,
		};
	return (struct taskacct_dumpable){
		.by_user = get_dumpable(mm) == SUID_DUMP_USER,
		.user_ns = mm->user_ns,
	};
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_COREDUMP_H */
