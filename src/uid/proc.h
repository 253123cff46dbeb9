/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Android's files
 */
#ifndef TASKACCT_UID_PROC_H
#define TASKACCT_UID_PROC_H

#include <linux/types.h>

/**
 * enum taskacct_uid_dir - folders in /proc
 * @TASKACCT_UID_DIR_IO: with stats
 * @TASKACCT_UID_DIR_PROCSTAT: with set
 * @TASKACCT_UID_DIR_CPUTIME: with show_uid_stat and remove_uid_range
 * @TASKACCT_UID_DIRS: how many there are
 */
enum taskacct_uid_dir {
	TASKACCT_UID_DIR_IO,
	TASKACCT_UID_DIR_PROCSTAT,
	TASKACCT_UID_DIR_CPUTIME,
	TASKACCT_UID_DIRS,
};

int taskacct_uid_proc_init(char * const *names);
void taskacct_uid_proc_exit(void);

#endif /* TASKACCT_UID_PROC_H */
