/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files under /proc/taskacct
 */
#ifndef TASKACCT_PROC_H
#define TASKACCT_PROC_H

int taskacct_proc_init(void);
void taskacct_proc_exit(void);

#endif /* TASKACCT_PROC_H */
