// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that are seen where nothing may sleep, on PREEMPT_RT
 *
 * What is left to do is made task work: the exiting task does it itself, a
 * little later in do_exit() and with preemption on, after its address space
 * and its files are gone and before it is released.
 */

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

#include "defer.h"

/* Tasks that can be between the hook and their task work at one time */
#define SLOTS	4096

/**
 * struct slot - the exit of one task
 * @work: for task_work_add()
 * @account: to be called
 * @next: the next free slot
 */
struct slot {
	struct callback_head work;
	void (*account)(void);
	struct slot *next;
};

static struct slot *slots;
static struct slot *first_free;
static DEFINE_RAW_SPINLOCK(free_lock); /* protects the chain from first_free */

/* Each ends where it is then, which may be another CPU: only the sum counts. */
DEFINE_PER_CPU(long, taskacct_defer_under_way);

static struct slot *get_slot(void)
{
	unsigned long flags;
	struct slot *slot;

	raw_spin_lock_irqsave(&free_lock, flags);
	slot = first_free;
	if (slot)
		first_free = slot->next;
	raw_spin_unlock_irqrestore(&free_lock, flags);
	return slot;
}

static void put_slot(struct slot *slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&free_lock, flags);
	slot->next = first_free;
	first_free = slot;
	raw_spin_unlock_irqrestore(&free_lock, flags);
}

static void do_deferred(struct callback_head *work)
{
	struct slot *slot = container_of(work, struct slot, work);

	slot->account();
	put_slot(slot);
	taskacct_defer_end();
}

/**
 * taskacct_defer() - account for the running task's exit a little later
 * @account: to be called then
 *
 * Context: the exit hook, where taskacct_defer_needed().
 * Return: true, or false if too many exits are put off already, or it is too late
 *	to put off this one.
 */
bool taskacct_defer(void (*account)(void))
{
	struct slot *slot = get_slot();

	if (!slot)
		return false;
	slot->account = account;
	init_task_work(&slot->work, do_deferred);
	taskacct_defer_begin();
	if (!task_work_add(current, &slot->work, TWA_NONE))
		return true;
	taskacct_defer_end();
	put_slot(slot);
	return false;
}

/**
 * taskacct_defer_init() - make room for exits that are put off
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_defer_init(void)
{
	unsigned int i;

	slots = kvcalloc(SLOTS, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < SLOTS; i++)
		put_slot(&slots[i]);
	return 0;
}

static bool any_under_way(void)
{
	unsigned int cpu;
	long n = 0;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(per_cpu(taskacct_defer_under_way, cpu));
	return n;
}

/**
 * taskacct_defer_drain() - wait for all exits that are under way
 *
 * A task that blocks in a handler is no matter to synchronize_rcu_tasks(), by which
 * ftrace finds out that nobody needs its code any more: it is asleep. So the hook is
 * taken away from handlers that do not block. The first grace period ends when all
 * who came before handlers began to return at once are counted, or out. From then on
 * the count only falls.
 *
 * Context: task context, may sleep; handlers return at once.
 */
void taskacct_defer_drain(void)
{
	synchronize_rcu_tasks();
	while (any_under_way())
		schedule_timeout_uninterruptible(1);
}

/**
 * taskacct_defer_exit() - let go of the room for exits that are put off
 *
 * Context: task context, may sleep; after taskacct_defer_drain(), or no hook was
 *	attached.
 */
void taskacct_defer_exit(void)
{
	/* The last ones may be on their way out of do_deferred(). */
	synchronize_rcu_tasks();
	kvfree(slots);
}
