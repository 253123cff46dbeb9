/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of a task, and what it used: what other directories may use
 */
#ifndef TASKACCT_TASK_H
#define TASKACCT_TASK_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/delayacct.h>
#include <linux/gfp.h>
#include <linux/kernel_stat.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/task_io_accounting.h>
#include <linux/taskstats.h>
#include <linux/time64.h>
#include <linux/tsacct_kern.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include <linux/taskacct_values.h>

#include <taskacct_features.h>

#include "base/base.h"
#include "cputime/cputime.h"

struct cgroup;
struct mm_struct;
struct sk_buff;
struct task_struct;
struct taskacct_memory;
struct user_namespace;

/*
 * fill.c: where each value comes from
 *
 * What is known of those that add up is in <linux/taskacct_values.h>. Its lists and this one
 * are expanded in place, since each exit adds all of them up.
 */

/*
 * C(member, of a task, of threads that are gone): what adds up over the tasks of a user,
 * with @t, @runtime and @sig where it is expanded. Of threads that were released the
 * kernel keeps it in their signal_struct.
 */
#define TASKACCT_SOURCES(C)						\
	C(utime, READ_ONCE(t->utime), READ_ONCE(sig->utime))		\
	C(stime, READ_ONCE(t->stime), READ_ONCE(sig->stime))		\
	C(runtime, runtime, READ_ONCE(sig->sum_sched_runtime))		\
	C(min_flt, READ_ONCE(t->min_flt), READ_ONCE(sig->min_flt))	\
	C(maj_flt, READ_ONCE(t->maj_flt), READ_ONCE(sig->maj_flt))	\
	C(nvcsw, READ_ONCE(t->nvcsw), READ_ONCE(sig->nvcsw))		\
	C(nivcsw, READ_ONCE(t->nivcsw), READ_ONCE(sig->nivcsw))		\
	C(migrations, READ_ONCE(t->se.nr_migrations), 0)		\
	C(rchar, TASKACCT_IO(t, rchar), TASKACCT_IO(sig, rchar))	\
	C(wchar, TASKACCT_IO(t, wchar), TASKACCT_IO(sig, wchar))	\
	C(syscr, TASKACCT_IO(t, syscr), TASKACCT_IO(sig, syscr))	\
	C(syscw, TASKACCT_IO(t, syscw), TASKACCT_IO(sig, syscw))	\
	C(read_bytes, TASKACCT_STORAGE(t, read_bytes),			\
	  TASKACCT_STORAGE(sig, read_bytes))				\
	C(write_bytes, TASKACCT_STORAGE(t, write_bytes),		\
	  TASKACCT_STORAGE(sig, write_bytes))				\
	C(cancelled_write_bytes, TASKACCT_STORAGE(t, cancelled_write_bytes), \
	  TASKACCT_STORAGE(sig, cancelled_write_bytes))

/* Parts of functions, for these lists: @sum, @to and @from are theirs. */
#define TASKACCT_ADD_OF_TASK(member, of_task, of_gone)	sum->member += of_task;
#define TASKACCT_SET_OF_TASK(member, of_task, of_gone)	sum->member = of_task;
#define TASKACCT_ADD_OF_GONE(member, of_task, of_gone)	sum->member += of_gone;
#define TASKACCT_ADD(number, name, member, ...)		to->member += from->member;
#define TASKACCT_COPY(number, name, member, ...)	to->member = from->member;
#define TASKACCT_U64(number, name, member, ...)		u64 member;
#define TASKACCT_ONE(...)				+1

/*
 * struct taskacct_usage - what a task, or several together, used and waited for
 * @threads: how many tasks these are the values of
 * @delay: waits, by enum taskacct_delay_kind. All before it are u64 and add up
 *
 * The others are as in struct taskacct_record, but for rss_time and vm_time, which are in
 * pages * ns / 1024 as the kernel has them. All are exact and, but for the shortest waits,
 * only ever grow while a task lives.
 */
struct taskacct_usage {
	TASKACCT_SUMS(TASKACCT_U64)
	u64 threads;
	struct taskacct_delay delay[TASKACCT_DELAYS];
};

/**
 * struct taskacct_mm - what a task's address space tells
 * @hiwater_rss: most memory ever resident, in KiB; 0 where only a classic record was wanted
 * @kernel_hiwater_rss: the same as the kernel itself has it, which may be off by its
 *	batches per CPU; what the classic record tells, as in-tree
 * @hiwater_vm: most address space ever mapped, in KiB
 * @exe_dev: device of the executable, in the user's encoding
 * @exe_ino: inode of the executable
 */
