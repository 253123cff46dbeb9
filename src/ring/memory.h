/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings' memory
 */
#ifndef TASKACCT_RING_MEMORY_H
#define TASKACCT_RING_MEMORY_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <linux/taskacct_ring.h>

#include "ring.h"

struct page;

/**
 * struct taskacct_ring_place - a lane, as its writer has it
 * @lane: what readers see of it; they cannot write it
 * @data: its bytes
 * @size: how many, a power of two
 * @time: of its newest entry
 *
 * Written by its CPU alone, with preemption off. Other CPUs read @lane alone, under RCU: see
 * taskacct_ring_made_on().
 */
struct taskacct_ring_place {
	struct taskacct_ring_lane *lane;
	void *data;
	u64 size;
	u64 time;
};

/**
 * struct taskacct_ring_cpu - the ring of a CPU
 * @places: its lanes
 * @map: where the kernel has its pages
 */
struct taskacct_ring_cpu {
	struct taskacct_ring_place places[TASKACCT_RING_LANES];
	void *map;
};

/**
 * struct taskacct_ring_memory - the rings of all CPUs
 * @header: what readers see
 * @cpus: the rings
 * @n_pages: pages of the map
 * @pages: those, in the map's order
 */
struct taskacct_ring_memory {
	struct taskacct_ring_header *header;
	struct taskacct_ring_cpu __percpu *cpus;
	unsigned long n_pages;
	struct page **pages;
};

struct taskacct_ring_memory *
taskacct_ring_memory_alloc(const struct taskacct_ring_sizes *sizes);
void taskacct_ring_memory_free(struct taskacct_ring_memory *memory);
u64 taskacct_ring_memory_size(const struct taskacct_ring_sizes *sizes);

/* write.c: what only the device does with entries */

bool taskacct_ring_copy(struct taskacct_ring_cpu *to, const struct taskacct_ring_cpu *from,
			u64 positions[TASKACCT_RING_LANES]);

/* resize.c: rings of other sizes */

void taskacct_ring_exchange(struct taskacct_ring_memory *memory,
			    struct taskacct_ring_memory *other);

/**
 * taskacct_ring_made_on() - how many exits a CPU has written
 * @memory: the rings
 * @cpu: the CPU
 *
 * Context: under rcu_read_lock(), or where sizes cannot change.
 */
static inline u64 taskacct_ring_made_on(const struct taskacct_ring_memory *memory,
					unsigned int cpu)
{
	const struct taskacct_ring_place *places = per_cpu_ptr(memory->cpus, cpu)->places;
	/* Pairs with use_ring(). */
	const struct taskacct_ring_lane *processes =
		READ_ONCE(places[TASKACCT_RING_PROCESSES].lane);
	const struct taskacct_ring_lane *threads =
		READ_ONCE(places[TASKACCT_RING_THREADS].lane);

	return READ_ONCE(processes->made) + READ_ONCE(threads->made);
}

#endif /* TASKACCT_RING_MEMORY_H */
