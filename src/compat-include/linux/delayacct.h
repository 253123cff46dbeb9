/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which waits the kernel counts per task, and so which the record has. The
 * version of struct taskstats tells: it grows with struct task_delay_info.
 * compact came with version 11 (5.17), wpcopy with version 13 (6.0).
 */
#ifndef TASKACCT_COMPAT_LINUX_DELAYACCT_H
#define TASKACCT_COMPAT_LINUX_DELAYACCT_H

#include_next <linux/delayacct.h>
#include <linux/taskstats.h>
#include <linux/types.h>

/**
 * enum taskacct_delay_kind - what a task waits for, other than a CPU
 * @TASKACCT_DELAY_BLKIO: synchronous block I/O
 * @TASKACCT_DELAY_SWAPIN: pages to come back from swap
 * @TASKACCT_DELAY_FREEPAGES: direct reclaim of memory
 * @TASKACCT_DELAY_THRASHING: pages that were evicted too early
 * @TASKACCT_DELAY_COMPACT: direct compaction of memory
 * @TASKACCT_DELAY_WPCOPY: copies on write
 * @TASKACCT_DELAYS: how many kinds there are
 */
enum taskacct_delay_kind {
	TASKACCT_DELAY_BLKIO,
	TASKACCT_DELAY_SWAPIN,
	TASKACCT_DELAY_FREEPAGES,
	TASKACCT_DELAY_THRASHING,
	TASKACCT_DELAY_COMPACT,
	TASKACCT_DELAY_WPCOPY,
	TASKACCT_DELAYS,
};

/**
 * struct taskacct_delay - waits of one kind
 * @count: how many ended
 * @total: how long they were together, in ns
 */
struct taskacct_delay {
	u64 count;
	u64 total;
};

/**
 * taskacct_add_delay() - add one kind of waits
 * @delay: to add to
 * @count: how many ended
 * @total: how long they were together, in ns
 */
static inline void taskacct_add_delay(struct taskacct_delay *delay, u64 count,
				      u64 total)
{
	delay->count += count;
	delay->total += total;
}

#ifdef CONFIG_TASK_DELAY_ACCT
/**
 * taskacct_add_delays() - add a task's waits
 * @sum: to add to, TASKACCT_DELAYS of them
 * @d: of a task; NULL unless delay accounting was on when it was forked
 *
 * Context: any.
 */
static inline void taskacct_add_delays(struct taskacct_delay *sum,
				       struct task_delay_info *d)
{
	unsigned long flags;

	if (!d)
		return;
	/* A count and its total belong together. */
	raw_spin_lock_irqsave(&d->lock, flags);
	taskacct_add_delay(&sum[TASKACCT_DELAY_BLKIO], d->blkio_count,
			   d->blkio_delay);
	taskacct_add_delay(&sum[TASKACCT_DELAY_SWAPIN], d->swapin_count,
			   d->swapin_delay);
	taskacct_add_delay(&sum[TASKACCT_DELAY_FREEPAGES], d->freepages_count,
			   d->freepages_delay);
	taskacct_add_delay(&sum[TASKACCT_DELAY_THRASHING], d->thrashing_count,
			   d->thrashing_delay);
#if TASKSTATS_VERSION >= 11
	taskacct_add_delay(&sum[TASKACCT_DELAY_COMPACT], d->compact_count,
			   d->compact_delay);
#endif
#if TASKSTATS_VERSION >= 13
	taskacct_add_delay(&sum[TASKACCT_DELAY_WPCOPY], d->wpcopy_count,
			   d->wpcopy_delay);
#endif
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

#define taskacct_task_delays(t) ((t)->delays)
#else
struct task_delay_info;

static inline void taskacct_add_delays(struct taskacct_delay *sum,
				       struct task_delay_info *d)
{
}

#define taskacct_task_delays(t) ((struct task_delay_info *)NULL)
#endif

/**
 * taskacct_put_delays() - write waits into a record
 * @stats: the record
 * @delays: TASKACCT_DELAYS of them
 *
 * Context: any.
 */
static inline void taskacct_put_delays(struct taskstats *stats,
				       const struct taskacct_delay *delays)
{
	stats->blkio_count = delays[TASKACCT_DELAY_BLKIO].count;
	stats->blkio_delay_total = delays[TASKACCT_DELAY_BLKIO].total;
	stats->swapin_count = delays[TASKACCT_DELAY_SWAPIN].count;
	stats->swapin_delay_total = delays[TASKACCT_DELAY_SWAPIN].total;
	stats->freepages_count = delays[TASKACCT_DELAY_FREEPAGES].count;
	stats->freepages_delay_total = delays[TASKACCT_DELAY_FREEPAGES].total;
	stats->thrashing_count = delays[TASKACCT_DELAY_THRASHING].count;
	stats->thrashing_delay_total = delays[TASKACCT_DELAY_THRASHING].total;
#if TASKSTATS_VERSION >= 11
	stats->compact_count = delays[TASKACCT_DELAY_COMPACT].count;
	stats->compact_delay_total = delays[TASKACCT_DELAY_COMPACT].total;
#endif
#if TASKSTATS_VERSION >= 13
	stats->wpcopy_count = delays[TASKACCT_DELAY_WPCOPY].count;
	stats->wpcopy_delay_total = delays[TASKACCT_DELAY_WPCOPY].total;
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_DELAYACCT_H */
