/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task's values, and how they become a record
 */
#ifndef TASKACCT_FILL_H
#define TASKACCT_FILL_H

#include <linux/bits.h>
#include <linux/delayacct.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/taskstats.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "values.h"

struct cgroup;
struct mm_struct;
struct taskacct_kept;

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
 * @hiwater_rss: most memory ever resident, in KiB
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
 * @mm: what the address space told
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

/* Of whose reach is not limited: it is in the initial namespaces. */
#define TASKACCT_VIEW_INIT {						\
	.user_ns = &init_user_ns,					\
	.pid_ns = &init_pid_ns,						\
	.init_ids = true,						\
}

/**
 * taskacct_view_is() - whether two views are the same
 * @view: the one
 * @other: the other
 *
 * Context: any.
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

/**
 * taskacct_was_released() - whether a task has given its numbers back
 * @t: the task, kept by the caller
 *
 * Context: any.
 * Return: true if it has; the opposite of pid_alive(), of a task that may just be
 *	released, or become the leader by an exec.
 */
static inline bool taskacct_was_released(const struct task_struct *t)
{
	return !READ_ONCE(t->thread_pid);
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
 * Context: any.
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
 * Context: any.
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
 * Context: any.
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
 * Context: any.
 * Return: as taskacct_view_uid().
 */
static inline gid_t taskacct_view_gid(const struct taskacct_view *view,
				      kgid_t gid)
{
	return likely(view->user_ns == &init_user_ns) ?
		       __kgid_val(gid) : from_kgid_munged(view->user_ns, gid);
}

void taskacct_fill_add_task(struct taskacct_values *sum, struct task_struct *t);
/**
 * taskacct_fill_has_released() - whether threads of a process have been released
 * @sig: of the process
 *
 * Whatever they have left behind, it is with one of these: who has used CPU time, or has
 * been switched, or waited for a page, has a runtime.
 *
 * Context: any.
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
			    const struct taskacct_usage *usage);

void taskacct_fill_now(struct taskacct_moment *now);
void taskacct_fill_values_of_current(struct taskacct_values *values, bool told);
void taskacct_fill_mm(struct taskacct_mm *values, struct mm_struct *mm);

u32 taskacct_fill_flags(const struct task_struct *t);
u32 taskacct_fill_exit_code(const struct task_struct *leader);

#endif /* TASKACCT_FILL_H */
