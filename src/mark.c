// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: threads whose values are in their process's sum already
 *
 * There is one for each exiting thread of a process of several, from the exit
 * hook until the thread is freed. So there are never more than tasks, and each
 * takes a small part of what the kernel keeps of its task.
 */

#include <linux/mempool.h>
#include <linux/slab.h>

#include "mark.h"
#include "stat.h"
#include "table.h"

/* Marks that are there even if no memory is, for a burst of exits */
#define RESERVED	256

static struct taskacct_table marks;
static struct kmem_cache *cache;
static mempool_t *pool;

/**
 * taskacct_mark_find() - the mark of a thread
 * @t: the thread
 *
 * Context: under rcu_read_lock(), during which the mark stays.
 * Return: its mark, or NULL if it has none.
 */
const struct taskacct_mark *taskacct_mark_find(const struct task_struct *t)
{
	const struct taskacct_mark *mark;

	hlist_for_each_entry_rcu(mark, &taskacct_table_bucket(&marks, t)->head,
				 node)
		if (mark->task == t)
			return mark;
	return NULL;
}

/**
 * taskacct_mark_alloc() - get memory for a mark
 *
 * Context: any but NMI; on PREEMPT_RT preemptible.
 * Return: a mark for taskacct_mark_insert() or taskacct_mark_free(), or NULL.
 */
struct taskacct_mark *taskacct_mark_alloc(void)
{
	struct taskacct_mark *mark = mempool_alloc(pool,
						   GFP_ATOMIC | __GFP_NOWARN);

	if (!mark)
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
	return mark;
}

/**
 * taskacct_mark_free() - give back a mark that was not inserted
 * @mark: the mark, or NULL
 *
 * Context: as taskacct_mark_alloc().
 */
void taskacct_mark_free(struct taskacct_mark *mark)
{
	if (mark)
		mempool_free(mark, pool);
}

/**
 * taskacct_mark_insert() - mark a thread
 * @mark: its mark, all but the thread filled in
 * @t: the thread, which has none and is not freed
 *
 * Context: any but NMI.
 */
void taskacct_mark_insert(struct taskacct_mark *mark,
			  const struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&marks, t);
	unsigned long flags;

	mark->task = t;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	taskacct_table_add(&marks, bucket, &mark->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static void free_rcu_mark(struct rcu_head *rcu)
{
	mempool_free(container_of(rcu, struct taskacct_mark, rcu), pool);
}

/**
 * taskacct_mark_remove() - forget a thread
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI; the task's address has not been reused.
 */
void taskacct_mark_remove(const struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&marks, t);
	struct taskacct_mark *mark;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(mark, &bucket->head, node) {
		if (mark->task == t) {
			taskacct_table_del(&marks, &mark->node);
			call_rcu(&mark->rcu, free_rcu_mark);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_mark_count() - how many threads are noted and not yet freed
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_mark_count(void)
{
	return taskacct_table_count(&marks);
}

/**
 * taskacct_mark_init() - make room for marks
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_mark_init(void)
{
	int err = taskacct_table_init(&marks, taskacct_table_tasks(),
				      sizeof(struct taskacct_bucket));

	if (err)
		return err;
	cache = kmem_cache_create("taskacct_mark", sizeof(struct taskacct_mark),
				  0, 0, NULL);
	if (!cache)
		goto err_cache;
	pool = mempool_create_slab_pool(RESERVED, cache);
	if (!pool)
		goto err_pool;
	return 0;

err_pool:
	kmem_cache_destroy(cache);
err_cache:
	taskacct_table_exit(&marks);
	return -ENOMEM;
}

/**
 * taskacct_mark_exit() - forget all marks
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run, and rcu_barrier() was called since.
 */
void taskacct_mark_exit(void)
{
	struct taskacct_mark *mark;
	struct hlist_node *next;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(&marks); i++) {
		hlist_for_each_entry_safe(mark, next, taskacct_table_chain(&marks, i),
					  node)
			mempool_free(mark, pool);
		cond_resched();
	}
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&marks);
}
