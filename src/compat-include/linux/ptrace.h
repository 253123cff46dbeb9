/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of a function, at its entry
 */
#ifndef TASKACCT_COMPAT_LINUX_PTRACE_H
#define TASKACCT_COMPAT_LINUX_PTRACE_H

#include_next <linux/ptrace.h>

#ifndef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
/* Never called: no hook that needs an argument has a handler there. */
static inline unsigned long regs_get_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
	return 0;
}
#endif

#endif /* TASKACCT_COMPAT_LINUX_PTRACE_H */
