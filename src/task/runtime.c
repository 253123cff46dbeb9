// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a task that runs has run, to this instant: on another CPU, or the asker itself
 *
 * What the scheduler keeps of it (se.sum_exec_runtime) is as old as its last tick
 * or switch, at which se.exec_start was set: up to 4 ms at 250 Hz. Many tasks are
 * over in less.
 *
 * Its CPU alone has the lock that makes what it counts and when it did so one. Both are
 * read twice here, and the clock in between: if they have not changed the time since is
 * added. The kernel's update is two stores, one behind the other; who looks just there
 * finds what was counted before, as old as that is.
 *
 * What was reported must not be taken back, and the kernel may give time to the next task
 * that it looked as if this one had: a task that leaves is counted up to when its CPU
 * looked at the clock for that, or decided that it has to leave, and goes on a little.
 * Where that can be seen nothing is added. There is a moment in which it cannot, and the
 * CPU of a virtual machine may stand still in it. So what was reported is remembered until the
 * kernel has counted as much. Of more tasks than there is room for what is counted is reported.
 * There is room for some of each CPU: a task that does not run is counted, and its place
 * can be another's.
 *
 * As long as anything is remembered it is looked for each task whether its bucket has any. So
 * each query first forgets some tasks that are counted by then, or all where there are few.
 */

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "base/base.h"

#include "task.h"

/* Who is counted each time that it is looked at is reported as it was counted. */
#define TRIES	4

#define WAYS	4
#define BUCKETS_PER_CPU	2

/* In so many buckets a query looks for tasks that can be forgotten. */
#define LOOKED_AT	8

/**
 * struct reported - of a task more was reported than is counted
 * @task: the task, referenced; NULL: there is none
 * @ns: what was reported
 */
struct reported {
	struct task_struct *task;
	u64 ns;
};

/**
 * struct reported_bucket - places for tasks
 * @bucket: its lock is for all of it; there is no chain
 * @reported: the places
 */
struct reported_bucket {
	struct taskacct_bucket bucket;
	struct reported reported[WAYS];
};

struct taskacct_table taskacct_runtime_table __read_mostly;
unsigned long *taskacct_runtime_filled __read_mostly;

/* Where the next query begins to look for tasks that can be forgotten */
static unsigned long next_filled;

atomic_t taskacct_runtime_n_reported;

static struct reported_bucket *bucket_at(unsigned long i)
{
	struct reported_bucket *buckets = taskacct_runtime_table.buckets;

	return &buckets[i];
}

static struct reported_bucket *bucket_of(const struct task_struct *t)
{
	return bucket_at(taskacct_table_index(&taskacct_runtime_table, t));
}

static unsigned long n_buckets(void)
{
	return taskacct_table_size(&taskacct_runtime_table);
}

static u64 counted(const struct task_struct *t)
{
	return READ_ONCE(t->se.sum_exec_runtime);
}

static struct reported *find_reported(struct reported_bucket *bucket, const struct task_struct *t)
{
	struct reported *reported;

	for (reported = bucket->reported; reported != bucket->reported + WAYS; reported++)
		if (READ_ONCE(reported->task) == t)
			return reported;
	return NULL;
}

/* Who was released is not seen again once he is at his end: until then he runs on. */
static bool is_over(const struct reported *reported)
{
	return counted(reported->task) >= reported->ns ||
	       (taskacct_was_released(reported->task) && taskacct_is_dead(reported->task));
}

/* Returns a place that nobody needs, or NULL */
static struct reported *find_room(struct reported_bucket *bucket)
{
	struct reported *reported;

	for (reported = bucket->reported; reported != bucket->reported + WAYS; reported++)
		if (!reported->task || is_over(reported))
			return reported;
	return NULL;
}

/*
 * Whose place was given up is counted with at least what was reported: so who does not find
 * one looks at that again.
 */
static u64 at_least_counted(const struct task_struct *t, u64 ns)
{
	smp_rmb(); /* never-back, with give_up() */
	return max(ns, counted(t));
}

static void give_up(struct reported *reported)
{
	smp_mb(); /* never-back, with at_least_counted() and taskacct_runtime_is_reported() */
	WRITE_ONCE(reported->task, NULL);
	atomic_dec(&taskacct_runtime_n_reported);
}

/* Returns what is reported: @ns, or what was reported or is counted, if that is more */
static u64 report_runtime(struct task_struct *t, u64 ns)
{
	struct reported_bucket *bucket = bucket_of(t);
	struct task_struct *old = NULL;
	struct reported *reported;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->bucket.lock, flags);
	reported = find_reported(bucket, t);
	if (reported) {
		ns = max(ns, reported->ns);
		reported->ns = ns;
	} else {
		reported = find_room(bucket);
		ns = reported ? at_least_counted(t, ns) : counted(t);
	}
	if (reported && reported->task != t) {
		old = reported->task;
		if (old)
			give_up(reported);
		reported->ns = ns;
		atomic_inc(&taskacct_runtime_n_reported);
		set_bit(taskacct_table_index(&taskacct_runtime_table, t),
			taskacct_runtime_filled);
		WRITE_ONCE(reported->task, get_task_struct(t));
	}
	raw_spin_unlock_irqrestore(&bucket->bucket.lock, flags);
	if (old)
		put_task_struct(old);
	return ns;
}

