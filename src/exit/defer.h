/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits that are seen where nothing may sleep
 */
#ifndef TASKACCT_DEFER_H
#define TASKACCT_DEFER_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

/**
 * taskacct_defer_needed() - whether accounting has to wait for a better place
 *
 * On PREEMPT_RT memory and the locks of a queue may sleep; on other kernels
 * they never do. There ftrace calls us with preemption on, unless another
 * tracer is on the same function; kprobes and older tracepoints never do.
 *
 * Context: the exit hook.
 * Return: true if taskacct_defer() has to be called.
 */
static inline bool taskacct_defer_needed(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible();
}

#ifdef CONFIG_PREEMPT_RT
/* Exits under way, from a handler's begin to its end or to that of task work */
DECLARE_PER_CPU(long, taskacct_defer_under_way);

/**
 * taskacct_defer_begin() - the exit hook is called
 *
 * Context: the exit hook.
 */
static inline void taskacct_defer_begin(void)
{
	this_cpu_inc(taskacct_defer_under_way);
}

/**
 * taskacct_defer_end() - it returns, and does not block any more
 *
 * Context: the exit hook.
 */
static inline void taskacct_defer_end(void)
{
	this_cpu_dec(taskacct_defer_under_way);
}

int taskacct_defer_init(void);
void taskacct_defer_drain(void);
void taskacct_defer_exit(void);
bool taskacct_defer(void (*account)(void));
#else
static inline void taskacct_defer_begin(void)
{
}

static inline void taskacct_defer_end(void)
{
}

static inline int taskacct_defer_init(void)
{
	return 0;
}

static inline void taskacct_defer_drain(void)
{
}

static inline void taskacct_defer_exit(void)
{
}

static inline bool taskacct_defer(void (*account)(void))
{
	return false;
}
#endif

#endif /* TASKACCT_DEFER_H */
