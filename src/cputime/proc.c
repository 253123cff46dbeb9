// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files under /proc/taskacct: time per CPU, in the format of /proc/stat
 *
 * What one with CAP_NET_ADMIN reads is exact and of this moment. Others read
 * what the kernel's own file tells them: ticks, and no more of a CPU than what had
 * been settled when it last went from one thing to another, which does not say
 * what it does now.
 */

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/param.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/uio.h>

#include <taskacct_features.h>

#include "privilege/privilege.h"

#include "cpu.h"
#include "cputime.h"
#include "procstat.h"

#define DIRECTORY "taskacct"

/**
 * struct stat_file - the file, opened
 * @mutex: protects @lines
 * @lines: of the kernel's own file, for kvfree(), as they were when reading
 *	began; NULL before that
 */
struct stat_file {
	struct mutex mutex; /* inside the seq_file's lock */
	char *lines;
};

static bool is_exact(const struct seq_file *m)
{
	return taskacct_privilege_of_file(m->file, TASKACCT_PRIVILEGE_TASKS);
}

static void read_cpu_to_show(const struct seq_file *m, unsigned int cpu, u64 *ns)
{
	if (is_exact(m))
		taskacct_cputime_read(cpu, ns);
	else
		taskacct_cputime_read_settled(cpu, ns);
}

static void show_cpu_line(struct seq_file *m, const char *name, int cpu,
			  const u64 *ns)
{
	unsigned int class;

	seq_puts(m, name);
	if (cpu >= 0)
		seq_put_decimal_ll(m, "", cpu);
	else
		seq_putc(m, ' ');
	for (class = 0; class < TASKACCT_CPUTIME_CLASSES; class++)
		seq_put_decimal_ull(m, " ", div_u64(ns[class],
						    NSEC_PER_SEC / USER_HZ));
	seq_putc(m, '\n');
}

static void show_total(struct seq_file *m)
{
	u64 sum[TASKACCT_CPUTIME_CLASSES] = {};
	u64 ns[TASKACCT_CPUTIME_CLASSES];
	unsigned int class, cpu;

	for_each_possible_cpu(cpu) {
		read_cpu_to_show(m, cpu, ns);
		for (class = 0; class < TASKACCT_CPUTIME_CLASSES; class++)
			sum[class] += ns[class];
	}
	show_cpu_line(m, "cpu", -1, sum);
}

static void show_ns(struct seq_file *m, unsigned int cpu)
{
	u64 ns[TASKACCT_CPUTIME_CLASSES];
	unsigned int class;

	taskacct_cputime_read(cpu, ns);
	seq_printf(m, "ns%u", cpu);
	for (class = 0; class < TASKACCT_CPUTIME_CLASSES; class++)
		seq_put_decimal_ull(m, " ", ns[class]);
	seq_putc(m, '\n');
}

/* How the kernel itself counts there, as it is found to */
static void show_kernel(struct seq_file *m, unsigned int cpu)
{
	static const char *const kinds[] = {
		[TASKACCT_CPU_TICK] = "tick",
		[TASKACCT_CPU_GENERIC] = "generic",
		[TASKACCT_CPU_NATIVE] = "native",
	};

	seq_printf(m, "kernel%u %s %s\n", cpu,
		   kinds[taskacct_features_cpu_accounting(cpu)],
		   taskacct_features_ticks(cpu));
}

/* What the kernel's own file does not have: it comes last. */
static void show_ours(struct seq_file *m)
{
	const bool exact = is_exact(m);
	u64 switches = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		switches += taskacct_cputime_switches(cpu);
	seq_printf(m, "switches %llu\n", switches);
	seq_printf(m, "mode %s\n", taskacct_cputime_mode_name());
	seq_printf(m, "irqtime %s\n", taskacct_irqtime_is_measured() ?
					      "measured" : "sampled");
	for_each_online_cpu(cpu) {
		if (exact)
			show_ns(m, cpu);
		show_kernel(m, cpu);
	}
}

static int show_stat(struct seq_file *m, void *unused)
{
	struct stat_file *stat = m->private;
	u64 ns[TASKACCT_CPUTIME_CLASSES];
	unsigned int cpu;

	show_total(m);
	for_each_online_cpu(cpu) {
		read_cpu_to_show(m, cpu, ns);
		show_cpu_line(m, "cpu", cpu, ns);
	}
	mutex_lock(&stat->mutex);
	if (stat->lines)
		seq_puts(m, stat->lines);
	mutex_unlock(&stat->mutex);
	show_ours(m);
	return 0;
}

/* Outside of the seq_file's lock: the kernel's file has one of the same class. */
static int get_lines(struct stat_file *stat)
{
	char *lines = taskacct_procstat_read();

	if (IS_ERR(lines))
		return PTR_ERR(lines);
	mutex_lock(&stat->mutex);
	swap(stat->lines, lines);
	mutex_unlock(&stat->mutex);
	kvfree(lines);
	return 0;
}

static ssize_t read_stat(struct kiocb *iocb, struct iov_iter *to)
{
	const struct seq_file *m = iocb->ki_filp->private_data;
	struct stat_file *stat = m->private;
	int err = 0;

	if (!iocb->ki_pos || !READ_ONCE(stat->lines)) {
		taskacct_irqtime_look();
		err = get_lines(stat);
	}
	return err ?: seq_read_iter(iocb, to);
}

/* As large as the text, mostly: what is too small is made anew and filled again. */
static size_t size_of_text(void)
{
	return SZ_4K + 384 * num_online_cpus();
}

static int open_stat(struct inode *inode, struct file *file)
{
	struct stat_file *stat;
	int err;

	stat = kzalloc(sizeof(*stat), GFP_KERNEL_ACCOUNT);
	if (!stat)
		return -ENOMEM;
	mutex_init(&stat->mutex);
	err = single_open_size(file, show_stat, stat, size_of_text());
	if (err)
		kfree(stat);
	return err;
}

static int release_stat(struct inode *inode, struct file *file)
{
	const struct seq_file *m = file->private_data;
	struct stat_file *stat = m->private;

	kvfree(stat->lines);
	kfree(stat);
	return single_release(inode, file);
}

static const struct proc_ops stat_ops = {
	.proc_open = open_stat,
	.proc_read_iter = read_stat,
	.proc_lseek = seq_lseek,
	.proc_release = release_stat,
};

/**
 * taskacct_proc_init() - make the files
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_proc_init(void)
{
	struct proc_dir_entry *directory;
	int err;

	taskacct_irqtime_look();
	err = taskacct_procstat_init();
	if (err)
		return err;
	directory = proc_mkdir(DIRECTORY, NULL);
	if (directory && proc_create("stat", 0444, directory, &stat_ops))
		return 0;
	if (directory)
		remove_proc_subtree(DIRECTORY, NULL);
	taskacct_procstat_exit();
	return -ENOMEM;
}

/**
 * taskacct_proc_exit() - take the files away
 *
 * Context: task context, may sleep. When it returns nobody reads them.
 */
void taskacct_proc_exit(void)
{
	remove_proc_subtree(DIRECTORY, NULL);
	taskacct_procstat_exit();
}
