/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How to take a reference to a file that may be past its last one: since 6.7
 * such a file is used again at once, not after a grace period. And how to open a
 * file of a mount: by a path since 5.13
 */
#ifndef TASKACCT_COMPAT_LINUX_FS_H
#define TASKACCT_COMPAT_LINUX_FS_H

#include <linux/mm_types.h>
#include <linux/mount.h>
#include <linux/rcupdate.h>
#include <linux/version.h>
#include_next <linux/fs.h>

/**
 * taskacct_get_exe_file() - the executable of an address space
 * @mm: the address space, kept by the caller
 *
 * The kernel's own is exported by some versions only.
 *
 * Return: the file, for fput(), or NULL.
 */
static inline struct file *taskacct_get_exe_file(struct mm_struct *mm)
{
	struct file *exe;

	rcu_read_lock();
#ifdef get_file_rcu
	exe = rcu_dereference(mm->exe_file);
	if (exe && !get_file_rcu(exe))
		exe = NULL;
#else
	exe = get_file_rcu(&mm->exe_file);
#endif
	rcu_read_unlock();
	return exe;
}

/**
 * taskacct_open_in_mount() - open a file for reading
 * @mnt: the mount that it is on
 * @name: its path from there
 *
 * Context: task context, may sleep.
 * Return: the file, for fput(), or an ERR_PTR().
 */
static inline struct file *taskacct_open_in_mount(struct vfsmount *mnt,
						  const char *name)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
	return file_open_root_mnt(mnt, name, O_RDONLY | O_LARGEFILE, 0);
#else
	return file_open_root(mnt->mnt_root, mnt, name, O_RDONLY | O_LARGEFILE,
			      0);
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_FS_H */
