/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU's time is counted in: for src/cputime/ alone, which is why some
 * names are short
 */
#ifndef TASKACCT_CPUTIME_CPU_H
#define TASKACCT_CPUTIME_CPU_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>
#include <asm/syscall.h>

#include "counters/counters.h"

#include "cputime.h"
#include "slots.h"

/**
 * enum taskacct_cputime_mode - how time is accounted
 * @TASKACCT_CPUTIME_OFF: not at all; no hook is attached
 * @TASKACCT_CPUTIME_SWITCH: at context switches and interrupts; a task's time is
 *	split into user and system as the kernel's own samples of it are
 * @TASKACCT_CPUTIME_FULL: at system calls as well: the split is measured
 * @TASKACCT_CPUTIME_MODES: how many there are
 */
enum taskacct_cputime_mode {
	TASKACCT_CPUTIME_OFF,
	TASKACCT_CPUTIME_SWITCH,
	TASKACCT_CPUTIME_FULL,
	TASKACCT_CPUTIME_MODES,
};

const char *taskacct_cputime_mode_name(void);
void taskacct_cputime_read(unsigned int cpu, u64 *ns);
void taskacct_cputime_read_settled(unsigned int cpu, u64 *ns);
u64 taskacct_cputime_switches(unsigned int cpu);

/* Shares of user mode are in units of one in 1 << SHARE_BITS. */
#define SHARE_BITS	TASKACCT_SLOTS_SHARE_BITS
#define SHARE_ALL	TASKACCT_SLOTS_SHARE_ALL

#define USER		TASKACCT_CPUTIME_USER
#define NICE		TASKACCT_CPUTIME_NICE
#define SYSTEM		TASKACCT_CPUTIME_SYSTEM
#define STEAL		TASKACCT_CPUTIME_STEAL
#define CLASSES		TASKACCT_CPUTIME_CLASSES

/*
 * Of each CPU's figures, behind the classes. From SINCE to OWED they are copies
 * of struct taskacct_interval, for readers of the map.
 */
enum {
	SINCE = CLASSES,
	TARGET,
	SHARE,
	OWED,
	SWITCHES,
	FORKS,
	EXECS,
	EXITS,
	FIGURES,
};

/**
 * union taskacct_cpu_state - what a CPU does
 * @is_running: it is accounted for: the mode is not off, the CPU is online
 * @is_softirq: a handler of a softirq runs
 * @is_task: what passes is time of the running task
 * @has_more: the owed of its interval, or @guest or @guest_nice of struct taskacct_cpu, are not 0
 * @irqs: handlers of interrupts that run, one inside the other
 * @is_measured: the kernel tells of each way into user mode and out of it
 * @is_timer: a timer has expired in an interrupt that is not seen otherwise
 * @unused: 0
 * @all: all of them, to be compared with plain
 */
union taskacct_cpu_state {
	struct {
		bool is_running;
		bool is_softirq;
		bool is_task;
		bool has_more;
		u8 irqs;
		bool is_measured;
		bool is_timer;
		u8 unused;
	};
	u64 all;
};

/**
 * struct taskacct_interval - the interval that passes
 * @since: when it began, by CLOCK_MONOTONIC; 0: nothing passes
 * @target: its class
 * @share: how much of it goes there, in units of one in SHARE_ALL, and not to
 *	SYSTEM
 * @owed: stolen time, by the kernel's figures, to which what passes goes first
 *
 * The module goes by these, and not by the copies on the page, which is shared
 * with counters of other modules.
 */
struct taskacct_interval {
	u64 since;
	u64 target;
	u64 share;
	u64 owed;
};

/**
 * struct taskacct_figures - a CPU's page of counters; ours are the first
 * @words: what tells others of an update, as <linux/taskacct_counters.h> has it
 * @at: time by class, and the interval that passes
 */
struct taskacct_figures {
	struct taskacct_counters_cpu words;
	u64 at[FIGURES] __aligned(TASKACCT_COUNTERS_VALUES);
};

