/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells of exits and of all else: what other folders may use
 */
#ifndef TASKACCT_HOOKS_H
#define TASKACCT_HOOKS_H

#include <linux/types.h>

struct taskacct_cputime_hooks;

/* hooks.c: exits, ends and changes of a task's user */

int taskacct_hooks_init(const char *wanted, bool setuid);
void taskacct_hooks_exit(void);
void taskacct_hooks_leave(void);
const char *taskacct_hooks_name(void);
const char *taskacct_hooks_end_name(void);
const char *taskacct_hooks_setuid_name(void);

/* cpu.c: context switches, interrupts and system calls */

extern const struct taskacct_cputime_hooks taskacct_hooks_of_cpu;

/* missed.c: exits that a kprobe was not called for */

u64 taskacct_hooks_missed(void);

/* fsync.c: calls of fsync() */

const char *taskacct_hooks_fsync_name(void);

#endif /* TASKACCT_HOOKS_H */
