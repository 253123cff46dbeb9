// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of tasks
 *
 * Where each value comes from stands in taskacct_fill_add_task() for a task and
 * in taskacct_fill_add_released() for those that are gone; what becomes of it in
 * struct taskstats, in record/stats.c.
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
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include <linux/taskacct.h>

#include "cputime/cputime.h"

#include "task.h"

bool taskacct_fill_is_late __read_mostly;
bool taskacct_fill_sees_ends __read_mostly;

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

/* Queries ask it of each thread, so that every instruction counts. */
static __always_inline u32 flags_of(const struct task_struct *t)
{
	unsigned int flags = READ_ONCE(t->flags);
	u32 ac_flag = waits_of(t);

	if (is_leader(t) && (flags & PF_FORKNOEXEC))
		ac_flag |= BOTH(AFORK, NOEXEC);
	if (likely(!(flags & (PF_SUPERPRIV | PF_DUMPCORE | PF_SIGNALED))))
		return ac_flag;
	if (flags & PF_SUPERPRIV)
		ac_flag |= BOTH(ASU, SU);
	if (flags & PF_DUMPCORE)
		ac_flag |= BOTH(ACORE, CORE);
	if (flags & PF_SIGNALED)
		ac_flag |= BOTH(AXSIG, SIGNAL);
	return ac_flag;
}

/**
 * taskacct_fill_flags() - what happened to a task
 * @t: the task
 *
 * Return: flags as in struct taskacct_values, without AGROUP.
 */
