// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counter pages: the header's and those of each CPU
 *
 * A page is allocated when the first counter on it is added, and freed when the
 * module goes. It never moves, and neither does a counter, so that a reader's
 * map stays good and an update need not look at what readers do.
 */

#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "pages.h"

DEFINE_PER_CPU(struct taskacct_counters_cpu *, taskacct_counters_cpus);

struct taskacct_counters_row *taskacct_counters_rows;
struct taskacct_counters_header *taskacct_counters_head;

static void *new_page(unsigned int cpu)
{
	const int node = cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE;
	struct page *page;

	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);
	return page ? page_address(page) : NULL;
}

/**
 * taskacct_counters_grow() - make pages
 * @pages: how many each CPU is to have
 *
 * Those that are there already after a failure stay for the next time.
 *
 * Context: task context, may sleep; under counters_mutex of counters.c, or while the
 *	module is loaded.
 * Return: 0 or -ENOMEM.
 */
int taskacct_counters_grow(unsigned int pages)
{
	unsigned int cpu, i;
	void *page;

	for (i = READ_ONCE(taskacct_counters_head->cpu_pages); i < pages; i++) {
		for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
			if (taskacct_counters_rows[cpu].page[i])
				continue;
			page = new_page(cpu);
			if (!page)
				return -ENOMEM;
			/* Zeroed. Pairs with taskacct_counters_page(). */
			smp_store_release(&taskacct_counters_rows[cpu].page[i], page);
		}
	}
	return 0;
}

/**
 * taskacct_counters_start_of() - where a CPU's pages begin
 * @cpu: the CPU
 *
 * Return: the start of its first page. The module's own counters are written
 *	there on @cpu, between taskacct_counters_start() and
 *	taskacct_counters_stop().
 */
void *taskacct_counters_start_of(unsigned int cpu)
{
	return per_cpu(taskacct_counters_cpus, cpu);
}

/**
 * taskacct_counters_page() - a page of the map
 * @n: which, from its start
 *
 * Context: any. Pages that are there stay until taskacct_counters_exit().
 * Return: the page, or NULL if there is none (yet).
 */
struct page *taskacct_counters_page(unsigned long n)
{
	const unsigned long cpu = (n - 1) / TASKACCT_COUNTERS_PAGES_MAX;
	const unsigned int i = (n - 1) % TASKACCT_COUNTERS_PAGES_MAX;
	void *page;

	if (!n)
		return virt_to_page(taskacct_counters_head);
	if (cpu >= nr_cpu_ids)
		return NULL;
	/* Pairs with smp_store_release() in taskacct_counters_grow(). */
	page = smp_load_acquire(&taskacct_counters_rows[cpu].page[i]);
	return page ? virt_to_page(page) : NULL;
}

/**
 * taskacct_counters_pages() - how long the map is
 *
 * Return: its size in pages, those included that are not there.
 */
unsigned long taskacct_counters_pages(void)
{
	return 1 + (unsigned long)nr_cpu_ids * TASKACCT_COUNTERS_PAGES_MAX;
}

static void fill_counters_header(void)
{
	*taskacct_counters_head = (struct taskacct_counters_header){
		.version = TASKACCT_COUNTERS_VERSION,
		.compatible = 1,
		.header_size = sizeof(*taskacct_counters_head),
		.page_size = PAGE_SIZE,
		.cpus = nr_cpu_ids,
		.cpu_pages = 1,
		.cpu_pages_max = TASKACCT_COUNTERS_PAGES_MAX,
		.value_offset = TASKACCT_COUNTERS_VALUES,
		.value_stride = sizeof(s64),
		.cpu_offset = PAGE_SIZE,
		.cpu_stride = TASKACCT_COUNTERS_PAGES_MAX * PAGE_SIZE,
		.map_size = (u64)taskacct_counters_pages() * PAGE_SIZE,
	};
}

static void free_pages_and_rows(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		for (i = 0; i < TASKACCT_COUNTERS_PAGES_MAX; i++)
			free_page((unsigned long)taskacct_counters_rows[cpu].page[i]);
	kvfree(taskacct_counters_rows);
}

static void check_counters_layout(void)
{
	BUILD_BUG_ON(offsetof(struct taskacct_counters_header, cpu_offset) != 48);
	BUILD_BUG_ON(sizeof(struct taskacct_counters_header) != 72);
	BUILD_BUG_ON(offsetof(struct taskacct_counters_header, header_size) !=
		     offsetof(struct taskacct_counters_least, header_size));
	BUILD_BUG_ON(sizeof(struct taskacct_counters_cpu) != 8);
	BUILD_BUG_ON(sizeof(local64_t) != sizeof(s64));
	/* No value lies across two pages. */
	BUILD_BUG_ON(TASKACCT_COUNTERS_VALUES % sizeof(s64));
}

/**
 * taskacct_counters_pages_init() - make the pages for the first counters
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_counters_pages_init(void)
{
	unsigned int cpu;

	check_counters_layout();
	taskacct_counters_head = (void *)get_zeroed_page(GFP_KERNEL);
	if (!taskacct_counters_head)
		return -ENOMEM;
	taskacct_counters_rows = kvcalloc(nr_cpu_ids,
					  sizeof(*taskacct_counters_rows),
					  GFP_KERNEL);
	if (!taskacct_counters_rows)
		goto err_rows;
	if (taskacct_counters_grow(1))
		goto err_grow;
	for_each_possible_cpu(cpu)
		per_cpu(taskacct_counters_cpus, cpu) = taskacct_counters_rows[cpu].page[0];
	fill_counters_header();
	return 0;

err_grow:
	free_pages_and_rows();
err_rows:
	free_page((unsigned long)taskacct_counters_head);
	return -ENOMEM;
}

/**
 * taskacct_counters_pages_exit() - free the pages
 *
 * Nobody can have mapped them: the open device holds the module.
 *
 * Context: task context, may sleep.
 */
void taskacct_counters_pages_exit(void)
{
	free_pages_and_rows();
	free_page((unsigned long)taskacct_counters_head);
}
