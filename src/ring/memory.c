// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings' memory
 *
 * It is there while somebody has the device open or mapped, and charged to the first of
 * them. Each CPU's pages are of its own node. Who writes has them as one piece; who reads
 * maps them page by page, behind the header's.
 */

#include <linux/build_bug.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "memory.h"

struct taskacct_ring_memory __rcu *taskacct_ring_memory __read_mostly;
u32 taskacct_ring_want __read_mostly;

#define GFP_RING	(TASKACCT_GFP_MAPPED | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

static u64 ring_stride(const struct taskacct_ring_sizes *sizes)
{
	return PAGE_SIZE + sizes->size[TASKACCT_RING_PROCESSES] +
	       sizes->size[TASKACCT_RING_THREADS];
}

/**
 * taskacct_ring_memory_size() - how much memory rings take
 * @sizes: of the lanes of each
 *
 * Return: size of the map, in bytes.
 */
u64 taskacct_ring_memory_size(const struct taskacct_ring_sizes *sizes)
{
	return PAGE_SIZE + num_possible_cpus() * ring_stride(sizes);
}

static void check_ring_layout(void)
{
	BUILD_BUG_ON(sizeof(struct taskacct_ring_header) != 96);
	BUILD_BUG_ON(offsetof(struct taskacct_ring_header, ring_offset) != 32);
	BUILD_BUG_ON(offsetof(struct taskacct_ring_header, map_size) != 88);
	BUILD_BUG_ON(sizeof(struct taskacct_ring_lane) != 64);
	BUILD_BUG_ON(offsetof(struct taskacct_ring_lane, made) != 24);
	BUILD_BUG_ON(sizeof(struct taskacct_ring_entry) != 24);
	BUILD_BUG_ON(TASKACCT_RING_SIZE_MIN % PAGE_SIZE);
}

static void fill_ring_header(struct taskacct_ring_header *header,
			     const struct taskacct_ring_sizes *sizes)
{
	const u64 processes = sizes->size[TASKACCT_RING_PROCESSES];

	*header = (struct taskacct_ring_header){
		.version = TASKACCT_RING_VERSION,
		.compatible = 1,
		.header_size = sizeof(*header),
		.entry_size = sizeof(struct taskacct_ring_entry),
		.rings = num_possible_cpus(),
		.lanes = TASKACCT_RING_LANES,
		.ring_offset = PAGE_SIZE,
		.ring_stride = ring_stride(sizes),
		.lane_stride = sizeof(struct taskacct_ring_lane),
		.data_offset = { PAGE_SIZE, PAGE_SIZE + processes },
		.data_size = { processes, sizes->size[TASKACCT_RING_THREADS] },
		.map_size = taskacct_ring_memory_size(sizes),
	};
}

static int get_pages(struct page **pages, unsigned long n, int node)
{
	unsigned long i;

	for (i = 0; i < n; i++) {
		if (fatal_signal_pending(current))
			return -EINTR;
		pages[i] = alloc_pages_node(node, GFP_RING, 0);
		if (!pages[i])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/* The ring of a CPU; its pages are given back by taskacct_ring_memory_free(). */
static int set_up_ring(struct taskacct_ring_memory *memory, struct page **pages,
		       unsigned int cpu)
{
	const struct taskacct_ring_header *header = memory->header;
	const unsigned long n = header->ring_stride / PAGE_SIZE;
	struct taskacct_ring_cpu *ring = per_cpu_ptr(memory->cpus, cpu);
	struct taskacct_ring_place *place;
	unsigned int i;
	int err;

	err = get_pages(pages, n, cpu_to_node(cpu));
	if (err)
		return err;
	ring->map = vmap(pages, n, VM_MAP, PAGE_KERNEL);
	if (!ring->map)
		return -ENOMEM;
	for (i = 0; i < TASKACCT_RING_LANES; i++) {
		place = &ring->places[i];
		place->lane = ring->map + i * header->lane_stride;
		place->data = ring->map + header->data_offset[i];
		place->size = header->data_size[i];
	}
	return 0;
}

static int set_up(struct taskacct_ring_memory *memory,
		  const struct taskacct_ring_sizes *sizes)
{
	struct page **pages = memory->pages;
	unsigned int cpu;
	int err;

	err = get_pages(pages++, 1, NUMA_NO_NODE);
	if (err)
		return err;
	memory->header = page_address(memory->pages[0]);
	fill_ring_header(memory->header, sizes);
	for_each_possible_cpu(cpu) {
		err = set_up_ring(memory, pages, cpu);
		if (err)
			return err;
		pages += memory->header->ring_stride / PAGE_SIZE;
	}
	return 0;
}

/**
 * taskacct_ring_memory_alloc() - make empty rings
 * @sizes: of the lanes of each
 *
 * Context: task context, may sleep.
 * Return: the rings; ERR_PTR(-ENOMEM), or ERR_PTR(-EINTR) for who is killed.
 */
struct taskacct_ring_memory *
taskacct_ring_memory_alloc(const struct taskacct_ring_sizes *sizes)
{
	struct taskacct_ring_memory *memory = kzalloc(sizeof(*memory), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	check_ring_layout();
	if (!memory)
		return ERR_PTR(-ENOMEM);
	memory->n_pages = taskacct_ring_memory_size(sizes) / PAGE_SIZE;
	memory->pages = kvcalloc(memory->n_pages, sizeof(*memory->pages),
				 GFP_KERNEL_ACCOUNT);
	memory->cpus = alloc_percpu_gfp(struct taskacct_ring_cpu, GFP_KERNEL_ACCOUNT);
	if (memory->pages && memory->cpus)
		err = set_up(memory, sizes);
	if (!err)
		return memory;
	taskacct_ring_memory_free(memory);
	return ERR_PTR(err);
}

/**
 * taskacct_ring_memory_free() - free rings
 * @memory: the rings; nobody writes or maps them
 *
 * Context: task context, may sleep.
 */
void taskacct_ring_memory_free(struct taskacct_ring_memory *memory)
{
	unsigned int cpu;
	unsigned long i;

	if (memory->cpus)
		for_each_possible_cpu(cpu)
			vunmap(per_cpu_ptr(memory->cpus, cpu)->map);
	for (i = 0; memory->pages && i < memory->n_pages && memory->pages[i]; i++)
		__free_page(memory->pages[i]);
	free_percpu(memory->cpus);
	kvfree(memory->pages);
	kfree(memory);
}
