/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task does
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_H
#define TASKACCT_COMPAT_LINUX_SCHED_H

#include_next <linux/sched.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * taskacct_is_dead() - whether a task is at its end
 * @t: the task; the caller keeps it from being freed
 *
 * With task_is_running() the kernel's member got another name.
 *
 * Return: true if it is, and leaves its CPU for good, or has.
 */
static inline bool taskacct_is_dead(const struct task_struct *t)
{
#ifdef task_is_running
	return READ_ONCE(t->__state) & TASK_DEAD;
#else
	return READ_ONCE(t->state) & TASK_DEAD;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_H */
