// SPDX-License-Identifier: GPL-2.0-only
/* How is a function's argument got from the registers at its entry? */
#include <linux/ptrace.h>

#if defined(TASKACCT_KERNEL_ARGUMENT)
#ifndef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
#error arguments are not to be had
#endif
static __used unsigned long question(struct pt_regs *regs)
{
	return regs_get_kernel_argument(regs, 0);
}
#elif defined(TASKACCT_KERNEL_ARGUMENT_IN_GPRS) /* s390, which exports no function */
static __used unsigned long question(struct pt_regs *regs)
{
	return regs->gprs[2];
}
#elif defined(TASKACCT_KERNEL_ARGUMENT_UNKNOWN)
#endif
