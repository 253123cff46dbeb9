// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU and class, and per task: accounting
 *
 * A CPU's time is cut into intervals, at each context switch and each begin and
 * end of an interrupt; in mode full also where a system call begins and ends.
 * What an interval goes to is decided when it begins and does not change. So
 * whoever reads can add what has passed of it, and never has to take anything
 * back. When the interval ends it is settled in the same way.
 *
 * The CPU alone writes its state, with interrupts off, in a write section that
 * readers look at, be they here or look at the map. The clock is read inside
 * that section: whoever has read the clock later than that sees that the section
 * has begun.
 */

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/kcsan-checks.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include <taskacct_features.h>

#include "counters/counters.h"

#include "cpu.h"
#include "cputime.h"
#include "cputime/tasks.h"
#include "user_return.h"

/* A way out of the kernel and into it again is never taken for longer than this, in ns. */
#define WAY_MAX		2000

/* A task runs, and nothing but that. */
static const union taskacct_cpu_state plain = {
	.is_running = true,
	.is_task = true,
};

static u64 settle_more(struct taskacct_cpu *cpu, u64 delta)
{
	struct taskacct_more more = taskacct_more_get(cpu);

	delta = taskacct_more_spread(&more, cpu->interval.target,
				     cpu->interval.share, delta,
				     cpu->statistics->at);
	taskacct_more_put(cpu, &more);
	return delta;
}

/* What the module goes by, and its copy for readers of the map */
static void set_since(struct taskacct_cpu *cpu, u64 since)
{
	cpu->interval.since = since;
	cpu->statistics->at[SINCE] = since;
}

static void set_target(struct taskacct_cpu *cpu, u64 target, u32 share)
{
	cpu->interval.target = target;
	cpu->interval.share = share;
	cpu->statistics->at[TARGET] = target;
	cpu->statistics->at[SHARE] = share;
}

static void settle_interval(struct taskacct_cpu *cpu, u64 time)
{
	u64 delta = taskacct_cputime_elapsed(cpu->interval.since, time);

	set_since(cpu, cpu->interval.since + delta);
	if (unlikely(cpu->is.has_more))
		delta = settle_more(cpu, delta);
	else
		taskacct_cputime_divide(cpu->statistics->at, cpu->interval.target,
					cpu->interval.share, delta);
	if (cpu->is.is_task)
		WRITE_ONCE(cpu->slot->ns, cpu->slot->ns + delta);
}

static void aim_interval(struct taskacct_cpu *cpu, enum taskacct_cputime_class class)
{
	cpu->is.is_task = false;
	set_target(cpu, class, SHARE_ALL);
}

static void aim_at_idle(struct taskacct_cpu *cpu)
{
	aim_interval(cpu, atomic_read(&cpu->waiting) > 0 ? TASKACCT_CPUTIME_IOWAIT :
							   TASKACCT_CPUTIME_IDLE);
}

/* Nice is above 0 where the static priority is above that of nice 0. */
static __always_inline u64 user_class(int static_prio)
{
	return static_prio > DEFAULT_PRIO ? NICE : USER;
}

static void aim_at_task(struct taskacct_cpu *cpu, const struct task_struct *t,
			u32 share)
{
	cpu->is.is_task = true;
	set_target(cpu, user_class(READ_ONCE(t->static_prio)), share);
}

/* Where the running task goes on, or something inside it */
static void aim_anew(struct taskacct_cpu *cpu)
{
	if (cpu->is.irqs)
		aim_interval(cpu, TASKACCT_CPUTIME_IRQ);
	else if (cpu->is.is_softirq)
		aim_interval(cpu, TASKACCT_CPUTIME_SOFTIRQ);
	else if (!current->pid)
		aim_at_idle(cpu);
	else
		aim_at_task(cpu, current, taskacct_share_now(cpu));
}

