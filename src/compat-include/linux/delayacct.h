/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which waits the kernel counts per task, and so which the record has. The
 * version of struct taskstats tells: it grows with struct task_delay_info.
 * compact came with version 11 (5.17), wpcopy with 13 (6.0), irq with 14 (by
 * 6.12), the longest and shortest of each kind with 15 and the time of the
 * longest with 17 (by 7.2).
 */
#ifndef TASKACCT_COMPAT_LINUX_DELAYACCT_H
#define TASKACCT_COMPAT_LINUX_DELAYACCT_H

#include <linux/spinlock.h>
#include_next <linux/delayacct.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/taskstats.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <linux/taskacct.h>

/**
 * enum taskacct_delay_kind - what a task waits for
 * @TASKACCT_DELAY_CPU: a CPU, in a run queue
 * @TASKACCT_DELAY_BLKIO: synchronous block I/O
 * @TASKACCT_DELAY_SWAPIN: pages to come back from swap
 * @TASKACCT_DELAY_FREEPAGES: direct reclaim of memory
 * @TASKACCT_DELAY_THRASHING: pages that were evicted too early
 * @TASKACCT_DELAY_COMPACT: direct compaction of memory
 * @TASKACCT_DELAY_WPCOPY: copies on write
 * @TASKACCT_DELAY_IRQ: interrupts that came while it ran
 * @TASKACCT_DELAYS: how many kinds there are
 */
enum taskacct_delay_kind {
	TASKACCT_DELAY_CPU,
	TASKACCT_DELAY_BLKIO,
	TASKACCT_DELAY_SWAPIN,
	TASKACCT_DELAY_FREEPAGES,
	TASKACCT_DELAY_THRASHING,
	TASKACCT_DELAY_COMPACT,
	TASKACCT_DELAY_WPCOPY,
	TASKACCT_DELAY_IRQ,
	TASKACCT_DELAYS,
};

/**
 * struct taskacct_delay - waits of one kind
 * @count: how many ended
 * @total: how long they were together, in ns
 * @max: the longest of them, in ns
 * @min: the shortest of them, in ns, but for those of 0; 0 if there was none
 * @max_ts: when the longest ended, by CLOCK_REALTIME
 */
struct taskacct_delay {
	u64 count;
	u64 total;
#if TASKSTATS_VERSION >= 15
	u64 max;
	u64 min;
#endif
#if TASKSTATS_VERSION >= 17
	struct timespec64 max_ts;
#endif
};

/**
 * taskacct_add_delay() - add waits of one kind to others
 * @sum: to add to
 * @delay: what is added
 */
static inline void taskacct_add_delay(struct taskacct_delay *sum,
				      const struct taskacct_delay *delay)
{
#if TASKSTATS_VERSION >= 15
	/* Most tasks have most kinds never met. */
	if (!(delay->count | delay->total))
		return;
#endif
	sum->count += delay->count;
	sum->total += delay->total;
#if TASKSTATS_VERSION >= 17
	if (delay->max > sum->max)
		sum->max_ts = delay->max_ts;
#endif
#if TASKSTATS_VERSION >= 15
	sum->max = max(sum->max, delay->max);
	sum->min = min_not_zero(sum->min, delay->min);
#endif
}

/* The kinds that the running kernel counts, and whether it has extremes */
#define TASKACCT_HAVE_DELAY_COMPACT	(TASKSTATS_VERSION >= 11)
#define TASKACCT_HAVE_DELAY_WPCOPY	(TASKSTATS_VERSION >= 13)
#define TASKACCT_HAVE_DELAY_IRQ		(TASKSTATS_VERSION >= 14)
#define TASKACCT_HAVE_DELAY_EXTREMES	(TASKSTATS_VERSION >= 15)

/**
 * taskacct_delay_extremes() - the longest and the shortest wait
 * @delay: waits of one kind
 * @longest: receives the longest, in ns; 0 where the kernel does not keep it
 * @shortest: receives the shortest, likewise
 */
