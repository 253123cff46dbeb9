/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits that are seen where nothing may sleep
 */
#ifndef TASKACCT_EXIT_DEFER_H
#define TASKACCT_EXIT_DEFER_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "exit.h"

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

#endif /* TASKACCT_EXIT_DEFER_H */
