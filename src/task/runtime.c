// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a task has run that runs on another CPU, to this instant
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
 * What was told must not be taken back, and the kernel may give time to the next task
 * that it looked as if this one had: a task that leaves is counted up to when its CPU
 * looked at the clock for that, or decided that it has to leave, and goes on a little.
 * Where that can be seen nothing is added. There is a moment in which it cannot, and the
 * CPU of a virtual machine may stand still in it. So what was told is remembered until the
 * kernel has counted as much. Of more tasks than there is room for what is counted is told.
 * There is room for some of each CPU: a task that does not run is counted, and its place
 * can be another's.
 */

#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>

#include "base/base.h"

#include "task.h"

/* Who is counted each time that it is looked at is told as it was counted. */
#define TRIES	4

#define WAYS	4
#define BUCKETS_PER_CPU	2

/**
 * struct told - of a task more was told than is counted
 * @task: the task, referenced; NULL: there is none
 * @ns: what was told
 */
struct told {
	struct task_struct *task;
	u64 ns;
};

/**
 * struct told_bucket - places for tasks
 * @bucket: its lock is for all of it; there is no chain
 * @told: the places
 */
struct told_bucket {
	struct taskacct_bucket bucket;
	struct told told[WAYS];
};

static struct taskacct_table table __read_mostly;
atomic_t taskacct_runtime_n_told;

static struct told_bucket *bucket_of(const struct task_struct *t)
{
	struct told_bucket *buckets = table.buckets;

	return &buckets[taskacct_table_index(&table, t)];
}

static u64 counted(const struct task_struct *t)
{
	return READ_ONCE(t->se.sum_exec_runtime);
}

static struct told *find(struct told_bucket *bucket, const struct task_struct *t)
{
	struct told *told;

	for (told = bucket->told; told != bucket->told + WAYS; told++)
		if (READ_ONCE(told->task) == t)
			return told;
	return NULL;
}

/* Returns a place that nobody needs, or NULL. Who was released is not seen again. */
static struct told *find_room(struct told_bucket *bucket)
{
	struct told *told;

	for (told = bucket->told; told != bucket->told + WAYS; told++)
		if (!told->task || counted(told->task) >= told->ns ||
		    taskacct_was_released(told->task))
			return told;
	return NULL;
}

/*
 * Whose place was given up is counted with at least what was told: so who does not find
 * one looks at that again.
 */
static u64 at_least_counted(const struct task_struct *t, u64 ns)
{
	smp_rmb(); /* with give_up() */
	return max(ns, counted(t));
}

static void give_up(struct told *told)
{
	smp_mb(); /* with at_least_counted() and taskacct_runtime_is_told() */
	WRITE_ONCE(told->task, NULL);
	atomic_dec(&taskacct_runtime_n_told);
}

/* Returns what is told: @ns, or what was told or is counted, if that is more */
static u64 tell(struct task_struct *t, u64 ns)
{
	struct told_bucket *bucket = bucket_of(t);
	struct task_struct *old = NULL;
	struct told *told;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->bucket.lock, flags);
	told = find(bucket, t);
	if (told) {
		ns = max(ns, told->ns);
		told->ns = ns;
	} else {
		told = find_room(bucket);
		ns = told ? at_least_counted(t, ns) : counted(t);
	}
	if (told && told->task != t) {
		old = told->task;
		if (old)
			give_up(told);
		told->ns = ns;
		atomic_inc(&taskacct_runtime_n_told);
		WRITE_ONCE(told->task, get_task_struct(t));
	}
	raw_spin_unlock_irqrestore(&bucket->bucket.lock, flags);
	if (old)
		put_task_struct(old);
	return ns;
}

/**
 * taskacct_runtime_told() - what is told of a task of which more may have been told before
 * @t: the task, kept by the caller
 * @ns: what it has run, as far as is known
 *
 * Context: any but NMI.
 * Return: that, or what was told or is counted, if that is more.
 */
u64 taskacct_runtime_told(struct task_struct *t, u64 ns)
{
	struct told_bucket *bucket = bucket_of(t);
	unsigned long flags;
	struct told *told;
	bool over = false;

	if (likely(!find(bucket, t)))
		return at_least_counted(t, ns);
	raw_spin_lock_irqsave(&bucket->bucket.lock, flags);
	told = find(bucket, t);
	if (told) {
		ns = max(ns, told->ns);
		over = counted(t) >= told->ns;
		if (over)
			give_up(told);
	}
	ns = at_least_counted(t, ns);
	raw_spin_unlock_irqrestore(&bucket->bucket.lock, flags);
	if (over)
		put_task_struct(t);
	return ns;
}

/* Returns false if it was counted meanwhile; 0 where nothing can be added */
static bool read_since(struct task_struct *t, u64 sum, u64 *since)
{
	const u64 start = READ_ONCE(t->se.exec_start);
	const unsigned int cpu = task_cpu(t);

	smp_rmb(); /* the clock is read behind what is counted up to ... */
	*since = sched_clock_cpu(cpu) - start;
	smp_rmb(); /* ... and before it is looked whether that has changed */
	if (!taskacct_features_on_cpu(t) || taskacct_features_is_leaving(t) ||
	    !taskacct_runtime_is_all(&kcpustat_cpu(cpu)))
		*since = 0;
	smp_rmb(); /* the same, for all of it */
	return task_cpu(t) == cpu && READ_ONCE(t->se.exec_start) == start &&
	       counted(t) == sum;
}

/**
 * taskacct_runtime_of_running() - CPU time of a task that runs
 * @t: a task that ran just now; the caller keeps it from being freed
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

	if (t == current)
		return taskacct_runtime_of_current();
	do {
		sum = counted(t);
		if (!read_since(t, sum, &since))
			continue;
		if (since && since < TASKACCT_RUNTIME_MAX)
			return tell(t, sum + since);
		break;
	} while (--tries);
	return taskacct_runtime_told(t, counted(t));
}

/**
 * taskacct_runtime_init() - make room for what is told
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_runtime_init(void)
{
	return taskacct_table_init(&table, num_possible_cpus() * BUCKETS_PER_CPU,
				   sizeof(struct told_bucket));
}

/**
 * taskacct_runtime_exit() - forget all
 *
 * Context: task context, may sleep; nobody asks any more, and no hook is running.
 */
void taskacct_runtime_exit(void)
{
	struct told_bucket *buckets = table.buckets;
	unsigned long i;
	unsigned int k;

	for (i = 0; i < taskacct_table_size(&table); i++)
		for (k = 0; k < WAYS; k++)
			if (buckets[i].told[k].task)
				put_task_struct(buckets[i].told[k].task);
	taskacct_table_exit(&table);
}
