// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of each task has been counted for its user
 *
 * Most tasks end before anybody asks. Of such a task nothing is kept but that
 * it is dead, so that a reader who finds it among the tasks leaves it alone: in a
 * bucket, which costs next to nothing, or, where too many share that, as of those
 * that were seen alive.
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
static struct taskacct_reserve reserve;

/* It was not there when the last view began. */
static void begin_view(struct taskacct_uid_told *told)
{
	told->view = READ_ONCE(taskacct_uid_view);
	told->whose = INVALID_UID;
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

	task = may_fail ? taskacct_reserve_take(&reserve) :
			  taskacct_reserve_get(&reserve);
	if (!task) {
		if (!may_fail)
			taskacct_stat_inc(TASKACCT_STAT_UID_NOMEM);
		return NULL;
	}
	task->task = t;
	task->uid = uid;
	if (static_branch_unlikely(&taskacct_uid_debug))
		begin_view(task->told);
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

	if (!task && taskacct_uid_bucket_bury(bucket, t))
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
		      taskacct_uid_bucket_has(taskacct_uid_task_bucket(t), t);
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
	struct taskacct_bucket *bucket = &taskacct_uid_task_bucket(t)->tasks;
	struct taskacct_uid_task *task;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(task, &bucket->head, node) {
		if (task->task == t) {
			taskacct_table_del(&taskacct_uid_table, &task->node);
			call_rcu(&task->rcu, put_back);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_uid_task_count() - of how many tasks something is kept
 *
 * Context: any.
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
		size += sizeof(struct taskacct_uid_told);
	err = taskacct_table_init(&taskacct_uid_table, taskacct_table_tasks(),
				  sizeof(struct taskacct_uid_bucket));
	if (err)
		return err;
	err = taskacct_reserve_init(&reserve, "taskacct_uid_task", size,
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

	/* Those that are on their way back to the reserve */
	rcu_barrier();

	for (i = 0; i < taskacct_table_size(&taskacct_uid_table); i++) {
		hlist_for_each_entry_safe(task, next,
					  taskacct_table_chain(&taskacct_uid_table, i),
					  node)
			taskacct_reserve_put(&reserve, task);
		cond_resched();
	}
	taskacct_reserve_exit(&reserve);
	taskacct_table_exit(&taskacct_uid_table);
}
