// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of a task that have no fixed size
 *
 * They are read when they are asked for: of an exiting task in the exit hook,
 * while its address space is there. Nothing sleeps there, so what was swapped
 * out of a command line is not brought back.
 */

#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/kernfs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <linux/taskacct.h>

#include "task.h"

/* Most of a command line that is reported, in bytes */
#define CMDLINE_MAX	4096

static char *new_buffer(struct taskacct_strings *strings, size_t size, gfp_t gfp)
{
	char *buffer = kmalloc(size, gfp | __GFP_NOWARN);
	unsigned int i;

	if (!buffer)
		return NULL;
	for (i = 0; strings->buffers[i]; i++)
		;
	strings->buffers[i] = buffer;
	return buffer;
}

static void read_exe(struct taskacct_strings *strings, struct mm_struct *mm,
		     gfp_t gfp)
{
	char *buffer = new_buffer(strings, PATH_MAX, gfp);
	struct file *exe;
	char *path;

	if (!buffer)
		return;
	exe = taskacct_get_exe_file(mm);
	if (!exe)
		return;
	path = d_path(&exe->f_path, buffer, PATH_MAX);
	fput(exe);
	if (IS_ERR(path))
		return;
	strings->exe = path;
	strings->exe_length = strlen(path);
}

#if TASKACCT_HAVE_CGROUPS
static int path_of(struct cgroup *cgrp, const struct cgroup *root, char *buffer)
{
	if (!root)
		return cgroup_path(cgrp, buffer, PATH_MAX);
	return kernfs_path_from_node(cgrp->kn, root->kn, buffer, PATH_MAX);
}

static void read_cgroup(struct taskacct_strings *strings, struct task_struct *t,
			const struct taskacct_view *view, gfp_t gfp)
{
	char *buffer = new_buffer(strings, PATH_MAX, gfp);
	int length;

	if (!buffer)
		return;
	rcu_read_lock();
	length = path_of(task_dfl_cgroup(t), view->cgroup_root, buffer);
	rcu_read_unlock();
	if (length < 0 || length >= PATH_MAX)
		return;
	strings->cgroup = buffer;
	strings->cgroup_length = strlen(buffer);
}
#else
static void read_cgroup(struct taskacct_strings *strings, struct task_struct *t,
			const struct taskacct_view *view, gfp_t gfp)
{
}
#endif

/* How often a lock is tried that the user of the asked task may hold */
#define TRIES 5

/*
 * Whoever asks holds what all of generic netlink may wait for, and how long this
 * lock is held is up to the task's user: it is not waited for without end.
 */
static bool lock_mm(struct mm_struct *mm)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(100, 200);
	}
	return false;
}

/* Returns how much could be read of the pages that @get_page gets. */
static size_t read_pages(struct mm_struct *mm, unsigned long start,
			 char *buffer, size_t length,
			 bool (*get_page)(struct mm_struct *mm,
					  unsigned long address,
					  struct page **page))
{
	struct page *page;
	size_t offset;
	size_t done;
	size_t part;

	for (done = 0; done < length; done += part) {
		if (!get_page(mm, start + done, &page))
			break;
		offset = offset_in_page(start + done);
		part = min_t(size_t, length - done, PAGE_SIZE - offset);
		memcpy_from_page(buffer + done, page, offset, part);
		put_page(page);
	}
	return done;
}

static size_t read_remote(struct mm_struct *mm, unsigned long start,
			  char *buffer, size_t length)
{
	size_t done;

	if (!lock_mm(mm))
		return 0;
	done = read_pages(mm, start, buffer, length, taskacct_get_anon_page);
	mmap_read_unlock(mm);
	return done;
}

static bool get_own_page(struct mm_struct *mm, unsigned long address,
			 struct page **page)
{
	return get_user_page_fast_only(address, 0, page);
}

/*
 * Nothing may fault here, and a part is not told from the whole: all or nothing. Where
 * software notes that a page is used (s390x, early arm64) the first read of what fork() has
 * copied faults, though the page is there. The tables of pages tell that it is.
 */
static bool read_own(struct mm_struct *mm, unsigned long start, char *buffer,
		     size_t length)
{
	return read_pages(mm, start, buffer, length, get_own_page) == length;
}

static void read_cmdline(struct taskacct_strings *strings, struct mm_struct *mm,
			 gfp_t gfp)
{
	unsigned long start = READ_ONCE(mm->arg_start);
	unsigned long end = READ_ONCE(mm->arg_end);
	size_t length;
	char *buffer;

	if (start >= end)
		return;
	length = min_t(size_t, end - start, CMDLINE_MAX);
	buffer = new_buffer(strings, length, gfp);
	if (!buffer)
		return;
	if (gfpflags_allow_blocking(gfp))
		length = read_remote(mm, start, buffer, length);
	else if (!read_own(mm, start, buffer, length))
		return;
	if (!length)
		return;
	strings->cmdline = buffer;
	strings->cmdline_length = length;
}

/**
 * taskacct_strings_get() - get the names of a task that are wanted
 * @strings: receives them; those that cannot be had are left out
 * @want: TASKACCT_WANT_*
 * @t: the task; if @gfp does not let it sleep, current
 * @mm: its address space, kept by the caller, or NULL
 * @view: whose paths of cgroups to use
 * @gfp: how to get memory
 *
 * Context: any; sleeps if @gfp lets it.
 */
void taskacct_strings_get(struct taskacct_strings *strings, u32 want,
			  struct task_struct *t, struct mm_struct *mm,
			  const struct taskacct_view *view, gfp_t gfp)
{
	*strings = (struct taskacct_strings){};
	if (mm && (want & TASKACCT_WANT_EXE_PATH))
		read_exe(strings, mm, gfp);
	if (want & TASKACCT_WANT_CGROUP_PATH)
		read_cgroup(strings, t, view, gfp);
	if (mm && (want & TASKACCT_WANT_CMDLINE))
		read_cmdline(strings, mm, gfp);
}

/**
 * taskacct_strings_put() - free what taskacct_strings_get() got
 * @strings: the names
 */
void taskacct_strings_put(struct taskacct_strings *strings)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(strings->buffers); i++)
		kfree(strings->buffers[i]);
}
