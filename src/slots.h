/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of tasks that run, in places that are never allocated
 */
#ifndef TASKACCT_SLOTS_H
#define TASKACCT_SLOTS_H

#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct taskacct_slot - what is kept of a task
 * @task: the task; NULL: the place is free. Set by cmpxchg()
 * @ns: time on CPUs that has been settled. Written by the CPU that it runs on,
 *	in that CPU's write section
 * @waits_on: 1 + the CPU on which it sleeps for I/O, or 0. Written by the CPU
 *	that switches it out or in
 * @share: how much of its time is in user mode, as of when it was switched out;
 *	TASKACCT_SLOTS_NEW before. Written likewise, and when the mode changes
 */
struct taskacct_slot {
	struct task_struct *task;
	u64 ns;
	u32 waits_on;
	u32 share;
};

#define TASKACCT_SLOTS_NEW	U32_MAX

/* Where one task may be */
#define TASKACCT_SLOTS_WAYS	8

/**
 * struct taskacct_slots_table - the places
 * @shift: how many bits of a hash are too many
 * @sets: the places, those of one hash side by side
 */
struct taskacct_slots_table {
	unsigned int shift;
	struct taskacct_slot sets[][TASKACCT_SLOTS_WAYS];
};

/* NULL: accounting is off. */
extern struct taskacct_slots_table __rcu *taskacct_slots;

int taskacct_slots_init(void);
void taskacct_slots_renew(void);
void taskacct_slots_exit(void);
struct taskacct_slot *taskacct_slots_search(struct taskacct_slot *set,
					    struct task_struct *t);
struct taskacct_slot *taskacct_slots_find(const struct task_struct *t,
					  bool *full);
void taskacct_slots_free(struct taskacct_slot *slot);

/**
 * taskacct_slots_set() - where a task may be
 * @table: the places
 * @t: the task
 *
 * Context: any.
 * Return: the first of TASKACCT_SLOTS_WAYS places.
 */
static inline struct taskacct_slot *
taskacct_slots_set(struct taskacct_slots_table *table,
		   const struct task_struct *t)
{
	const u64 hash = (unsigned long)t * GOLDEN_RATIO_64;

	return table->sets[hash >> table->shift];
}

/**
 * taskacct_slots_claim() - the place of a task that is switched in
 * @t: the task
 *
 * Context: interrupts off, on the CPU that switches it in; while there is a
 *	table.
 * Return: the place, or NULL if there is none for it.
 */
static __always_inline struct taskacct_slot *
taskacct_slots_claim(struct task_struct *t)
{
	struct taskacct_slot *set;

	set = taskacct_slots_set(rcu_dereference_check(taskacct_slots, true), t);
	if (likely(set->task == t))
		return set;
	return taskacct_slots_search(set, t);
}

#endif /* TASKACCT_SLOTS_H */
