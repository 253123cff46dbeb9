// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU and class, and per task
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
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <asm/syscall.h>

#include "counters.h"
#include "cputime.h"
#include "hooks.h"
#include "slots.h"

/* Shares of user mode are in units of one in 1 << SHARE_BITS. */
#define SHARE_BITS	TASKACCT_SLOTS_SHARE_BITS
#define SHARE_ALL	TASKACCT_SLOTS_SHARE_ALL

#define USER		TASKACCT_CPUTIME_USER
#define NICE		TASKACCT_CPUTIME_NICE
#define SYSTEM		TASKACCT_CPUTIME_SYSTEM
#define STEAL		TASKACCT_CPUTIME_STEAL
#define CLASSES		TASKACCT_CPUTIME_CLASSES

/*
 * Of each CPU's figures, behind the classes; see own below. From SINCE to OWED
 * they are the interval that passes: when it began, by CLOCK_MONOTONIC; its
 * class; how much of it goes there, in units of one in SHARE_ALL, and not to
 * SYSTEM; stolen time, by the kernel's figures, to which what passes goes first.
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
 * union state - what a CPU does
 * @is_running: it is accounted for: the mode is not off, the CPU is online
 * @is_softirq: a handler of a softirq runs
 * @is_task: what passes is time of the running task
 * @has_more: OWED, or @guest or @guest_nice of struct cpu, are not 0
 * @irqs: handlers of interrupts that run, one inside the other
 * @unused: 0
 * @all: all of them, to be compared with plain
 */
union state {
	struct {
		bool is_running;
		bool is_softirq;
		bool is_task;
		bool has_more;
		u8 irqs;
		u8 unused[3];
	};
	u64 all;
};

/* A task runs, and nothing but that. */
static const union state plain = { .is_running = true, .is_task = true };

/**
 * struct figures - a CPU's page of counters, of which ours are the first
 * @words: what tells others of an update, as <linux/taskacct_counters.h> has it
 * @at: time by class, and the interval that passes
 */
struct figures {
	struct taskacct_counters_cpu words;
	u64 at[FIGURES] __aligned(TASKACCT_COUNTERS_VALUES);
};

/**
 * struct cpu - time of a CPU
 * @figures: on the page that is mapped, or @unpublished
 * @is: what it does
 * @slot: the running task's place, or @nobody
 * @nobody: for those that have no place; what is in it is of no use
 * @guest: time of guests, by the kernel's figures, that is not in those of ours
 * @guest_nice: the same of those with a nice value above 0
 * @base: the kernel's STEAL, GUEST and GUEST_NICE when it was begun, less those
 *	of @figures
 * @waiting: tasks that slept here last and wait for I/O; others write it too
 * @unpublished: where there are no counters
 */
struct cpu {
	struct figures *figures;
	union state is;
	struct taskacct_slot *slot;
	struct taskacct_slot nobody;
	u64 guest;
	u64 guest_nice;
	u64 base[3];
	atomic_t waiting;
	struct figures unpublished;
};

static DEFINE_PER_CPU(struct cpu, cpus);

/* Protects the mode, attaching and detaching. Outermost, outside hotplug's. */
static DEFINE_MUTEX(cputime_mutex);
static enum taskacct_cputime_mode mode = TASKACCT_CPUTIME_OFF;
bool taskacct_cputime_on;
/* What the parameter said before there was a module to set it in */
static enum taskacct_cputime_mode wanted;
static bool is_ready;
static bool is_gone;
static int hotplug_state;
/* From when on it counts on all CPUs, by CLOCK_BOOTTIME; U64_MAX: not yet */
static u64 began;

static const char * const words[] = {
	[TASKACCT_CPUTIME_OFF] = "off",
	[TASKACCT_CPUTIME_SWITCH] = "switch",
	[TASKACCT_CPUTIME_FULL] = "full",
};

static __always_inline u64 part_of(u64 delta, u32 share)
{
	return mul_u64_u32_shr(delta, share, SHARE_BITS);
}

