/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel counts of a task's I/O
 */
#ifndef TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H
#define TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H

#include_next <linux/task_io_accounting.h>
#include <linux/compiler.h>
#include <linux/types.h>

/*
 * What was read and written, by a task or, of its threads that are gone, in a
 * signal_struct, which may be running: TASKACCT_IO() bytes and calls of system calls,
 * TASKACCT_STORAGE() bytes of storage
 */
#ifdef CONFIG_TASK_XACCT
#define TASKACCT_IO(of, member)		READ_ONCE((of)->ioac.member)
#else
#define TASKACCT_IO(of, member)		0
#endif
#ifdef CONFIG_TASK_IO_ACCOUNTING
#define TASKACCT_STORAGE(of, member)	READ_ONCE((of)->ioac.member)
#else
#define TASKACCT_STORAGE(of, member)	0
#endif

/**
 * taskacct_written() - what was written and not cancelled
 * @bytes: sent to storage
 * @cancelled: of these not written in the end; a task may cancel what others wrote
 *
 * Return: the difference, 0 where it is negative.
 */
static inline u64 taskacct_written(u64 bytes, u64 cancelled)
{
	return bytes > cancelled ? bytes - cancelled : 0;
}

#endif /* TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H */
