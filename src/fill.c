// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task's values into a record
 *
 * Where each value comes from stands in taskacct_fill_add_task() for a task and
 * in taskacct_fill_add_released() for those that are gone; what becomes of it
 * in a record, in fill_usage().
 */

#include <linux/acct.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/prio.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include <linux/taskacct.h>

#include "cputime.h"
#include "fill.h"

/* Whose reach is not limited is in the initial namespaces. */
const struct taskacct_view taskacct_fill_init_view = {
	.user_ns = &init_user_ns,
	.pid_ns = &init_pid_ns,
	.init_ids = true,
};

/*
 * When the first task was started of those that were seen to have their waits
 * counted, in ns since boot. Changes rarely: it only ever goes back.
 */
static u64 waits_since = U64_MAX;

/*
 * Tells whether, and if not why not, a task's waits are counted. Who becomes the
 * leader by an exec gets the old one's start.
 */
static u32 waits_of(const struct task_struct *t)
{
	const u64 start = READ_ONCE(t->start_boottime);
	const u64 since = READ_ONCE(waits_since);

	if (taskacct_has_delays(t)) {
		if (unlikely(start < since))
			WRITE_ONCE(waits_since, start);
		return 0;
	}
	/* If others that came later had them, it was too early. */
	return since != U64_MAX && start < since ?
		       TASKACCT_FLAG_WAITS_LATE :
		       TASKACCT_FLAG_WAITS_OFF;
}

