/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracepoints of timers tell: the arguments of a callback, behind the data that
 * each has
 */
#ifndef TASKACCT_COMPAT_TRACE_EVENTS_TIMER_H
#define TASKACCT_COMPAT_TRACE_EVENTS_TIMER_H

#include_next <trace/events/timer.h>

#include <taskacct_answers.h>

/* By 7.3 the time is reported, and no longer where it is. */
#ifdef TASKACCT_TIMER_NOW
#define TASKACCT_TIMER_ARGS(timer)	struct hrtimer *timer, ktime_t now
#else
#define TASKACCT_TIMER_ARGS(timer)	struct hrtimer *timer, ktime_t *now
#endif

#endif /* TASKACCT_COMPAT_TRACE_EVENTS_TIMER_H */
