// SPDX-License-Identifier: GPL-2.0-only
/* How is a file of a mount opened? */
#include <linux/fs.h>
#include <linux/mount.h>

static __used struct file *question(struct vfsmount *mnt)
{
#if defined(TASKACCT_OPEN_ROOT_MNT) /* from 5.13 on */
	return file_open_root_mnt(mnt, "", O_RDONLY, 0);
#elif defined(TASKACCT_OPEN_ROOT_DENTRY)
	return file_open_root(mnt->mnt_root, mnt, "", O_RDONLY, 0);
#endif
}