static inline void taskacct_delay_extremes(const struct taskacct_delay *delay,
					   u64 *longest, u64 *shortest)
{
#if TASKSTATS_VERSION >= 15
	*longest = delay->max;
	*shortest = delay->min;
#else
	*longest = 0;
	*shortest = 0;
#endif
}

/* The members that are there, of where the kernel keeps them */
#if TASKSTATS_VERSION >= 17
#define TASKACCT_DELAY_EXTREMES(most, least, ts)			\
	.max = READ_ONCE(most), .min = READ_ONCE(least), .max_ts = (ts),
#elif TASKSTATS_VERSION >= 15
#define TASKACCT_DELAY_EXTREMES(most, least, ts)			\
	.max = READ_ONCE(most), .min = READ_ONCE(least),
#else
#define TASKACCT_DELAY_EXTREMES(most, least, ts)
#endif

#ifdef CONFIG_SCHED_INFO
static inline void taskacct_add_cpu_delay(struct taskacct_delay *sum,
					  const struct sched_info *info)
{
	const struct taskacct_delay delay = {
		.count = READ_ONCE(info->pcount),
		.total = READ_ONCE(info->run_delay),
		TASKACCT_DELAY_EXTREMES(info->max_run_delay,
					info->min_run_delay,
					info->max_run_delay_ts)
	};

	taskacct_add_delay(sum, &delay);
}

/**
 * taskacct_run_delay() - how long a task has waited for a CPU
 * @t: the task; the caller keeps it from being freed
 *
 * Return: that, in ns; 0 where the kernel does not keep it.
 */
static inline u64 taskacct_run_delay(const struct task_struct *t)
{
	return READ_ONCE(t->sched_info.run_delay);
}
#else
static inline void taskacct_add_cpu_delay(struct taskacct_delay *sum,
					  const struct sched_info *info)
{
}

static inline u64 taskacct_run_delay(const struct task_struct *t)
{
	return 0;
}
#endif

#ifdef CONFIG_TASK_DELAY_ACCT
#if TASKSTATS_VERSION >= 11
#define TASKACCT_IF_COMPACT(statement)	statement
#else
#define TASKACCT_IF_COMPACT(statement)
#endif
#if TASKSTATS_VERSION >= 13
#define TASKACCT_IF_WPCOPY(statement)	statement
#else
#define TASKACCT_IF_WPCOPY(statement)
#endif
#if TASKSTATS_VERSION >= 14
#define TASKACCT_IF_IRQ(statement)	statement
#else
#define TASKACCT_IF_IRQ(statement)
#endif

/* add(sum, info, kind, name) for each kind that the kernel keeps with a task */
#define TASKACCT_EACH_DELAY(add, sum, info) do {			\
	add(sum, info, TASKACCT_DELAY_BLKIO, blkio);			\
	add(sum, info, TASKACCT_DELAY_SWAPIN, swapin);			\
	add(sum, info, TASKACCT_DELAY_FREEPAGES, freepages);		\
	add(sum, info, TASKACCT_DELAY_THRASHING, thrashing);		\
	TASKACCT_IF_COMPACT(add(sum, info, TASKACCT_DELAY_COMPACT,	\
				compact));				\
	TASKACCT_IF_WPCOPY(add(sum, info, TASKACCT_DELAY_WPCOPY,	\
			       wpcopy));				\
	TASKACCT_IF_IRQ(add(sum, info, TASKACCT_DELAY_IRQ, irq));	\
} while (0)

#define TASKACCT_ADD_DELAY(sum, info, kind, name) do {			\
	const struct task_delay_info *_info = (info);			\
									\
	taskacct_add_delay(&(sum)[kind], &(struct taskacct_delay){	\
		.count = _info->name##_count,				\
		.total = _info->name##_delay,				\
		TASKACCT_DELAY_EXTREMES(_info->name##_delay_max,	\
					_info->name##_delay_min,	\
					_info->name##_delay_max_ts)	\
	});								\
} while (0)

