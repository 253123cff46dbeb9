/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracepoints of the scheduler tell: the arguments of a callback, behind the data
 * that each has
 */
#ifndef TASKACCT_COMPAT_TRACE_EVENTS_SCHED_H
#define TASKACCT_COMPAT_TRACE_EVENTS_SCHED_H

#include_next <trace/events/sched.h>

#include <taskacct_answers.h>

/* The state of @prev was reported from 5.18 on, before it at first. */
#if defined(TASKACCT_SWITCH_STATE_LAST)
#define TASKACCT_SWITCH_ARGS(prev, next)				\
	bool preempt, struct task_struct *prev,				\
	struct task_struct *next, unsigned int prev_state
#elif defined(TASKACCT_SWITCH_STATE_FIRST)
#define TASKACCT_SWITCH_ARGS(prev, next)				\
	bool preempt, unsigned int prev_state,				\
	struct task_struct *prev, struct task_struct *next
#else
#define TASKACCT_SWITCH_ARGS(prev, next)				\
	bool preempt, struct task_struct *prev, struct task_struct *next
#endif

/* With @group_dead sched_process_exit comes before the address space is gone. */
#ifdef TASKACCT_EXIT_OF_GROUP
#define TASKACCT_EXIT_ARGS(t)	struct task_struct *t, bool group_dead
#define TASKACCT_EARLY_TRACEPOINT	true
#else
#define TASKACCT_EXIT_ARGS(t)	struct task_struct *t
#define TASKACCT_EARLY_TRACEPOINT	false
#endif

#endif /* TASKACCT_COMPAT_TRACE_EVENTS_SCHED_H */
