// SPDX-License-Identifier: GPL-2.0-only
/* How does an ftrace handler say that it needs no guard against itself? */
#include <linux/ftrace.h>

#ifdef CONFIG_DYNAMIC_FTRACE
#if defined(TASKACCT_FTRACE_GUARD_ASKED_FOR) /* from 5.11 on */
unsigned long question = FTRACE_OPS_FL_RECURSION;
#elif defined(TASKACCT_FTRACE_GUARD_DECLINED)
unsigned long question = FTRACE_OPS_FL_RECURSION_SAFE;
#endif
#endif
