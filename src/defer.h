/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits that are seen where nothing may sleep
 */
#ifndef TASKACCT_DEFER_H
#define TASKACCT_DEFER_H

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
int taskacct_defer_init(void);
void taskacct_defer_exit(void);
bool taskacct_defer(void (*account)(void));
#else
static inline int taskacct_defer_init(void)
{
	return 0;
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
