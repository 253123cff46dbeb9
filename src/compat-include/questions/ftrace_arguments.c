// SPDX-License-Identifier: GPL-2.0-only
/* How does an ftrace handler get the function's arguments? */
#include <linux/ftrace.h>

#ifdef CONFIG_DYNAMIC_FTRACE
#if defined(TASKACCT_FTRACE_ARGUMENTS) /* from 6.3 on; on arm64 there is no other way */
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#error the arguments are in no place of their own
#endif
static __used unsigned long question(struct ftrace_regs *regs)
{
	return ftrace_regs_get_argument(regs, 0);
}
#elif defined(TASKACCT_FTRACE_ARGUMENTS_IN_PT_REGS)
unsigned long question = FTRACE_OPS_FL_SAVE_REGS;
#endif
#endif
