// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module did: counters per CPU, added up when they are read
 */

#include <linux/cpumask.h>

#include "stat.h"

DEFINE_PER_CPU(u64[TASKACCT_STATS], taskacct_stats);

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
