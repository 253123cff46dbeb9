/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pipeline of an exit: what other directories may use
 */
#ifndef TASKACCT_EXIT_H
#define TASKACCT_EXIT_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

/* exit.c: what happens at an exit and at the end */

void taskacct_exit(void);
void taskacct_exit_end(void);

/* deferred.c: on PREEMPT_RT, exits seen where nothing may sleep */

#ifdef CONFIG_PREEMPT_RT
/* Exits under way, from a handler's begin to its end or to that of task work */
DECLARE_PER_CPU(long, taskacct_deferred_under_way);

/**
 * taskacct_deferred_begin() - the exit hook is called
 *
 * Context: the exit hook.
 */
static inline void taskacct_deferred_begin(void)
{
	this_cpu_inc(taskacct_deferred_under_way);
}

/**
 * taskacct_deferred_end() - it returns, and does not block any more
 *
 * Context: the exit hook.
 */
static inline void taskacct_deferred_end(void)
{
	this_cpu_dec(taskacct_deferred_under_way);
}

int taskacct_deferred_init(void);
void taskacct_deferred_drain(void);
void taskacct_deferred_exit(void);
bool taskacct_deferred_add(void (*account)(void));
#else
static inline void taskacct_deferred_begin(void)
{
}

static inline void taskacct_deferred_end(void)
{
}

static inline int taskacct_deferred_init(void)
{
	return 0;
}

static inline void taskacct_deferred_drain(void)
{
}

static inline void taskacct_deferred_exit(void)
{
}

static inline bool taskacct_deferred_add(void (*account)(void))
{
	return false;
}
#endif

#endif /* TASKACCT_EXIT_H */
