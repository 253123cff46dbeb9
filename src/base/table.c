// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hash tables of what is kept of tasks and processes
 *
 * Their size follows from the machine's memory, of which every task takes its
 * part, so that chains stay short however many tasks there are: nothing is ever
 * resized, and a look-up works in every context.
 */

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "base.h"

/*
 * What a task takes at the least: its stack and its task_struct. The largest
 * number of tasks that the kernel allows is eight times smaller unless somebody
 * raises it.
 */
#define BYTES_PER_TASK	32768

/* As small as it was always, and no larger than for four million tasks in chains of 4 */
#define BUCKETS_MIN	4096UL
#define BUCKETS_MAX	BIT(20)

/**
 * taskacct_table_tasks() - how many tasks there can be
 *
 * Context: any.
 * Return: their number, as far as memory limits it.
 */
unsigned long taskacct_table_tasks(void)
{
	return totalram_pages() / (BYTES_PER_TASK / PAGE_SIZE ?: 1);
}

/**
 * taskacct_table_init() - make a table
 * @table: the table
 * @wanted: how many entries it may get
 * @size: of a bucket, which begins with a struct taskacct_bucket; all behind is 0
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_table_init(struct taskacct_table *table, unsigned long wanted,
			size_t size)
{
	const unsigned long n = roundup_pow_of_two(clamp(wanted, BUCKETS_MIN,
							 BUCKETS_MAX));
	struct taskacct_bucket *bucket;
	unsigned long i;

	table->size = size;
	table->factor = get_random_long() | 1;
	table->shift = BITS_PER_LONG - ilog2(n);
	table->count = alloc_percpu(int);
	if (!table->count)
		return -ENOMEM;
	table->buckets = kvcalloc(n, size, GFP_KERNEL);
	if (!table->buckets) {
		free_percpu(table->count);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		bucket = table->buckets + i * size;
		raw_spin_lock_init(&bucket->lock);
		INIT_HLIST_HEAD(&bucket->head);
	}
	return 0;
}

/**
 * taskacct_table_exit() - free a table
 * @table: the table; nothing is in it that anybody will look for
 *
 * Context: task context, may sleep.
 */
void taskacct_table_exit(struct taskacct_table *table)
{
	kvfree(table->buckets);
	free_percpu(table->count);
}

/**
 * taskacct_table_count() - how many entries a table has
 * @table: the table
 *
 * Context: any.
 * Return: their number; while it changes, about.
 */
unsigned int taskacct_table_count(const struct taskacct_table *table)
{
	int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += READ_ONCE(*per_cpu_ptr(table->count, cpu));
	return max(n, 0);
}
