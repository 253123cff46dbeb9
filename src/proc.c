// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files under /proc/taskacct: time per CPU, in the format of /proc/stat
 */

#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/param.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include <taskacct_features.h>

#include "cputime.h"
#include "proc.h"

#define FOLDER	"taskacct"

static void show_line(struct seq_file *m, const char *name, int cpu,
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
		taskacct_cputime_read(cpu, ns);
		for (class = 0; class < TASKACCT_CPUTIME_CLASSES; class++)
			sum[class] += ns[class];
	}
	show_line(m, "cpu", -1, sum);
}

/* In ns, and how the kernel itself counts there, as it is found to */
static void show_details(struct seq_file *m, unsigned int cpu)
{
	static const char * const kinds[] = {
		[TASKACCT_CPU_TICK] = "tick",
		[TASKACCT_CPU_GENERIC] = "generic",
		[TASKACCT_CPU_NATIVE] = "native",
	};
	u64 ns[TASKACCT_CPUTIME_CLASSES];
	unsigned int class;

	taskacct_cputime_read(cpu, ns);
	seq_printf(m, "ns%u", cpu);
	for (class = 0; class < TASKACCT_CPUTIME_CLASSES; class++)
		seq_put_decimal_ull(m, " ", ns[class]);
	seq_printf(m, "\nkernel%u %s %s\n", cpu,
		   kinds[taskacct_features_cpu_accounting(cpu)],
		   taskacct_features_ticks(cpu));
}

static int show_stat(struct seq_file *m, void *unused)
{
	u64 ns[TASKACCT_CPUTIME_CLASSES];
	u64 switches = 0;
	unsigned int cpu;

	show_total(m);
	for_each_online_cpu(cpu) {
		taskacct_cputime_read(cpu, ns);
		show_line(m, "cpu", cpu, ns);
	}
	for_each_possible_cpu(cpu)
		switches += taskacct_cputime_switches(cpu);
	seq_printf(m, "ctxt %llu\n", switches);
	seq_printf(m, "mode %s\n", taskacct_cputime_mode());
	seq_printf(m, "irqtime %s\n", taskacct_features_irqtime() ?
					      "measured" : "sampled");
	for_each_online_cpu(cpu)
		show_details(m, cpu);
	return 0;
}

/**
 * taskacct_proc_init() - make the files
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_proc_init(void)
{
	struct proc_dir_entry *folder = proc_mkdir(FOLDER, NULL);

	if (folder && proc_create_single("stat", 0444, folder, show_stat))
		return 0;
	if (folder)
		remove_proc_subtree(FOLDER, NULL);
	return -ENOMEM;
}

/**
 * taskacct_proc_exit() - take the files away
 *
 * Context: task context, may sleep. When it returns nobody reads them.
 */
void taskacct_proc_exit(void)
{
	remove_proc_subtree(FOLDER, NULL);
}