/* The kernel's figure less ours; it may go back when a CPU goes. */
static u64 owed(const struct taskacct_cpu *cpu, unsigned int i, u64 theirs,
		enum taskacct_cputime_class class)
{
	const s64 more = theirs - cpu->base[i] - cpu->statistics->at[class];

	return more > 0 ? more : 0;
}

/* The kernel's own statistics change at ticks. */
static void note_owed(struct taskacct_cpu *cpu)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;
	const struct taskacct_more more = {
		.owed = owed(cpu, 0, theirs[CPUTIME_STEAL], STEAL),
		.guest = owed(cpu, 1, theirs[CPUTIME_GUEST],
			      TASKACCT_CPUTIME_GUEST),
		.guest_nice = owed(cpu, 2, theirs[CPUTIME_GUEST_NICE],
				   TASKACCT_CPUTIME_GUEST_NICE),
	};

	taskacct_more_put(cpu, &more);
}

/*
 * Returns the time. Pairs with the barriers of the readers: who does not see the
 * section has read the clock before us. To KCSAN it is what write_seqcount_begin() is:
 * what is read in the midst of it is not used.
 */
static __always_inline u64 begin_section(struct taskacct_cpu_statistics *statistics)
{
	kcsan_nestable_atomic_begin();
	__this_cpu_inc(taskacct_cpus.seq);
	taskacct_counters_start(&statistics->words);
	/* section-before-clock: the clock is read when others can see that. */
	taskacct_mb_before_clock();
	return ktime_get_ns();
}

static __always_inline void end_section(struct taskacct_cpu_statistics *statistics)
{
	/* Ends with a write barrier, which pairs with begin_read(). */
	taskacct_counters_stop(&statistics->words);
	__this_cpu_inc(taskacct_cpus.seq);
	kcsan_nestable_atomic_end();
}

/*
 * in_iowait does not change while a task is off the CPU, so that each begin has
 * its end, wherever that is: all CPUs count by then.
 */
static __always_inline bool waits_for_io(const struct task_struct *t)
{
	/* A task may be preempted while it changes a bit of the same word, but not this. */
	return data_race(!!t->in_iowait);
}

/* Counts the wait of a task that waits for I/O. Returns what says so in its place, or 0. */
static u32 begin_wait(struct taskacct_cpu *cpu, const struct task_struct *t)
{
	if (likely(!waits_for_io(t)) || cpu->slot == &cpu->nobody ||
	    READ_ONCE(taskacct_cputime_began) == U64_MAX)
		return 0;
	atomic_inc(&cpu->waiting);
	return TASKACCT_SLOT_WAITS(smp_processor_id());
}

static void end_wait(u32 how)
{
	const u32 where = TASKACCT_SLOT_WHERE(how);

	if (where)
		atomic_dec(&per_cpu(taskacct_cpus, where - 1).waiting);
}

static void put_cpu_task(struct taskacct_cpu *cpu, const struct task_struct *t)
{
	/* Else the share is not the task's, or not for long. */
	const u32 share = cpu->is.is_task && !cpu->is.is_measured ?
				  cpu->interval.share : TASKACCT_SLOT_NEW;

	WRITE_ONCE(cpu->slot->how, begin_wait(cpu, t) | share);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		cpu->slot->in_softirq = cpu->is.is_softirq;
}

/* A task that is switched in goes on where it was switched out. */
static u32 take_slot(struct taskacct_cpu *cpu, struct task_struct *t)
{
	struct taskacct_cputime_slot *slot = taskacct_cputime_tasks_claim(t);
	u32 how;

	cpu->slot = slot ? slot : &cpu->nobody;
	if (!slot)
		return taskacct_share_of(cpu, t);
	how = READ_ONCE(slot->how);
	end_wait(how);
	return how & TASKACCT_SLOT_NEW || cpu->is.is_measured ?
		       taskacct_share_of(cpu, t) : TASKACCT_SLOT_SHARE(how);
}

