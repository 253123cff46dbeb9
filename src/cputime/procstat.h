/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the kernel's own /proc/stat that are not times of CPUs
 */
#ifndef TASKACCT_PROCSTAT_H
#define TASKACCT_PROCSTAT_H

int taskacct_procstat_init(void);
void taskacct_procstat_exit(void);
char *taskacct_procstat_read(void);

#endif /* TASKACCT_PROCSTAT_H */
