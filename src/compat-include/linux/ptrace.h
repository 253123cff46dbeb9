/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of a function, at its entry
 */
#ifndef TASKACCT_COMPAT_LINUX_PTRACE_H
#define TASKACCT_COMPAT_LINUX_PTRACE_H

#include_next <linux/ptrace.h>

#include <taskacct_answers.h>

/* How many arguments are in registers where taskacct_kernel_argument() reads them itself */
#define TASKACCT_GPR_ARGUMENTS	5

/**
 * taskacct_kernel_argument() - an argument of the function that was called
 * @regs: the registers at its entry
 * @n: which argument, from 0 on
 *
 * Return: the argument; 0 where it is not in a register, or the kernel does not tell in
 *	which: no hook that needs an argument has a handler there.
 */
static inline unsigned long taskacct_kernel_argument(struct pt_regs *regs,
						     unsigned int n)
{
#if defined(TASKACCT_KERNEL_ARGUMENT)
	return regs_get_kernel_argument(regs, n);
#elif defined(TASKACCT_KERNEL_ARGUMENT_IN_GPRS)
	return n < TASKACCT_GPR_ARGUMENTS ? regs->gprs[2 + n] : 0;
#else
	return 0;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_PTRACE_H */
