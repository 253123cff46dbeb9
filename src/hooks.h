/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells the module of exits
 */
#ifndef TASKACCT_HOOKS_H
#define TASKACCT_HOOKS_H

int taskacct_hooks_init(const char *wanted);
void taskacct_hooks_exit(void);
const char *taskacct_hooks_name(void);

#endif /* TASKACCT_HOOKS_H */
