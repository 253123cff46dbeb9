// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of other sizes
 *
 * What is there is copied, with its numbers, into rings that nobody has yet, and these take
 * the place of the others. Each CPU does that with its own, with preemption off: so none of its
 * exits is written meanwhile, and those that end on other CPUs need not wait. Preemption is on
 * now and then; what is written then is copied, too.
 */

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include <asm/barrier.h>

#include "memory.h"

/**
 * struct resize - a CPU's ring that is to be of another size
 * @now: the ring
 * @next: the one of the other size, empty; receives what @now was
 * @positions: up to which lanes have been copied
 */
struct resize {
	struct taskacct_ring_cpu *now;
	struct taskacct_ring_cpu *next;
	u64 positions[TASKACCT_RING_LANES];
};

/* Others count what was written: they have the old lane, or all of the new one. */
static void use_ring(struct taskacct_ring_cpu *ring, const struct taskacct_ring_cpu *next)
{
	struct taskacct_ring_place *place;
	unsigned int i;

	smp_wmb(); /* with taskacct_ring_made_on(), which goes by way of lane */
	for (i = 0; i < TASKACCT_RING_LANES; i++) {
		place = &ring->places[i];
		WRITE_ONCE(place->lane, next->places[i].lane);
		place->data = next->places[i].data;
		place->size = next->places[i].size;
		place->time = next->places[i].time;
	}
	ring->map = next->map;
}

static bool resize_further(struct resize *resize)
{
	struct taskacct_ring_cpu old;
	bool done;

	preempt_disable();
	old = *resize->now;
	done = taskacct_ring_copy(resize->next, &old, resize->positions);
	if (done)
		use_ring(resize->now, resize->next);
	preempt_enable();
	if (done)
		*resize->next = old;
	return done;
}

static long resize_ring(void *argument)
{
	while (!resize_further(argument))
		cond_resched();
	return 0;
}

/**
 * taskacct_ring_exchange() - give rings the sizes of others
 * @memory: the rings, which nobody has mapped; they get the pages of the others, and keep
 *	their entries and numbers; of the entries the newest where there is no room for all
 * @other: rings that nobody knows yet, empty; they get the old pages, and can be freed
 *
 * Context: task context, sleeps; under cpus_read_lock() and ring_mutex.
 */
void taskacct_ring_exchange(struct taskacct_ring_memory *memory,
			    struct taskacct_ring_memory *other)
{
	struct resize resize;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		resize = (struct resize){
			.now = per_cpu_ptr(memory->cpus, cpu),
			.next = per_cpu_ptr(other->cpus, cpu),
		};
		if (cpu_online(cpu))
			work_on_cpu(cpu, resize_ring, &resize);
		else
			resize_ring(&resize);
	}
	swap(memory->header, other->header);
	swap(memory->pages, other->pages);
	swap(memory->n_pages, other->n_pages);
	/* Nobody counts what was written into the old ones any more. */
	synchronize_rcu();
}