static __always_inline void divide(u64 *ns, u64 target, u32 share, u64 delta)
{
	const u64 part = part_of(delta, share);

	ns[target] += part;
	ns[SYSTEM] += delta - part;
}

/* Takes from a rest what there is of it, up to a limit */
static u64 take(u64 *rest, u64 limit)
{
	const u64 taken = min(*rest, limit);

	*rest -= taken;
	return taken;
}

/**
 * struct more - what goes elsewhere than to the interval's class, or besides
 * @owed: stolen time
 * @guest: of guests, goes besides
 * @guest_nice: of guests with a nice value above 0
 */
struct more {
	u64 owed;
	u64 guest;
	u64 guest_nice;
};

/* Returns the part that was not stolen. */
static u64 spread(struct more *more, u64 target, u32 share, u64 delta, u64 *ns)
{
	const u64 stolen = take(&more->owed, delta);
	u64 part;

	ns[STEAL] += stolen;
	delta -= stolen;
	divide(ns, target, share, delta);
	part = part_of(delta, share);
	if (target == USER)
		ns[TASKACCT_CPUTIME_GUEST] += take(&more->guest, part);
	if (target == NICE)
		ns[TASKACCT_CPUTIME_GUEST_NICE] += take(&more->guest_nice,
							part);
	return delta;
}

static struct more get_more(const struct cpu *cpu)
{
	return (struct more){
		.owed = cpu->figures->at[OWED],
		.guest = cpu->guest,
		.guest_nice = cpu->guest_nice,
	};
}

static void put_more(struct cpu *cpu, const struct more *more)
{
	cpu->figures->at[OWED] = more->owed;
	cpu->guest = more->guest;
	cpu->guest_nice = more->guest_nice;
	cpu->is.has_more = more->owed || more->guest || more->guest_nice;
}

static u64 settle_more(struct cpu *cpu, u64 delta)
{
	u64 *figures = cpu->figures->at;
	struct more more = get_more(cpu);

	delta = spread(&more, figures[TARGET], figures[SHARE], delta, figures);
	put_more(cpu, &more);
	return delta;
}

/* Can be behind by what the CPU that set @since was ahead. */
static u64 elapsed(u64 since, u64 time)
{
	return (s64)(time - since) > 0 ? time - since : 0;
}

static void settle(struct cpu *cpu, u64 time)
{
	u64 *figures = cpu->figures->at;
	u64 delta = elapsed(figures[SINCE], time);

	figures[SINCE] += delta;
	if (unlikely(cpu->is.has_more))
		delta = settle_more(cpu, delta);
	else
		divide(figures, figures[TARGET], figures[SHARE], delta);
	if (cpu->is.is_task)
		WRITE_ONCE(cpu->slot->ns, cpu->slot->ns + delta);
}

/*
 * How much of a task's time was in user mode, by the samples of it. Without any
 * in the kernel all of it, as the kernel itself decides then.
 */
static u32 sampled_share(const struct task_struct *t)
{
	const u64 utime = READ_ONCE(t->utime);
	const u64 total = utime + READ_ONCE(t->stime);

	if (utime == total)
		return SHARE_ALL;
	/* Enough for nine years, and for samples of a microsecond */
	return div64_u64(utime << (SHARE_BITS - 10), (total >> 10) + 1);
}

/*
 * A task that is switched in goes on where it was switched out: behind a system
 * call, or behind an interrupt of user mode.
 */
static u32 measured_share(struct task_struct *t)
{
	return (int)syscall_get_nr(t, task_pt_regs(t)) >= 0 ? 0 : SHARE_ALL;
}

static u32 share_of(struct task_struct *t)
{
	if (t->flags & PF_KTHREAD)
		return 0;
	return READ_ONCE(mode) == TASKACCT_CPUTIME_FULL ? measured_share(t) :
							  sampled_share(t);
}

static void aim(struct cpu *cpu, enum taskacct_cputime_class class)
{
	cpu->is.is_task = false;
	cpu->figures->at[TARGET] = class;
	cpu->figures->at[SHARE] = SHARE_ALL;
}

