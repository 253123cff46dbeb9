// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU and class, and per task: the mode and its hooks, and what is
 * published
 */

#include <linux/atomic.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include "counters/counters.h"

#include "cpu.h"
#include "cputime.h"
#include "slots.h"

/* Protects the mode, attaching and detaching. Outermost, outside hotplug's. */
static DEFINE_MUTEX(cputime_mutex);
/* What the parameter said before there was a module to set it in */
static enum taskacct_cputime_mode wanted;
static bool is_ready;
static bool is_gone;
static int hotplug_state;
static const struct taskacct_cputime_hooks *hooks;

static const char *const words[] = {
	[TASKACCT_CPUTIME_OFF] = "off",
	[TASKACCT_CPUTIME_SWITCH] = "switch",
	[TASKACCT_CPUTIME_FULL] = "full",
};

/**
 * taskacct_cputime_free() - forget a task
 * @t: the task, which does not run any more
 *
 * Context: any; the task's memory is freed only after it returns.
 */
void taskacct_cputime_free(struct task_struct *t)
{
	struct taskacct_slot *slot;
	bool missed;

	rcu_read_lock();
	slot = taskacct_slots_find(t, &missed);
	if (slot)
		taskacct_slots_free(slot);
	rcu_read_unlock();
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
		atomic_set(&per_cpu(taskacct_cpus, n).waiting, 0);
	err = hooks->attach(&taskacct_cputime_sees_user_mode);
	if (err)
		goto err_attach;
	WRITE_ONCE(taskacct_cputime_began, U64_MAX);
	WRITE_ONCE(taskacct_cputime_on, true);
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "taskacct:online",
				taskacct_cputime_online,
				taskacct_cputime_offline);
	if (err < 0)
		goto err_setup;
	hotplug_state = err;
	WRITE_ONCE(taskacct_cputime_began, ktime_get_boottime_ns());
	return 0;

err_setup:
	WRITE_ONCE(taskacct_cputime_on, false);
	hooks->detach();
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
	hooks->detach();
	taskacct_slots_exit();
}

/*
 * From now on the split is another: first that of tasks that run, which leave
 * it when they are switched out, then what was left before.
 */
static void split_anew(void)
{
	lockdep_assert_held(&cputime_mutex);
	on_each_cpu(taskacct_cputime_turn_here, NULL, 1);
	taskacct_slots_renew();
}

static int attach_syscalls(enum taskacct_cputime_mode to)
{
	if (to != TASKACCT_CPUTIME_FULL)
		return 0;
	return hooks->attach_calls();
}

/* From one mode to another, or to the one that it was on failure */
static int change_mode(enum taskacct_cputime_mode to)
{
	const enum taskacct_cputime_mode from = taskacct_cputime_in_force;
	int err = 0;

	lockdep_assert_held(&cputime_mutex);
	if (to == from)
		return 0;
	if (from == TASKACCT_CPUTIME_FULL)
		hooks->detach_calls();
	else
		err = attach_syscalls(to);
	if (err)
		return err;
	WRITE_ONCE(taskacct_cputime_in_force, to);
	if (from == TASKACCT_CPUTIME_OFF)
		err = switch_on();
	else if (to == TASKACCT_CPUTIME_OFF)
		switch_off();
	else
		split_anew();
	if (!err)
		return 0;
	WRITE_ONCE(taskacct_cputime_in_force, from);
	if (to == TASKACCT_CPUTIME_FULL)
		hooks->detach_calls();
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
 * taskacct_cputime_mode_name() - the mode in force
 *
 * Context: any.
 * Return: as a word.
 */
const char *taskacct_cputime_mode_name(void)
{
	return words[READ_ONCE(taskacct_cputime_in_force)];
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
	return sysfs_emit(buffer, "%s\n", taskacct_cputime_mode_name());
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
	struct taskacct_figures *figures;
	struct taskacct_cpu *cpu;
	unsigned int n;

	BUILD_BUG_ON(offsetof(struct taskacct_figures, at) !=
		     TASKACCT_COUNTERS_VALUES);
	/* The first number, as their struct has it; else who called us? */
	if (WARN_ON(instance > 0))
		return -EBUSY;
	if (instance < 0)
		return instance;
	for_each_possible_cpu(n) {
		cpu = per_cpu_ptr(&taskacct_cpus, n);
		figures = taskacct_counters_start_of(n);
		cpu->figures = figures ? figures : &cpu->unpublished;
		cpu->slot = &cpu->nobody;
	}
	return 0;
}

/**
 * taskacct_cputime_init() - set the mode that the parameter wants
 * @with: what tells of what CPUs do
 *
 * Context: while the module is loaded, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_cputime_init(const struct taskacct_cputime_hooks *with)
{
	int err;

	mutex_lock(&cputime_mutex);
	hooks = with;
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
