// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entries: threads that have begun to exit
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

#include "exited.h"

/* Entries that are there even if no memory is, for a burst of exits */
#define RESERVED	256

struct taskacct_table taskacct_exited_threads __read_mostly;
static struct kmem_cache *cache;
static mempool_t *pool;

/**
 * taskacct_exited_find() - the entry of a thread
 * @t: the thread
 *
 * Context: under rcu_read_lock(), during which the entry stays.
 * Return: its entry, or NULL if it has none.
 */
struct taskacct_exited *taskacct_exited_find(const struct task_struct *t)
{
	struct taskacct_exited *exited;

	hlist_for_each_entry_rcu(exited, &taskacct_table_bucket(&taskacct_exited_threads, t)->head,
				 node)
		if (exited->task == t)
			return exited;
	return NULL;
}

/* How many of them a CPU has at hand */
#define SPARES	32

static DEFINE_PER_CPU(struct taskacct_spares, exited_spares);

/**
 * taskacct_exited_put() - give back an entry that nobody reads any more
 * @exited: the entry
 *
 * Those that are kept back for want of memory come first.
 *
 * Context: any but NMI.
 */
void taskacct_exited_put(struct taskacct_exited *exited)
{
	if (READ_ONCE(pool->curr_nr) < RESERVED ||
	    !taskacct_spare_put(&exited_spares, &exited->spare, SPARES))
		mempool_free(exited, pool);
}

/**
 * taskacct_exited_alloc() - get memory for an entry
 *
 * Context: any but NMI; on PREEMPT_RT preemptible.
 * Return: an entry for taskacct_exited_insert() or taskacct_exited_free(), or NULL.
 */
struct taskacct_exited *taskacct_exited_alloc(void)
{
	struct llist_node *spare = taskacct_spare_take(&exited_spares);
	struct taskacct_exited *exited;

	if (likely(spare))
		return llist_entry(spare, struct taskacct_exited, spare);
	exited = mempool_alloc(pool, GFP_ATOMIC | __GFP_NOWARN);
	if (!exited)
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
	return exited;
}

/**
 * taskacct_exited_free() - give back an entry that was not inserted
 * @exited: the entry, or NULL
 *
 * Context: as taskacct_exited_alloc().
 */
void taskacct_exited_free(struct taskacct_exited *exited)
{
	if (exited)
		mempool_free(exited, pool);
}

/**
 * taskacct_exited_insert() - list a thread
 * @exited: its entry, all but the thread filled in
 * @t: the thread, which has none and is not freed
 *
 * Context: any but NMI.
 */
void taskacct_exited_insert(struct taskacct_exited *exited,
			    struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_exited_threads, t);
	unsigned long flags;

	exited->task = t;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	taskacct_table_add(&taskacct_exited_threads, bucket, &exited->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static void free_exited_rcu(struct rcu_head *rcu)
{
	taskacct_exited_put(container_of(rcu, struct taskacct_exited, rcu));
}

/**
 * taskacct_exited_free_later() - free an entry that was removed
 * @exited: the entry, of a thread that was noted
 *
 * Context: any but NMI; readers may still have it.
 */
void taskacct_exited_free_later(struct taskacct_exited *exited)
{
	call_rcu(&exited->rcu, free_exited_rcu);
}

/**
 * taskacct_exited_remove() - forget a thread
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI; the task's address has not been reused.
 * Return: its entry, which readers may still have, or NULL if it had none.
 */
struct taskacct_exited *taskacct_exited_remove(struct task_struct *t)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_exited_threads, t);
	struct taskacct_exited *exited, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(exited, &bucket->head, node) {
		if (exited->task == t) {
			taskacct_table_del(&taskacct_exited_threads, &exited->node);
			found = exited;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return found;
}

/**
 * taskacct_exited_count() - how many threads have an entry
 *
 * Return: their number.
 */
unsigned int taskacct_exited_count(void)
{
	return taskacct_table_count(&taskacct_exited_threads);
}

/**
 * taskacct_exited_init() - make room for entries
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_exited_init(void)
{
	int err = taskacct_table_init(&taskacct_exited_threads, taskacct_table_tasks(),
				      sizeof(struct taskacct_bucket));

	if (err)
		return err;
	cache = kmem_cache_create("taskacct_exited", sizeof(struct taskacct_exited),
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
	taskacct_table_exit(&taskacct_exited_threads);
	return -ENOMEM;
}

/**
 * taskacct_exited_exit() - forget all entries
 * @let_go: lets go of the group of a thread that was not noted
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_exited_exit(void (*let_go)(struct taskacct_group *group))
{
	struct taskacct_table *table = &taskacct_exited_threads;
	struct taskacct_exited *exited, *more;
	struct hlist_node *next;
	unsigned int cpu;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(table); i++) {
		hlist_for_each_entry_safe(exited, next,
					  taskacct_table_chain(table, i), node) {
			if (!exited->nr)
				let_go(exited->group);
			mempool_free(exited, pool);
		}
		cond_resched();
	}
	for_each_possible_cpu(cpu)
		llist_for_each_entry_safe(exited, more, per_cpu(exited_spares, cpu).list.first,
					  spare)
			mempool_free(exited, pool);
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&taskacct_exited_threads);
}
