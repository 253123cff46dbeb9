/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells the module of exits
 */
#ifndef TASKACCT_HOOKS_H
#define TASKACCT_HOOKS_H

#include <linux/types.h>

int taskacct_hooks_init(const char *wanted, bool setuid);
void taskacct_hooks_exit(void);
const char *taskacct_hooks_name(void);
bool taskacct_hooks_late(void);
const char *taskacct_hooks_setuid_name(void);
bool taskacct_hooks_see_user_mode(void);
int taskacct_hooks_attach_cpu(void);
void taskacct_hooks_detach_cpu(void);
int taskacct_hooks_attach_syscalls(void);
void taskacct_hooks_detach_syscalls(void);

#endif /* TASKACCT_HOOKS_H */