/**
 * struct taskacct_cpu - time of a CPU
 * @figures: on the page that is mapped, or @unpublished
 * @seq: odd while any of this changes: readers in the kernel look at it, and not
 *	at the words of the page, which other modules write, too
 * @interval: the interval that passes
 * @is: what it does
 * @slot: the running task's place, or @nobody
 * @nobody: for those that have no place; what is in it is of no use
 * @share: the running task's, while something inside it runs; TASKACCT_SLOTS_NEW:
 *	not known. Only of use where time is split by samples
 * @sampled: the kernel's figures of user and nice, and of system, by its samples
 * @has_samples: user and system are sampled on this CPU
 * @young: how much of their time tasks had in user mode up to their first samples, by
 *	the last of those that were taken here
 * @begins: with what share a task begins that has not been sampled
 * @debt: in ns, what was sampled in user mode here and not booked there; negative: the
 *	other way round
 * @told: user and nice, and these and system, of @figures: how much of them samples
 *	have told of
 * @guest: time of guests, by the kernel's figures, that is not in those of ours
 * @guest_nice: the same of those with a nice value above 0
 * @base: the kernel's STEAL, GUEST and GUEST_NICE when it was begun, less those
 *	of @figures
 * @sees_calls: system calls are told of here, and user mode that they end in
 * @way: how long it takes from where the end of a system call is told of to user mode, and
 *	from there to where the next is told of; 0: not known
 * @left: when the end of a system call was told of last; 0: it was something else
 * @waiting: tasks that slept here last and wait for I/O; others write it too
 * @unpublished: where there are no counters
 */
struct taskacct_cpu {
	struct taskacct_figures *figures;
	u32 seq;
	struct taskacct_interval interval;
	union taskacct_cpu_state is;
	struct taskacct_slot *slot;
	struct taskacct_slot nobody;
	u32 share;
	u32 young;
	u32 begins;
	bool has_samples;
	s64 debt;
	u64 told[2];
	u64 sampled[2];
	u64 guest;
	u64 guest_nice;
	u64 base[3];
	bool sees_calls;
	u64 way;
	u64 left;
	atomic_t waiting;
	struct taskacct_figures unpublished;
};

/**
 * struct taskacct_more - what goes elsewhere than to the interval's class, or
 *	besides
 * @owed: stolen time
 * @guest: of guests, goes besides
 * @guest_nice: of guests with a nice value above 0
 */
struct taskacct_more {
	u64 owed;
	u64 guest;
	u64 guest_nice;
};

DECLARE_PER_CPU(struct taskacct_cpu, taskacct_cpus);

/* The mode in force; changes while CPUs count */
extern enum taskacct_cputime_mode taskacct_cputime_in_force;

/* User mode is seen to begin and end, on CPUs where the kernel tells of it. */
extern bool taskacct_cputime_sees_user_mode;

/* From when on it counts on all CPUs, by CLOCK_BOOTTIME; U64_MAX: not yet */
extern u64 taskacct_cputime_began;

int taskacct_cputime_online(unsigned int n);
int taskacct_cputime_offline(unsigned int n);
void taskacct_cputime_turn_here(void *unused);
u32 taskacct_share_in_kernel(const struct taskacct_cpu *cpu,
			     const struct task_struct *t);
u32 taskacct_share_of(const struct taskacct_cpu *cpu, struct task_struct *t);
u32 taskacct_share_now(const struct taskacct_cpu *cpu);
void taskacct_share_note(struct taskacct_cpu *cpu);
void taskacct_share_begin(struct taskacct_cpu *cpu, bool has_samples);

/**
 * taskacct_cputime_part() - the part of an interval that goes to its class
 * @delta: how long it was
 * @share: how much of it, in units of one in SHARE_ALL
 *
 * Context: any.
 * Return: that part.
 */
static __always_inline u64 taskacct_cputime_part(u64 delta, u32 share)
{
	return mul_u64_u32_shr(delta, share, SHARE_BITS);
}

/**
 * taskacct_cputime_divide() - count an interval
 * @ns: time by class, to add to
 * @target: its class
 * @share: how much of it goes there, and not to SYSTEM
 * @delta: how long it was
 *
 * Context: any.
 */
