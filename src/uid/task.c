// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of each task has been counted for its user
 *
 * Most tasks end before a reader sees them. Of these only the fact is kept that they are
 * dead, so that a walk that still finds one skips it. A bucket has room for a few dead
 * tasks; where it is full, memory is taken as for tasks that were seen alive.
 */

#include <linux/cred.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "base/base.h"

#include "task.h"

#define RESERVED		1024

struct taskacct_table taskacct_uid_table __read_mostly;
DEFINE_STATIC_KEY_FALSE(taskacct_uid_debug);
unsigned int taskacct_uid_view;
static struct taskacct_pool pool;

/* It was not there when the last view began. */
static void begin_view(struct taskacct_uid_reported *reported)
{
	reported->view = READ_ONCE(taskacct_uid_view);
	reported->whose = INVALID_UID;
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
	struct taskacct_bucket *bucket = &taskacct_uid_task_bucket(t)->tasks;
	struct taskacct_uid_task *task;
	unsigned long flags;

	task = may_fail ? taskacct_pool_take(&pool) :
			  taskacct_pool_get(&pool);
	if (!task) {
		if (!may_fail)
			taskacct_stat_inc(TASKACCT_STAT_UID_NOMEM);
		return NULL;
	}
	task->task = t;
	task->uid = uid;
	if (static_branch_unlikely(&taskacct_uid_debug))
		begin_view(task->reported);
	raw_spin_lock_irqsave(&bucket->lock, flags);
	taskacct_table_add(&taskacct_uid_table, bucket, &task->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
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
	return taskacct_pool_fill(&pool, RESERVED + more);
}

/**
 * taskacct_uid_task_mark_dead() - a task has been counted to its end
 * @t: the task, which is current
 * @task: what is kept of it, or NULL
 *
 * Context: under the lock of the entry of its user.
 */
void taskacct_uid_task_mark_dead(const struct task_struct *t,
				 struct taskacct_uid_task *task)
{
	struct taskacct_uid_bucket *bucket = taskacct_uid_task_bucket(t);

	if (!task && taskacct_uid_bucket_mark_dead(bucket, t))
		return;
	if (!task)
		task = taskacct_uid_task_new(t, task_uid(t), false);
	if (task)
		WRITE_ONCE(task->dead, true);
}

/**
 * taskacct_uid_task_is_dead() - whether a task has been counted to its end
 * @t: the task
 * @task: what is kept of it, or NULL
 *
 * Context: under the lock of the entry of its user.
 * Return: true if there is nothing to count any more.
 */
bool taskacct_uid_task_is_dead(const struct task_struct *t,
			       const struct taskacct_uid_task *task)
{
	return task ? task->dead :
		      taskacct_uid_bucket_has(taskacct_uid_task_bucket(t), t);
}

static void put_back_task(struct rcu_head *rcu)
{
	taskacct_pool_put(&pool,
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
	struct taskacct_bucket *bucket = &taskacct_uid_task_bucket(t)->tasks;
	struct taskacct_uid_task *task;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(task, &bucket->head, node) {
		if (task->task == t) {
			taskacct_table_del(&taskacct_uid_table, &task->node);
			call_rcu(&task->rcu, put_back_task);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_uid_task_count() - of how many tasks something is kept
 *
 * Return: their number; while it changes, about.
 */
unsigned int taskacct_uid_task_count(void)
{
	return taskacct_table_count(&taskacct_uid_table);
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
	int err;

	if (debug)
		size += sizeof(struct taskacct_uid_reported);
	err = taskacct_table_init(&taskacct_uid_table, taskacct_table_tasks(),
				  sizeof(struct taskacct_uid_bucket));
	if (err)
		return err;
	err = taskacct_pool_init(&pool, "taskacct_uid_task", size,
				 RESERVED);
	if (err) {
		taskacct_table_exit(&taskacct_uid_table);
		return err;
	}
	if (debug)
		static_branch_enable(&taskacct_uid_debug);
	return 0;
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
	unsigned long i;

	/* Objects that RCU callbacks are about to return to the pool */
	rcu_barrier();

	for (i = 0; i < taskacct_table_size(&taskacct_uid_table); i++) {
		hlist_for_each_entry_safe(task, next,
					  taskacct_table_chain(&taskacct_uid_table, i),
					  node)
			taskacct_pool_put(&pool, task);
		cond_resched();
	}
	taskacct_pool_exit(&pool);
	taskacct_table_exit(&taskacct_uid_table);
}