struct taskacct_mm {
	u64 hiwater_rss;
	u64 kernel_hiwater_rss;
	u64 hiwater_vm;
	u64 exe_dev;
	u64 exe_ino;
};

/**
 * struct taskacct_moment - a point in time, by three clocks
 * @mono: in ns of CLOCK_MONOTONIC
 * @boot: in ns of CLOCK_BOOTTIME, which goes on in suspend
 * @real: in ns of CLOCK_REALTIME, as it stood then
 */
struct taskacct_moment {
	u64 mono;
	u64 boot;
	u64 real;
};

/* In taskacct_values.flags beside what ac_flag has */
#define TASKACCT_FLAG_WAITS_OFF		BIT(8) /* waits are not counted */

#define TASKACCT_FLAG_WAITS_LATE	BIT(9) /* nor were they when it began */
#define TASKACCT_FLAG_OTHERS_LATE	BIT(10) /* threads went before we came */
#define TASKACCT_FLAG_ON_CPU_OFF	BIT(11) /* nor is on_cpu counted */
#define TASKACCT_FLAG_ON_CPU_LATE	BIT(12) /* since it began */
#define TASKACCT_FLAG_ON_CPU_GONE	BIT(13) /* there was no room for it */
#define TASKACCT_FLAG_OTHERS_LOST	BIT(14) /* nor is what they used added */

/* The same as in ac_flag once more, as TASKACCT_RECORD_*, from this bit on */
#define TASKACCT_FLAG_RECORD_SHIFT	16

/**
 * struct taskacct_values - of a task, or of a process as the sum of its threads
 * @usage: what was used
 * @mm: what was read of the address space
 * @until: when they were read, or the process ended
 * @flags: what happened, as in ac_flag, and TASKACCT_FLAG_*; of a process, to
 *	any thread of it
 * @kept: what the task had at its exit; NULL: it is alive, or nothing was kept
 */
struct taskacct_values {
	struct taskacct_usage usage;
	struct taskacct_mm mm;
	struct taskacct_moment until;
	u32 flags;
	struct taskacct_kept *kept;
};

/**
 * taskacct_fill_kinds() - how many kinds of waits values may have
 * @values: the values
 *
 * A task whose waits are not counted has those for a CPU alone, which are the first.
 *
 * Return: the number of kinds; those behind are 0, or not written.
 */
static __always_inline unsigned int
taskacct_fill_kinds(const struct taskacct_values *values)
{
	const u32 not_counted = TASKACCT_FLAG_WAITS_OFF | TASKACCT_FLAG_WAITS_LATE;

	BUILD_BUG_ON((int)TASKACCT_DELAY_CPU);
	return values->usage.threads == 1 && (values->flags & not_counted) ?
		       1 : TASKACCT_DELAYS;
}

/**
 * taskacct_was_released() - whether a task has given its numbers back
 * @t: the task, kept by the caller
 *
 * Return: true if it has; the opposite of pid_alive(), of a task that may just be
 *	released, or become the leader by an exec.
 */
static inline bool taskacct_was_released(const struct task_struct *t)
{
	return !READ_ONCE(t->thread_pid);
}

/*
 * What the hooks see, which set it. Exits: when the address space may be gone. Ends: that
 * of a task at all, so that all it used is read there.
 */
extern bool taskacct_fill_is_late;

extern bool taskacct_fill_sees_ends;
void taskacct_fill_add_task(struct taskacct_values *sum, struct task_struct *t);
void taskacct_fill_of_task(struct taskacct_values *values, struct task_struct *t);

/**
 * taskacct_fill_has_released() - whether threads of a process have been released
 * @sig: of the process
 *
 * Whatever they have left behind, it is with one of these: who has used CPU time, or has
 * been switched, or waited for a page, has a runtime.
 *
 * Return: false if they have left nothing behind.
 */
static inline bool taskacct_fill_has_released(const struct signal_struct *sig)
{
	return READ_ONCE(sig->sum_sched_runtime) | READ_ONCE(sig->min_flt);
}

u64 taskacct_fill_released(const struct signal_struct *sig);
void taskacct_fill_add_released(struct taskacct_values *sum,
				const struct signal_struct *sig);
