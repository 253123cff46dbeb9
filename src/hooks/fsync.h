/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tells of calls of fsync() and its like
 */
#ifndef TASKACCT_HOOKS_FSYNC_H
#define TASKACCT_HOOKS_FSYNC_H

#include <linux/types.h>

#include "hooks.h"

void taskacct_hooks_fsync_init(const char *wanted);
int taskacct_hooks_fsync_exit(void);

#endif /* TASKACCT_HOOKS_FSYNC_H */
