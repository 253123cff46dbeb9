// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of each task has been counted for its user
 *
 * Most tasks end before anybody asks. Of such a task nothing is kept but that
 * it is dead, so that a reader who finds it among the tasks leaves it alone; of
 * several that share a bucket, of one in the bucket itself, which costs next to
 * nothing, and of the others as of those that were seen alive.
 */

#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "reserve.h"
#include "stat.h"
#include "uid_task.h"

#define BUCKETS		BIT(TASKACCT_UID_TASK_BITS)
#define RESERVED	1024

struct taskacct_uid_bucket *taskacct_uid_buckets;
bool taskacct_uid_task_debug;
static struct taskacct_reserve reserve;
static atomic_t nr_tasks;

/**
 * taskacct_uid_task_find() - what is kept of a task
 * @t: the task
 *
 * Context: under rcu_read_lock(), or preemption off.
 * Return: it, or NULL.
 */
struct taskacct_uid_task *taskacct_uid_task_find(const struct task_struct *t)
{
	struct taskacct_uid_task *task;

	hlist_for_each_entry_rcu(task, &taskacct_uid_task_bucket(t)->head, node,
				 rcu_read_lock_any_held())
		if (task->task == t)
			return task;
	return NULL;
}

/**
 * taskacct_uid_task_new() - keep something of a task
 * @t: the task, of which nothing is kept
 * @uid: whom it is counted for
 * @may_fail: the caller can have taskacct_uid_task_fill() called and come again
 *
 * Context: under the lock of the user's entry.
 * Return: it, or NULL if there is no memory.
 */
struct taskacct_uid_task *taskacct_uid_task_new(const struct task_struct *t,
						kuid_t uid, bool may_fail)
{
	struct taskacct_uid_bucket *bucket = taskacct_uid_task_bucket(t);
	struct taskacct_uid_task *task;
	unsigned long flags;

	task = may_fail ? taskacct_reserve_take(&reserve) :
			  taskacct_reserve_get(&reserve);
	if (!task) {
		if (!may_fail)
			taskacct_stat_inc(TASKACCT_STAT_UID_NOMEM);
		return NULL;
	}
	task->task = t;
	task->uid = uid;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_add_head_rcu(&task->node, &bucket->head);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	atomic_inc(&nr_tasks);
	return task;
}

/**
 * taskacct_uid_task_fill() - get memory
 * @more: for how many tasks beyond those that are usually there
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_task_fill(unsigned int more)
{
	return taskacct_reserve_fill(&reserve, RESERVED + more);
}

/**
 * taskacct_uid_task_bury() - a task has been counted to its end
 * @t: the task, which is current
 * @task: what is kept of it, or NULL
 *
 * Context: under the lock of the entry of its user.
 */
void taskacct_uid_task_bury(const struct task_struct *t,
			    struct taskacct_uid_task *task)
{
	struct taskacct_uid_bucket *bucket = taskacct_uid_task_bucket(t);

	if (!task && !cmpxchg(&bucket->dead, NULL, t))
		return;
	if (!task)
		task = taskacct_uid_task_new(t, task_uid(t), false);
	if (task)
		task->dead = true;
}

/**
 * taskacct_uid_task_buried() - whether a task has been counted to its end
 * @t: the task
 * @task: what is kept of it, or NULL
 *
 * Context: under the lock of the entry of its user.
 * Return: true if there is nothing to count any more.
 */
bool taskacct_uid_task_buried(const struct task_struct *t,
			      const struct taskacct_uid_task *task)
{
	return task ? task->dead :
		      READ_ONCE(taskacct_uid_task_bucket(t)->dead) == t;
}

static void put_back(struct rcu_head *rcu)
{
	taskacct_reserve_put(&reserve,
			     container_of(rcu, struct taskacct_uid_task, rcu));
}

/**
 * taskacct_uid_task_forget() - forget a task of which more may be kept
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI; the task's address has not been reused.
 */
void taskacct_uid_task_forget(const struct task_struct *t)
{
	struct taskacct_uid_bucket *bucket = taskacct_uid_task_bucket(t);
	struct taskacct_uid_task *task;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(task, &bucket->head, node) {
		if (task->task == t) {
			hlist_del_rcu(&task->node);
			atomic_dec(&nr_tasks);
			call_rcu(&task->rcu, put_back);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_uid_task_count() - of how many tasks something is kept
 *
 * Return: their number.
 */
unsigned int taskacct_uid_task_count(void)
{
	return atomic_read(&nr_tasks);
}

/**
 * taskacct_uid_task_init() - make room for tasks
 * @debug: also for what debug mode tells of them
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_task_init(bool debug)
{
	size_t size = sizeof(struct taskacct_uid_task);
	unsigned int i;

	taskacct_uid_task_debug = debug;
	if (debug)
		size += TASKACCT_UID_STATES * sizeof(struct taskacct_uid_io);
	taskacct_uid_buckets = kvcalloc(BUCKETS, sizeof(*taskacct_uid_buckets),
					GFP_KERNEL);
	if (!taskacct_uid_buckets)
		return -ENOMEM;
	for (i = 0; i < BUCKETS; i++) {
		raw_spin_lock_init(&taskacct_uid_buckets[i].lock);
		INIT_HLIST_HEAD(&taskacct_uid_buckets[i].head);
	}
	if (!taskacct_reserve_init(&reserve, "taskacct_uid_task", size,
				   RESERVED))
		return 0;
	kvfree(taskacct_uid_buckets);
	return -ENOMEM;
}

/**
 * taskacct_uid_task_exit() - forget all tasks
 *
 * Context: task context, may sleep; no hook and no reader is running or will
 *	run.
 */
void taskacct_uid_task_exit(void)
{
	struct taskacct_uid_task *task;
	struct hlist_node *next;
	unsigned int i;

	/* Those that are on their way back to the reserve */
	rcu_barrier();

	for (i = 0; i < BUCKETS; i++)
		hlist_for_each_entry_safe(task, next,
					  &taskacct_uid_buckets[i].head, node)
			taskacct_reserve_put(&reserve, task);
	taskacct_reserve_exit(&reserve);
	kvfree(taskacct_uid_buckets);
}