void taskacct_fill_add(struct taskacct_values *sum,
		       const struct taskacct_values *values);
void taskacct_fill_subtract(struct taskacct_values *sum,
			    const struct taskacct_values *values);
void taskacct_fill_now(struct taskacct_moment *now);
void taskacct_fill_values_of_current(struct taskacct_values *values);
void taskacct_fill_report(struct taskacct_values *values);
void taskacct_fill_mm(struct taskacct_mm *values, struct mm_struct *mm,
		      const struct taskacct_memory *memory);
u32 taskacct_fill_flags(const struct task_struct *t);
u32 taskacct_fill_exit_code(const struct task_struct *leader);

/* A process, as the sum of its threads */

/**
 * struct taskacct_total - a process, as the sum of its threads
 * @values: of all threads, dead and live, but for the address space: that is
 *	as the last thread that exited saw it, all 0 if none did
 * @ended: the last thread has exited, and that is when they were read
 */
struct taskacct_total {
	struct taskacct_values values;
	bool ended;
};

/* Whose numbers a record speaks in */

/**
 * struct taskacct_view - whose numbers a record speaks in
 * @user_ns: user namespace of uids and gids
 * @pid_ns: pid namespace of pids
 * @cgroup_root: where paths of cgroups begin; NULL: at the root of all
 * @init_ids: it may know the initial pid namespace's pids as well
 * @boot_offset: what its time namespace adds to the time since boot, in ns; as in
 *	/proc/PID/stat
 */
struct taskacct_view {
	struct user_namespace *user_ns;
	struct pid_namespace *pid_ns;
	struct cgroup *cgroup_root;
	bool init_ids;
	u64 boot_offset;
};

/* Of whose access is not limited: it is in the initial namespaces. */
#define TASKACCT_VIEW_INIT {						\
	.user_ns = &init_user_ns,					\
	.pid_ns = &init_pid_ns,						\
	.init_ids = true,						\
}

/**
 * taskacct_view_is() - whether two views are the same
 * @view: the one
 * @other: the other
 */
static inline bool taskacct_view_is(const struct taskacct_view *view,
				    const struct taskacct_view *other)
{
	return view->user_ns == other->user_ns &&
	       view->pid_ns == other->pid_ns &&
	       view->cgroup_root == other->cgroup_root &&
	       view->init_ids == other->init_ids &&
	       view->boot_offset == other->boot_offset;
}

/*
 * The numbers of the initial namespaces are the kernel's own: they are there
 * without a look into any table. Of a task that was released they are not 0.
 */

/**
 * taskacct_view_pid() - number of a task
 * @view: whose number
 * @t: the task
 *
 * Return: the number, 0 if the view does not have the task.
 */
static inline pid_t taskacct_view_pid(const struct taskacct_view *view,
				      struct task_struct *t)
{
	return likely(view->pid_ns == &init_pid_ns) ?
		       READ_ONCE(t->pid) : task_pid_nr_ns(t, view->pid_ns);
}

/**
 * taskacct_view_tgid() - number of a task's process
 * @view: whose number
 * @t: the task
 *
 * Return: as taskacct_view_pid().
 */
static inline pid_t taskacct_view_tgid(const struct taskacct_view *view,
				       struct task_struct *t)
{
	return likely(view->pid_ns == &init_pid_ns) ?
		       task_tgid_nr(t) : task_tgid_nr_ns(t, view->pid_ns);
}

/**
 * taskacct_view_uid() - number of a user
 * @view: whose number
 * @uid: the user
 *
 * Return: the number, the overflow uid if the view does not have the user.
 */
static inline uid_t taskacct_view_uid(const struct taskacct_view *view,
				      kuid_t uid)
{
	return likely(view->user_ns == &init_user_ns) ?
		       __kuid_val(uid) : from_kuid_munged(view->user_ns, uid);
}

/**
 * taskacct_view_gid() - number of a group
 * @view: whose number
 * @gid: the group
 *
 * Return: as taskacct_view_uid().
 */
static inline gid_t taskacct_view_gid(const struct taskacct_view *view,
				      kgid_t gid)
{
	return likely(view->user_ns == &init_user_ns) ?
		       __kgid_val(gid) : from_kgid_munged(view->user_ns, gid);
}

/* runtime.c: how long a task that runs has run, to the instant */

