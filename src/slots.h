/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of tasks that run, in places that are never allocated
 */
#ifndef TASKACCT_SLOTS_H
#define TASKACCT_SLOTS_H

#include <linux/types.h>

struct task_struct;

/**
 * struct taskacct_slot - what is kept of a task
 * @task: the task; NULL: the place is free. Set by cmpxchg()
 * @ns: time on CPUs that has been settled. Written by the CPU that it runs on,
 *	in that CPU's write section
 * @waits_on: 1 + the CPU on which it sleeps for I/O, or 0. Written by the CPU
 *	that switches it out or in
 */
struct taskacct_slot {
	struct task_struct *task;
	u64 ns;
	unsigned int waits_on;
};

int taskacct_slots_init(void);
void taskacct_slots_exit(void);
struct taskacct_slot *taskacct_slots_claim(struct task_struct *t);
struct taskacct_slot *taskacct_slots_find(const struct task_struct *t,
					  bool *full);
void taskacct_slots_free(struct taskacct_slot *slot);

#endif /* TASKACCT_SLOTS_H */
