/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ftrace handler is given, and whether ftrace guards it from itself
 */
#ifndef TASKACCT_COMPAT_LINUX_FTRACE_H
#define TASKACCT_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <linux/bits.h>
#include <linux/version.h>

#ifdef CONFIG_DYNAMIC_FTRACE

/* Before 5.11 a handler was given struct pt_regs. */
struct ftrace_regs;

#define TASKACCT_FTRACE_PT_REGS						\
	__builtin_types_compatible_p(ftrace_func_t,			\
		void (*)(unsigned long, unsigned long,			\
			 struct ftrace_ops *, struct pt_regs *))

#define taskacct_ftrace_regs						\
	typeof(__builtin_choose_expr(TASKACCT_FTRACE_PT_REGS,		\
				     (struct pt_regs *)NULL,		\
				     (struct ftrace_regs *)NULL))

/* Where ops with FTRACE_OPS_FL_SAVE_REGS have them */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define taskacct_ftrace_pt_regs(regs) ftrace_get_regs(regs)
#else
#define taskacct_ftrace_pt_regs(regs) (regs)
#endif

/*
 * A handler that cannot come upon itself needs no guard. Up to the same
 * version it had to say so, by FTRACE_OPS_FL_RECURSION_SAFE; since then the
 * same bit asks for the guard.
 */
#define TASKACCT_FTRACE_UNGUARDED (TASKACCT_FTRACE_PT_REGS ? BIT(4) : 0)

#endif /* CONFIG_DYNAMIC_FTRACE */

#endif /* TASKACCT_COMPAT_LINUX_FTRACE_H */