/*
 * A handler of a softirq can be preempted on PREEMPT_RT, and is part of its task.
 * The kernel's mark is there for longer, and the task may be switched when its
 * last handler has ended: alone it tells only of one that we have not seen before.
 */
static bool take_softirq(struct taskacct_cpu *cpu, const struct task_struct *t)
{
	const bool maybe = cpu->slot == &cpu->nobody || cpu->slot->in_softirq;

	/* A task that is switched out plainly leaves it as it is. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		cpu->slot->in_softirq = false;
	return maybe && taskacct_cputime_in_softirq(t);
}

static void take_task(struct taskacct_cpu *cpu, struct task_struct *t)
{
	/* No handler is left by a switch, should an end not have been seen. */
	cpu->is.irqs = 0;
	if (!t->pid) {
		cpu->slot = &cpu->nobody;
		cpu->is.is_softirq = false;
		aim_at_idle(cpu);
		return;
	}
	cpu->share = take_slot(cpu, t);
	aim_at_task(cpu, t, cpu->share);
	cpu->is.is_softirq = take_softirq(cpu, t);
	if (cpu->is.is_softirq)
		aim_interval(cpu, TASKACCT_CPUTIME_SOFTIRQ);
}

static noinline void switch_any(struct task_struct *prev,
				struct task_struct *next)
{
	struct taskacct_cpu *cpu = this_cpu_ptr(&taskacct_cpus);

	if (!cpu->is.is_running)
		return;
	settle_interval(cpu, begin_section(cpu->statistics));
	put_cpu_task(cpu, prev);
	take_task(cpu, next);
	cpu->statistics->at[SWITCHES]++;
	end_section(cpu->statistics);
}

/*
 * What settle_interval() and put_cpu_task() do where a task runs and nothing but that, and
 * not for seconds; false: nothing is done.
 */
static __always_inline bool put_plainly(struct taskacct_cpu_statistics *statistics,
					u64 time)
{
	struct taskacct_cputime_slot *slot = __this_cpu_read(taskacct_cpus.slot);
	const u64 delta = time - __this_cpu_read(taskacct_cpus.interval.since);
	const u64 share = __this_cpu_read(taskacct_cpus.interval.share);
	u64 part;

	/* Nor is it negative. */
	if (unlikely(delta > S32_MAX))
		return false;
	part = delta * share >> SHARE_BITS;
	__this_cpu_write(taskacct_cpus.interval.since, time);
	statistics->at[SINCE] = time;
	slot->ns += delta;
	slot->how = share;
	statistics->at[__this_cpu_read(taskacct_cpus.interval.target)] += part;
	statistics->at[SYSTEM] += delta - part;
	return true;
}

/* What take_task() does for one that has its slot; false: nothing is done. */
static __always_inline bool take_plainly(struct taskacct_cpu_statistics *statistics,
					 struct task_struct *t)
{
	struct taskacct_cputime_slot *slot = taskacct_cputime_tasks_of(t)->slots;
	u64 how, target;

	/* Others claim free slots, and give theirs back, meanwhile. */
	if (unlikely(READ_ONCE(slot->task) != t))
		return false;
	how = READ_ONCE(slot->how);
	/* It waits, or its share is not known, or it is in a softirq. */
	if (unlikely(how > SHARE_ALL))
		return false;
	__this_cpu_write(taskacct_cpus.slot, slot);
	/* A task's priority changes under the lock of its run queue, which is held. */
	target = user_class(t->static_prio);
	__this_cpu_write(taskacct_cpus.interval.target, target);
	__this_cpu_write(taskacct_cpus.interval.share, how);
	statistics->at[TARGET] = target;
	statistics->at[SHARE] = how;
	return true;
}

/*
 * Apart, so that what is done nearly always has no registers to save for it; for the
 * same reason they return the statistics
 */
static noinline struct taskacct_cpu_statistics *put_slowly(u64 time)
{
	struct taskacct_cpu *cpu = this_cpu_ptr(&taskacct_cpus);

	settle_interval(cpu, time);
	WRITE_ONCE(cpu->slot->how, cpu->interval.share);
	return cpu->statistics;
}