/*
 * Without ticks the kernel looks once a second. If it seems to be longer ago, its clock
 * is not the one that is read here.
 */
#define TASKACCT_RUNTIME_MAX	(2 * NSEC_PER_SEC)

/**
 * taskacct_runtime_is_all() - whether the kernel counts all time of a CPU for tasks
 * @cpu: the kernel's statistics of the CPU
 *
 * What it takes from it first is reported nowhere to the ns: not ksoftirqd's part of the
 * time of interrupts, nor what a hypervisor took since the last tick. The caller looks
 * whether it was this CPU.
 */
static __always_inline bool
taskacct_runtime_is_all(const struct kernel_cpustat *cpu)
{
	if (taskacct_features_may_deduct_irqs() && taskacct_irqtime_is_measured())
		return false;
	return !taskacct_features_may_deduct_steal() ||
	       !READ_ONCE(cpu->cpustat[CPUTIME_STEAL]);
}

/*
 * Of so many tasks more was reported than the kernel has counted yet; where they are; and
 * which buckets of that may have any, which changes under the lock of the bucket
 */
extern atomic_t taskacct_runtime_n_reported;
extern struct taskacct_table taskacct_runtime_table;
extern unsigned long *taskacct_runtime_filled;

u64 taskacct_runtime_reported(struct task_struct *t, u64 ns);
u64 taskacct_runtime_of_running(struct task_struct *t);
void __taskacct_runtime_forget(void);
int taskacct_runtime_init(void);
void taskacct_runtime_exit(void);

/**
 * taskacct_runtime_is_reported() - whether more may have been reported of a task than is
 *	counted
 * @t: the task
 *
 * Asked before what the kernel has counted is read: if it is over by then that is no less
 * than what was reported.
 *
 * Return: false if what is counted can be reported.
 */
static __always_inline bool taskacct_runtime_is_reported(const struct task_struct *t)
{
	const bool is_reported = atomic_read(&taskacct_runtime_n_reported) &&
				 test_bit(taskacct_table_index(&taskacct_runtime_table, t),
					  taskacct_runtime_filled);

	smp_rmb(); /* never-back, with give_up() */
	return is_reported;
}

/**
 * taskacct_runtime_forget() - forget of whom more was reported than was counted then
 *
 * A query begins with it: while anything is remembered each task costs more. As many tasks
 * as there are, it takes no longer than for a few.
 *
 * Context: task context.
 */
static inline void taskacct_runtime_forget(void)
{
	if (unlikely(atomic_read(&taskacct_runtime_n_reported)))
		__taskacct_runtime_forget();
}

/**
 * taskacct_runtime_of_current() - CPU time of the running task, to this instant
 *
 * Context: task context.
 * Return: its CPU time as the scheduler counts it, in ns; as of the last tick where the
 *	kernel takes interrupts, or what a hypervisor takes, from it.
 */
static __always_inline u64 taskacct_runtime_of_current(void)
{
	const struct sched_entity *se = &current->se;
	u64 start, sum, since;
	bool is_reported;

	/*
	 * An interrupt may have the kernel count, or the task moved to another CPU. Once as
	 * much is counted as was reported that may be forgotten: so it is asked for within,
	 * and what was read is read again if it was counted meanwhile.
	 */
	do {
		start = READ_ONCE(se->exec_start);
		sum = READ_ONCE(se->sum_exec_runtime);
		since = taskacct_runtime_is_all(raw_cpu_ptr(&kernel_cpustat)) ?
				local_clock() - start : 0;
		is_reported = taskacct_runtime_is_reported(current);
	} while (unlikely(start != READ_ONCE(se->exec_start)));
	if (likely(since < TASKACCT_RUNTIME_MAX))
		sum += since;
	return unlikely(is_reported) ?
		       taskacct_runtime_reported(current, sum) : sum;
}

/**
 * taskacct_runtime_of() - CPU time of a task
 * @t: any task; the caller keeps it from being freed
 *
 * Context: any but NMI.
 * Return: its CPU time as the scheduler counts it, in ns: of one that runs as
 *	taskacct_runtime_of_running(). It does not get less.
 */
static __always_inline u64 taskacct_runtime_of(struct task_struct *t)
{
	if (unlikely(taskacct_features_on_cpu(t)))
		return taskacct_runtime_of_running(t);
	return unlikely(taskacct_runtime_is_reported(t)) ?
		       taskacct_runtime_reported(t, 0) :
		       READ_ONCE(t->se.sum_exec_runtime);
}