/* A flag of both kinds of records */
#define BOTH(ac_flag, record) \
	((ac_flag) | TASKACCT_RECORD_##record << TASKACCT_FLAG_RECORD_SHIFT)

/* As thread_group_leader(), while another thread may take that over by an exec */
static bool is_leader(const struct task_struct *t)
{
	return READ_ONCE(t->exit_signal) >= 0;
}

/*
 * What happened to a task, as in taskacct_values.flags, without AGROUP. Queries ask it
 * of each thread, so that every instruction counts.
 */
static __always_inline u32 flags_of(const struct task_struct *t)
{
	unsigned int flags = READ_ONCE(t->flags);
	u32 ac_flag = waits_of(t);

	if (is_leader(t) && (flags & PF_FORKNOEXEC))
		ac_flag |= BOTH(AFORK, NOEXEC);
	if (flags & PF_SUPERPRIV)
		ac_flag |= BOTH(ASU, SU);
	if (flags & PF_DUMPCORE)
		ac_flag |= BOTH(ACORE, CORE);
	if (flags & PF_SIGNALED)
		ac_flag |= BOTH(AXSIG, SIGNAL);
	return ac_flag;
}

/* Apart: most of the time it is off, and nobody needs a stack for it. */
static noinline void add_measured(struct taskacct_values *sum,
				  struct task_struct *t)
{
	static const u32 flags[] = {
		[TASKACCT_CPUTIME_EXACT] = 0,
		[TASKACCT_CPUTIME_SINCE] = TASKACCT_FLAG_ON_CPU_LATE,
		[TASKACCT_CPUTIME_UNTRACKED] = TASKACCT_FLAG_ON_CPU_GONE,
		[TASKACCT_CPUTIME_NOT] = TASKACCT_FLAG_ON_CPU_OFF,
	};
	u64 ns;

	sum->flags |= flags[taskacct_cputime_task(t, &ns)];
	sum->usage.on_cpu += ns;
}

static void add_on_cpu(struct taskacct_values *sum, struct task_struct *t)
{
	if (likely(!taskacct_cputime_is_on()))
		sum->flags |= TASKACCT_FLAG_ON_CPU_OFF;
	else
		add_measured(sum, t);
}

/**
 * taskacct_fill_add_task() - add what one task has used and met so far
 * @sum: to add to
 * @t: any task; the caller keeps it from being freed
 *
 * Takes no lock but that of the task's delays, so that values of a running
 * task may be one update apart from each other. Each of them never goes
 * backwards. utime and stime are the raw ones, as in the kernel's own records;
 * on a nohz_full CPU they lack what the task runs at this moment.
 *
 * Context: any.
 */
void taskacct_fill_add_task(struct taskacct_values *sum, struct task_struct *t)
{
	struct taskacct_usage *usage = &sum->usage;

	usage->utime += READ_ONCE(t->utime);
	usage->stime += READ_ONCE(t->stime);
	usage->runtime += READ_ONCE(t->se.sum_exec_runtime);
	usage->min_flt += READ_ONCE(t->min_flt);
	usage->maj_flt += READ_ONCE(t->maj_flt);
	usage->nvcsw += READ_ONCE(t->nvcsw);
	usage->nivcsw += READ_ONCE(t->nivcsw);
	usage->threads++;
	taskacct_add_io(&usage->io, &t->ioac);
	taskacct_add_integrals(&usage->memory, t);
	taskacct_add_delays(usage->delay, t);
	add_on_cpu(sum, t);
	sum->flags |= flags_of(t);
}

/**
 * taskacct_fill_released() - whether, and which, threads were released
 * @sig: of the process
 *
 * Context: any.
 * Return: 0 if threads that were released have left nothing behind; otherwise a
 *	number that is another one when more have been released.
 */
u64 taskacct_fill_released(const struct signal_struct *sig)
{
	/* Each only ever grows, so that the sum tells. */
	return READ_ONCE(sig->sum_sched_runtime) + READ_ONCE(sig->utime) +
	       READ_ONCE(sig->stime) + READ_ONCE(sig->min_flt) +
	       READ_ONCE(sig->maj_flt) + READ_ONCE(sig->nvcsw) +
	       READ_ONCE(sig->nivcsw);
}

/**
 * taskacct_fill_add_released() - add what released threads have left behind
 * @values: to add to
 * @sig: of their process; the caller keeps its values from changing or checks
 *	its stats_lock afterwards
 *
 * Delays, run-queue waits and memory integrals are not among it: the kernel
 * drops them with the thread. It keeps no I/O of threads alone either: wait()
 * adds that of a child to the parent's. Where no thread was released all of it
 * is children's, and left out; otherwise it cannot be told apart.
 *
 * Context: any.
 */
void taskacct_fill_add_released(struct taskacct_values *values,
				const struct signal_struct *sig)
{
	struct taskacct_usage *sum = &values->usage;

	if (!taskacct_fill_released(sig))
		return;
	values->flags |= TASKACCT_FLAG_OTHERS_LATE;
	sum->utime += READ_ONCE(sig->utime);
	sum->stime += READ_ONCE(sig->stime);
	sum->runtime += READ_ONCE(sig->sum_sched_runtime);
	sum->min_flt += READ_ONCE(sig->min_flt);
	sum->maj_flt += READ_ONCE(sig->maj_flt);
	sum->nvcsw += READ_ONCE(sig->nvcsw);
	sum->nivcsw += READ_ONCE(sig->nivcsw);
	taskacct_add_io(&sum->io, &sig->ioac);
}

/**
 * taskacct_fill_add() - add the values of one task to those of others
 * @sum: to add to; what the address space tells stays as it is
 * @values: what is added
 *
 * Context: any.
 */
void taskacct_fill_add(struct taskacct_values *sum,
		       const struct taskacct_values *values)
{
	const size_t numbers = offsetof(struct taskacct_usage, delay);
	const u64 *from = (const u64 *)&values->usage;
	u64 *to = (u64 *)&sum->usage;
	unsigned int i;

	BUILD_BUG_ON(numbers % sizeof(u64));
	for (i = 0; i < numbers / sizeof(u64); i++)
		to[i] += from[i];
	for (i = 0; i < TASKACCT_DELAYS; i++)
		taskacct_add_delay(&sum->usage.delay[i],
				   &values->usage.delay[i]);
	sum->flags |= values->flags;
}

/**
 * taskacct_fill_subtract() - take the values of one task from a sum
 * @sum: to take them from
 * @usage: of the task, as they were added
 *
 * The longest and the shortest waits stay, and so do flags: they are the
 * process's, whichever of its threads has met them.
 *
 * Context: any.
 */
void taskacct_fill_subtract(struct taskacct_values *sum,
			    const struct taskacct_usage *usage)
{
	const size_t numbers = offsetof(struct taskacct_usage, delay);
	const u64 *from = (const u64 *)usage;
	u64 *to = (u64 *)&sum->usage;
	unsigned int i;

	for (i = 0; i < numbers / sizeof(u64); i++)
		to[i] -= from[i];
	for (i = 0; i < TASKACCT_DELAYS; i++) {
		sum->usage.delay[i].count -= usage->delay[i].count;
		sum->usage.delay[i].total -= usage->delay[i].total;
	}
}

/**
 * taskacct_fill_mm() - read what an address space tells
 * @values: receives it
 * @mm: the address space, kept by the caller
 *
 * Context: any.
 */
void taskacct_fill_mm(struct taskacct_mm *values, struct mm_struct *mm)
{
	const struct inode *inode;
	struct file *exe;

	values->hiwater_rss = taskacct_mm_hiwater_rss(mm);
	values->kernel_hiwater_rss =
		taskacct_mm_kernel_hiwater_rss(mm, values->hiwater_rss);
	values->hiwater_rss <<= PAGE_SHIFT - 10;
	values->kernel_hiwater_rss <<= PAGE_SHIFT - 10;
	/* It grows meanwhile, where the task is alive. */
	values->hiwater_vm = data_race(get_mm_hiwater_vm(mm));
	values->hiwater_vm <<= PAGE_SHIFT - 10;

	exe = taskacct_get_exe_file(mm);
	if (!exe)
		return;
	inode = file_inode(exe);
	values->exe_dev = huge_encode_dev(inode->i_sb->s_dev);
	values->exe_ino = inode->i_ino;
	fput(exe);
}

/**
 * taskacct_fill_now() - what time it is
 * @now: receives it
 *
 * Context: any.
 */
void taskacct_fill_now(struct taskacct_moment *now)
{
	now->mono = ktime_get_ns();
	now->boot = ktime_to_ns(ktime_mono_to_any(now->mono, TK_OFFS_BOOT));
	now->real = ktime_to_ns(ktime_mono_to_any(now->mono, TK_OFFS_REAL));
}

/**
 * taskacct_fill_values_of_current() - read the values of the running task
 * @values: receives them
 * @told: somebody is told of them as they are: also what the address space
 *	tells, where the task has one (still), and the time; all 0 otherwise
 *
 * Context: task context, does not sleep: current's address space stays.
 */
void taskacct_fill_values_of_current(struct taskacct_values *values, bool told)
{
	*values = (struct taskacct_values){};
	taskacct_fill_add_task(values, current);
	if (!told)
		return;
	taskacct_fill_now(&values->until);
	if (current->mm && !(current->flags & PF_KTHREAD))
		taskacct_fill_mm(&values->mm, current->mm);
}

static u64 usecs(u64 nsecs)
{
	return div_u64(nsecs, NSEC_PER_USEC);
}

/*
 * How old a task's process is. Once the task is released, so may its leader be,
 * whom a reference to the task does not keep: then it is as old as the task at
 * least.
 */
static u64 age_of_group(struct task_struct *t, u64 until)
{
	u64 start = READ_ONCE(t->start_time);

	rcu_read_lock();
	if (!taskacct_was_released(t))
		start = READ_ONCE(READ_ONCE(t->group_leader)->start_time);
	rcu_read_unlock();
	return until - start;
}

static void fill_times(struct taskstats *stats, struct task_struct *t,
		       const struct taskacct_view *view,
		       const struct taskacct_moment *until)
{
	/* By the clock that goes on in suspend: the start does not move. */
	const u64 age = until->boot - READ_ONCE(t->start_boottime);

	stats->ac_etime = usecs(until->mono - READ_ONCE(t->start_time));
	taskacct_put_group(stats, taskacct_view_tgid(view, t),
			   usecs(age_of_group(t, until->mono)));
	stats->ac_btime64 = div_u64(until->real - age, NSEC_PER_SEC);
	stats->ac_btime = min_t(u64, stats->ac_btime64, U32_MAX);
}

/**
 * taskacct_fill_identity() - say who a task is, and since when
 * @stats: the record, zeroed
 * @t: the task; of a process, its leader, also after it exited
 * @view: whose numbers to use
 * @until: when its values were read, or it ended
 *
 * Context: any.
 */
void taskacct_fill_identity(struct taskstats *stats, struct task_struct *t,
			    const struct taskacct_view *view,
			    const struct taskacct_moment *until)
{
	const struct cred *cred;

	stats->version = TASKSTATS_VERSION;
	if (READ_ONCE(t->flags) & PF_EXITING)
		stats->ac_exitcode = READ_ONCE(t->exit_code);
	stats->ac_nice = PRIO_TO_NICE(READ_ONCE(t->static_prio));
	stats->ac_sched = READ_ONCE(t->policy);
	/* A name that changes meanwhile may be half of each. */
	data_race(memcpy(stats->ac_comm, t->comm, TASK_COMM_LEN));
	stats->ac_comm[TASK_COMM_LEN - 1] = '\0';
	stats->ac_pid = taskacct_view_pid(view, t);

	rcu_read_lock();
	cred = __task_cred(t);
	stats->ac_uid = taskacct_view_uid(view, cred->uid);
	stats->ac_gid = taskacct_view_gid(view, cred->gid);
	if (!taskacct_was_released(t))
		stats->ac_ppid =
			taskacct_view_tgid(view, rcu_dereference(t->real_parent));
	rcu_read_unlock();

	fill_times(stats, t, view, until);
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
	const struct taskacct_io *io = &usage->io;
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

	stats->read_char = whole_kib(io->rchar);
	stats->write_char = whole_kib(io->wchar);
	stats->read_syscalls = io->syscr;
	stats->write_syscalls = io->syscw;
	stats->read_bytes = whole_kib(io->read_bytes);
	stats->write_bytes = whole_kib(io->write_bytes);
	stats->cancelled_write_bytes = whole_kib(io->cancelled_write_bytes);

	stats->coremem = mbyte_usecs(usage->memory.rss);
	stats->virtmem = mbyte_usecs(usage->memory.vm);

	taskacct_put_delays(stats, usage->delay);
}

/**
 * taskacct_fill_values() - write values into a record
 * @stats: the record
 * @values: of a task or of a process; rounded here and nowhere else
 *
 * Context: any.
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
 * taskacct_fill_exit_code() - how a process ended
 * @leader: its leader
 *
 * Context: any.
 * Return: the status that its parent's wait() returns: that of a group exit
 *	where there was one, else the leader's own, 0 while neither has ended.
 */
u32 taskacct_fill_exit_code(const struct task_struct *leader)
{
	const struct signal_struct *sig = leader->signal;

	if (READ_ONCE(sig->flags) & SIGNAL_GROUP_EXIT)
		return READ_ONCE(sig->group_exit_code);
	if (READ_ONCE(leader->flags) & PF_EXITING)
		return READ_ONCE(leader->exit_code);
	return 0;
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
 *
 * Context: any.
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
	stats->ac_flag |= flags_of(leader) & AFORK;
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
	taskacct_fill_identity(stats, current, view, &values->until);
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
	taskacct_fill_identity(stats, leader, view, &values->until);
	taskacct_fill_values(stats, values);
	taskacct_fill_process(stats, leader);
	stats->ac_flag |= AGROUP;
}