static noinline struct taskacct_cpu_statistics *take_slowly(struct task_struct *t)
{
	struct taskacct_cpu *cpu = this_cpu_ptr(&taskacct_cpus);

	take_task(cpu, t);
	return cpu->statistics;
}

/**
 * taskacct_cputime_switch() - a CPU goes from one task to another
 * @prev: who ran
 * @next: who is going to run
 *
 * From a task that goes on later to one that went on before, as nearly always,
 * it does the least that it can; cpu.is is plain then, and stays so.
 *
 * Context: the hook on context switches, interrupts off, under the lock of a
 *	run queue. Not traced, as the scheduler around it is not.
 */
notrace void taskacct_cputime_switch(struct task_struct *prev,
				     struct task_struct *next)
{
	struct taskacct_cpu_statistics *statistics;
	u64 time;

	if (unlikely(__this_cpu_read(taskacct_cpus.is.all) != plain.all ||
		     waits_for_io(prev))) {
		switch_any(prev, next);
		return;
	}
	time = begin_section(this_cpu_read(taskacct_cpus.statistics));
	/* Read once more, which is less than to keep it while the clock is read. */
	statistics = this_cpu_read(taskacct_cpus.statistics);
	if (unlikely(!put_plainly(statistics, time)))
		statistics = put_slowly(time);
	if (unlikely(!take_plainly(statistics, next)))
		statistics = take_slowly(next);
	statistics->at[SWITCHES]++;
	end_section(statistics);
}

/*
 * Nobody is switched, but the time goes to something else from now on. With @anew
 * the running task's share is found anew.
 */
static void turn_interval(int irqs, bool is_softirq, bool anew)
{
	struct taskacct_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&taskacct_cpus);
	if (likely(cpu->is.is_running)) {
		settle_interval(cpu, begin_section(cpu->statistics));
		if (anew)
			cpu->share = TASKACCT_SLOT_NEW;
		else if (cpu->is.is_task)
			cpu->share = cpu->interval.share;
		/* The first that is seen may be an end. */
		cpu->is.irqs = max(cpu->is.irqs + irqs, 0);
		cpu->is.is_softirq = is_softirq;
		if (irqs < 0) {
			taskacct_share_note(cpu);
			note_owed(cpu);
		}
		aim_anew(cpu);
		end_section(cpu->statistics);
	}
	local_irq_restore(flags);
}

/**
 * taskacct_cputime_irq_enter() - a handler of an interrupt begins
 *
 * Context: interrupts off.
 */
void taskacct_cputime_irq_enter(void)
{
	turn_interval(1, this_cpu_read(taskacct_cpus.is.is_softirq), false);
}

/**
 * taskacct_cputime_irq_exit() - a handler of an interrupt ends
 *
 * Context: interrupts off.
 */
void taskacct_cputime_irq_exit(void)
{
	turn_interval(-1, this_cpu_read(taskacct_cpus.is.is_softirq), false);
}

/**
 * taskacct_cputime_timer_enter() - a timer has expired
 *
 * In an interrupt that has no tracepoint of its own, such as that of Hyper-V's
 * timer, this is what is seen of it, and of the tick that it brings.
 *
 * Context: any; timers of interrupts with interrupts off.
 */
void taskacct_cputime_timer_enter(void)
{
	if (!hardirq_count() || likely(this_cpu_read(taskacct_cpus.is.irqs)))
		return;
	this_cpu_write(taskacct_cpus.is.is_timer, true);
	taskacct_cputime_irq_enter();
}

/**
 * taskacct_cputime_timer_exit() - what it does has been done
 *
 * Context: as taskacct_cputime_timer_enter().
 */
