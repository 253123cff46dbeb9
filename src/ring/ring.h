/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits in shared memory: what other directories may use
 */
#ifndef TASKACCT_RING_H
#define TASKACCT_RING_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "task/task.h"

struct task_struct;
struct taskacct_ring_memory;

/* memory.c: the rings' memory, which is there while somebody has the device open */

extern struct taskacct_ring_memory __rcu *taskacct_ring_memory;

/* A reader wants what a task has at its exit only. */
extern bool taskacct_ring_keeps;

/**
 * taskacct_ring_is_on() - whether exits are to be written into the rings
 *
 * Asked before an exit's values are read: what is written is read whole.
 *
 * Context: any.
 */
static inline bool taskacct_ring_is_on(void)
{
	return rcu_access_pointer(taskacct_ring_memory);
}

/* write.c: entries of exits */

/**
 * struct taskacct_ring_event - an exit that is to be written
 * @values: of current, read whole
 * @total: of its process, of whose several threads it is the last; else NULL
 * @leader: of its process, where there is a @total
 * @last: current is the last thread of its process, or the only one
 * @memory: what it is written into; NULL: nothing, for nobody has the device open any more
 * @want: what the entry has beside records
 * @strings: names, where @want has any
 *
 * The last three are taskacct_ring_begin()'s.
 */
struct taskacct_ring_event {
	const struct taskacct_values *values;
	const struct taskacct_total *total;
	struct task_struct *leader;
	bool last;
	struct taskacct_ring_memory *memory;
	u32 want;
	struct taskacct_strings strings;
};

u32 taskacct_ring_strings(void);
void taskacct_ring_begin(struct taskacct_ring_event *event);
void taskacct_ring_write(const struct taskacct_ring_event *event);
void taskacct_ring_end(struct taskacct_ring_event *event);
void taskacct_ring_miss(bool last);

/* dev.c: the device */

int taskacct_ring_init(void);
void taskacct_ring_exit(void);

#endif /* TASKACCT_RING_H */
