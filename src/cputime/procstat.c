// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of the kernel's own /proc/stat that are not times of CPUs
 *
 * What they tell (counts of each interrupt, tasks that run and that wait) is in
 * variables that the kernel does not export, so the file is read. Not by its name:
 * /proc may be something else where the reader is, and our own file may be mounted
 * over /proc/stat. The module has a mount of procfs of its own that is in no
 * namespace.
 */

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "procstat.h"

/* The list of interrupts is as long as the machine has it. */
#define SIZE_MIN	SZ_8K
#define SIZE_MAX_TEXT	SZ_16M

static struct vfsmount *procfs;
/* Rules of security modules for files are about readers of files, not about us. */
static const struct cred *loader;
/* What the text took last time, which it will take again */
static size_t size_hint = SIZE_MIN;

/* Returns the bytes read, up to @size; or an error */
static ssize_t read_whole(struct file *file, char *text, size_t size)
{
	loff_t pos = 0;
	ssize_t n;

	do {
		n = kernel_read(file, text + pos, size - pos, &pos);
	} while (n > 0 && pos < size);
	return n < 0 ? n : pos;
}

/* From the first line that is not about a CPU; all that are come first */
static char *skip_cpus(char *text)
{
	char *line = text;

	while (line && !strncmp(line, "cpu", 3)) {
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return line ? line : text + strlen(text);
}

static char *read_text(struct file *file)
{
	size_t size = READ_ONCE(size_hint);
	ssize_t n;
	char *text;

	for (; size <= SIZE_MAX_TEXT; size *= 2) {
		text = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (!text)
			return ERR_PTR(-ENOMEM);
		n = read_whole(file, text, size - 1);
		if (n >= 0 && n < size - 1) {
			text[n] = '\0';
			WRITE_ONCE(size_hint, size);
			return text;
		}
		kvfree(text);
		if (n < 0)
			return ERR_PTR(n);
	}
	return ERR_PTR(-EFBIG);
}

/**
 * taskacct_procstat_read() - read the lines
 *
 * They are from "intr" to "softirq", and what later kernels add. What is shifted
 * for time namespaces is so for current.
 *
 * Context: task context, may sleep; no lock of a seq_file may be held, since the
 *	kernel's own is taken.
 * Return: the text, for kvfree(); charged to current. Or an ERR_PTR().
 */
char *taskacct_procstat_read(void)
{
	const struct cred *old;
	struct file *file;
	char *text, *lines;

	might_sleep();
	old = override_creds(loader);
	file = taskacct_open_in_mount(procfs, "stat");
	text = IS_ERR(file) ? ERR_CAST(file) : read_text(file);
	if (!IS_ERR(file))
		fput(file);
	revert_creds(old);
	if (IS_ERR(text))
		return text;
	lines = skip_cpus(text);
	memmove(text, lines, strlen(lines) + 1);
	return text;
}

/**
 * taskacct_procstat_init() - have the kernel's file at hand
 *
 * Context: while the module is loaded, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_procstat_init(void)
{
	struct file_system_type *type = get_fs_type("proc");

	if (!type)
		return -ENODEV;
	/* It is built in: there is no module whose reference was taken. */
	procfs = kern_mount(type);
	if (IS_ERR(procfs))
		return PTR_ERR(procfs);
	loader = get_current_cred();
	return 0;
}

/**
 * taskacct_procstat_exit() - let go of it
 *
 * Context: task context, may sleep. Nobody reads.
 */
void taskacct_procstat_exit(void)
{
	kern_unmount(procfs);
	put_cred(loader);
}