void taskacct_cputime_timer_exit(void)
{
	if (!hardirq_count() || likely(!this_cpu_read(taskacct_cpus.is.is_timer)))
		return;
	this_cpu_write(taskacct_cpus.is.is_timer, false);
	taskacct_cputime_irq_exit();
}

/**
 * taskacct_cputime_softirq_enter() - a handler of a softirq begins
 *
 * Context: any but that of an interrupt.
 */
void taskacct_cputime_softirq_enter(void)
{
	turn_interval(0, true, false);
}

/**
 * taskacct_cputime_softirq_exit() - a handler of a softirq ends
 *
 * Context: any but that of an interrupt.
 */
void taskacct_cputime_softirq_exit(void)
{
	turn_interval(0, false, false);
}

/*
 * Between the return from one system call and the entry of the next lie the way out of the
 * kernel, user mode, and the way in, if there was nothing else. The shortest such time had
 * next to no user mode in it.
 */
static void learn_way(struct taskacct_cpu *cpu, u64 time)
{
	const u64 gap = time - cpu->left;

	if (gap < (cpu->way ? cpu->way : WAY_MAX) &&
	    cpu->interval.since == cpu->left + cpu->way &&
	    taskacct_cputime_in_call(current))
		cpu->way = gap;
}

/*
 * It takes its time to get to user mode, and back from there: so much of the interval
 * that begins goes to the kernel. It is counted now, and the interval is later.
 */
static void book_way(struct taskacct_cpu *cpu)
{
	cpu->statistics->at[SYSTEM] += cpu->way;
	WRITE_ONCE(cpu->slot->ns, cpu->slot->ns + cpu->way);
	set_since(cpu, cpu->interval.since + cpu->way);
}

static void enter_kernel(struct taskacct_cpu *cpu, u64 time)
{
	learn_way(cpu, time);
	settle_interval(cpu, time);
	if (cpu->is.is_task)
		aim_at_task(cpu, current,
			    taskacct_share_in_kernel(cpu, current));
}

static void leave_kernel(struct taskacct_cpu *cpu, u64 time)
{
	settle_interval(cpu, time);
	if (!cpu->is.is_task)
		return;
	cpu->left = taskacct_cputime_in_call(current) ? time : 0;
	aim_at_task(cpu, current, SHARE_ALL);
	book_way(cpu);
}

/* The running task goes on elsewhere; its nice value may be another now, too. */
static __always_inline void turn_task(void (*turn_to)(struct taskacct_cpu *cpu,
						      u64 time))
{
	struct taskacct_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&taskacct_cpus);
	if (likely(cpu->is.is_running)) {
		turn_to(cpu, begin_section(cpu->statistics));
		end_section(cpu->statistics);
	}
	local_irq_restore(flags);
}

/**
 * taskacct_cputime_kernel_enter() - the running task has come into the kernel
 *
 * Context: the running task.
 */
void taskacct_cputime_kernel_enter(void)
{
	turn_task(enter_kernel);
}

/**
 * taskacct_cputime_kernel_exit() - it goes back
 *
 * Context: the running task.
 */
void taskacct_cputime_kernel_exit(void)
{
	turn_task(leave_kernel);
}

/**
 * taskacct_cputime_call_enter() - it has come there by a system call or a page fault
 *
 * Context: the running task.
 */
void taskacct_cputime_call_enter(void)
{
	if (this_cpu_read(taskacct_cpus.sees_calls))
		turn_task(enter_kernel);
}

/**
 * taskacct_cputime_call_exit() - its system call ends
 *
 * Context: the running task.
 */
void taskacct_cputime_call_exit(void)
{
	if (this_cpu_read(taskacct_cpus.sees_calls))
		turn_task(leave_kernel);
}

static void count_event(unsigned int statistic)
{
	struct taskacct_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&taskacct_cpus);
	taskacct_counters_start(&cpu->statistics->words);
	cpu->statistics->at[statistic]++;
	taskacct_counters_stop(&cpu->statistics->words);
	local_irq_restore(flags);
}