static void aim_at_idle(struct cpu *cpu)
{
	aim(cpu, atomic_read(&cpu->waiting) > 0 ? TASKACCT_CPUTIME_IOWAIT :
						  TASKACCT_CPUTIME_IDLE);
}

static __always_inline u64 user_class(const struct task_struct *t)
{
	/* As task_nice(), for any task */
	return t->static_prio > DEFAULT_PRIO ? NICE : USER;
}

static void aim_at_task(struct cpu *cpu, const struct task_struct *t, u32 share)
{
	cpu->is.is_task = true;
	cpu->figures->at[TARGET] = user_class(t);
	cpu->figures->at[SHARE] = share;
}

/* Where the running task goes on, or something inside it */
static void aim_anew(struct cpu *cpu)
{
	if (cpu->is.irqs)
		aim(cpu, TASKACCT_CPUTIME_IRQ);
	else if (cpu->is.is_softirq)
		aim(cpu, TASKACCT_CPUTIME_SOFTIRQ);
	else if (!current->pid)
		aim_at_idle(cpu);
	else
		aim_at_task(cpu, current, share_of(current));
}

/* The kernel's figure less what we have of it; it may go back when a CPU goes. */
static u64 owed(const struct cpu *cpu, unsigned int i, u64 theirs,
		enum taskacct_cputime_class class)
{
	const s64 more = theirs - cpu->base[i] - cpu->figures->at[class];

	return more > 0 ? more : 0;
}

/* The kernel's own figures change at ticks. */
static void note_owed(struct cpu *cpu)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;
	const struct more more = {
		.owed = owed(cpu, 0, theirs[CPUTIME_STEAL], STEAL),
		.guest = owed(cpu, 1, theirs[CPUTIME_GUEST],
			      TASKACCT_CPUTIME_GUEST),
		.guest_nice = owed(cpu, 2, theirs[CPUTIME_GUEST_NICE],
				   TASKACCT_CPUTIME_GUEST_NICE),
	};

	put_more(cpu, &more);
}

/*
 * Returns the time. Pairs with smp_mb() in the readers: who does not see the
 * section has read the clock before us.
 */
static __always_inline u64 begin_section(struct figures *figures)
{
	taskacct_counters_start(&figures->words);
	/* The clock is read when others can see that. See above. */
	smp_mb();
	return ktime_get_ns();
}

static __always_inline void end_section(struct figures *figures)
{
	taskacct_counters_stop(&figures->words);
}

#ifdef CONFIG_PREEMPT_RT
/* A handler can be preempted there, and is part of its task. */
static bool is_in_softirq(const struct task_struct *t)
{
	return t->softirq_disable_cnt & SOFTIRQ_OFFSET;
}
#else
static bool is_in_softirq(const struct task_struct *t)
{
	return false;
}
#endif

/*
 * in_iowait does not change while a task is off the CPU, so that each begin has
 * its end, wherever that is. Returns what says so in the task's place.
 */
static u32 begin_wait(struct cpu *cpu, const struct task_struct *t)
{
	if (likely(!t->in_iowait) || cpu->slot == &cpu->nobody)
		return 0;
	atomic_inc(&cpu->waiting);
	return TASKACCT_SLOTS_WAITS(smp_processor_id());
}

static void end_wait(u32 how)
{
	const u32 where = TASKACCT_SLOTS_WHERE(how);

	if (where)
		atomic_dec(&per_cpu(cpus, where - 1).waiting);
}

static void put_task(struct cpu *cpu, const struct task_struct *t)
{
	/* Else the share is not the task's. */
	const u32 share = cpu->is.is_task ? cpu->figures->at[SHARE] :
					    TASKACCT_SLOTS_NEW;

	WRITE_ONCE(cpu->slot->how, begin_wait(cpu, t) | share);
}

/* A task that is switched in goes on where it was switched out. */
static u32 take_place(struct cpu *cpu, struct task_struct *t)
{
	struct taskacct_slot *slot = taskacct_slots_claim(t);
	u32 how;

	cpu->slot = slot ? slot : &cpu->nobody;
	if (!slot)
		return share_of(t);
	how = READ_ONCE(slot->how);
	end_wait(how);
	return how & TASKACCT_SLOTS_NEW ? share_of(t) : how;
}

