/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How flags of a map are taken away: by a function since 6.3
 */
#ifndef TASKACCT_COMPAT_LINUX_MM_H
#define TASKACCT_COMPAT_LINUX_MM_H

#include <linux/version.h>
#include_next <linux/mm.h>

/**
 * taskacct_vm_flags_clear() - take flags away from a map
 * @vma: the map, which is being made
 * @flags: VM_*
 *
 * Context: mmap of a file.
 */
static inline void taskacct_vm_flags_clear(struct vm_area_struct *vma,
					   unsigned long flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_MM_H */
