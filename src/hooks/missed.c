// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that a kprobe was not called for
 *
 * Whoever writes 0 to kprobes/enabled in debugfs silences all kprobes, and their
 * owners do not learn it. So while a kprobe tells of exits the tracepoint
 * sched_process_exit, which each task passes soon after, counts them as well. Tasks
 * that are between the two are counted by the kprobe alone: what the tracepoint has
 * counted beyond that was missed.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "missed.h"

u64 taskacct_hooks_missed_since;

DEFINE_PER_CPU(u64, taskacct_hooks_missed_seen);
static DEFINE_PER_CPU(u64, passed);

static struct tracepoint *tracepoint;
static bool reported;

static u64 sum_of_cpus(u64 __percpu *counts)
{
	unsigned int cpu;
	u64 n = 0;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(*per_cpu_ptr(counts, cpu));
	return n;
}

/**
 * taskacct_hooks_missed() - how many exits were missed
 *
 * Return: their number since the module was loaded, or fewer, by as many as there are
 *	tasks on their way from the kprobe to the tracepoint. 0 where exits are seen by
 *	something else than a kprobe.
 */
u64 taskacct_hooks_missed(void)
{
	u64 after = sum_of_cpus(&passed);
	u64 before;

	/* Pairs with count_passed(): whoever is counted there was counted before. */
	smp_rmb();
	before = sum_of_cpus(&taskacct_hooks_missed_seen);
	return after > before ? after - before : 0;
}

static void look_for_missed(struct work_struct *work)
{
	const u64 missed = taskacct_hooks_missed();

	if (!missed)
		return;
	WRITE_ONCE(reported, true);
	pr_warn("%llu exits were not seen: totals lack them (is kprobes/enabled 0?)\n",
		missed);
}

static DECLARE_DELAYED_WORK(look_work, look_for_missed);

static void count_passed(void)
{
	if (!taskacct_hooks_missed_counts())
		return;
	/*
	 * A reader that sees this count sees the kprobe's, too, which is another CPU's
	 * where the task has moved.
	 */
	smp_wmb();
	this_cpu_inc(passed);
	if (!READ_ONCE(reported) && !delayed_work_pending(&look_work))
		schedule_delayed_work(&look_work, HZ);
}

static void on_exit(void *data, TASKACCT_EXIT_ARGS(t))
{
	count_passed();
}

/*
 * A task has to be counted at both places or at none. So those are counted that begin
 * a second from now or later, when all CPUs see what is written here.
 */
static void begin_soon(void)
{
	unsigned long flags;

	/* Nothing may come between, for a second. */
	local_irq_save(flags);
	WRITE_ONCE(taskacct_hooks_missed_since, ktime_get_ns() + NSEC_PER_SEC);
	local_irq_restore(flags);
}

/**
 * taskacct_hooks_missed_begin() - begin to count, once the kprobe is attached
 *
 * Without the tracepoint the kprobe is as good as ever, and is kept: exits that were
 * seen must not be followed by some that are not.
 *
 * Context: task context, may sleep.
 */
void taskacct_hooks_missed_begin(void)
{
	void *callback = TASKACCT_CALLBACK(sched_process_exit, on_exit);

	tracepoint = taskacct_hooks_attach_probe("sched_process_exit", callback);
	if (IS_ERR(tracepoint))
		pr_warn("cannot attach tracepoint sched_process_exit: %pe: exits that the kprobe is not called for are not noticed\n",
			tracepoint);
	else
		begin_soon();
}

/**
 * taskacct_hooks_missed_end() - no longer, before the kprobe is detached
 *
 * Context: task context, may sleep; also if it could not begin, or has ended.
 */
void taskacct_hooks_missed_end(void)
{
	if (IS_ERR_OR_NULL(tracepoint))
		return;
	WRITE_ONCE(taskacct_hooks_missed_since, 0);
	taskacct_hooks_detach_probe(tracepoint, on_exit);
	cancel_delayed_work_sync(&look_work);
	tracepoint = NULL;
}
