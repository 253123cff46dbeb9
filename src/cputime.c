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
 * readers on other CPUs look at. The clock is read inside that section: whoever
 * has read the clock later than that sees that the section has begun.
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
#include <linux/seqlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <asm/syscall.h>

#include "counters.h"
#include "cputime.h"
#include "hooks.h"
#include "slots.h"

/* Shares of user mode are in units of one in 1 << SHARE_BITS. */
#define SHARE_BITS	16
#define SHARE_ALL	(1U << SHARE_BITS)

#define USER		TASKACCT_CPUTIME_USER
#define NICE		TASKACCT_CPUTIME_NICE
#define SYSTEM		TASKACCT_CPUTIME_SYSTEM
#define STEAL		TASKACCT_CPUTIME_STEAL
#define CLASSES		TASKACCT_CPUTIME_CLASSES

/* Of each CPU's figures, behind the classes; see own below */
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
 * struct interval - what the time goes to that passes now
 * @since: when it began, by CLOCK_MONOTONIC
 * @target: class; with USER and NICE a part may go to SYSTEM
 * @is_task: it is time of the running task
 * @share: how much of it goes to @target, in units of one in SHARE_ALL; all of
 *	it where @target is not USER or NICE
 * @owed: stolen time, by the kernel's figures, that has not been accounted for:
 *	what passes goes there first
 * @guest: the same of guests; goes there besides, with @target USER
 * @guest_nice: the same, with @target NICE
 */
struct interval {
	u64 since;
	u8 target;
	bool is_task;
	u32 share;
	u64 owed;
	u64 guest;
	u64 guest_nice;
};

/**
 * struct cpu - time of a CPU
 * @seq: changes with everything below but @waiting
 * @is_running: it is accounted for: the mode is not off, the CPU is online
 * @is_softirq: a handler of a softirq runs
 * @irqs: handlers of interrupts that run, one inside the other
 * @now: the interval
 * @figures: time by class in ns, and what else is published; on the page that
 *	is mapped, or @unpublished
 * @base: the kernel's STEAL, GUEST and GUEST_NICE when it was begun, less
 *	those of @figures
 * @task: who runs
 * @stint: its time since it was switched in, settled, that is not in @slot
 * @slot: its place, or NULL
 * @waiting: tasks that slept here last and wait for I/O; others write it too
 * @unpublished: where there are no counters
 */
struct cpu {
	seqcount_t seq;
	bool is_running;
	bool is_softirq;
	u8 irqs;
	struct interval now;
	u64 *figures;
	u64 base[3];
	const struct task_struct *task;
	u64 stint;
	struct taskacct_slot *slot;
	atomic_t waiting;
	u64 unpublished[FIGURES];
};

static DEFINE_PER_CPU(struct cpu, cpus);

/* Protects the mode, attaching and detaching. Outermost, outside hotplug's. */
static DEFINE_MUTEX(cputime_mutex);
static enum taskacct_cputime_mode mode = TASKACCT_CPUTIME_OFF;
/* What the parameter said before there was a module to set it in */
static enum taskacct_cputime_mode wanted;
static bool is_ready;
static bool is_gone;
static int hotplug_state;
/* When it was switched on, by CLOCK_BOOTTIME */
static u64 began;

static const char * const words[] = {
	[TASKACCT_CPUTIME_OFF] = "off",
	[TASKACCT_CPUTIME_SWITCH] = "switch",
	[TASKACCT_CPUTIME_FULL] = "full",
};

/*
 * Adds time to @ns, an array by class. Returns the part that was neither stolen
 * nor more than the interval has.
 */
static u64 spread(const struct interval *now, u64 delta, u64 *ns)
{
	const u64 stolen = min(now->owed, delta);
	u64 part;

	ns[STEAL] += stolen;
	delta -= stolen;
	if (now->target > NICE) {
		ns[now->target] += delta;
		return delta;
	}
	part = mul_u64_u32_shr(delta, now->share, SHARE_BITS);
	ns[now->target] += part;
	ns[SYSTEM] += delta - part;
	if (unlikely(now->guest && now->target == USER))
		ns[TASKACCT_CPUTIME_GUEST] += min(now->guest, part);
	if (unlikely(now->guest_nice && now->target == NICE))
		ns[TASKACCT_CPUTIME_GUEST_NICE] += min(now->guest_nice, part);
	return delta;
}