static __always_inline void taskacct_cputime_divide(u64 *ns, u64 target,
						    u32 share, u64 delta)
{
	const u64 part = taskacct_cputime_part(delta, share);

	ns[target] += part;
	ns[SYSTEM] += delta - part;
}

/**
 * taskacct_cputime_elapsed() - how long an interval has been
 * @since: when it began
 * @time: now
 *
 * The clock can be behind by what that of the CPU that set @since was ahead.
 *
 * Context: any.
 * Return: how long, in ns.
 */
static inline u64 taskacct_cputime_elapsed(u64 since, u64 time)
{
	return (s64)(time - since) > 0 ? time - since : 0;
}

/**
 * taskacct_cputime_in_call() - whether a task has come into the kernel by a system call
 * @t: the task: the running one, or one that is switched in
 *
 * Context: in the kernel.
 * Return: true if so; false: by an interrupt or an exception.
 */
static inline bool taskacct_cputime_in_call(struct task_struct *t)
{
	return (int)syscall_get_nr(t, task_pt_regs(t)) >= 0;
}

/**
 * taskacct_more_get() - what goes elsewhere on a CPU
 * @cpu: the CPU
 *
 * Context: the CPU itself, or a reader, who then looks whether it was true.
 * Return: what goes elsewhere.
 */
static inline struct taskacct_more
taskacct_more_get(const struct taskacct_cpu *cpu)
{
	return (struct taskacct_more){
		.owed = cpu->interval.owed,
		.guest = cpu->guest,
		.guest_nice = cpu->guest_nice,
	};
}

/**
 * taskacct_more_put() - keep what goes elsewhere
 * @cpu: on which CPU
 * @more: what goes elsewhere
 *
 * Context: the CPU itself, in its write section.
 */
static inline void taskacct_more_put(struct taskacct_cpu *cpu,
				     const struct taskacct_more *more)
{
	cpu->interval.owed = more->owed;
	cpu->figures->at[OWED] = more->owed;
	cpu->guest = more->guest;
	cpu->guest_nice = more->guest_nice;
	cpu->is.has_more = more->owed || more->guest || more->guest_nice;
}

/**
 * taskacct_more_take() - take from a rest what there is of it, up to a limit
 * @rest: the rest
 * @limit: the limit
 *
 * Context: any.
 * Return: what was taken.
 */
static inline u64 taskacct_more_take(u64 *rest, u64 limit)
{
	const u64 taken = min(*rest, limit);

	*rest -= taken;
	return taken;
}

/**
 * taskacct_more_spread() - count an interval of which some goes elsewhere
 * @more: what goes elsewhere; what there was room for is taken from it
 * @target: the interval's class
 * @share: how much of it goes there, and not to SYSTEM
 * @delta: how long it was
 * @ns: time by class, to add to
 *
 * Context: any.
 * Return: the part that was not stolen.
 */
static inline u64 taskacct_more_spread(struct taskacct_more *more, u64 target,
				       u32 share, u64 delta, u64 *ns)
{
	const u64 stolen = taskacct_more_take(&more->owed, delta);
	u64 part;

	ns[STEAL] += stolen;
	delta -= stolen;
	taskacct_cputime_divide(ns, target, share, delta);
	part = taskacct_cputime_part(delta, share);
	if (target == USER)
		ns[TASKACCT_CPUTIME_GUEST] +=
			taskacct_more_take(&more->guest, part);
	if (target == NICE)
		ns[TASKACCT_CPUTIME_GUEST_NICE] +=
			taskacct_more_take(&more->guest_nice, part);
	return delta;
}

/**
 * taskacct_cputime_in_softirq() - whether the kernel has a task in a softirq
 * @t: a task that is switched in
 *
 * On PREEMPT_RT it has so from before the first handler to behind the last.
 *
 * Context: interrupts off.
 * Return: true if so.
 */
#ifdef CONFIG_PREEMPT_RT
static inline bool taskacct_cputime_in_softirq(const struct task_struct *t)
{
	return t->softirq_disable_cnt & SOFTIRQ_OFFSET;
}
#else
static inline bool taskacct_cputime_in_softirq(const struct task_struct *t)
{
	return false;
}
#endif

#endif /* TASKACCT_CPUTIME_CPU_H */
