// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of calls of fsync() and its like, while totals per user are kept: the
 * entry of vfs_fsync_range(), of sync_file_range() and of the system call
 * fdatasync(), by ftrace or a kprobe. It costs nothing while nobody calls them.
 *
 * fsync() gets to the first, for the whole file, also by io_uring, and so does
 * fdatasync() where the compiler lets it: in Debian's 6.1 it has the few lines of
 * it that are left for it in itself. So that one is seen where it begins, and
 * whatever it calls is passed over.
 * What is for a part of it comes from elsewhere and is not counted: msync(), and
 * each write() with O_SYNC. Kernel threads are not counted either: they work for
 * loop devices and NFS servers, and for io_submit().
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "hooks.h"
#include "hooks_attach.h"
#include "hooks_fsync.h"
#include "uid.h"

/* The first functions tell of all but fdatasync(), which has one for each ABI. */
#define NR_SHARED	2

/* A loff_t is one argument there, and arguments can be had. */
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && defined(CONFIG_64BIT)
#define HAS_ARGUMENTS	1

static const char * const functions[] = {
	"vfs_fsync_range", "sync_file_range",
#ifdef CONFIG_X86_64
	"__x64_sys_fdatasync",
#ifdef CONFIG_IA32_EMULATION
	"__ia32_sys_fdatasync",
#endif
#elif defined(CONFIG_ARM64)
	"__arm64_sys_fdatasync",
#endif
};

/* How many of them are attached to */
static unsigned int attached;

/* On x86 and on arm */
#define NR_FDATASYNC_32	148

/* Is current in a call that is counted where it begins? */
static bool is_of_fdatasync(void)
{
	const int nr = syscall_get_nr(current, current_pt_regs());

	return READ_ONCE(attached) > NR_SHARED &&
	       nr == (in_compat_syscall() ? NR_FDATASYNC_32 : __NR_fdatasync);
}

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
	    !is_beneath_another(file) && !is_of_fdatasync())
		taskacct_uid_fsync();
}

static void on_call(struct pt_regs *regs)
{
	if (!taskacct_hooks_closing())
		taskacct_uid_fsync();
}
#else
#define HAS_ARGUMENTS	0

static const char * const functions[] = {
	"vfs_fsync_range", "sync_file_range",
};

static unsigned int attached;

static void on_fsync(struct pt_regs *regs)
{
}

static void on_call(struct pt_regs *regs)
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

static void notrace on_call_ftrace(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops,
				   taskacct_ftrace_regs regs)
{
	preempt_disable();
	on_call(taskacct_ftrace_pt_regs(regs));
	preempt_enable();
}

#define FLAGS	(FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_SAVE_REGS |	\
		 TASKACCT_FTRACE_UNGUARDED)

static struct ftrace_ops ftraces[] = {
	{ .func = on_fsync_ftrace, .flags = FLAGS },
	{ .func = on_call_ftrace, .flags = FLAGS },
	{ .func = on_call_ftrace, .flags = FLAGS },
	{ .func = on_call_ftrace, .flags = FLAGS },
};

static_assert(ARRAY_SIZE(functions) <= ARRAY_SIZE(ftraces));

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

static int on_call_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	on_call(regs);
	return 0;
}

static struct kprobe kprobes[ARRAY_SIZE(functions)];

static int attach_kprobe(unsigned int i, const char *function)
{
	return taskacct_hooks_attach_kprobe(&kprobes[i], function,
					    i ? on_call_kprobe :
						on_fsync_kprobe);
}

static int detach_kprobe(unsigned int i)
{
	return taskacct_hooks_detach_kprobe(&kprobes[i]);
}

/**
 * struct way - a way to be told of calls of a function
 * @word: its name as a parameter, and the first part of ours
 * @name: its name, where it tells of both functions that callers share
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

/* The one in force, if any */
static const struct way *way;

static int attach_way(const struct way *w)
{
	int err = 0;

	while (attached < ARRAY_SIZE(functions) && !err) {
		err = w->attach(attached, functions[attached]);
		if (!err)
			WRITE_ONCE(attached, attached + 1);
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
		WRITE_ONCE(attached, attached - 1);
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
	return attached >= NR_SHARED ? way->name : way->name_alone;
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