/* Can be behind by what the CPU that set @since was ahead. */
static u64 elapsed(const struct interval *now, u64 time)
{
	return (s64)(time - now->since) > 0 ? time - now->since : 0;
}

static void settle(struct cpu *cpu, u64 time)
{
	u64 delta = elapsed(&cpu->now, time);

	delta = spread(&cpu->now, delta, cpu->figures);
	if (cpu->now.is_task)
		cpu->stint += delta;
	cpu->now.since = max(cpu->now.since, time);
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

static void aim_at_task(struct cpu *cpu, struct task_struct *t)
{
	struct interval *now = &cpu->now;

	now->is_task = t->pid;
	if (!t->pid) {
		now->target = atomic_read(&cpu->waiting) > 0 ?
				      TASKACCT_CPUTIME_IOWAIT :
				      TASKACCT_CPUTIME_IDLE;
		return;
	}
	now->target = task_nice(t) > 0 ? NICE : USER;
	now->share = share_of(t);
}

/* The kernel's figure less what we have of it; it may go back when a CPU goes. */
static u64 owed(const struct cpu *cpu, unsigned int i, u64 theirs,
		enum taskacct_cputime_class class)
{
	const s64 more = theirs - cpu->base[i] - cpu->figures[class];

	return more > 0 ? more : 0;
}

static void note_owed(struct cpu *cpu)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;

	cpu->now.owed = owed(cpu, 0, theirs[CPUTIME_STEAL], STEAL);
	cpu->now.guest = owed(cpu, 1, theirs[CPUTIME_GUEST],
			      TASKACCT_CPUTIME_GUEST);
	cpu->now.guest_nice = owed(cpu, 2, theirs[CPUTIME_GUEST_NICE],
				   TASKACCT_CPUTIME_GUEST_NICE);
}

/* A new interval, at a time that settle() has been given */
static void aim(struct cpu *cpu, struct task_struct *t)
{
	if (cpu->irqs || cpu->is_softirq) {
		cpu->now.is_task = false;
		cpu->now.target = cpu->irqs ? TASKACCT_CPUTIME_IRQ :
					      TASKACCT_CPUTIME_SOFTIRQ;
	} else {
		aim_at_task(cpu, t);
	}
	note_owed(cpu);
}

static void publish(struct cpu *cpu)
{
	cpu->figures[SINCE] = cpu->now.since;
	cpu->figures[TARGET] = cpu->now.target;
	cpu->figures[SHARE] = cpu->now.share;
	cpu->figures[OWED] = cpu->now.owed;
}

/*
 * Returns the time. Pairs with smp_mb() in read_pending(): who does not see the
 * section has read the clock before us.
 */
static u64 begin_section(struct cpu *cpu)
{
	taskacct_counters_start();
	raw_write_seqcount_begin(&cpu->seq);
	smp_mb();
	return ktime_get_ns();
}

