// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: threads that have begun to exit
 *
 * There is one for each exiting thread of a process of several, from the exit
 * hook until the thread is freed. So there are never more than tasks, and each
 * takes a small part of what the kernel keeps of its task.
 */

#include <linux/cpumask.h>
#include <linux/llist.h>
#include <linux/mempool.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "base/base.h"

#include "mark.h"

/* Marks that are there even if no memory is, for a burst of exits */
#define RESERVED	256

struct taskacct_table taskacct_marks __read_mostly;
static struct kmem_cache *cache;
static mempool_t *pool;

/**
 * taskacct_mark_find() - the mark of a thread
 * @t: the thread
 *
 * Context: under rcu_read_lock(), during which the mark stays.
 * Return: its mark, or NULL if it has none.
 */
struct taskacct_mark *taskacct_mark_find(const struct task_struct *t)
{
	struct taskacct_mark *mark;

	hlist_for_each_entry_rcu(mark, &taskacct_table_bucket(&taskacct_marks, t)->head,
				 node)
		if (mark->task == t)
			return mark;
	return NULL;
}

/* How many of them a CPU has at hand */
#define SPARES	32

static DEFINE_PER_CPU(struct taskacct_spares, spares);

/**
 * taskacct_mark_put() - give back a mark that nobody reads any more
 * @mark: the mark
 *
 * Those that are kept back for want of memory come first.
 *
 * Context: any but NMI.
 */
void taskacct_mark_put(struct taskacct_mark *mark)
{
	if (READ_ONCE(pool->curr_nr) < RESERVED ||
	    !taskacct_spare_put(&spares, &mark->spare, SPARES))
		mempool_free(mark, pool);
}

/**
 * taskacct_mark_alloc() - get memory for a mark
 *
 * Context: any but NMI; on PREEMPT_RT preemptible.
 * Return: a mark for taskacct_mark_insert() or taskacct_mark_free(), or NULL.
 */
struct taskacct_mark *taskacct_mark_alloc(void)
{
	struct llist_node *spare = taskacct_spare_take(&spares);
	struct taskacct_mark *mark;

	if (likely(spare))
		return llist_entry(spare, struct taskacct_mark, spare);
	mark = mempool_alloc(pool, GFP_ATOMIC | __GFP_NOWARN);
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
			  struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_marks, t);
	unsigned long flags;

	mark->task = t;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	taskacct_table_add(&taskacct_marks, bucket, &mark->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static void free_rcu_mark(struct rcu_head *rcu)
{
	taskacct_mark_put(container_of(rcu, struct taskacct_mark, rcu));
}

/**
 * taskacct_mark_free_later() - free a mark that was removed
 * @mark: the mark, of a thread that was noted
 *
 * Context: any but NMI; readers may still have it.
 */
void taskacct_mark_free_later(struct taskacct_mark *mark)
{
	call_rcu(&mark->rcu, free_rcu_mark);
}

/**
 * taskacct_mark_remove() - forget a thread
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI; the task's address has not been reused.
 * Return: its mark, which readers may still have, or NULL if it had none.
 */
struct taskacct_mark *taskacct_mark_remove(struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_marks, t);
	struct taskacct_mark *mark, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(mark, &bucket->head, node) {
		if (mark->task == t) {
			taskacct_table_del(&taskacct_marks, &mark->node);
			found = mark;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return found;
}

/**
 * taskacct_mark_count() - how many threads have a mark
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_mark_count(void)
{
	return taskacct_table_count(&taskacct_marks);
}

/**
 * taskacct_mark_init() - make room for marks
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_mark_init(void)
{
	int err = taskacct_table_init(&taskacct_marks, taskacct_table_tasks(),
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
	taskacct_table_exit(&taskacct_marks);
	return -ENOMEM;
}

/**
 * taskacct_mark_exit() - forget all marks
 * @let_go: lets go of the group of a thread that was not noted
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_mark_exit(void (*let_go)(struct taskacct_group *group))
{
	struct taskacct_mark *mark, *more;
	struct hlist_node *next;
	unsigned int cpu;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(&taskacct_marks); i++) {
		hlist_for_each_entry_safe(mark, next, taskacct_table_chain(&taskacct_marks, i),
					  node) {
			if (!mark->nr)
				let_go(mark->group);
			mempool_free(mark, pool);
		}
		cond_resched();
	}
	for_each_possible_cpu(cpu)
		llist_for_each_entry_safe(mark, more, per_cpu(spares, cpu).list.first,
					  spare)
			mempool_free(mark, pool);
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&taskacct_marks);
}
