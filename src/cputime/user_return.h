/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The return to user mode
 */
#ifndef TASKACCT_HOOKS_RETURN_H
#define TASKACCT_HOOKS_RETURN_H

#include <linux/kconfig.h>
#include <linux/types.h>

#ifdef CONFIG_USER_RETURN_NOTIFIER
void taskacct_hooks_tell_return(bool wanted);
#else
static inline void taskacct_hooks_tell_return(bool wanted)
{
}
#endif

/**
 * taskacct_hooks_see_return() - whether the kernel can tell of returns to user mode
 *
 * Context: any.
 * Return: true if so; else of the ends of system calls alone.
 */
static inline bool taskacct_hooks_see_return(void)
{
	return IS_ENABLED(CONFIG_USER_RETURN_NOTIFIER);
}

#endif /* TASKACCT_HOOKS_RETURN_H */