static void end_section(struct cpu *cpu)
{
	publish(cpu);
	raw_write_seqcount_end(&cpu->seq);
	taskacct_counters_stop();
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
 * its end, wherever that is.
 */
static void begin_wait(struct cpu *cpu, const struct task_struct *t)
{
	if (likely(!t->in_iowait) || !cpu->slot)
		return;
	cpu->slot->waits_on = smp_processor_id() + 1;
	atomic_inc(&cpu->waiting);
}

static void end_wait(struct taskacct_slot *slot)
{
	if (!slot->waits_on)
		return;
	atomic_dec(&per_cpu(cpus, slot->waits_on - 1).waiting);
	slot->waits_on = 0;
}

static void put_task(struct cpu *cpu, const struct task_struct *t)
{
	begin_wait(cpu, t);
	if (cpu->slot)
		WRITE_ONCE(cpu->slot->ns, cpu->slot->ns + cpu->stint);
	cpu->stint = 0;
}

static void take_task(struct cpu *cpu, struct task_struct *t)
{
	cpu->task = t;
	cpu->slot = t->pid ? taskacct_slots_claim(t) : NULL;
	if (cpu->slot)
		end_wait(cpu->slot);
	cpu->is_softirq = is_in_softirq(t);
}

/**
 * taskacct_cputime_switch() - a CPU goes from one task to another
 * @prev: who ran
 * @next: who is going to run
 *
 * Context: the hook on context switches, interrupts off, under the lock of a
 *	run queue.
 */
void taskacct_cputime_switch(struct task_struct *prev, struct task_struct *next)
{
	struct cpu *cpu = this_cpu_ptr(&cpus);

	if (unlikely(!cpu->is_running))
		return;
	settle(cpu, begin_section(cpu));
	put_task(cpu, prev);
	take_task(cpu, next);
	aim(cpu, next);
	cpu->figures[SWITCHES]++;
	end_section(cpu);
}

/* Nobody is switched, but the time goes to something else from now on. */
static void turn(int irqs, bool is_softirq)
{
	struct cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&cpus);
	if (likely(cpu->is_running)) {
		settle(cpu, begin_section(cpu));
		/* The first that is seen may be an end. */
		cpu->irqs = max(cpu->irqs + irqs, 0);
		cpu->is_softirq = is_softirq;
		aim(cpu, current);
		end_section(cpu);
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
	turn(1, this_cpu_read(cpus.is_softirq));
}

/**
 * taskacct_cputime_irq_exit() - a handler of an interrupt ends
 *
 * Context: interrupts off.
 */
void taskacct_cputime_irq_exit(void)
{
	turn(-1, this_cpu_read(cpus.is_softirq));
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
	if (likely(cpu->is_running)) {
		settle(cpu, begin_section(cpu));
		cpu->now.share = share;
		note_owed(cpu);
		end_section(cpu);
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

	rcu_read_lock();
	slot = taskacct_slots_find(t, NULL);
	if (slot)
		taskacct_slots_free(slot);
	rcu_read_unlock();
}

static void count(unsigned int figure)
{
	unsigned long flags;

	local_irq_save(flags);
	taskacct_counters_start();
	this_cpu_ptr(&cpus)->figures[figure]++;
	taskacct_counters_stop();
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

/* One try; returns whether it has to be done again */
static bool read_once(struct cpu *cpu, u64 *ns)
{
	unsigned int seq = raw_read_seqcount(&cpu->seq);
	struct interval now;
	bool is_running;
	u64 time;

	if (seq & 1)
		return true;
	memcpy(ns, cpu->figures, CLASSES * sizeof(*ns));
	now = cpu->now;
	is_running = cpu->is_running;
	time = ktime_get_ns();
	/* Pairs with smp_mb() in begin_section(). */
	smp_mb();
	if (read_seqcount_retry(&cpu->seq, seq))
		return true;
	if (is_running)
		spread(&now, elapsed(&now, time), ns);
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
 * Context: any but NMI.
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
	return READ_ONCE(per_cpu(cpus, cpu).figures[SWITCHES]);
}

static bool read_task_once(struct task_struct *t,
			   const struct taskacct_slot *slot, u64 *ns)
{
	const unsigned int n = task_cpu(t);
	struct cpu *cpu = per_cpu_ptr(&cpus, n);
	unsigned int seq = raw_read_seqcount(&cpu->seq);
	u64 unused[CLASSES] = {};
	struct interval now;
	bool is_here;
	u64 time;

	if (seq & 1)
		return true;
	*ns = READ_ONCE(slot->ns);
	is_here = cpu->is_running && cpu->task == t;
	if (is_here)
		*ns += cpu->stint;
	now = cpu->now;
	time = ktime_get_ns();
	/* Pairs with smp_mb() in begin_section(). */
	smp_mb();
	if (read_seqcount_retry(&cpu->seq, seq) || task_cpu(t) != n)
		return true;
	if (is_here && now.is_task)
		*ns += spread(&now, elapsed(&now, time), unused);
	return false;
}

/**
 * taskacct_cputime_task() - a task's time on CPUs
 * @t: the task, kept by the caller
 * @ns: receives it, without interrupts and stolen time
 *
 * Context: any but NMI.
 * Return: how much of its time that is.
 */
enum taskacct_cputime_known taskacct_cputime_task(struct task_struct *t,
						  u64 *ns)
{
	const struct taskacct_slot *slot;
	bool full;

	*ns = 0;
	if (READ_ONCE(mode) == TASKACCT_CPUTIME_OFF)
		return TASKACCT_CPUTIME_UNCOUNTED;
	rcu_read_lock();
	slot = taskacct_slots_find(t, &full);
	while (slot && read_task_once(t, slot, ns))
		cpu_relax();
	rcu_read_unlock();
	if (full)
		return TASKACCT_CPUTIME_UNTRACKED;
	return t->start_boottime < READ_ONCE(began) ? TASKACCT_CPUTIME_SINCE :
						      TASKACCT_CPUTIME_EXACT;
}

/* On the CPU that is meant: it was online already, or has just come. */
static int on_online(unsigned int n)
{
	struct cpu *cpu = per_cpu_ptr(&cpus, n);
	const u64 *theirs = kcpustat_cpu(n).cpustat;
	unsigned long flags;

	local_irq_save(flags);
	cpu->now.since = begin_section(cpu);
	cpu->base[0] = theirs[CPUTIME_STEAL] - cpu->figures[STEAL];
	cpu->base[1] = theirs[CPUTIME_GUEST] -
		       cpu->figures[TASKACCT_CPUTIME_GUEST];
	cpu->base[2] = theirs[CPUTIME_GUEST_NICE] -
		       cpu->figures[TASKACCT_CPUTIME_GUEST_NICE];
	cpu->irqs = 0;
	cpu->stint = 0;
	take_task(cpu, current);
	aim(cpu, current);
	cpu->is_running = true;
	end_section(cpu);
	local_irq_restore(flags);
	return 0;
}

/* On the CPU that is meant, which goes, or is no longer accounted for. */
static int on_offline(unsigned int n)
{
	struct cpu *cpu = per_cpu_ptr(&cpus, n);
	unsigned long flags;

	local_irq_save(flags);
	settle(cpu, begin_section(cpu));
	put_task(cpu, current);
	cpu->task = NULL;
	cpu->slot = NULL;
	/* Nothing passes: readers who add it themselves see that by SINCE. */
	cpu->now.since = 0;
	cpu->is_running = false;
	end_section(cpu);
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
	WRITE_ONCE(began, ktime_get_boottime_ns());
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "taskacct:online",
				on_online, on_offline);
	if (err < 0)
		goto err_setup;
	hotplug_state = err;
	return 0;

err_setup:
	taskacct_hooks_detach_cpu();
err_attach:
	taskacct_slots_exit();
	return err;
}

static void switch_off(void)
{
	lockdep_assert_held(&cputime_mutex);
	cpuhp_remove_state(hotplug_state);
	taskacct_hooks_detach_cpu();
	taskacct_slots_exit();
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
 * taskacct_cputime_init() - set the mode that the parameter wants
 *
 * Context: while the module is loaded, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_cputime_init(void)
{
	const int instance = taskacct_counters_add_own(own, FIGURES);
	unsigned int n;
	int err;

	if (instance < 0)
		return instance;
	for_each_possible_cpu(n) {
		struct cpu *cpu = per_cpu_ptr(&cpus, n);

		seqcount_init(&cpu->seq);
		cpu->figures = taskacct_counters_values(n, instance);
		if (!cpu->figures)
			cpu->figures = cpu->unpublished;
	}
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
