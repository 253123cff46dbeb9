// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of tasks that run, in places that are never allocated
 *
 * A task is switched in and out under the lock of a run queue, where no memory
 * can be had. So there is a table of a fixed size, made when accounting is
 * switched on. A task's place is one of a few, by the hash of its address; it
 * takes the first free one when it is switched in for the first time, and gives
 * it back when it is freed. One that finds none free is not tracked, nor is what
 * it has used known when it finds one later.
 *
 * There is no lock: only the CPU that runs a task claims a place for it, and a
 * task that is freed does not run.
 */

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "slots.h"

/* One place for so many pages of memory */
#define PAGES_PER_SLOT	32
#define SLOTS_MIN	8192
#define SLOTS_MAX	BIT(20)

#define WAYS		TASKACCT_SLOTS_WAYS

struct taskacct_slots_table __rcu *taskacct_slots;

/**
 * taskacct_slots_find() - find what is kept of a task
 * @task: the task
 * @missed: where it has no place, set to whether it may have run without one
 *
 * Context: under rcu_read_lock().
 * Return: the place, or NULL.
 */
struct taskacct_slot *taskacct_slots_find(const struct task_struct *task,
					  bool *missed)
{
	struct taskacct_slots_table *table;
	struct taskacct_slots_set *set;
	unsigned int i;

	*missed = false;
	table = rcu_dereference(taskacct_slots);
	if (!table)
		return NULL;
	set = taskacct_slots_in(table, task);
	for (i = 0; i < WAYS; i++)
		if (READ_ONCE(set->slots[i].task) == task)
			return &set->slots[i];
	/* It may have been another; there is nothing that would tell. */
	*missed = READ_ONCE(set->missed);
	return NULL;
}

/*
 * A task that has run before, and now gets a place, had none for one of two
 * reasons: time was not accounted then, or there was none, which left a mark.
 */
static bool may_have_missed(const struct taskacct_slots_set *set,
			    const struct task_struct *task)
{
	return READ_ONCE(set->missed) && (task->nvcsw || task->nivcsw);
}

/**
 * taskacct_slots_search() - the place of a task that is not in the first one
 * @set: where it may be
 * @task: the task
 *
 * Context: as taskacct_slots_claim().
 * Return: the place, or NULL if there is none for it.
 */
struct taskacct_slot *taskacct_slots_search(struct taskacct_slots_set *set,
					    struct task_struct *task)
{
	struct taskacct_slot *slot;

	for (slot = set->slots; slot < set->slots + WAYS; slot++)
		if (READ_ONCE(slot->task) == task)
			return slot;
	for (slot = set->slots; slot < set->slots + WAYS; slot++) {
		if (READ_ONCE(slot->task) || cmpxchg(&slot->task, NULL, task))
			continue;
		WRITE_ONCE(slot->how, TASKACCT_SLOTS_NEW);
		WRITE_ONCE(slot->missed, may_have_missed(set, task));
		slot->in_softirq = true;
		return slot;
	}
	WRITE_ONCE(set->missed, true);
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
	slot->how = 0;
	/* Who claims it finds it empty: pairs with cmpxchg(). */
	smp_store_release(&slot->task, NULL);
}

/* Where it waits stays, whatever the CPU does that switches it. */
static void renew(struct taskacct_slot *slot)
{
	u32 how;

	do {
		how = READ_ONCE(slot->how);
	} while (cmpxchg(&slot->how, how, how | TASKACCT_SLOTS_NEW) != how);
}

/**
 * taskacct_slots_renew() - forget how tasks' time was split
 *
 * Context: task context, may sleep; while there is a table.
 */
void taskacct_slots_renew(void)
{
	struct taskacct_slots_table *table;
	struct taskacct_slots_set *set;
	unsigned int i;

	table = rcu_dereference_protected(taskacct_slots, true);
	for (set = table->sets; (void *)set - (void *)table->sets <= table->mask;
	     set++) {
		for (i = 0; i < WAYS; i++)
			renew(&set->slots[i]);
		cond_resched();
	}
}

/**
 * taskacct_slots_init() - make the table
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -E2BIG where CPUs have numbers that a place has no room
 *	for.
 */
int taskacct_slots_init(void)
{
	const unsigned long n = clamp_t(unsigned long,
					totalram_pages() / PAGES_PER_SLOT,
					SLOTS_MIN, SLOTS_MAX);
	const unsigned long sets = roundup_pow_of_two(n / WAYS);
	struct taskacct_slots_table *table;

	BUILD_BUG_ON(sizeof(*table->sets) != TASKACCT_SLOTS_SET_SIZE);
	if (nr_cpu_ids > TASKACCT_SLOTS_WHERE(U32_MAX))
		return -E2BIG;
	table = kvzalloc(struct_size(table, sets, sets), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->mask = (sets - 1) * TASKACCT_SLOTS_SET_SIZE;
	rcu_assign_pointer(taskacct_slots, table);
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
	struct taskacct_slots_table *table;

	table = rcu_dereference_protected(taskacct_slots, true);
	RCU_INIT_POINTER(taskacct_slots, NULL);
	synchronize_rcu();
	kvfree(table);
}
