// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much of each task has been counted for its user
 *
 * Most tasks end before anybody asks. Of such a task nothing is kept but that
 * it is dead, so that a reader who finds it among the tasks leaves it alone: in a
 * bucket, which costs next to nothing, or, where too many share that, as of those
 * that were seen alive.
 */

#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "reserve.h"
#include "stat.h"
#include "uid_task.h"
#include "uid_view.h"

/*
 * A bucket for as much memory as a task needs at the least, for its stack and all
 * that the kernel keeps of it: so chains stay short however many tasks there are.
 */
#define BYTES_PER_BUCKET	32768UL
#define BUCKETS_MIN		BIT(13)
#define BUCKETS_MAX		BIT(20)

#define RESERVED		1024

struct taskacct_uid_table taskacct_uid_table __read_mostly;
DEFINE_STATIC_KEY_FALSE(taskacct_uid_debug);
static struct taskacct_reserve reserve;
static atomic_t nr_tasks;

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
	if (static_branch_unlikely(&taskacct_uid_debug))
		taskacct_uid_view_begin(task->told);
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
		      !!taskacct_uid_bucket_dead(taskacct_uid_task_bucket(t), t);
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

static unsigned long nr_buckets(void)
{
	return BIT(BITS_PER_LONG - taskacct_uid_table.shift);
}

static int make_table(void)
{
	const unsigned long tasks = totalram_pages() /
				    DIV_ROUND_UP(BYTES_PER_BUCKET, PAGE_SIZE);
	const unsigned long n = roundup_pow_of_two(clamp(tasks, BUCKETS_MIN,
							 BUCKETS_MAX));
	struct taskacct_uid_bucket *buckets;
	unsigned long i;

	buckets = kvcalloc(n, sizeof(*buckets), GFP_KERNEL);
	if (!buckets)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		raw_spin_lock_init(&buckets[i].lock);
		INIT_HLIST_HEAD(&buckets[i].head);
	}
	taskacct_uid_table = (struct taskacct_uid_table){
		.buckets = buckets,
		.factor = get_random_long() | 1,
		.shift = BITS_PER_LONG - ilog2(n),
	};
	return 0;
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

	if (debug)
		size += sizeof(struct taskacct_uid_told);
	if (make_table())
		return -ENOMEM;
	if (taskacct_reserve_init(&reserve, "taskacct_uid_task", size,
				  RESERVED)) {
		kvfree(taskacct_uid_table.buckets);
		return -ENOMEM;
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

	for (i = 0; i < nr_buckets(); i++) {
		hlist_for_each_entry_safe(task, next,
					  &taskacct_uid_table.buckets[i].head,
					  node)
			taskacct_reserve_put(&reserve, task);
		cond_resched();
	}
	taskacct_reserve_exit(&reserve);
	kvfree(taskacct_uid_table.buckets);
}
