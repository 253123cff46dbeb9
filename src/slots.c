// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of tasks that run, in places that are never allocated
 *
 * A task is switched in and out under the lock of a run queue, where no memory
 * can be had. So there is a table of a fixed size, made when accounting is
 * switched on. A task's place is one of a few, by the hash of its address; it
 * takes the first free one when it is switched in for the first time, and gives
 * it back when it is freed. One that finds none free is not tracked.
 *
 * There is no lock: only the CPU that runs a task claims a place for it, and a
 * task that is freed does not run.
 */

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "slots.h"

/* Where one task may be */
#define WAYS		8
/* One place for so many pages of memory */
#define PAGES_PER_SLOT	32
#define SLOTS_MIN	8192
#define SLOTS_MAX	(1 << 20)

/**
 * struct table - the places
 * @bits: there are WAYS << bits of them
 * @slots: the places, those of one hash side by side
 */
struct table {
	unsigned int bits;
	struct taskacct_slot slots[];
};

/* NULL: accounting is off. */
static struct table __rcu *table;

static struct taskacct_slot *first_of(struct table *t,
				      const struct task_struct *task)
{
	return &t->slots[hash_ptr(task, t->bits) * WAYS];
}

/**
 * taskacct_slots_find() - find what is kept of a task
 * @task: the task
 * @full: set to whether it could have no place; may be NULL
 *
 * Context: under rcu_read_lock(), or preemption off.
 * Return: the place, or NULL.
 */
struct taskacct_slot *taskacct_slots_find(const struct task_struct *task,
					  bool *full)
{
	struct table *t = rcu_dereference_check(table, !preemptible());
	struct taskacct_slot *slot;
	struct task_struct *other;
	bool any_free = false;
	unsigned int i;

	if (full)
		*full = false;
	if (!t)
		return NULL;
	slot = first_of(t, task);
	for (i = 0; i < WAYS; i++, slot++) {
		other = READ_ONCE(slot->task);
		if (other == task)
			return slot;
		any_free |= !other;
	}
	if (full)
		*full = !any_free;
	return NULL;
}

/**
 * taskacct_slots_claim() - the place of a task that is switched in
 * @task: the task
 *
 * Context: interrupts off, on the CPU that switches it in.
 * Return: the place, or NULL if there is none for it.
 */
struct taskacct_slot *taskacct_slots_claim(struct task_struct *task)
{
	struct taskacct_slot *slot = taskacct_slots_find(task, NULL);
	struct table *t;
	unsigned int i;

	if (likely(slot))
		return slot;
	t = rcu_dereference_check(table, !preemptible());
	if (!t)
		return NULL;
	slot = first_of(t, task);
	for (i = 0; i < WAYS; i++, slot++)
		if (!READ_ONCE(slot->task) &&
		    !cmpxchg(&slot->task, NULL, task))
			return slot;
	return NULL;
}

/**
 * taskacct_slots_free() - give a place back
 * @slot: of a task that will not run any more
 *
 * Context: as taskacct_slots_find().
 */
void taskacct_slots_free(struct taskacct_slot *slot)
{
	slot->ns = 0;
	slot->waits_on = 0;
	/* Who claims it finds it empty: pairs with cmpxchg(). */
	smp_store_release(&slot->task, NULL);
}

/**
 * taskacct_slots_init() - make the table
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_slots_init(void)
{
	const unsigned long n = clamp_t(unsigned long,
					totalram_pages() / PAGES_PER_SLOT,
					SLOTS_MIN, SLOTS_MAX);
	const unsigned int bits = ilog2(n / WAYS);
	struct table *t;

	t = kvzalloc(struct_size(t, slots, (size_t)WAYS << bits), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->bits = bits;
	rcu_assign_pointer(table, t);
	return 0;
}

/**
 * taskacct_slots_exit() - free the table
 *
 * Nobody claims a place any more.
 *
 * Context: task context, may sleep.
 */
void taskacct_slots_exit(void)
{
	struct table *t = rcu_dereference_protected(table, true);

	RCU_INIT_POINTER(table, NULL);
	synchronize_rcu();
	kvfree(t);
}