/**
 * taskacct_cputime_count_fork() - count a task that was made
 */
void taskacct_cputime_count_fork(void)
{
	count_event(FORKS);
}

/**
 * taskacct_cputime_count_exec() - count a program that was started
 */
void taskacct_cputime_count_exec(void)
{
	count_event(EXECS);
}

/**
 * taskacct_cputime_count_exit() - count a task that has ended
 */
void taskacct_cputime_count_exit(void)
{
	count_event(EXITS);
}

static void on_user_return(struct user_return_notifier *notifier)
{
	taskacct_cputime_kernel_exit();
}

/*
 * When the mode is set, or a CPU comes or goes. Not where the kernel tells of each way into
 * user mode and out of it in any mode.
 */
static void see_calls(struct taskacct_cpu *cpu)
{
	const bool wanted = cpu->is.is_running && !cpu->is.is_measured &&
			    READ_ONCE(taskacct_cputime_in_force) ==
				    TASKACCT_CPUTIME_FULL;

	cpu->sees_calls = wanted;
	cpu->way = 0;
	cpu->left = 0;
	taskacct_user_return_tell(wanted, on_user_return);
}

/**
 * taskacct_cputime_turn_here() - what passes here goes on by another split
 * @unused: unused
 *
 * Context: a function call on that CPU, interrupts off.
 */
void taskacct_cputime_turn_here(void *unused)
{
	turn_interval(0, this_cpu_read(taskacct_cpus.is.is_softirq), true);
	see_calls(this_cpu_ptr(&taskacct_cpus));
}

/**
 * taskacct_cputime_online() - begin to count a CPU's time
 * @n: the CPU: it was online already, or has just come
 *
 * Context: on that CPU, while it is set up.
 * Return: 0.
 */
int taskacct_cputime_online(unsigned int n)
{
	struct taskacct_cpu *cpu = per_cpu_ptr(&taskacct_cpus, n);
	u8 kind = taskacct_features_cpu_accounting(n);
	const u64 *theirs = kcpustat_cpu(n).cpustat;
	unsigned long flags;

	local_irq_save(flags);
	set_since(cpu, begin_section(cpu->statistics));
	/* When it was counted before, the end may not have been seen. */
	cpu->is.is_timer = false;
	cpu->is.is_measured = taskacct_cputime_sees_user_mode &&
			      kind == TASKACCT_CPU_GENERIC;
	taskacct_share_begin(cpu, kind != TASKACCT_CPU_GENERIC);
	cpu->base[0] = theirs[CPUTIME_STEAL] - cpu->statistics->at[STEAL];
	cpu->base[1] = theirs[CPUTIME_GUEST] -
		       cpu->statistics->at[TASKACCT_CPUTIME_GUEST];
	cpu->base[2] = theirs[CPUTIME_GUEST_NICE] -
		       cpu->statistics->at[TASKACCT_CPUTIME_GUEST_NICE];
	take_task(cpu, current);
	note_owed(cpu);
	cpu->is.is_running = true;
	end_section(cpu->statistics);
	see_calls(cpu);
	local_irq_restore(flags);
	return 0;
}

/**
 * taskacct_cputime_offline() - end it
 * @n: the CPU, which goes, or is no longer accounted for
 *
 * Context: on that CPU, while it is taken down.
 * Return: 0.
 */
int taskacct_cputime_offline(unsigned int n)
{
	struct taskacct_cpu *cpu = per_cpu_ptr(&taskacct_cpus, n);
	unsigned long flags;

	local_irq_save(flags);
	settle_interval(cpu, begin_section(cpu->statistics));
	put_cpu_task(cpu, current);
	cpu->slot = &cpu->nobody;
	/* Nothing passes: readers see that by it. */
	set_since(cpu, 0);
	cpu->is.is_running = false;
	end_section(cpu->statistics);
	see_calls(cpu);
	local_irq_restore(flags);
	return 0;
}
