// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that are seen where nothing may sleep, on PREEMPT_RT
 *
 * What is left to do is made task work: the exiting task does it itself, a
 * little later in do_exit() and with preemption on, after its address space
 * and its files are gone and before it is released.
 */

#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>

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

static atomic_t nr_deferred;
static DECLARE_WAIT_QUEUE_HEAD(none_deferred);

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
	if (atomic_dec_and_test(&nr_deferred))
		wake_up_all(&none_deferred);
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
	atomic_inc(&nr_deferred);
	if (!task_work_add(current, &slot->work, TWA_NONE))
		return true;
	atomic_dec(&nr_deferred);
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

/**
 * taskacct_defer_exit() - wait for all exits that were put off
 *
 * Context: task context, may sleep; no hook is running or will run.
 */
void taskacct_defer_exit(void)
{
	wait_event(none_deferred, !atomic_read(&nr_deferred));
	/* The last ones may be on their way out of do_deferred(). */
	synchronize_rcu_tasks();
	kvfree(slots);
}
