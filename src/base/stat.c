// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module did: counters per CPU, added up when they are read
 *
 * The family answers from these. Their copies on the counter pages are for readers
 * of the map alone.
 */

#include <linux/cpumask.h>
#include <linux/kernel.h>

#include "base.h"

DEFINE_PER_CPU(u64[TASKACCT_STATS], taskacct_stats);

int taskacct_stat_instance;

/**
 * taskacct_stat_read() - add up one counter
 * @stat: which
 *
 * Context: any.
 * Return: its value since the module was loaded.
 */
u64 taskacct_stat_read(enum taskacct_stat stat)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(taskacct_stats, cpu)[stat]);
	return sum;
}

/**
 * taskacct_stat_init() - publish the counters for those who read by mmap
 *
 * Context: task context, may sleep; nobody else adds counters meanwhile.
 * Return: 0 or a negative errno.
 */
int taskacct_stat_init(void)
{
	static const struct taskacct_counters_own own[TASKACCT_STATS] = {
		[TASKACCT_STAT_EXITS] = { "exits.handled", "count" },
		[TASKACCT_STAT_MADE] = { "records.made", "count" },
		[TASKACCT_STAT_DELIVERED] = { "records.delivered", "count" },
		[TASKACCT_STAT_FILTERED] = { "records.filtered", "count" },
		[TASKACCT_STAT_LOST_QUEUE] = { "records.lost.queue", "count" },
		[TASKACCT_STAT_LOST_MEMORY] = { "records.lost.memory", "count" },
		[TASKACCT_STAT_GROUP_NOMEM] = { "threads.lost.memory", "count" },
		[TASKACCT_STAT_QUERIES] = { "queries", "count" },
		[TASKACCT_STAT_BYTES] = { "records.bytes", "byte" },
		[TASKACCT_STAT_UID_REST] = { "users.rest", "count" },
		[TASKACCT_STAT_UID_NOMEM] = { "users.lost.memory", "count" },
	};

	taskacct_stat_instance = taskacct_counters_add_own(own, ARRAY_SIZE(own));
	return min(taskacct_stat_instance, 0);
}
