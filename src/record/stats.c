// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values into struct taskstats: what becomes of each stands in fill_usage()
 */

#include <linux/acct.h>
#include <linux/cred.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tsacct_kern.h>

#include "task/task.h"

#include "record.h"

static u64 usecs(u64 nsecs)
{
	return div_u64(nsecs, NSEC_PER_USEC);
}

static void fill_times(struct taskstats *stats, struct task_struct *t,
		       u32 tgid, u64 start_of_group,
		       const struct taskacct_moment *until)
{
	/* By the clock that goes on in suspend: the start does not move. */
	const u64 age = until->boot - READ_ONCE(t->start_boottime);

	stats->ac_etime = usecs(until->mono - READ_ONCE(t->start_time));
	taskacct_put_group(stats, tgid,
			   usecs(until->mono - start_of_group));
	stats->ac_btime64 = div_u64(until->real - age, NSEC_PER_SEC);
	stats->ac_btime = min_t(u64, stats->ac_btime64, U32_MAX);
}

/**
 * taskacct_fill_identity() - say who a task is, and since when
 * @stats: the record, zeroed
 * @t: the task; of a process, its leader, also after it exited
 * @view: whose numbers to use
 * @values: when they were read, or it ended, and what was kept of it
 */
void taskacct_fill_identity(struct taskstats *stats, struct task_struct *t,
			    const struct taskacct_view *view,
			    const struct taskacct_values *values)
{
	const struct taskacct_kept *kept = values->kept;
	u64 start_of_group = READ_ONCE(t->start_time);
	const struct cred *cred;

	stats->version = TASKSTATS_VERSION;
	if (READ_ONCE(t->flags) & PF_EXITING)
		stats->ac_exitcode = READ_ONCE(t->exit_code);
	stats->ac_nice = PRIO_TO_NICE(READ_ONCE(t->static_prio));
	stats->ac_sched = READ_ONCE(t->policy);
	/* A name that changes meanwhile may be half of each. */
	data_race(memcpy(stats->ac_comm, t->comm, TASK_COMM_LEN));
	stats->ac_comm[TASK_COMM_LEN - 1] = '\0';
	stats->ac_pid = taskacct_kept_pid(kept, view, t);

	rcu_read_lock();
	cred = __task_cred(t);
	stats->ac_uid = taskacct_view_uid(view, cred->uid);
	stats->ac_gid = taskacct_view_gid(view, cred->gid);
	/*
	 * Once a task is released, so may its leader be, whom a reference to the task
	 * does not keep: its process is as old as the task at least.
	 */
	if (kept) {
		stats->ac_ppid = taskacct_kept_ppid(kept, view);
		start_of_group = kept->start_of_group;
	} else if (!taskacct_was_released(t)) {
		stats->ac_ppid =
			taskacct_view_tgid(view, rcu_dereference(t->real_parent));
		start_of_group = READ_ONCE(READ_ONCE(t->group_leader)->start_time);
	}
	rcu_read_unlock();

	fill_times(stats, t, taskacct_kept_tgid(kept, view, t), start_of_group,
		   &values->until);
}

/* Clients of the classic records know byte counts in whole KiB. */
static u64 whole_kib(u64 bytes)
{
	return round_down(bytes, 1024);
}

/*
 * From the kernel's pages * ns / 1024. In this order 4 GiB do not overflow
 * for a million seconds of CPU time; the kernel's own order takes 4,500.
 */
static u64 mbyte_usecs(u64 integral)
{
	return div_u64(integral * (PAGE_SIZE / 1024), 1000);
}

