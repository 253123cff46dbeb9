/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells the module of exits
 */
#ifndef TASKACCT_HOOKS_H
#define TASKACCT_HOOKS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* See taskacct_hooks_closing() */
extern bool taskacct_hooks_are_closing;

/**
 * taskacct_hooks_closing() - whether handlers have to return at once
 *
 * A hook that the kernel cannot take away goes on calling its handler, and on
 * PREEMPT_RT a task must not block in one that is taken away.
 *
 * Context: a hook's handler, first.
 * Return: true from before the hooks are detached.
 */
static inline bool taskacct_hooks_closing(void)
{
	return unlikely(READ_ONCE(taskacct_hooks_are_closing));
}

/* Whether tasks are told of at their end, see taskacct_hooks_end_name() */
extern bool taskacct_hooks_see_ends;

int taskacct_hooks_init(const char *wanted, bool setuid);
void taskacct_hooks_exit(void);
void taskacct_hooks_leave(void);
const char *taskacct_hooks_name(void);
const char *taskacct_hooks_end_name(void);
bool taskacct_hooks_late(void);
const char *taskacct_hooks_setuid_name(void);
bool taskacct_hooks_see_user_mode(void);
int taskacct_hooks_attach_cpu(void);
void taskacct_hooks_detach_cpu(void);
int taskacct_hooks_attach_syscalls(void);
void taskacct_hooks_detach_syscalls(void);

#endif /* TASKACCT_HOOKS_H */
