/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of tasks that run, in slots that are never allocated
 */
#ifndef TASKACCT_CPUTIME_TASKS_H
#define TASKACCT_CPUTIME_TASKS_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct taskacct_cputime_slot - what is kept of a task
 * @task: the task; NULL: the slot is free. Set by cmpxchg()
 * @ns: time on CPUs that has been settled. Written by the CPU that it runs on,
 *	in that CPU's write section
 * @how: how it goes on when it is switched in. Up to TASKACCT_SLOT_SHARE_ALL:
 *	how much of its time is in user mode, as of when it was switched out; with
 *	TASKACCT_SLOT_NEW that is not known. TASKACCT_SLOT_WAITS() says where it
 *	sleeps for I/O. Written by the CPU that switches it out or in, and by
 *	taskacct_cputime_tasks_renew()
 * @missed: the task may have run while there was no slot for it. Written where
 *	the slot is claimed
 * @in_softirq: on PREEMPT_RT, while the task is off the CPU: it was in a handler of
 *	a softirq, or has not been switched out since it has the slot. Written by the
 *	CPU that switches it out or in
 */
struct taskacct_cputime_slot {
	struct task_struct *task;
	u64 ns;
	u32 how;
	bool missed;
	bool in_softirq;
};

#define TASKACCT_SLOT_SHARE_BITS	16
#define TASKACCT_SLOT_SHARE_ALL	((u32)BIT(TASKACCT_SLOT_SHARE_BITS))
#define TASKACCT_SLOT_NEW		((u32)BIT(TASKACCT_SLOT_SHARE_BITS + 1))

/* Where a task waits is 1 + the CPU, or 0, in the bits above those. */
#define TASKACCT_SLOT_WAIT_SHIFT	(TASKACCT_SLOT_SHARE_BITS + 2)
#define TASKACCT_SLOT_WAITS(cpu)					\
	(((u32)(cpu) + 1) << TASKACCT_SLOT_WAIT_SHIFT)
#define TASKACCT_SLOT_SHARE(how)					\
	((how) & (((u32)BIT(TASKACCT_SLOT_SHARE_BITS) << 1) - 1))
#define TASKACCT_SLOT_WHERE(how)	((how) >> TASKACCT_SLOT_WAIT_SHIFT)

/* Where one task may be: as many as there is room for in a set */
#define TASKACCT_SLOT_WAYS	10
#define TASKACCT_SLOT_SET_SIZE	256

/**
 * struct taskacct_cputime_task_set - slots of tasks of one hash
 * @slots: the slots
 * @missed: a task has run that found none free; never cleared
 */
struct taskacct_cputime_task_set {
	struct taskacct_cputime_slot slots[TASKACCT_SLOT_WAYS];
	bool missed;
} __aligned(TASKACCT_SLOT_SET_SIZE);

/**
 * struct taskacct_cputime_tasks - the slots
 * @mask: of a hash, where in @sets its set is, in bytes
 * @sets: their number is a power of two
 */
struct taskacct_cputime_tasks {
	u64 mask;
	struct taskacct_cputime_task_set sets[];
};

/* NULL: accounting is off. */
extern struct taskacct_cputime_tasks __rcu *taskacct_cputime_tasks;

int taskacct_cputime_tasks_init(void);
void taskacct_cputime_tasks_renew(void);
void taskacct_cputime_tasks_exit(void);
struct taskacct_cputime_slot *taskacct_cputime_tasks_search(struct taskacct_cputime_task_set *set,
							    struct task_struct *t);
struct taskacct_cputime_slot *taskacct_cputime_tasks_find(const struct task_struct *t,
							  bool *missed);
void taskacct_cputime_tasks_free(struct taskacct_cputime_slot *slot);

/**
 * taskacct_cputime_tasks_in() - where a task may be
 * @table: the slots
 * @t: the task
 *
 * Return: TASKACCT_SLOT_WAYS slots.
 */
static __always_inline struct taskacct_cputime_task_set *
taskacct_cputime_tasks_in(struct taskacct_cputime_tasks *table,
			  const struct task_struct *t)
{
	/* The upper half has the best bits; what is below a set is cut off. */
	const u64 hash = (u64)(unsigned long)t * GOLDEN_RATIO_32 >>
			 (32 - ilog2(TASKACCT_SLOT_SET_SIZE));

	return (void *)table->sets + (hash & table->mask);
}

/**
 * taskacct_cputime_tasks_of() - where a task may be that is switched in
 * @t: the task
 *
 * Context: as taskacct_cputime_tasks_claim().
 * Return: TASKACCT_SLOT_WAYS slots.
 */
static __always_inline struct taskacct_cputime_task_set *
taskacct_cputime_tasks_of(const struct task_struct *t)
{
	return taskacct_cputime_tasks_in(rcu_dereference_check(taskacct_cputime_tasks, true), t);
}

/**
 * taskacct_cputime_tasks_claim() - the place of a task that is switched in
 * @t: the task
 *
 * Context: interrupts off, on the CPU that switches it in; while there is a
 *	table.
 * Return: the slot, or NULL if there is none for it.
 */
static inline struct taskacct_cputime_slot *taskacct_cputime_tasks_claim(struct task_struct *t)
{
	return taskacct_cputime_tasks_search(taskacct_cputime_tasks_of(t), t);
}

#endif /* TASKACCT_CPUTIME_TASKS_H */