static void take_task(struct cpu *cpu, struct task_struct *t)
{
	/* No handler is left by a switch, should an end not have been seen. */
	cpu->is.irqs = 0;
	if (!t->pid) {
		cpu->slot = &cpu->nobody;
		cpu->is.is_softirq = false;
		aim_at_idle(cpu);
		return;
	}
	aim_at_task(cpu, t, take_place(cpu, t));
	cpu->is.is_softirq = is_in_softirq(t);
	if (cpu->is.is_softirq)
		aim(cpu, TASKACCT_CPUTIME_SOFTIRQ);
}

static noinline void switch_any(struct task_struct *prev,
				struct task_struct *next)
{
	struct cpu *cpu = this_cpu_ptr(&cpus);

	if (!cpu->is.is_running)
		return;
	settle(cpu, begin_section(cpu->figures));
	put_task(cpu, prev);
	take_task(cpu, next);
	cpu->figures->at[SWITCHES]++;
	end_section(cpu->figures);
}

/*
 * What settle() and put_task() do where a task runs and nothing but that, and
 * not for seconds; false: nothing is done.
 */
static __always_inline bool put_plainly(struct figures *figures, u64 time)
{
	struct taskacct_slot *slot = __this_cpu_read(cpus.slot);
	const u64 delta = time - figures->at[SINCE];
	const u64 share = figures->at[SHARE];
	u64 part;

	/* Nor is it negative. */
	if (unlikely(delta > S32_MAX))
		return false;
	part = delta * share >> SHARE_BITS;
	figures->at[SINCE] = time;
	slot->ns += delta;
	slot->how = share;
	figures->at[figures->at[TARGET]] += part;
	figures->at[SYSTEM] += delta - part;
	return true;
}

/* What take_task() does for one that has its place; false: nothing is done. */
static __always_inline bool take_plainly(struct figures *figures,
					 struct task_struct *t)
{
	struct taskacct_slot *slot = taskacct_slots_first(t);
	u64 how;

	if (unlikely(slot->task != t || is_in_softirq(t)))
		return false;
	how = READ_ONCE(slot->how);
	/* It waits, or its share is not known. */
	if (unlikely(how > SHARE_ALL))
		return false;
	__this_cpu_write(cpus.slot, slot);
	figures->at[TARGET] = user_class(t);
	figures->at[SHARE] = how;
	return true;
}

/* Apart, so that what is done nearly always has no registers to save for it */
static noinline void put_slowly(u64 time)
{
	struct cpu *cpu = this_cpu_ptr(&cpus);

	settle(cpu, time);
	WRITE_ONCE(cpu->slot->how, cpu->figures->at[SHARE]);
}

static noinline void take_slowly(struct task_struct *t)
{
	take_task(this_cpu_ptr(&cpus), t);
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
	struct figures *figures = __this_cpu_read(cpus.figures);
	u64 time;

	if (unlikely(__this_cpu_read(cpus.is.all) != plain.all || prev->in_iowait)) {
		switch_any(prev, next);
		return;
	}
	time = begin_section(figures);
	if (unlikely(!put_plainly(figures, time)))
		put_slowly(time);
	if (unlikely(!take_plainly(figures, next)))
		take_slowly(next);
	figures->at[SWITCHES]++;
	end_section(figures);
}

/* Nobody is switched, but the time goes to something else from now on. */
static void turn(int irqs, bool is_softirq)
{
	struct cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&cpus);
	if (likely(cpu->is.is_running)) {
		settle(cpu, begin_section(cpu->figures));
		/* The first that is seen may be an end. */
		cpu->is.irqs = max(cpu->is.irqs + irqs, 0);
		cpu->is.is_softirq = is_softirq;
		aim_anew(cpu);
		if (irqs < 0)
			note_owed(cpu);
		end_section(cpu->figures);
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
	turn(1, this_cpu_read(cpus.is.is_softirq));
}

/**
 * taskacct_cputime_irq_exit() - a handler of an interrupt ends
 *
 * Context: interrupts off.
 */
