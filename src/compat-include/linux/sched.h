/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task does
 */
#ifndef TASKACCT_COMPAT_LINUX_SCHED_H
#define TASKACCT_COMPAT_LINUX_SCHED_H

#include_next <linux/sched.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include <taskacct_answers.h>

/* The kernel's member got another name with 5.14. */
#ifdef TASKACCT_STATE_UNDERSCORED
#define TASKACCT_STATE(t) READ_ONCE((t)->__state)
#else
#define TASKACCT_STATE(t) READ_ONCE((t)->state)
#endif

/**
 * taskacct_is_running() - whether a task runs, or would if it had a CPU
 * @t: the task; the caller keeps it from being freed
 *
 * Return: true if so.
 */
static inline bool taskacct_is_running(const struct task_struct *t)
{
	return TASKACCT_STATE(t) == TASK_RUNNING;
}

/**
 * taskacct_is_dead() - whether a task is at its end
 * @t: the task; the caller keeps it from being freed
 *
 * Return: true if it is, and leaves its CPU for good, or has.
 */
static inline bool taskacct_is_dead(const struct task_struct *t)
{
	return TASKACCT_STATE(t) & TASK_DEAD;
}

#endif /* TASKACCT_COMPAT_LINUX_SCHED_H */
