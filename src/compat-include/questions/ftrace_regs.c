// SPDX-License-Identifier: GPL-2.0-only
/* What registers is an ftrace handler given? */
#include <linux/ftrace.h>

#ifdef CONFIG_DYNAMIC_FTRACE
#if defined(TASKACCT_FTRACE_REGS) /* from 5.11 on */
static struct pt_regs *found;

static void handler(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	found = ftrace_get_regs(regs);
}
#elif defined(TASKACCT_FTRACE_PT_REGS)
static void handler(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *ops, struct pt_regs *regs)
{
}
#endif

static __used void question(struct ftrace_ops *ops)
{
	ops->func = handler;
}
#endif
