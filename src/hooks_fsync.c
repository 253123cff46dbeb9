// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of calls of fsync() and its like, while totals per user are kept: the
 * entry of vfs_fsync_range() and of sync_file_range(), by ftrace or a kprobe. It
 * costs nothing while nobody calls them.
 *
 * fsync() and fdatasync() get to the first, for the whole file, also by io_uring.
 * What is for a part of it comes from elsewhere and is not counted: msync(), and
 * each write() with O_SYNC. Kernel threads are not counted either: they work for
 * loop devices and NFS servers, and for io_submit().
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "hooks.h"
#include "hooks_attach.h"
#include "hooks_fsync.h"
#include "uid.h"

/* A loff_t is one argument there, and arguments can be had. */
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && defined(CONFIG_64BIT)
#define HAS_ARGUMENTS	1

/*
 * overlayfs calls it again, for the file beneath. Such files are marked, or up to
 * 6.4 have the path of the file above and an inode of their own.
 */
static bool is_beneath_another(const struct file *file)
{
#ifdef FMODE_BACKING
	if (file->f_mode & FMODE_BACKING)
		return true;
#endif
	return file_inode(file) != d_inode(file->f_path.dentry);
}

static void on_fsync(struct pt_regs *regs)
{
	const struct file *file =
		(const struct file *)regs_get_kernel_argument(regs, 0);

	if (!taskacct_hooks_closing() && !regs_get_kernel_argument(regs, 1) &&
	    regs_get_kernel_argument(regs, 2) == LLONG_MAX &&
	    !is_beneath_another(file))
		taskacct_uid_fsync();
}

static void on_sync_range(struct pt_regs *regs)
{
	if (!taskacct_hooks_closing())
		taskacct_uid_fsync();
}
#else
#define HAS_ARGUMENTS	0

static void on_fsync(struct pt_regs *regs)
{
}

static void on_sync_range(struct pt_regs *regs)
{
}
#endif

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_fsync_ftrace(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops,
				    taskacct_ftrace_regs regs)
{
	/* As a kprobe's handler has it */
	preempt_disable();
	on_fsync(taskacct_ftrace_pt_regs(regs));
	preempt_enable();
}

static void notrace on_sync_range_ftrace(unsigned long ip,
					 unsigned long parent_ip,
					 struct ftrace_ops *ops,
					 taskacct_ftrace_regs regs)
{
	preempt_disable();
	on_sync_range(taskacct_ftrace_pt_regs(regs));
	preempt_enable();
}

#define FLAGS	(FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_SAVE_REGS |	\
		 TASKACCT_FTRACE_UNGUARDED)

static struct ftrace_ops ftraces[] = {
	{ .func = on_fsync_ftrace, .flags = FLAGS },
	{ .func = on_sync_range_ftrace, .flags = FLAGS },
};

static int attach_ftrace(unsigned int i, const char *function)
{
	return taskacct_hooks_attach_ftrace(&ftraces[i], function);
}

static int detach_ftrace(unsigned int i)
{
	return taskacct_hooks_detach_ftrace(&ftraces[i]);
}
#else
static int attach_ftrace(unsigned int i, const char *function)
{
	return -EOPNOTSUPP;
}

static int detach_ftrace(unsigned int i)
{
	return 0;
}
#endif

static int on_fsync_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	on_fsync(regs);
	return 0;
}

static int on_sync_range_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	on_sync_range(regs);
	return 0;
}

static struct kprobe kprobes[2];

static int attach_kprobe(unsigned int i, const char *function)
{
	static const kprobe_pre_handler_t handlers[] = {
		on_fsync_kprobe, on_sync_range_kprobe,
	};

	return taskacct_hooks_attach_kprobe(&kprobes[i], function, handlers[i]);
}

static int detach_kprobe(unsigned int i)
{
	return taskacct_hooks_detach_kprobe(&kprobes[i]);
}

/**
 * struct way - a way to be told of calls of a function
 * @word: its name as a parameter, and the first part of ours
 * @name: its name, where it tells of both functions
 * @name_alone: where it tells of the first alone
 * @attach: returns 0 or an error and nothing is attached
 * @detach: returns 0 and no handler is running any more, or an error: it is still
 *	called, and can be detached again
 */
struct way {
	const char *word;
	const char *name;
	const char *name_alone;
	int (*attach)(unsigned int i, const char *function);
	int (*detach)(unsigned int i);
};

/* The better one first */
static const struct way ways[] = {
	{ "ftrace", "ftrace:vfs_fsync_range,sync_file_range",
	  "ftrace:vfs_fsync_range", attach_ftrace, detach_ftrace },
	{ "kprobe", "kprobe:vfs_fsync_range,sync_file_range",
	  "kprobe:vfs_fsync_range", attach_kprobe, detach_kprobe },
};

static const char * const functions[] = {
	"vfs_fsync_range", "sync_file_range",
};

/* The one in force, if any, and how many functions it is attached to */
static const struct way *way;
static unsigned int attached;

static int attach_way(const struct way *w)
{
	int err = 0;

	while (attached < ARRAY_SIZE(functions) && !err) {
		err = w->attach(attached, functions[attached]);
		attached += !err;
	}
	way = attached ? w : NULL;
	return err;
}

/**
 * taskacct_hooks_fsync_init() - attach to fsync() and its like
 * @wanted: "kprobe" where that and nothing else shall be used
 *
 * Without it calls are not counted, which readers are told: no reason not to work.
 *
 * Context: task context, may sleep.
 */
void taskacct_hooks_fsync_init(const char *wanted)
{
	const bool any = strcmp(wanted, "kprobe");
	const struct way *w;
	int err = -EOPNOTSUPP;

	for (w = ways; HAS_ARGUMENTS && !way && w < ways + ARRAY_SIZE(ways);
	     w++)
		if (any || !strcmp(wanted, w->word))
			err = attach_way(w);
	if (err)
		pr_warn("cannot attach to %s(): %pe: its calls are not counted\n",
			functions[attached], ERR_PTR(err));
}

/**
 * taskacct_hooks_fsync_exit() - detach from fsync() and its like
 *
 * Context: task context, may sleep; also where nothing is attached (any more).
 * Return: 0 and no handler is running and none will, or the error of what could not
 *	be detached: its handler is still called.
 */
int taskacct_hooks_fsync_exit(void)
{
	int err;

	while (attached) {
		err = way->detach(attached - 1);
		if (err)
			return err;
		attached--;
	}
	way = NULL;
	return 0;
}

/**
 * taskacct_hooks_fsync_name() - what tells of calls of fsync() and its like
 *
 * Context: any.
 * Return: such as "ftrace:vfs_fsync_range,sync_file_range"; "none" where they are
 *	not counted.
 */
const char *taskacct_hooks_fsync_name(void)
{
	if (!way)
		return "none";
	return attached == ARRAY_SIZE(functions) ? way->name : way->name_alone;
}

/**
 * taskacct_hooks_fsync_counts() - whether calls of fsync() are counted
 *
 * Context: any.
 * Return: true if so.
 */
bool taskacct_hooks_fsync_counts(void)
{
	return way;
}