u32 taskacct_fill_flags(const struct task_struct *t)
{
	return flags_of(t);
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

/* Each query does it for each thread. */
static __always_inline void add_task(struct taskacct_values *values,
				     struct task_struct *t, u64 runtime)
{
	struct taskacct_usage *sum = &values->usage;

	TASKACCT_SOURCES(TASKACCT_ADD_OF_TASK)
	sum->rss_time += TASKACCT_INTEGRAL(t, acct_rss_mem1);
	sum->vm_time += TASKACCT_INTEGRAL(t, acct_vm_mem1);
	sum->threads++;
	taskacct_add_delays(sum->delay, t);
	add_on_cpu(values, t);
	values->flags |= flags_of(t);
}

/*
 * As add_task(), to nothing: each exit does it. Where a task's waits are not counted those
 * of other kinds than for a CPU are left as they are, see taskacct_fill_kinds(), but for
 * @all_kinds.
 */
static __always_inline void set_task(struct taskacct_values *values,
				     struct task_struct *t, u64 runtime,
				     bool all_kinds)
{
	struct taskacct_usage *sum = &values->usage;
	unsigned int kinds;

	TASKACCT_SOURCES(TASKACCT_SET_OF_TASK)
	sum->rss_time = TASKACCT_INTEGRAL(t, acct_rss_mem1);
	sum->vm_time = TASKACCT_INTEGRAL(t, acct_vm_mem1);
	sum->on_cpu = 0;
	sum->threads = 1;
	values->flags = flags_of(t);
	kinds = all_kinds ? TASKACCT_DELAYS : taskacct_fill_kinds(values);
	memset(sum->delay, 0, kinds * sizeof(*sum->delay));
	taskacct_add_delays(sum->delay, t);
	add_on_cpu(values, t);
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
 */
void taskacct_fill_add_task(struct taskacct_values *sum, struct task_struct *t)
{
	add_task(sum, t, taskacct_runtime_of(t));
}

/**
 * taskacct_fill_of_task() - read what one task has used and met so far
 * @values: receives it, but for what its address space tells and the time
 * @t: as for taskacct_fill_add_task()
 */
void taskacct_fill_of_task(struct taskacct_values *values, struct task_struct *t)
{
	set_task(values, t, taskacct_runtime_of(t), true);
	values->kept = NULL;
}

/**
 * taskacct_fill_released() - whether, and which, threads were released
 * @sig: of the process
 *
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
 * is children's, and left out; otherwise it cannot be distinguished.
 */
void taskacct_fill_add_released(struct taskacct_values *values,
				const struct signal_struct *sig)
{
	struct taskacct_usage *sum = &values->usage;

	if (!taskacct_fill_released(sig))
		return;
	values->flags |= TASKACCT_FLAG_OTHERS_LATE;
	TASKACCT_SOURCES(TASKACCT_ADD_OF_GONE)
}

/**
 * taskacct_fill_add() - add the values of one task to those of others
 * @sum: to add to; what the address space tells stays as it is
 * @values: what is added
 */
void taskacct_fill_add(struct taskacct_values *sum,
		       const struct taskacct_values *values)
{
	const struct taskacct_usage *from = &values->usage;
	struct taskacct_usage *to = &sum->usage;
	const unsigned int kinds = taskacct_fill_kinds(values);
	unsigned int i;

	TASKACCT_SUMS(TASKACCT_ADD)
	to->threads += from->threads;
	/* Most tasks have most kinds never met. */
	for (i = 0; i < kinds; i++)
		if (from->delay[i].count | from->delay[i].total)
			taskacct_add_delay(&to->delay[i], &from->delay[i]);
	sum->flags |= values->flags;
}

/**
 * taskacct_fill_subtract() - take the values of one task from a sum
 * @sum: to take them from
 * @values: of the task, as they were added
 *
 * The longest and the shortest waits stay, and so do flags: they are the
 * process's, whichever of its threads has met them.
 */
void taskacct_fill_subtract(struct taskacct_values *sum,
			    const struct taskacct_values *values)
{
	const size_t numbers = offsetof(struct taskacct_usage, delay);
	const struct taskacct_usage *usage = &values->usage;
	const unsigned int kinds = taskacct_fill_kinds(values);
	const u64 *from = (const u64 *)usage;
	u64 *to = (u64 *)&sum->usage;
	unsigned int i;

	for (i = 0; i < numbers / sizeof(u64); i++)
		to[i] -= from[i];
	for (i = 0; i < kinds; i++) {
		sum->usage.delay[i].count -= usage->delay[i].count;
		sum->usage.delay[i].total -= usage->delay[i].total;
	}
}

/*
 * Its peak so far by the kernel's note, which is taken when memory is given back, or what
 * it has now
 */
static u64 exact_hiwater_rss(struct mm_struct *mm, const struct taskacct_memory *memory)
{
	const u64 now = (memory->anon + memory->file + memory->shmem) >> 10;
	/* It grows meanwhile, where the task is alive. */
	const u64 noted = data_race(mm->hiwater_rss) << (PAGE_SHIFT - 10);

	return max(noted, now);
}

/**
 * taskacct_fill_mm() - read what an address space tells
 * @values: receives it
 * @mm: the address space, kept by the caller
 * @memory: what is in memory of it; NULL: @values are for a classic record alone
 */
void taskacct_fill_mm(struct taskacct_mm *values, struct mm_struct *mm,
		      const struct taskacct_memory *memory)
{
	const struct inode *inode;
	struct file *exe;

	/* It grows likewise. */
	values->kernel_hiwater_rss = data_race(get_mm_hiwater_rss(mm));
	values->kernel_hiwater_rss <<= PAGE_SHIFT - 10;
	values->hiwater_rss = memory ? exact_hiwater_rss(mm, memory) : 0;
	/* So does this. */
	values->hiwater_vm = data_race(get_mm_hiwater_vm(mm));
	values->hiwater_vm <<= PAGE_SHIFT - 10;

	exe = taskacct_get_exe_file(mm);
	if (!exe) {
		values->exe_dev = 0;
		values->exe_ino = 0;
		return;
	}
	inode = file_inode(exe);
	values->exe_dev = huge_encode_dev(inode->i_sb->s_dev);
	values->exe_ino = inode->i_ino;
	fput(exe);
}

/**
 * taskacct_fill_now() - what time it is
 * @now: receives it
 */
void taskacct_fill_now(struct taskacct_moment *now)
{
	now->mono = ktime_get_ns();
	now->boot = ktime_to_ns(ktime_mono_to_any(now->mono, TK_OFFS_BOOT));
	now->real = ktime_to_ns(ktime_mono_to_any(now->mono, TK_OFFS_REAL));
}

/**
 * taskacct_fill_values_of_current() - read the values of the exiting task
 * @values: receives them, but for what taskacct_fill_report() writes
 *
 * Its runtime is to the instant.
 *
 * Context: the hook at its end, does not sleep.
 */
void taskacct_fill_values_of_current(struct taskacct_values *values)
{
	set_task(values, current, taskacct_runtime_of_current(), false);
}

/**
 * taskacct_fill_report() - what a record of the exiting task has besides its values
 * @values: those; what was kept of it is there. Receives what its address space had, and
 *	the time
 *
 * Context: as for taskacct_fill_values_of_current(), after that.
 */
void taskacct_fill_report(struct taskacct_values *values)
{
	const struct taskacct_kept *kept = values->kept;
	struct taskacct_delay *delay = values->usage.delay;
	unsigned int i;

	for (i = taskacct_fill_kinds(values); i < TASKACCT_DELAYS; i++)
		delay[i] = (struct taskacct_delay){};
	values->mm = kept ? kept->mm : (struct taskacct_mm){};
	taskacct_fill_now(&values->until);
	if (kept && unlikely(kept->early))
		values->flags |= TASKACCT_RECORD_EARLY
				 << TASKACCT_FLAG_RECORD_SHIFT;
}

/**
 * taskacct_fill_exit_code() - how a process ended
 * @leader: its leader
 *
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