static void fill_usage(struct taskstats *stats,
		       const struct taskacct_usage *usage)
{
	u64 cpu = usage->utime + usage->stime;

	stats->ac_utime = usecs(usage->utime);
	stats->ac_stime = usecs(usage->stime);
	/* Only POWER ever scaled these; elsewhere they are the same. */
	stats->ac_utimescaled = stats->ac_utime;
	stats->ac_stimescaled = stats->ac_stime;
	stats->cpu_run_real_total = cpu;
	stats->cpu_scaled_run_real_total = cpu;
	stats->cpu_run_virtual_total = usage->runtime;

	stats->ac_minflt = usage->min_flt;
	stats->ac_majflt = usage->maj_flt;
	stats->nvcsw = usage->nvcsw;
	stats->nivcsw = usage->nivcsw;

	stats->read_char = whole_kib(usage->rchar);
	stats->write_char = whole_kib(usage->wchar);
	stats->read_syscalls = usage->syscr;
	stats->write_syscalls = usage->syscw;
	stats->read_bytes = whole_kib(usage->read_bytes);
	stats->write_bytes = whole_kib(usage->write_bytes);
	stats->cancelled_write_bytes = whole_kib(usage->cancelled_write_bytes);

	stats->coremem = mbyte_usecs(usage->rss_time);
	stats->virtmem = mbyte_usecs(usage->vm_time);

	taskacct_put_delays(stats, usage->delay);
}

/**
 * taskacct_fill_values() - write values into a record
 * @stats: the record
 * @values: of a task or of a process; rounded here and nowhere else
 */
void taskacct_fill_values(struct taskstats *stats,
			  const struct taskacct_values *values)
{
	fill_usage(stats, &values->usage);
	stats->hiwater_rss = values->mm.kernel_hiwater_rss;
	stats->hiwater_vm = values->mm.hiwater_vm;
	taskacct_put_exe(stats, values->mm.exe_dev, values->mm.exe_ino);
	stats->ac_flag |= (u8)values->flags;
}

/**
 * taskacct_fill_process() - write what is the process's and no thread's
 * @stats: the record of the process, otherwise filled
 * @leader: its leader
 *
 * Whether a signal ended it follows from its status: threads are killed in
 * every group exit.
 * Whether it has called exec() is known of its leader. The peak of memory is
 * that of all programs that it executed, as in ru_maxrss.
 */
void taskacct_fill_process(struct taskstats *stats,
			   const struct task_struct *leader)
{
	const struct signal_struct *sig = leader->signal;
	u64 maxrss = READ_ONCE(sig->maxrss) << (PAGE_SHIFT - 10);

	stats->ac_exitcode = taskacct_fill_exit_code(leader);
	stats->ac_flag &= ~(AXSIG | AFORK);
	if (stats->ac_exitcode & 0x7f)
		stats->ac_flag |= AXSIG;
	stats->ac_flag |= taskacct_fill_flags(leader) & AFORK;
	stats->hiwater_rss = max(stats->hiwater_rss, maxrss);
}

/**
 * taskacct_fill_task() - write the classic exit record of a task
 * @stats: the record, zeroed
 * @values: of current
 * @view: whose ids to use
 * @last: it is the last thread of its process
 *
 * Context: the exit hook, for current.
 */
void taskacct_fill_task(struct taskstats *stats,
			const struct taskacct_values *values,
			const struct taskacct_view *view, bool last)
{
	taskacct_fill_identity(stats, current, view, values);
	taskacct_fill_values(stats, values);
	if (last)
		stats->ac_flag |= AGROUP;
}

/**
 * taskacct_fill_last() - write the classic last record of a process
 * @stats: the record, zeroed
 * @leader: its leader
 * @values: of the process
 * @view: whose ids to use
 *
 * Context: the exit hook.
 */
void taskacct_fill_last(struct taskstats *stats, struct task_struct *leader,
			const struct taskacct_values *values,
			const struct taskacct_view *view)
{
	taskacct_fill_identity(stats, leader, view, values);
	taskacct_fill_values(stats, values);
	taskacct_fill_process(stats, leader);
	/* The leader's own changes hands: see taskacct_record_fill_process(). */
	stats->ac_pid = taskacct_kept_tgid(values->kept, view, leader);
	stats->ac_flag |= AGROUP;
}
