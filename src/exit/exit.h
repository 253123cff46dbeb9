/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pipeline of an exit: what other folders may use
 */
#ifndef TASKACCT_EXIT_H
#define TASKACCT_EXIT_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

/* exit.c: what happens at an exit and at the end */

void taskacct_exit(void);
void taskacct_exit_end(void);

/* defer.c: on PREEMPT_RT, exits seen where nothing may sleep */

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

#endif /* TASKACCT_EXIT_H */
