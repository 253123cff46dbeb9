/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits in shared memory: what other directories may use
 */
#ifndef TASKACCT_RING_H
#define TASKACCT_RING_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include <linux/taskacct.h>
#include <linux/taskacct_ring.h>

#include "task/task.h"

struct task_struct;
struct taskacct_ring_memory;

/* memory.c: the rings' memory, which is there while somebody has the device open */

extern struct taskacct_ring_memory __rcu *taskacct_ring_memory;

/* What any reader has asked for: TASKACCT_RING_* and TASKACCT_WANT_* */
extern u32 taskacct_ring_want;

/* Of these, what is had at a task's exit */
#define TASKACCT_RING_KEPT	(TASKACCT_RING_MEMORY | TASKACCT_WANT_EXE_PATH | \
				 TASKACCT_WANT_CMDLINE)

/**
 * taskacct_ring_is_on() - whether exits are to be written into the rings
 *
 * Asked before an exit's values are read: what is written is read whole.
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
 * @want: what the entry has; taskacct_ring_begin()'s, as is
 * @strings: names, where @want has any
 */
struct taskacct_ring_event {
	const struct taskacct_values *values;
	const struct taskacct_total *total;
	struct task_struct *leader;
	bool last;
	u32 want;
	struct taskacct_strings strings;
};

void __taskacct_ring_begin(struct taskacct_ring_event *event);
void taskacct_ring_write(const struct taskacct_ring_event *event);
void taskacct_ring_miss(bool last);

/**
 * taskacct_ring_begin() - get ready to write an exit
 * @event: the exit; receives what its entry is to have, and its names
 *
 * Context: the exit hook, for current; on PREEMPT_RT preemptible.
 */
static inline void taskacct_ring_begin(struct taskacct_ring_event *event)
{
	event->want = READ_ONCE(taskacct_ring_want);
	if (unlikely(event->want & TASKACCT_WANT_STRINGS))
		__taskacct_ring_begin(event);
}

/**
 * taskacct_ring_end() - let go of what taskacct_ring_begin() got
 * @event: the exit
 *
 * Context: as for that.
 */
static inline void taskacct_ring_end(struct taskacct_ring_event *event)
{
	if (unlikely(event->want & TASKACCT_WANT_STRINGS))
		taskacct_strings_put(&event->strings);
}

/* dev.c: the device */

int taskacct_ring_init(void);
void taskacct_ring_exit(void);

#endif /* TASKACCT_RING_H */
