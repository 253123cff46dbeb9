/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel counts of a task's I/O
 */
#ifndef TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H
#define TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H

#include_next <linux/task_io_accounting.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct taskacct_io - I/O of a task, or of several together
 * @rchar: bytes that system calls read
 * @wchar: bytes that system calls wrote
 * @syscr: reading system calls
 * @syscw: writing system calls
 * @read_bytes: bytes read from storage
 * @write_bytes: bytes sent to storage
 * @cancelled_write_bytes: bytes of these that were not written in the end
 *
 * The first four are 0 without CONFIG_TASK_XACCT, the others without
 * CONFIG_TASK_IO_ACCOUNTING. All are u64 and add up.
 */
struct taskacct_io {
	u64 rchar;
	u64 wchar;
	u64 syscr;
	u64 syscw;
	u64 read_bytes;
	u64 write_bytes;
	u64 cancelled_write_bytes;
};

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

/**
 * taskacct_add_written() - add what was written and not cancelled
 * @sum: to add to
 * @io: of a task, which may be running
 */
static inline void taskacct_add_written(u64 *sum,
					const struct task_io_accounting *io)
{
#ifdef CONFIG_TASK_IO_ACCOUNTING
	*sum += taskacct_written(READ_ONCE(io->write_bytes),
				 READ_ONCE(io->cancelled_write_bytes));
#endif
}

/**
 * taskacct_add_io() - add what the kernel counted
 * @sum: to add to
 * @io: of a task or of its signal_struct, which may be running
 */
static inline void taskacct_add_io(struct taskacct_io *sum,
				   const struct task_io_accounting *io)
{
#ifdef CONFIG_TASK_XACCT
	sum->rchar += READ_ONCE(io->rchar);
	sum->wchar += READ_ONCE(io->wchar);
	sum->syscr += READ_ONCE(io->syscr);
	sum->syscw += READ_ONCE(io->syscw);
#endif
#ifdef CONFIG_TASK_IO_ACCOUNTING
	sum->read_bytes += READ_ONCE(io->read_bytes);
	sum->write_bytes += READ_ONCE(io->write_bytes);
	sum->cancelled_write_bytes += READ_ONCE(io->cancelled_write_bytes);
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_TASK_IO_ACCOUNTING_H */