void taskacct_cputime_irq_exit(void)
{
	turn(-1, this_cpu_read(cpus.is.is_softirq));
}

/**
 * taskacct_cputime_softirq_enter() - a handler of a softirq begins
 *
 * Context: any but that of an interrupt.
 */
void taskacct_cputime_softirq_enter(void)
{
	turn(0, true);
}

/**
 * taskacct_cputime_softirq_exit() - a handler of a softirq ends
 *
 * Context: any but that of an interrupt.
 */
void taskacct_cputime_softirq_exit(void)
{
	turn(0, false);
}

static void aim_share(u32 share)
{
	struct cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&cpus);
	if (likely(cpu->is.is_running)) {
		settle(cpu, begin_section(cpu->figures));
		if (cpu->is.is_task)
			cpu->figures->at[SHARE] = share;
		end_section(cpu->figures);
	}
	local_irq_restore(flags);
}

/**
 * taskacct_cputime_syscall_enter() - the running task has come into the kernel
 *
 * Context: the running task.
 */
void taskacct_cputime_syscall_enter(void)
{
	aim_share(0);
}

/**
 * taskacct_cputime_syscall_exit() - it goes back
 *
 * Context: the running task.
 */
void taskacct_cputime_syscall_exit(void)
{
	aim_share(SHARE_ALL);
}

/**
 * taskacct_cputime_free() - forget a task
 * @t: the task, which does not run any more
 *
 * Context: any; the task's memory is freed only after it returns.
 */
void taskacct_cputime_free(struct task_struct *t)
{
	struct taskacct_slot *slot;
	bool full;

	rcu_read_lock();
	slot = taskacct_slots_find(t, &full);
	if (slot)
		taskacct_slots_free(slot);
	rcu_read_unlock();
}

static void count(unsigned int figure)
{
	struct cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&cpus);
	taskacct_counters_start(&cpu->figures->words);
	cpu->figures->at[figure]++;
	taskacct_counters_stop(&cpu->figures->words);
	local_irq_restore(flags);
}

/**
 * taskacct_cputime_count_fork() - count a task that was made
 *
 * Context: any.
 */
void taskacct_cputime_count_fork(void)
{
	count(FORKS);
}

/**
 * taskacct_cputime_count_exec() - count a program that was started
 *
 * Context: any.
 */
void taskacct_cputime_count_exec(void)
{
	count(EXECS);
}

/**
 * taskacct_cputime_count_exit() - count a task that has ended
 *
 * Context: any.
 */
void taskacct_cputime_count_exit(void)
{
	count(EXITS);
}

/* The reader's loop of <linux/taskacct_counters.h>, with the barriers it names */
static u32 begin_read(const struct cpu *cpu)
{
	u32 updates;

	do {
		updates = READ_ONCE(cpu->figures->words.updates);
		/* Pairs with U1. */
		smp_rmb();
		cpu_relax();
	} while (READ_ONCE(cpu->figures->words.updating));
	/* Pairs with U2. */
	smp_rmb();
	return updates;
}

/* Returns the time, if nothing has changed by then; else 0 */
static u64 end_read(const struct cpu *cpu, u32 updates)
{
	const u64 time = ktime_get_ns();
	u32 updating;

	/* Pairs with U1, and with smp_mb() in begin_section(). */
	smp_mb();
	updating = READ_ONCE(cpu->figures->words.updating);
	/* Pairs with U2. */
	smp_rmb();
	if (updating || READ_ONCE(cpu->figures->words.updates) != updates)
		return 0;
	return time;
}

/* One try; returns whether it has to be done again */
static bool read_once(const struct cpu *cpu, u64 *ns)
{
	const u32 updates = begin_read(cpu);
	u64 figures[SWITCHES];
	struct more more;
	u64 time;

	memcpy(figures, cpu->figures->at, sizeof(figures));
	more = get_more(cpu);
	time = end_read(cpu, updates);
	if (!time)
		return true;
	memcpy(ns, figures, CLASSES * sizeof(*ns));
	/* Nothing passes on a CPU that is not accounted for. */
	if (figures[SINCE])
		spread(&more, figures[TARGET], figures[SHARE],
		       elapsed(figures[SINCE], time), ns);
	return false;
}

