/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ftrace handler is given, and whether ftrace guards it from itself
 */
#ifndef TASKACCT_COMPAT_LINUX_FTRACE_H
#define TASKACCT_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <linux/ptrace.h>

#include <taskacct_answers.h>

#ifdef CONFIG_DYNAMIC_FTRACE

/*
 * Before 5.11 a handler was given struct pt_regs. Where ops with
 * FTRACE_OPS_FL_SAVE_REGS have them
 */
#ifdef TASKACCT_FTRACE_REGS
typedef struct ftrace_regs *taskacct_ftrace_regs;
#define taskacct_ftrace_pt_regs(regs) ftrace_get_regs(regs)
#else
typedef struct pt_regs *taskacct_ftrace_regs;
#define taskacct_ftrace_pt_regs(regs) (regs)
#endif

/*
 * Argument @n of the function, from 0 on, for the handler of an ops with these flags.
 * All registers are kept for it where arguments are not to be had without
 */
#ifdef TASKACCT_FTRACE_ARGUMENTS
#define TASKACCT_FTRACE_ARGUMENTS_FLAGS 0
#define taskacct_ftrace_argument(regs, n) ftrace_regs_get_argument(regs, n)
#else
#define TASKACCT_FTRACE_ARGUMENTS_FLAGS FTRACE_OPS_FL_SAVE_REGS
#define taskacct_ftrace_argument(regs, n) \
	taskacct_kernel_argument(taskacct_ftrace_pt_regs(regs), n)
#endif

/*
 * A handler that cannot come upon itself needs no guard. Before 5.11 it had to say so;
 * since then the same bit asks for the guard.
 */
#ifdef TASKACCT_FTRACE_GUARD_DECLINED
#define TASKACCT_FTRACE_UNGUARDED FTRACE_OPS_FL_RECURSION_SAFE
#else
#define TASKACCT_FTRACE_UNGUARDED 0
#endif

#endif /* CONFIG_DYNAMIC_FTRACE */

#endif /* TASKACCT_COMPAT_LINUX_FTRACE_H */
