/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Members of struct taskstats that not every kernel's headers have
 */
#ifndef TASKACCT_COMPAT_LINUX_TASKSTATS_H
#define TASKACCT_COMPAT_LINUX_TASKSTATS_H

#include_next <linux/taskstats.h>
#include <linux/types.h>

/**
 * taskacct_put_group() - write what a record says of the task's process
 * @stats: the record; has it from version 12 (5.19) on
 * @tgid: the process
 * @tgetime: its age, in microseconds
 */
static inline void taskacct_put_group(struct taskstats *stats, u32 tgid,
				      u64 tgetime)
{
#if TASKSTATS_VERSION >= 12
	stats->ac_tgid = tgid;
	stats->ac_tgetime = tgetime;
#endif
}

/**
 * taskacct_put_exe() - write which program a task runs
 * @stats: the record; has it from version 12 (5.19) on
 * @dev: device of the executable, in the user's encoding
 * @ino: inode of the executable
 */
static inline void taskacct_put_exe(struct taskstats *stats, u64 dev, u64 ino)
{
#if TASKSTATS_VERSION >= 12
	stats->ac_exe_dev = dev;
	stats->ac_exe_inode = ino;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TASKSTATS_H */