/* strings.c: names of a task that have no fixed size */

/* Of TASKACCT_WANT_*, those that are names */
#define TASKACCT_WANT_STRINGS	(TASKACCT_WANT_EXE_PATH | \
				 TASKACCT_WANT_CGROUP_PATH | \
				 TASKACCT_WANT_CMDLINE)

/**
 * struct taskacct_strings - names of a task
 * @exe: path of its executable, or NULL: there is none, or it was not asked for
 *	or could not be had; likewise the others
 * @cgroup: path of its cgroup v2
 * @cmdline: its arguments, each ended by NUL
 * @exe_length: of @exe without the NUL
 * @cgroup_length: of @cgroup without the NUL
 * @cmdline_length: of @cmdline
 * @buffers: what they stand in
 */
struct taskacct_strings {
	const char *exe;
	const char *cgroup;
	const char *cmdline;
	size_t exe_length;
	size_t cgroup_length;
	size_t cmdline_length;
	char *buffers[3];
};

void taskacct_strings_get(struct taskacct_strings *strings, u32 want,
			  struct task_struct *t, struct mm_struct *mm,
			  const struct taskacct_view *view, gfp_t gfp);
void taskacct_strings_put(struct taskacct_strings *strings);

/* kept.c: what is kept of a task from its exit to its end */

/**
 * struct taskacct_memory - what is in memory of an address space, in bytes
 * @anon: anonymous pages
 * @file: pages of files
 * @shmem: pages of shared memory
 * @swap: what is swapped out
 */
struct taskacct_memory {
	u64 anon;
	u64 file;
	u64 shmem;
	u64 swap;
};

/**
 * struct taskacct_kept - what a task has at its exit and not at its end
 * @node: in the table, under its bucket's lock
 * @spare: where nobody has it, among others of the kind
 * @task: whose it is; only compared
 * @start: when that was started, in ns of CLOCK_MONOTONIC
 * @early: it was reported when it was seen to exit
 * @leader: of its process, referenced, where that has had several threads; else NULL
 * @several: the process has had several threads
 * @last: it is its process's only thread, as far as is known
 * @whole: who listens to it may want @dumpable, @pids, @user_ns and @strings; else these
 *	are not filled in
 * @extended: likewise @memory and @pid_ns, which all extended records have
 * @pid: its number: one that is the first of its process gives that away, before its end,
 *	to a thread that executes a program
 * @ppid: number of its parent's process
 * @start_of_group: when its process was started, in ns of CLOCK_MONOTONIC
 * @skb: for its message, where that has no names; or NULL, also where no queue had
 *	room for it. To get memory can take long, and at the end it would be missing in
 *	what the task has run
 * @mm: what its address space tells
 * @has_mm: it has an address space
 * @dumpable: its user may look into its program
 * @memory: what is in memory of the address space
 * @pid_ns: inode of its pid namespace
 * @pids: numbers of the task, its process and its parent's process, referenced
 * @user_ns: user namespace that its executable is of, referenced
 * @has_strings: @strings takes memory
 * @strings: of its program, for who wants them
 */
struct taskacct_kept {
	union {
		struct hlist_node node;
		struct llist_node spare;
	};
	const struct task_struct *task;
	u64 start;
	bool early;
	struct task_struct *leader;
	bool several;
	bool last;
	bool whole;
	bool extended;
	pid_t pid;
	pid_t ppid;
	u64 start_of_group;
	struct sk_buff *skb;
	struct taskacct_mm mm;
	bool has_mm;
	bool dumpable;
	struct taskacct_memory memory;
	u32 pid_ns;
	struct pid *pids[3];
	struct user_namespace *user_ns;
	bool has_strings;
	struct taskacct_strings strings;
};

/* In taskacct_kept.pids */
enum { TASKACCT_KEPT_PID, TASKACCT_KEPT_TGID, TASKACCT_KEPT_PPID };

/**
 * taskacct_kept_memory() - what was in memory of a task's address space at its exit
 * @kept: what was kept of it, or NULL
 *
 * Return: that, which stays as long as @kept; NULL: it was not kept, or there was none.
 */
static inline const struct taskacct_memory *
taskacct_kept_memory(const struct taskacct_kept *kept)
{
	return kept && kept->extended && kept->has_mm ? &kept->memory : NULL;
}