/**
 * taskacct_runtime_reported() - what to report of a task of which more may have been
 *	reported before
 * @t: the task, kept by the caller
 * @ns: what it has run, as far as is known
 *
 * Context: any but NMI.
 * Return: that, or what was reported or is counted, if that is more.
 */
u64 taskacct_runtime_reported(struct task_struct *t, u64 ns)
{
	struct reported_bucket *bucket = bucket_of(t);
	unsigned long flags;
	struct reported *reported;
	bool over = false;

	if (likely(!find_reported(bucket, t)))
		return at_least_counted(t, ns);
	raw_spin_lock_irqsave(&bucket->bucket.lock, flags);
	reported = find_reported(bucket, t);
	if (reported) {
		ns = max(ns, reported->ns);
		over = counted(t) >= reported->ns;
		if (over)
			give_up(reported);
	}
	ns = at_least_counted(t, ns);
	raw_spin_unlock_irqrestore(&bucket->bucket.lock, flags);
	if (over)
		put_task_struct(t);
	return ns;
}

/* Forgets one task of a bucket that is counted by now; returns it, or NULL */
static struct task_struct *forget_in(unsigned long i)
{
	struct reported_bucket *bucket = bucket_at(i);
	struct task_struct *old = NULL;
	struct reported *reported;
	unsigned long flags;
	bool empty = true;

	raw_spin_lock_irqsave(&bucket->bucket.lock, flags);
	for (reported = bucket->reported; reported != bucket->reported + WAYS; reported++) {
		if (reported->task && !old && is_over(reported)) {
			old = reported->task;
			give_up(reported);
		}
		empty = empty && !reported->task;
	}
	if (empty)
		clear_bit(i, taskacct_runtime_filled);
	raw_spin_unlock_irqrestore(&bucket->bucket.lock, flags);
	return old;
}

static unsigned long find_filled(unsigned long from)
{
	/* Others set and clear bits meanwhile: the one that is found may be clear then. */
	return data_race(find_next_bit(taskacct_runtime_filled, n_buckets(), from));
}

/**
 * __taskacct_runtime_forget() - taskacct_runtime_forget() where anything is remembered
 *
 * Context: task context.
 */
void __taskacct_runtime_forget(void)
{
	unsigned long i = find_filled(READ_ONCE(next_filled));
	unsigned int left = LOOKED_AT;
	struct task_struct *old;

	for (; i < n_buckets() && left; left--) {
		old = forget_in(i);
		if (old)
			put_task_struct(old);
		i = find_filled(i + 1);
	}
	WRITE_ONCE(next_filled, i < n_buckets() ? i : 0);
}

/* Returns false if it was counted meanwhile; 0 where nothing can be added */
static bool read_since(struct task_struct *t, u64 sum, u64 *since)
{
	const u64 start = READ_ONCE(t->se.exec_start);
	const unsigned int cpu = task_cpu(t);

	taskacct_rmb_at_clock(); /* it is read behind what is counted up to ... */
	*since = cpu_clock(cpu) - start;
	taskacct_rmb_at_clock(); /* ... and before it is looked whether that has changed */
	if (!taskacct_features_on_cpu(t) || taskacct_features_is_leaving(t) ||
	    !taskacct_runtime_is_all(&kcpustat_cpu(cpu)))
		*since = 0;
	smp_rmb(); /* the same, for all of it */
	return task_cpu(t) == cpu && READ_ONCE(t->se.exec_start) == start &&
	       counted(t) == sum;
}

/**
 * taskacct_runtime_of_running() - CPU time of a task that runs
 * @t: a task that ran just now, maybe current; the caller keeps it from being freed
 *
 * Context: any but NMI.
 * Return: its CPU time as the scheduler counts it, in ns, to this instant; as of its CPU's
 *	last tick where taskacct_runtime_of_current() is, and where the task is about to
 *	leave its CPU. It does not get less.
 */
u64 taskacct_runtime_of_running(struct task_struct *t)
{
	unsigned int tries = TRIES;
	u64 sum, since;

	do {
		sum = counted(t);
		if (!read_since(t, sum, &since))
			continue;
		if (since && since < TASKACCT_RUNTIME_MAX)
			return report_runtime(t, sum + since);
		break;
	} while (--tries);
	return taskacct_runtime_reported(t, counted(t));
}

/**
 * taskacct_runtime_init() - make room for what is reported
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_runtime_init(void)
{
	int err = taskacct_table_init(&taskacct_runtime_table,
				      num_possible_cpus() * BUCKETS_PER_CPU,
				      sizeof(struct reported_bucket));

	if (err)
		return err;
	taskacct_runtime_filled = bitmap_zalloc(n_buckets(), GFP_KERNEL);
	if (!taskacct_runtime_filled) {
		taskacct_table_exit(&taskacct_runtime_table);
		return -ENOMEM;
	}
	return 0;
}

/**
 * taskacct_runtime_exit() - forget all
 *
 * Context: task context, may sleep; nobody asks any more, and no hook is running.
 */
void taskacct_runtime_exit(void)
{
	struct reported *reported;
	unsigned long i;
	unsigned int k;

	for (i = 0; i < n_buckets(); i++) {
		reported = bucket_at(i)->reported;
		for (k = 0; k < WAYS; k++)
			if (reported[k].task)
				put_task_struct(reported[k].task);
	}
	bitmap_free(taskacct_runtime_filled);
	taskacct_table_exit(&taskacct_runtime_table);
}
