/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits that a kprobe was not called for
 */
#ifndef TASKACCT_HOOKS_MISSED_H
#define TASKACCT_HOOKS_MISSED_H

#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "hooks.h"

/* Tasks that began then, in ns, or later are counted; 0: none */
extern u64 taskacct_hooks_missed_since;

DECLARE_PER_CPU(u64, taskacct_hooks_missed_seen);

/**
 * taskacct_hooks_missed_counts() - whether the running task is one of those counted
 *
 * Context: any.
 * Return: the same for a task whenever it is asked.
 */
static inline bool taskacct_hooks_missed_counts(void)
{
	const u64 since = READ_ONCE(taskacct_hooks_missed_since);

	return since && current->start_time >= since;
}

/**
 * taskacct_hooks_missed_hooked() - the kprobe was called for the running task
 *
 * Context: the exit hook.
 */
static inline void taskacct_hooks_missed_hooked(void)
{
	if (taskacct_hooks_missed_counts())
		this_cpu_inc(taskacct_hooks_missed_seen);
}

void taskacct_hooks_missed_begin(void);
void taskacct_hooks_missed_end(void);

#endif /* TASKACCT_HOOKS_MISSED_H */