/**
 * taskacct_kept_number() - a number of a task at its end
 * @kept: what was kept of it
 * @which: TASKACCT_KEPT_*
 * @view: whose number
 *
 * Return: the number; 0 if the view does not have it, or it was not kept.
 */
static inline pid_t taskacct_kept_number(const struct taskacct_kept *kept,
					 unsigned int which,
					 const struct taskacct_view *view)
{
	return kept->whole ? pid_nr_ns(kept->pids[which], view->pid_ns) : 0;
}

/**
 * taskacct_kept_ppid() - number of the parent's process of a task at its end
 * @kept: what was kept of it
 * @view: whose number
 *
 * Return: as taskacct_kept_number().
 */
static inline pid_t taskacct_kept_ppid(const struct taskacct_kept *kept,
				       const struct taskacct_view *view)
{
	return likely(view->pid_ns == &init_pid_ns) ?
		       kept->ppid :
		       taskacct_kept_number(kept, TASKACCT_KEPT_PPID, view);
}

/**
 * taskacct_kept_init_pid() - number of a task in the initial pid namespace
 * @kept: as for taskacct_kept_pid()
 * @t: the task
 *
 * Return: the number that it had at its exit, if @kept is its own; else that of now.
 */
static inline pid_t taskacct_kept_init_pid(const struct taskacct_kept *kept,
					   const struct task_struct *t)
{
	return kept && likely(kept->task == t) ? kept->pid : READ_ONCE(t->pid);
}

/**
 * taskacct_kept_pid() - number of a task that may be at its end
 * @kept: what was kept of it, or of a thread of its process; or NULL
 * @view: whose number
 * @t: the task
 *
 * Return: as taskacct_view_pid().
 */
static inline pid_t taskacct_kept_pid(const struct taskacct_kept *kept,
				      const struct taskacct_view *view,
				      struct task_struct *t)
{
	if (likely(view->pid_ns == &init_pid_ns))
		return taskacct_kept_init_pid(kept, t);
	if (!kept || kept->task != t)
		return taskacct_view_pid(view, t);
	return taskacct_kept_number(kept, TASKACCT_KEPT_PID, view);
}

/**
 * taskacct_kept_tgid() - number of its process
 * @kept: as for taskacct_kept_pid()
 * @view: whose number
 * @t: the task
 *
 * Return: as taskacct_view_tgid().
 */
static inline pid_t taskacct_kept_tgid(const struct taskacct_kept *kept,
				       const struct taskacct_view *view,
				       struct task_struct *t)
{
	return likely(!kept || view->pid_ns == &init_pid_ns) ?
		       taskacct_view_tgid(view, t) :
		       taskacct_kept_number(kept, TASKACCT_KEPT_TGID, view);
}

extern struct taskacct_table taskacct_kept_table;
int taskacct_kept_init(void);
void taskacct_kept_exit(void);
struct taskacct_kept *taskacct_kept_alloc(void);
void taskacct_kept_read_strings(struct taskacct_kept *kept, u32 want,
				struct mm_struct *mm);
void taskacct_kept_strings(struct taskacct_strings *strings, u32 want,
			   const struct taskacct_kept *kept,
			   const struct taskacct_view *view, gfp_t gfp);
void taskacct_kept_put_back(struct taskacct_kept *kept);
struct taskacct_kept *__taskacct_kept_take(struct taskacct_bucket *bucket);
void taskacct_kept_free(struct taskacct_kept *kept);
void taskacct_memory_read(struct taskacct_memory *memory, struct mm_struct *mm);

/**
 * taskacct_kept_may_be() - whether something may have been kept of the running task
 *
 * Return: false if nothing was.
 */
static inline bool taskacct_kept_may_be(void)
{
	return !hlist_empty(&taskacct_table_bucket(&taskacct_kept_table,
						   current)->head);
}

/**
 * taskacct_kept_take() - what was kept of the running task
 *
 * Context: the hook at its end, for current.
 * Return: it, for taskacct_kept_free(), or NULL if nothing was.
 */
static inline struct taskacct_kept *taskacct_kept_take(void)
{
	struct taskacct_bucket *bucket =
		taskacct_table_bucket(&taskacct_kept_table, current);

	return likely(hlist_empty(&bucket->head)) ?
		       NULL : __taskacct_kept_take(bucket);
}

#endif /* TASKACCT_TASK_H */
