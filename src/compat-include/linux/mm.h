/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How flags of a map are taken away: by a function since 6.3; and how pages of
 * another address space are got: without their maps since 6.5
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

/**
 * taskacct_get_anon_page() - get a page of an address space
 * @mm: the address space, locked for reading
 * @address: where the page is
 * @page: receives it, for put_page()
 *
 * A page of a file is not got: how long it takes to read it is up to whoever
 * has the file, who may be the user whose address space it is.
 *
 * Context: task context, may sleep for as long as the machine's memory and swap
 *	take.
 * Return: true if there is one.
 */
static inline bool taskacct_get_anon_page(struct mm_struct *mm,
					  unsigned long address,
					  struct page **page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
	return get_user_pages_remote(mm, address, 1, FOLL_ANON, page,
				     NULL) == 1;
#else
	return get_user_pages_remote(mm, address, 1, FOLL_ANON, page, NULL,
				     NULL) == 1;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_MM_H */