static inline void taskacct_add_task_delays(struct taskacct_delay *sum,
					    const struct task_struct *t)
{
	struct task_delay_info *d = t->delays;
	unsigned long flags;

	/* Since 5.14 NULL unless delay accounting was on when t was forked */
	if (!d)
		return;
	/* A count and its total belong together. */
	raw_spin_lock_irqsave(&d->lock, flags);
	TASKACCT_EACH_DELAY(TASKACCT_ADD_DELAY, sum, d);
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

#define TASKACCT_ADD_WAIT(sum, info, kind, name) do {			\
	(sum)[kind].count += (info)->name##_count;			\
	(sum)[kind].total += (info)->name##_delay;			\
} while (0)

/*
 * The same for totals of users, which have no extremes: each exit does it. Of a
 * task that runs nobody else adds to them, but interrupts to their own kind.
 */
static inline void taskacct_add_task_waits(struct taskacct_uid_wait *sum,
					   const struct task_struct *t,
					   bool runs)
{
	struct task_delay_info *d = t->delays;
	unsigned long flags;

	if (runs && TASKSTATS_VERSION < 14) {
		TASKACCT_EACH_DELAY(TASKACCT_ADD_WAIT, sum, d);
		return;
	}
	raw_spin_lock_irqsave(&d->lock, flags);
	TASKACCT_EACH_DELAY(TASKACCT_ADD_WAIT, sum, d);
	raw_spin_unlock_irqrestore(&d->lock, flags);
}

/**
 * taskacct_has_delays() - whether the kernel counts a task's waits
 * @t: any task
 *
 * Return: false where delay accounting was off when it was forked.
 */
static inline bool taskacct_has_delays(const struct task_struct *t)
{
	return READ_ONCE(t->delays);
}
#else
static inline void taskacct_add_task_delays(struct taskacct_delay *sum,
					    const struct task_struct *t)
{
}

static inline void taskacct_add_task_waits(struct taskacct_uid_wait *sum,
					   const struct task_struct *t,
					   bool runs)
{
}

static inline bool taskacct_has_delays(const struct task_struct *t)
{
	return false;
}
#endif

/**
 * taskacct_add_delays() - add a task's waits
 * @sum: to add to, TASKACCT_DELAYS of them
 * @t: any task; the caller keeps it from being freed
 */
static inline void taskacct_add_delays(struct taskacct_delay *sum,
				       const struct task_struct *t)
{
	taskacct_add_cpu_delay(&sum[TASKACCT_DELAY_CPU], &t->sched_info);
	taskacct_add_task_delays(sum, t);
}

#define TASKACCT_PUT_DELAY(stats, name, delay) do {			\
	struct taskstats *_stats = (stats);				\
	const struct taskacct_delay *_delay = (delay);			\
									\
	_stats->name##_count = _delay->count;				\
	_stats->name##_delay_total = _delay->total;			\
} while (0)

#if TASKSTATS_VERSION >= 15
#define TASKACCT_PUT_EXTREMES(stats, name, delay) do {			\
	struct taskstats *_stats = (stats);				\
	const struct taskacct_delay *_delay = (delay);			\
									\
	_stats->name##_delay_max = _delay->max;				\
	_stats->name##_delay_min = _delay->min;				\
} while (0)

