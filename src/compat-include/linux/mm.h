/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How flags of a map are changed: by functions since 6.3; how pages of another
 * address space are got: without their maps since 6.5; how much memory it has:
 * in counters per CPU since 6.2; and whether pages that are charged can be mapped: since 5.11
 */
#ifndef TASKACCT_COMPAT_LINUX_MM_H
#define TASKACCT_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/percpu_counter.h>

#include <taskacct_answers.h>

/*
 * How pages are got that are mapped. Up to 5.10 one that is charged to a memory cgroup says
 * so where the number of its maps is, and cannot be mapped.
 */
#ifdef PG_kmemcg
#define TASKACCT_GFP_MAPPED	GFP_KERNEL
#else
#define TASKACCT_GFP_MAPPED	GFP_KERNEL_ACCOUNT
#endif

/**
 * taskacct_mm_counter() - how many pages an address space has of a kind
 * @mm: the address space, kept by the caller
 * @member: MM_ANONPAGES and so on
 *
 * The kernel's get_mm_counter() leaves out what each CPU has not yet added to the
 * sum, up to two pages for each CPU there is, or 32, on each of them.
 *
 * Context: any. Up to 6.1 it is a sum of what threads have added, in steps of 64
 *	pages; what a thread has not is lost to both.
 * Return: the exact sum since 6.2, not below 0.
 */
static inline u64 taskacct_mm_counter(struct mm_struct *mm, int member)
{
#ifdef TASKACCT_RSS_PER_CPU
	return percpu_counter_sum_positive(&mm->rss_stat[member]);
#else
	return get_mm_counter(mm, member);
#endif
}

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
#ifdef TASKACCT_VM_FLAGS_FUNCTIONS
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

/**
 * taskacct_vm_flags_set() - give flags to a map
 * @vma: the map, which is being made
 * @flags: VM_*
 *
 * Context: mmap of a file.
 */
static inline void taskacct_vm_flags_set(struct vm_area_struct *vma,
					 unsigned long flags)
{
#ifdef TASKACCT_VM_FLAGS_FUNCTIONS
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
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
#ifdef TASKACCT_USER_PAGES
	return get_user_pages_remote(mm, address, 1, FOLL_ANON, page,
				     NULL) == 1;
#else
	return get_user_pages_remote(mm, address, 1, FOLL_ANON, page, NULL,
				     NULL) == 1;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_MM_H */
