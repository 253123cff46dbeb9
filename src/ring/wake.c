// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers that sleep
 *
 * A reader sleeps until all CPUs together have written so many exits. No exit adds that up:
 * each CPU is given a share of what is missing, and before all of it is there one of them
 * has written its share at least (pigeonhole). That CPU queues an irq_work, which adds up,
 * and wakes the readers or shares out anew what is missing still.
 */

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "memory.h"
#include "wake.h"

DEFINE_PER_CPU(struct taskacct_ring_wake, taskacct_ring_wake);
DECLARE_WAIT_QUEUE_HEAD(taskacct_ring_sleepers);

/* Protects target, and all taskacct_ring_wake but the work; taken in interrupts, too */
static DEFINE_SPINLOCK(lock);

/* How many exits the first of the readers that sleep waits for; U64_MAX: none does */
static u64 target = U64_MAX;

static int online_state;

static u64 made_by_all(const struct taskacct_ring_memory *memory)
{
	unsigned int cpu;
	u64 made = 0;

	for_each_possible_cpu(cpu)
		made += taskacct_ring_made_on(memory, cpu);
	return made;
}

/* Returns false if a CPU may have written its share without having seen it. */
static bool share_out(const struct taskacct_ring_memory *memory)
{
	struct taskacct_ring_wake *wake;
	u64 made = 0, share;
	unsigned int cpu;

	lockdep_assert_held(&lock);
	for_each_possible_cpu(cpu) {
		wake = per_cpu_ptr(&taskacct_ring_wake, cpu);
		wake->since = taskacct_ring_made_on(memory, cpu);
		made += wake->since;
	}
	if (made >= target)
		return true;
	share = div_u64(target - made - 1, num_online_cpus()) + 1;
	for_each_possible_cpu(cpu) {
		wake = per_cpu_ptr(&taskacct_ring_wake, cpu);
		WRITE_ONCE(wake->at, wake->since + share);
	}
	smp_mb(); /* made-before-at, with taskacct_ring_wake_look() */
	for_each_possible_cpu(cpu) {
		wake = per_cpu_ptr(&taskacct_ring_wake, cpu);
		if (taskacct_ring_made_on(memory, cpu) >= wake->at)
			return false;
	}
	return true;
}

/* Returns whether there are as many exits as are waited for; then nobody waits any more. */
static bool look(const struct taskacct_ring_memory *memory)
{
	unsigned int cpu;

	lockdep_assert_held(&lock);
	while (!share_out(memory))
		;
	if (made_by_all(memory) < target)
		return false;
	target = U64_MAX;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(taskacct_ring_wake, cpu).at, U64_MAX);
	return true;
}

static void look_and_wake(void)
{
	const struct taskacct_ring_memory *memory;
	unsigned long flags;
	bool reached;

	rcu_read_lock();
	memory = rcu_dereference(taskacct_ring_memory);
	spin_lock_irqsave(&lock, flags);
	reached = target != U64_MAX && (!memory || look(memory));
	spin_unlock_irqrestore(&lock, flags);
	rcu_read_unlock();
	if (reached)
		wake_up_all(&taskacct_ring_sleepers);
}

static void on_work(struct irq_work *work)
{
	look_and_wake();
}

/* Shares were made without this CPU. */
static int on_online(unsigned int cpu)
{
	look_and_wake();
	return 0;
}

/**
 * taskacct_ring_wake_made() - how many exits were written
 *
 * Context: the device is open.
 * Return: the sum over all CPUs.
 */
u64 taskacct_ring_wake_made(void)
{
	u64 made;

	rcu_read_lock();
	made = made_by_all(rcu_dereference(taskacct_ring_memory));
	rcu_read_unlock();
	return made;
}

static bool is_reached(const struct taskacct_ring_memory *memory, u64 at, bool *others)
{
	unsigned long flags;
	bool reached;

	spin_lock_irqsave(&lock, flags);
	reached = made_by_all(memory) >= at;
	if (!reached) {
		target = min(target, at);
		*others = look(memory);
	}
	spin_unlock_irqrestore(&lock, flags);
	return reached;
}

/**
 * taskacct_ring_wake_when() - ask for a wake-up
 * @at: how many exits are to have been written
 *
 * Context: task context; the device is open, and the caller is among the sleepers.
 * Return: true: there are so many; false: taskacct_ring_sleepers will be woken up when
 *	there are, or before.
 */
bool taskacct_ring_wake_when(u64 at)
{
	bool reached, others;

	do {
		others = false;
		rcu_read_lock();
		reached = is_reached(rcu_dereference(taskacct_ring_memory), at, &others);
		rcu_read_unlock();
		if (others)
			wake_up_all(&taskacct_ring_sleepers);
	} while (!reached && others);
	return reached;
}

/**
 * taskacct_ring_wake_init() - get ready for readers that sleep
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_ring_wake_init(void)
{
	struct taskacct_ring_wake *wake;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		wake = per_cpu_ptr(&taskacct_ring_wake, cpu);
		wake->at = U64_MAX;
		init_irq_work(&wake->work, on_work);
	}
	online_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "taskacct/ring:online",
						 on_online, NULL);
	return min(online_state, 0);
}

/**
 * taskacct_ring_wake_exit() - wait for what still looks for readers that sleep
 *
 * Context: task context, may sleep; nobody has the device open.
 */
void taskacct_ring_wake_exit(void)
{
	unsigned int cpu;

	cpuhp_remove_state_nocalls(online_state);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(taskacct_ring_wake, cpu).work);
}