static inline void taskacct_put_extremes(struct taskstats *stats,
					 const struct taskacct_delay *d)
{
	TASKACCT_PUT_EXTREMES(stats, cpu, &d[TASKACCT_DELAY_CPU]);
	TASKACCT_PUT_EXTREMES(stats, blkio, &d[TASKACCT_DELAY_BLKIO]);
	TASKACCT_PUT_EXTREMES(stats, swapin, &d[TASKACCT_DELAY_SWAPIN]);
	TASKACCT_PUT_EXTREMES(stats, freepages, &d[TASKACCT_DELAY_FREEPAGES]);
	TASKACCT_PUT_EXTREMES(stats, thrashing, &d[TASKACCT_DELAY_THRASHING]);
	TASKACCT_PUT_EXTREMES(stats, compact, &d[TASKACCT_DELAY_COMPACT]);
	TASKACCT_PUT_EXTREMES(stats, wpcopy, &d[TASKACCT_DELAY_WPCOPY]);
	TASKACCT_PUT_EXTREMES(stats, irq, &d[TASKACCT_DELAY_IRQ]);
}
#else
static inline void taskacct_put_extremes(struct taskstats *stats,
					 const struct taskacct_delay *d)
{
}
#endif

#if TASKSTATS_VERSION >= 17
#define TASKACCT_PUT_MAX_TS(stats, name, delay) do {			\
	struct taskstats *_stats = (stats);				\
	const struct taskacct_delay *_delay = (delay);			\
									\
	_stats->name##_delay_max_ts.tv_sec = _delay->max_ts.tv_sec;	\
	_stats->name##_delay_max_ts.tv_nsec = _delay->max_ts.tv_nsec;	\
} while (0)

static inline void taskacct_put_max_ts(struct taskstats *stats,
				       const struct taskacct_delay *d)
{
	TASKACCT_PUT_MAX_TS(stats, cpu, &d[TASKACCT_DELAY_CPU]);
	TASKACCT_PUT_MAX_TS(stats, blkio, &d[TASKACCT_DELAY_BLKIO]);
	TASKACCT_PUT_MAX_TS(stats, swapin, &d[TASKACCT_DELAY_SWAPIN]);
	TASKACCT_PUT_MAX_TS(stats, freepages, &d[TASKACCT_DELAY_FREEPAGES]);
	TASKACCT_PUT_MAX_TS(stats, thrashing, &d[TASKACCT_DELAY_THRASHING]);
	TASKACCT_PUT_MAX_TS(stats, compact, &d[TASKACCT_DELAY_COMPACT]);
	TASKACCT_PUT_MAX_TS(stats, wpcopy, &d[TASKACCT_DELAY_WPCOPY]);
	TASKACCT_PUT_MAX_TS(stats, irq, &d[TASKACCT_DELAY_IRQ]);
}
#else
static inline void taskacct_put_max_ts(struct taskstats *stats,
				       const struct taskacct_delay *d)
{
}
#endif

/**
 * taskacct_put_delays() - write waits into a record
 * @stats: the record
 * @delays: TASKACCT_DELAYS of them
 */
static inline void taskacct_put_delays(struct taskstats *stats,
				       const struct taskacct_delay *delays)
{
	TASKACCT_PUT_DELAY(stats, cpu, &delays[TASKACCT_DELAY_CPU]);
	TASKACCT_PUT_DELAY(stats, blkio, &delays[TASKACCT_DELAY_BLKIO]);
	TASKACCT_PUT_DELAY(stats, swapin, &delays[TASKACCT_DELAY_SWAPIN]);
	TASKACCT_PUT_DELAY(stats, freepages, &delays[TASKACCT_DELAY_FREEPAGES]);
	TASKACCT_PUT_DELAY(stats, thrashing, &delays[TASKACCT_DELAY_THRASHING]);
#if TASKSTATS_VERSION >= 11
	TASKACCT_PUT_DELAY(stats, compact, &delays[TASKACCT_DELAY_COMPACT]);
#endif
#if TASKSTATS_VERSION >= 13
	TASKACCT_PUT_DELAY(stats, wpcopy, &delays[TASKACCT_DELAY_WPCOPY]);
#endif
#if TASKSTATS_VERSION >= 14
	TASKACCT_PUT_DELAY(stats, irq, &delays[TASKACCT_DELAY_IRQ]);
#endif
	taskacct_put_extremes(stats, delays);
	taskacct_put_max_ts(stats, delays);
}

#endif /* TASKACCT_COMPAT_LINUX_DELAYACCT_H */
