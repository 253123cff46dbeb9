// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of calls of fsync() and its like, while totals per user are kept: the
 * entry of vfs_fsync_range(), of sync_file_range(), and of the system calls fsync()
 * and fdatasync(), by ftrace or a kprobe. It costs nothing while nobody calls them.
 *
 * All get to the first two, those by io_uring included, unless the compiler has put
 * the few lines of vfs_fsync_range() into the system calls as well: so has it for
 * fdatasync() in Debian's 6.1, and for both in Debian's 7. So these are seen where
 * they begin, and whatever they call is passed over.
 * What is for a part of a file comes from elsewhere and is not counted: msync(), and
 * each write() with O_SYNC. Kernel threads are not counted either: they work for
 * loop devices and NFS servers, for io_submit(), and for io_uring before 5.12 and
 * 5.10.162.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compat.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "uid/uid.h"

#include "attach.h"
#include "fsync.h"
#include "hooks.h"

/*
 * The first functions tell of every call, whatever its ABI. Those behind them are the
 * two system calls, for each ABI that has its own.
 */
#define NR_SHARED	2

/* How many of @hooks are attached */
static unsigned int attached;

static void set_attached(unsigned int n)
{
	WRITE_ONCE(attached, n);
	WRITE_ONCE(taskacct_uid_sees_fsync, n);
}

/* A loff_t is one argument there, and arguments can be had. */
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && defined(CONFIG_64BIT)
#ifdef CONFIG_RISCV
#define NR_FSYNC_32	__NR_fsync
#define NR_FDATASYNC_32	__NR_fdatasync
#else
/* On x86, arm and s390 */
#define NR_FSYNC_32	118
#define NR_FDATASYNC_32	148
#endif

#ifdef CONFIG_X86_64
/* x32 has the functions of 64 bits, and numbers with a mark. */
static bool is_of_32_bits(void)
{
	return in_ia32_syscall();
}

static int call_nr(void)
{
	return syscall_get_nr(current, current_pt_regs()) & ~__X32_SYSCALL_BIT;
}

#define FIRST_OF_32_BITS	(NR_SHARED + 2)
#else
static bool is_of_32_bits(void)
{
	return in_compat_syscall();
}

static int call_nr(void)
{
	return syscall_get_nr(current, current_pt_regs());
}

#ifdef CONFIG_S390
#define FIRST_OF_32_BITS	(NR_SHARED + 2)
#else
#define FIRST_OF_32_BITS	NR_SHARED
#endif
#endif

/*
 * Is current in a call that was seen where it began? What a worker of io_uring has for
 * a call is the one of its process in which it was made.
 */
static bool is_seen(void)
{
	const bool of_32_bits = is_of_32_bits();
	const int nr = call_nr();
	unsigned int i = of_32_bits ? FIRST_OF_32_BITS : NR_SHARED;

	if (current->flags & PF_IO_WORKER)
		return false;
	if (nr == (of_32_bits ? NR_FDATASYNC_32 : __NR_fdatasync))
		i++;
	else if (nr != (of_32_bits ? NR_FSYNC_32 : __NR_fsync))
		return false;
	return i < READ_ONCE(attached);
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

static void on_fsync(const unsigned long *args)
{
	const struct file *file = (const struct file *)args[0];

	if (!taskacct_hooks_closing() && !args[1] && args[2] == LLONG_MAX &&
	    !is_beneath_another(file) && !is_seen())
		taskacct_uid_fsync();
}

static void on_file_range(const unsigned long *args)
{
	if (!taskacct_hooks_closing())
		taskacct_uid_fsync();
}

/* Has the system call current is in a file for its first argument? */
static bool has_file(void)
{
	unsigned long args[6];
	struct file *file;

	syscall_get_arguments(current, current_pt_regs(), args);
	file = fget(args[0]);
	if (file)
		fput(file);
	return file;
}

static void on_call(const unsigned long *args)
{
	if (!taskacct_hooks_closing() && has_file())
		taskacct_uid_fsync();
}
#else
#define on_fsync	NULL
#define on_file_range		NULL
#define on_call		NULL
#endif

static struct taskacct_hook hooks[] = {
	{ .function = "vfs_fsync_range", .handler = on_fsync },
	{ .function = "sync_file_range", .handler = on_file_range },
#ifdef CONFIG_X86_64
	{ .function = "__x64_sys_fsync", .handler = on_call },
	{ .function = "__x64_sys_fdatasync", .handler = on_call },
#ifdef CONFIG_IA32_EMULATION
	{ .function = "__ia32_sys_fsync", .handler = on_call },
	{ .function = "__ia32_sys_fdatasync", .handler = on_call },
#endif
#elif defined(CONFIG_ARM64)
	{ .function = "__arm64_sys_fsync", .handler = on_call },
	{ .function = "__arm64_sys_fdatasync", .handler = on_call },
#elif defined(CONFIG_S390)
	{ .function = "__s390x_sys_fsync", .handler = on_call },
	{ .function = "__s390x_sys_fdatasync", .handler = on_call },
#ifdef CONFIG_COMPAT
	{ .function = "__s390_sys_fsync", .handler = on_call },
	{ .function = "__s390_sys_fdatasync", .handler = on_call },
#endif
#elif defined(CONFIG_RISCV)
	{ .function = "__riscv_sys_fsync", .handler = on_call },
	{ .function = "__riscv_sys_fdatasync", .handler = on_call },
#endif
};

/**
 * taskacct_hooks_fsync_init() - attach to fsync() and its like
 * @wanted: "kprobe" where that and nothing else shall be used
 *
 * Without it calls are not counted, which readers can see: no reason not to work.
 *
 * Context: task context, may sleep.
 */
void taskacct_hooks_fsync_init(const char *wanted)
{
	int err = taskacct_hooks_attach_any(&hooks[0], wanted);

	while (!err) {
		set_attached(attached + 1);
		if (attached == ARRAY_SIZE(hooks))
			return;
		err = taskacct_hooks_attach(&hooks[attached],
					    hooks[0].by_kprobe);
	}
	pr_warn("cannot attach to %s(): %pe: its calls are not counted\n",
		hooks[attached].function, ERR_PTR(err));
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
		err = taskacct_hooks_detach(&hooks[attached - 1]);
		if (err)
			return err;
		set_attached(attached - 1);
	}
	return 0;
}

/**
 * taskacct_hooks_fsync_name() - what tells of calls of fsync() and its like
 *
 * Return: such as "ftrace:vfs_fsync_range,sync_file_range"; "none" where they are
 *	not counted.
 */
const char *taskacct_hooks_fsync_name(void)
{
	const bool by_kprobe = hooks[0].by_kprobe;
	const unsigned int n = READ_ONCE(attached);

	if (!n)
		return "none";
	if (n < NR_SHARED)
		return by_kprobe ? "kprobe:vfs_fsync_range" :
				   "ftrace:vfs_fsync_range";
	return by_kprobe ? "kprobe:vfs_fsync_range,sync_file_range" :
			   "ftrace:vfs_fsync_range,sync_file_range";
}
