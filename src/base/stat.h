/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module did
 */
#ifndef TASKACCT_STAT_H
#define TASKACCT_STAT_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "counters/counters.h"

/**
 * enum taskacct_stat - counters of the module, since it was loaded
 * @TASKACCT_STAT_EXITS: exits that needed any work
 * @TASKACCT_STAT_MADE: messages made, one for each listener
 * @TASKACCT_STAT_DELIVERED: of these, queued
 * @TASKACCT_STAT_FILTERED: of these, refused by the listener's socket filter
 * @TASKACCT_STAT_LOST_QUEUE: of these, lost for want of room in the queue
 * @TASKACCT_STAT_LOST_MEMORY: of these, lost for want of memory
 * @TASKACCT_STAT_GROUP_NOMEM: dead threads that could not be kept
 * @TASKACCT_STAT_QUERIES: queries answered
 * @TASKACCT_STAT_BYTES: of delivered messages
 * @TASKACCT_STAT_UID_REST: tasks that ended and counted for the rest
 * @TASKACCT_STAT_UID_NOMEM: tasks that could not be kept apart as counted
 * @TASKACCT_STATS: how many there are
 */
enum taskacct_stat {
	TASKACCT_STAT_EXITS,
	TASKACCT_STAT_MADE,
	TASKACCT_STAT_DELIVERED,
	TASKACCT_STAT_FILTERED,
	TASKACCT_STAT_LOST_QUEUE,
	TASKACCT_STAT_LOST_MEMORY,
	TASKACCT_STAT_GROUP_NOMEM,
	TASKACCT_STAT_QUERIES,
	TASKACCT_STAT_BYTES,
	TASKACCT_STAT_UID_REST,
	TASKACCT_STAT_UID_NOMEM,
	TASKACCT_STATS,
};

DECLARE_PER_CPU(u64[TASKACCT_STATS], taskacct_stats);

/* Number of the first one as a counter that is read by mmap */
extern int taskacct_stat_instance;

/**
 * taskacct_stat_add() - count several
 * @stat: of what
 * @n: how many
 *
 * Context: any.
 */
static inline void taskacct_stat_add(enum taskacct_stat stat, unsigned int n)
{
	this_cpu_add(taskacct_stats[stat], n);
	taskacct_counters_own_add(taskacct_stat_instance + stat, n);
}

/**
 * taskacct_stat_inc() - count one
 * @stat: of what
 *
 * Context: any.
 */
static inline void taskacct_stat_inc(enum taskacct_stat stat)
{
	taskacct_stat_add(stat, 1);
}

int taskacct_stat_init(void);
u64 taskacct_stat_read(enum taskacct_stat stat);

#endif /* TASKACCT_STAT_H */
