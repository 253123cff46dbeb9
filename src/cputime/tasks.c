// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of tasks that run, in slots that are never allocated
 *
 * A task is switched in and out under the lock of a run queue, where no memory
 * can be had. So there is a table of a fixed size, made when accounting is
 * switched on. A task's place is one of a few, by the hash of its address; it
 * takes the first free one when it is switched in for the first time, and gives
 * it back when it is freed. One that finds none free is not tracked, nor is what
 * it has used known when it finds one later.
 *
 * There is no lock: only the CPU that runs a task claims a slot for it, and a
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

#include "cputime/tasks.h"

/* One place for so many pages of memory */
#define PAGES_PER_SLOT	32
#define SLOTS_MIN	8192
#define SLOTS_MAX	BIT(20)

#define WAYS		TASKACCT_SLOT_WAYS

struct taskacct_cputime_tasks __rcu *taskacct_cputime_tasks;

/**
 * taskacct_cputime_tasks_find() - find what is kept of a task
 * @task: the task
 * @missed: where it has no slot, set to whether it may have run without one
 *
 * Context: under rcu_read_lock().
 * Return: the slot, or NULL.
 */
struct taskacct_cputime_slot *taskacct_cputime_tasks_find(const struct task_struct *task,
							  bool *missed)
{
	struct taskacct_cputime_tasks *table;
	struct taskacct_cputime_task_set *set;
	unsigned int i;

	*missed = false;
	table = rcu_dereference(taskacct_cputime_tasks);
	if (!table)
		return NULL;
	set = taskacct_cputime_tasks_in(table, task);
	for (i = 0; i < WAYS; i++)
		if (READ_ONCE(set->slots[i].task) == task)
			return &set->slots[i];
	/* It may have been another; there is nothing that would tell. */
	*missed = READ_ONCE(set->missed);
	return NULL;
}

/*
 * A task that has run before, and now gets a slot, had none for one of two
 * reasons: time was not accounted then, or there was none, which left a mark.
 */
static bool may_have_missed(const struct taskacct_cputime_task_set *set,
			    const struct task_struct *task)
{
	return READ_ONCE(set->missed) && (task->nvcsw || task->nivcsw);
}

/**
 * taskacct_cputime_tasks_search() - the place of a task that is not in the first one
 * @set: where it may be
 * @task: the task
 *
 * Context: as taskacct_cputime_tasks_claim().
 * Return: the slot, or NULL if there is none for it.
 */
struct taskacct_cputime_slot *taskacct_cputime_tasks_search(struct taskacct_cputime_task_set *set,
							    struct task_struct *task)
{
	struct taskacct_cputime_slot *slot;

	for (slot = set->slots; slot < set->slots + WAYS; slot++)
		if (READ_ONCE(slot->task) == task)
			return slot;
	for (slot = set->slots; slot < set->slots + WAYS; slot++) {
		if (READ_ONCE(slot->task) || cmpxchg(&slot->task, NULL, task))
			continue;
		WRITE_ONCE(slot->how, TASKACCT_SLOT_NEW);
		WRITE_ONCE(slot->missed, may_have_missed(set, task));
		slot->in_softirq = true;
		return slot;
	}
	WRITE_ONCE(set->missed, true);
	return NULL;
}

/**
 * taskacct_cputime_tasks_free() - give a slot back
 * @slot: of a task that will not run any more
 *
 * Context: as taskacct_cputime_tasks_find().
 */
void taskacct_cputime_tasks_free(struct taskacct_cputime_slot *slot)
{
	slot->ns = 0;
	slot->how = 0;
	/* Who claims it finds it empty: pairs with cmpxchg(). */
	smp_store_release(&slot->task, NULL);
}

/* Where it waits stays, whatever the CPU does that switches it. */
static void renew_slot(struct taskacct_cputime_slot *slot)
{
	u32 how;

	do {
		how = READ_ONCE(slot->how);
	} while (cmpxchg(&slot->how, how, how | TASKACCT_SLOT_NEW) != how);
}

/**
 * taskacct_cputime_tasks_renew() - forget how tasks' time was split
 *
 * Context: task context, may sleep; while there is a table.
 */
void taskacct_cputime_tasks_renew(void)
{
	struct taskacct_cputime_tasks *table;
	struct taskacct_cputime_task_set *set;
	unsigned int i;

	table = rcu_dereference_protected(taskacct_cputime_tasks, true);
	for (set = table->sets; (void *)set - (void *)table->sets <= table->mask;
	     set++) {
		for (i = 0; i < WAYS; i++)
			renew_slot(&set->slots[i]);
		cond_resched();
	}
}

/**
 * taskacct_cputime_tasks_init() - make the table
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -E2BIG where CPUs have numbers that a slot has no room
 *	for.
 */
int taskacct_cputime_tasks_init(void)
{
	const unsigned long n = clamp_t(unsigned long,
					totalram_pages() / PAGES_PER_SLOT,
					SLOTS_MIN, SLOTS_MAX);
	const unsigned long sets = roundup_pow_of_two(n / WAYS);
	struct taskacct_cputime_tasks *table;

	BUILD_BUG_ON(sizeof(*table->sets) != TASKACCT_SLOT_SET_SIZE);
	if (nr_cpu_ids > TASKACCT_SLOT_WHERE(U32_MAX))
		return -E2BIG;
	table = kvzalloc(struct_size(table, sets, sets), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->mask = (sets - 1) * TASKACCT_SLOT_SET_SIZE;
	rcu_assign_pointer(taskacct_cputime_tasks, table);
	return 0;
}

/**
 * taskacct_cputime_tasks_exit() - free the table
 *
 * Nobody claims a slot any more.
 *
 * Context: task context, may sleep.
 */
void taskacct_cputime_tasks_exit(void)
{
	struct taskacct_cputime_tasks *table;

	table = rcu_dereference_protected(taskacct_cputime_tasks, true);
	RCU_INIT_POINTER(taskacct_cputime_tasks, NULL);
	synchronize_rcu();
	kvfree(table);
}