/**
 * taskacct_cputime_read() - where a CPU's time went
 * @cpu: the CPU, be it online or not
 * @ns: receives the time of each class, up to now
 *
 * Time is counted while the mode is not off and the CPU is online. It never
 * goes back.
 *
 * Context: task context.
 */
void taskacct_cputime_read(unsigned int cpu, u64 *ns)
{
	while (read_once(per_cpu_ptr(&cpus, cpu), ns))
		cpu_relax();
}

/**
 * taskacct_cputime_switches() - how often a CPU was switched
 * @cpu: the CPU
 *
 * Context: any.
 * Return: switches while the mode was not off.
 */
u64 taskacct_cputime_switches(unsigned int cpu)
{
	return READ_ONCE(per_cpu(cpus, cpu).figures->at[SWITCHES]);
}

static bool read_task_once(struct task_struct *t,
			   const struct taskacct_slot *slot, u64 *ns)
{
	const unsigned int n = task_cpu(t);
	const struct cpu *cpu = per_cpu_ptr(&cpus, n);
	const u32 updates = begin_read(cpu);
	u64 unused[CLASSES] = {};
	u64 figures[SWITCHES];
	bool is_here;
	struct more more;
	u64 time;

	*ns = READ_ONCE(slot->ns);
	is_here = cpu->is.is_running && cpu->is.is_task && cpu->slot == slot;
	memcpy(figures, cpu->figures->at, sizeof(figures));
	more = get_more(cpu);
	time = end_read(cpu, updates);
	if (!time || task_cpu(t) != n)
		return true;
	if (is_here)
		*ns += spread(&more, figures[TARGET], figures[SHARE],
			      elapsed(figures[SINCE], time), unused);
	return false;
}

static enum taskacct_cputime_known known_of(const struct task_struct *t)
{
	return t->start_boottime < READ_ONCE(began) ? TASKACCT_CPUTIME_SINCE :
						      TASKACCT_CPUTIME_EXACT;
}

/**
 * taskacct_cputime_task() - a task's time on CPUs
 * @t: the task, kept by the caller
 * @ns: receives it, without interrupts and stolen time; 0 if it is not known
 *
 * Context: task context.
 * Return: how much of its time that is.
 */
enum taskacct_cputime_known taskacct_cputime_task(struct task_struct *t,
						  u64 *ns)
{
	enum taskacct_cputime_known known = known_of(t);
	const struct taskacct_slot *slot;
	bool full;

	*ns = 0;
	rcu_read_lock();
	/* It gives its place back a grace period after this. */
	if (READ_ONCE(t->exit_state) == EXIT_DEAD)
		known = TASKACCT_CPUTIME_UNTRACKED;
	slot = taskacct_slots_find(t, &full);
	while (slot && read_task_once(t, slot, ns))
		cpu_relax();
	/* Off before the places go. Pairs with barriers in switch_off(). */
	smp_rmb();
	if (!taskacct_cputime_is_on())
		known = TASKACCT_CPUTIME_NOT;
	else if (full)
		known = TASKACCT_CPUTIME_UNTRACKED;
	rcu_read_unlock();
	if (known == TASKACCT_CPUTIME_NOT ||
	    known == TASKACCT_CPUTIME_UNTRACKED)
		*ns = 0;
	return known;
}

/* On the CPU that is meant: it was online already, or has just come. */
static int on_online(unsigned int n)
{
	struct cpu *cpu = per_cpu_ptr(&cpus, n);
	const u64 *theirs = kcpustat_cpu(n).cpustat;
	unsigned long flags;

	local_irq_save(flags);
	cpu->figures->at[SINCE] = begin_section(cpu->figures);
	cpu->base[0] = theirs[CPUTIME_STEAL] - cpu->figures->at[STEAL];
	cpu->base[1] = theirs[CPUTIME_GUEST] -
		       cpu->figures->at[TASKACCT_CPUTIME_GUEST];
	cpu->base[2] = theirs[CPUTIME_GUEST_NICE] -
		       cpu->figures->at[TASKACCT_CPUTIME_GUEST_NICE];
	take_task(cpu, current);
	note_owed(cpu);
	cpu->is.is_running = true;
	end_section(cpu->figures);
	local_irq_restore(flags);
	return 0;
}

