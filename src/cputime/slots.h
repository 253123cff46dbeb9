/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of tasks that run, in places that are never allocated
 */
#ifndef TASKACCT_SLOTS_H
#define TASKACCT_SLOTS_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct taskacct_slot - what is kept of a task
 * @task: the task; NULL: the place is free. Set by cmpxchg()
 * @ns: time on CPUs that has been settled. Written by the CPU that it runs on,
 *	in that CPU's write section
 * @how: how it goes on when it is switched in. Up to TASKACCT_SLOTS_SHARE_ALL:
 *	how much of its time is in user mode, as of when it was switched out; with
 *	TASKACCT_SLOTS_NEW that is not known. TASKACCT_SLOTS_WAITS() says where it
 *	sleeps for I/O. Written by the CPU that switches it out or in, and by
 *	taskacct_slots_renew()
 * @missed: the task may have run while there was no place for it. Written where
 *	the place is claimed
 * @in_softirq: on PREEMPT_RT, while the task is off the CPU: it was in a handler of
 *	a softirq, or has not been switched out since it has the place. Written by the
 *	CPU that switches it out or in
 */
struct taskacct_slot {
	struct task_struct *task;
	u64 ns;
	u32 how;
	bool missed;
	bool in_softirq;
};

#define TASKACCT_SLOTS_SHARE_BITS	16
#define TASKACCT_SLOTS_SHARE_ALL	((u32)BIT(TASKACCT_SLOTS_SHARE_BITS))
#define TASKACCT_SLOTS_NEW		((u32)BIT(TASKACCT_SLOTS_SHARE_BITS + 1))

/* Where a task waits is 1 + the CPU, or 0, in the bits above those. */
#define TASKACCT_SLOTS_WAIT_SHIFT	(TASKACCT_SLOTS_SHARE_BITS + 2)
#define TASKACCT_SLOTS_WAITS(cpu)					\
	(((u32)(cpu) + 1) << TASKACCT_SLOTS_WAIT_SHIFT)
#define TASKACCT_SLOTS_SHARE(how)					\
	((how) & (((u32)BIT(TASKACCT_SLOTS_SHARE_BITS) << 1) - 1))
#define TASKACCT_SLOTS_WHERE(how)	((how) >> TASKACCT_SLOTS_WAIT_SHIFT)

/* Where one task may be: as many as there is room for in a set */
#define TASKACCT_SLOTS_WAYS	10
#define TASKACCT_SLOTS_SET_SIZE	256

/**
 * struct taskacct_slots_set - places of tasks of one hash
 * @slots: the places
 * @missed: a task has run that found none free; never cleared
 */
struct taskacct_slots_set {
	struct taskacct_slot slots[TASKACCT_SLOTS_WAYS];
	bool missed;
} __aligned(TASKACCT_SLOTS_SET_SIZE);

/**
 * struct taskacct_slots_table - the places
 * @mask: of a hash, where in @sets its set is, in bytes
 * @sets: their number is a power of two
 */
struct taskacct_slots_table {
	u64 mask;
	struct taskacct_slots_set sets[];
};

/* NULL: accounting is off. */
extern struct taskacct_slots_table __rcu *taskacct_slots;

int taskacct_slots_init(void);
void taskacct_slots_renew(void);
void taskacct_slots_exit(void);
struct taskacct_slot *taskacct_slots_search(struct taskacct_slots_set *set,
					    struct task_struct *t);
struct taskacct_slot *taskacct_slots_find(const struct task_struct *t,
					  bool *missed);
void taskacct_slots_free(struct taskacct_slot *slot);

/**
 * taskacct_slots_in() - where a task may be
 * @table: the places
 * @t: the task
 *
 * Context: any.
 * Return: TASKACCT_SLOTS_WAYS places.
 */
static __always_inline struct taskacct_slots_set *
taskacct_slots_in(struct taskacct_slots_table *table,
		  const struct task_struct *t)
{
	/* The upper half has the best bits; what is below a set is cut off. */
	const u64 hash = (u64)(unsigned long)t * GOLDEN_RATIO_32 >>
			 (32 - ilog2(TASKACCT_SLOTS_SET_SIZE));

	return (void *)table->sets + (hash & table->mask);
}

/**
 * taskacct_slots_of() - where a task may be that is switched in
 * @t: the task
 *
 * Context: as taskacct_slots_claim().
 * Return: TASKACCT_SLOTS_WAYS places.
 */
static __always_inline struct taskacct_slots_set *
taskacct_slots_of(const struct task_struct *t)
{
	return taskacct_slots_in(rcu_dereference_check(taskacct_slots, true), t);
}

/**
 * taskacct_slots_claim() - the place of a task that is switched in
 * @t: the task
 *
 * Context: interrupts off, on the CPU that switches it in; while there is a
 *	table.
 * Return: the place, or NULL if there is none for it.
 */
static inline struct taskacct_slot *taskacct_slots_claim(struct task_struct *t)
{
	return taskacct_slots_search(taskacct_slots_of(t), t);
}

#endif /* TASKACCT_SLOTS_H */
