/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers that sleep
 */
#ifndef TASKACCT_RING_WAKE_H
#define TASKACCT_RING_WAKE_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>

/**
 * struct taskacct_ring_wake - when a CPU has to see whether a reader is to wake up
 * @at: once it has written so many exits
 * @since: so many it had written when @at was set
 * @work: sees it
 */
struct taskacct_ring_wake {
	u64 at;
	u64 since;
	struct irq_work work;
};

DECLARE_PER_CPU(struct taskacct_ring_wake, taskacct_ring_wake);

extern struct wait_queue_head taskacct_ring_sleepers;

bool taskacct_ring_wake_when(u64 at);
u64 taskacct_ring_wake_made(void);
int taskacct_ring_wake_init(void);
void taskacct_ring_wake_exit(void);

/**
 * taskacct_ring_wake_look() - this CPU has written an exit
 * @made: how many it has written by now
 *
 * Context: preemption is off.
 */
static inline void taskacct_ring_wake_look(u64 made)
{
	struct taskacct_ring_wake *wake = this_cpu_ptr(&taskacct_ring_wake);

	/* made-before-at, with share_out(): one of the two sees what the other wrote. */
	smp_mb();
	if (unlikely(made >= READ_ONCE(wake->at)))
		irq_work_queue(&wake->work);
}

#endif /* TASKACCT_RING_WAKE_H */