/* On the CPU that is meant, which goes, or is no longer accounted for. */
static int on_offline(unsigned int n)
{
	struct cpu *cpu = per_cpu_ptr(&cpus, n);
	unsigned long flags;

	local_irq_save(flags);
	settle(cpu, begin_section(cpu->figures));
	put_task(cpu, current);
	cpu->slot = &cpu->nobody;
	/* Nothing passes: readers see that by SINCE. */
	cpu->figures->at[SINCE] = 0;
	cpu->is.is_running = false;
	end_section(cpu->figures);
	local_irq_restore(flags);
	return 0;
}

static int switch_on(void)
{
	unsigned int n;
	int err;

	lockdep_assert_held(&cputime_mutex);
	err = taskacct_slots_init();
	if (err)
		return err;
	for_each_possible_cpu(n)
		atomic_set(&per_cpu(cpus, n).waiting, 0);
	err = taskacct_hooks_attach_cpu();
	if (err)
		goto err_attach;
	WRITE_ONCE(began, U64_MAX);
	WRITE_ONCE(taskacct_cputime_on, true);
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "taskacct:online",
				on_online, on_offline);
	if (err < 0)
		goto err_setup;
	hotplug_state = err;
	WRITE_ONCE(began, ktime_get_boottime_ns());
	return 0;

err_setup:
	WRITE_ONCE(taskacct_cputime_on, false);
	taskacct_hooks_detach_cpu();
err_attach:
	taskacct_slots_exit();
	return err;
}

static void switch_off(void)
{
	lockdep_assert_held(&cputime_mutex);
	/* The places go later, behind full barriers: others may look. */
	WRITE_ONCE(taskacct_cputime_on, false);
	cpuhp_remove_state(hotplug_state);
	taskacct_hooks_detach_cpu();
	taskacct_slots_exit();
}

static void turn_here(void *unused)
{
	turn(0, this_cpu_read(cpus.is.is_softirq));
}

/*
 * From now on the split is another: first that of tasks that run, which leave
 * it when they are switched out, then what was left before.
 */
static void split_anew(void)
{
	lockdep_assert_held(&cputime_mutex);
	on_each_cpu(turn_here, NULL, 1);
	taskacct_slots_renew();
}

static int attach_syscalls(enum taskacct_cputime_mode to)
{
	if (to != TASKACCT_CPUTIME_FULL)
		return 0;
	return taskacct_hooks_attach_syscalls();
}

/* From one mode to another, or to the one that it was on failure */
static int change_mode(enum taskacct_cputime_mode to)
{
	const enum taskacct_cputime_mode from = mode;
	int err = 0;

	lockdep_assert_held(&cputime_mutex);
	if (to == from)
		return 0;
	if (from == TASKACCT_CPUTIME_FULL)
		taskacct_hooks_detach_syscalls();
	else
		err = attach_syscalls(to);
	if (err)
		return err;
	WRITE_ONCE(mode, to);
	if (from == TASKACCT_CPUTIME_OFF)
		err = switch_on();
	else if (to == TASKACCT_CPUTIME_OFF)
		switch_off();
	else
		split_anew();
	if (!err)
		return 0;
	WRITE_ONCE(mode, from);
	if (to == TASKACCT_CPUTIME_FULL)
		taskacct_hooks_detach_syscalls();
	return err;
}

/**
 * taskacct_cputime_set() - set the parameter cputime=
 * @word: "off", "switch" or "full"
 * @kp: the parameter
 *
 * Before taskacct_cputime_init() it is noted, after taskacct_cputime_exit() it
 * is refused: the file is there for longer than what is behind it.
 *
 * Context: task context, may sleep.
 * Return: 0, -EINVAL for another word, -ENODEV, or why it could not be attached.
 */
int taskacct_cputime_set(const char *word, const struct kernel_param *kp)
{
	const int to = sysfs_match_string(words, word);
	int err;

	if (to < 0)
		return to;
	mutex_lock(&cputime_mutex);
	err = is_gone ? -ENODEV : 0;
	wanted = to;
	if (is_ready)
		err = change_mode(to);
	mutex_unlock(&cputime_mutex);
	return err;
}

/**
 * taskacct_cputime_mode() - the mode in force
 *
 * Context: any.
 * Return: as a word.
 */
const char *taskacct_cputime_mode(void)
{
	return words[READ_ONCE(mode)];
}

/**
 * taskacct_cputime_get() - read the parameter cputime=
 * @buffer: receives the mode in force
 * @kp: the parameter
 *
 * Context: any.
 * Return: bytes written.
 */
int taskacct_cputime_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", taskacct_cputime_mode());
}

/* Published by CPU; their order is that of the figures. */
static const struct taskacct_counters_own own[FIGURES] = {
	[USER] = { "cpu.user", "ns" },
	[NICE] = { "cpu.nice", "ns" },
	[SYSTEM] = { "cpu.system", "ns" },
	[TASKACCT_CPUTIME_IDLE] = { "cpu.idle", "ns" },
	[TASKACCT_CPUTIME_IOWAIT] = { "cpu.iowait", "ns" },
	[TASKACCT_CPUTIME_IRQ] = { "cpu.irq", "ns" },
	[TASKACCT_CPUTIME_SOFTIRQ] = { "cpu.softirq", "ns" },
	[STEAL] = { "cpu.steal", "ns" },
	[TASKACCT_CPUTIME_GUEST] = { "cpu.guest", "ns" },
	[TASKACCT_CPUTIME_GUEST_NICE] = { "cpu.guest_nice", "ns" },
	[SINCE] = { "cpu.since", "ns", TASKACCT_COUNTER_GAUGE },
	[TARGET] = { "cpu.class", "number", TASKACCT_COUNTER_GAUGE },
	[SHARE] = { "cpu.share", "65536ths", TASKACCT_COUNTER_GAUGE },
	[OWED] = { "cpu.owed", "ns", TASKACCT_COUNTER_GAUGE },
	[SWITCHES] = { "cpu.switches", "count" },
	[FORKS] = { "tasks.forks", "count" },
	[EXECS] = { "tasks.execs", "count" },
	[EXITS] = { "tasks.exits", "count" },
};

/**
 * taskacct_cputime_publish() - have a place for the figures
 *
 * Context: while the module is loaded, before any other counter is added.
 * Return: 0 or a negative errno.
 */
int taskacct_cputime_publish(void)
{
	const int instance = taskacct_counters_add_own(own, FIGURES);
	struct figures *figures;
	struct cpu *cpu;
	unsigned int n;

	BUILD_BUG_ON(offsetof(struct figures, at) != TASKACCT_COUNTERS_VALUES);
	/* The first number, as struct figures has it; else who called us? */
	if (WARN_ON(instance > 0))
		return -EBUSY;
	if (instance < 0)
		return instance;
	for_each_possible_cpu(n) {
		cpu = per_cpu_ptr(&cpus, n);
		figures = taskacct_counters_start_of(n);
		cpu->figures = figures ? figures : &cpu->unpublished;
		cpu->slot = &cpu->nobody;
	}
	return 0;
}

/**
 * taskacct_cputime_init() - set the mode that the parameter wants
 *
 * Context: while the module is loaded, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_cputime_init(void)
{
	int err;

	mutex_lock(&cputime_mutex);
	err = change_mode(wanted);
	is_ready = !err;
	mutex_unlock(&cputime_mutex);
	return err;
}

/**
 * taskacct_cputime_exit() - switch it off for good
 *
 * Context: task context, may sleep.
 */
void taskacct_cputime_exit(void)
{
	mutex_lock(&cputime_mutex);
	change_mode(TASKACCT_CPUTIME_OFF);
	is_ready = false;
	is_gone = true;
	mutex_unlock(&cputime_mutex);
}
