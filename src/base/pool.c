// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for where none can be waited for
 *
 * On PREEMPT_RT no memory can be had at all under a raw lock, in a probe or in
 * a tracepoint; on other kernels it may fail. Here are some objects that are
 * there already, and work that gets others for those that were taken, and frees
 * those that are too many.
 */

#include <linux/preempt.h>
#include <linux/sched.h>

#include "base.h"

/* What an object is while nobody uses it; all behind it is zero */
struct taskacct_spare {
	struct taskacct_spare *next;
};

static void add_object(struct taskacct_pool *pool, void *object)
{
	struct taskacct_spare *spare = object;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	spare->next = pool->first;
	pool->first = spare;
	WRITE_ONCE(pool->nr, pool->nr + 1);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/**
 * taskacct_pool_take() - take an object if there is one
 * @pool: from where
 *
 * Context: any but NMI.
 * Return: the object, zeroed, or NULL.
 */
void *taskacct_pool_take(struct taskacct_pool *pool)
{
	struct taskacct_spare *spare;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	spare = pool->first;
	if (spare) {
		pool->first = spare->next;
		WRITE_ONCE(pool->nr, pool->nr - 1);
		spare->next = NULL;
	}
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return spare;
}

/**
 * taskacct_pool_get() - take an object, and see that others come
 * @pool: from where
 *
 * Context: any but NMI.
 * Return: the object, zeroed, or NULL if there is no memory.
 */
void *taskacct_pool_get(struct taskacct_pool *pool)
{
	void *object = taskacct_pool_take(pool);

	if (READ_ONCE(pool->nr) < pool->wanted / 2)
		schedule_work(&pool->work);
	if (!object && !IS_ENABLED(CONFIG_PREEMPT_RT))
		object = kmem_cache_zalloc(pool->cache,
					   GFP_ATOMIC | __GFP_NOWARN);
	return object;
}

/**
 * taskacct_pool_put() - give an object back
 * @pool: from where it is
 * @object: the object
 *
 * Context: any but NMI.
 */
void taskacct_pool_put(struct taskacct_pool *pool, void *object)
{
	const bool atomic = IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible();
	const unsigned int nr = READ_ONCE(pool->nr);

	if (atomic || nr < pool->wanted) {
		memset(object, 0, kmem_cache_size(pool->cache));
		add_object(pool, object);
		if (nr > 2 * pool->wanted)
			schedule_work(&pool->work);
	} else {
		kmem_cache_free(pool->cache, object);
	}
}

/**
 * taskacct_pool_fill() - get memory until there is enough
 * @pool: for what
 * @wanted: how many objects there shall be at least
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_pool_fill(struct taskacct_pool *pool, unsigned int wanted)
{
	void *object;

	while (READ_ONCE(pool->nr) < wanted) {
		object = kmem_cache_zalloc(pool->cache, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		add_object(pool, object);
		cond_resched();
	}
	return 0;
}

/* Those that could not be freed when they were given back */
static void empty_pool(struct taskacct_pool *pool)
{
	void *object;

	while (READ_ONCE(pool->nr) > 2 * pool->wanted) {
		object = taskacct_pool_take(pool);
		if (!object)
			return;
		kmem_cache_free(pool->cache, object);
		cond_resched();
	}
}

static void fill_later(struct work_struct *work)
{
	struct taskacct_pool *pool =
		container_of(work, struct taskacct_pool, work);

	empty_pool(pool);
	/* Without memory the next one that is taken has us called again. */
	taskacct_pool_fill(pool, pool->wanted);
}

/**
 * taskacct_pool_init() - make an object pool, and fill it
 * @pool: the pool
 * @name: of its objects
 * @size: of each, in bytes
 * @wanted: how many there shall be
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_pool_init(struct taskacct_pool *pool, const char *name,
		       size_t size, unsigned int wanted)
{
	raw_spin_lock_init(&pool->lock);
	INIT_WORK(&pool->work, fill_later);
	pool->first = NULL;
	pool->nr = 0;
	pool->wanted = wanted;
	pool->cache = kmem_cache_create(name, size, 0, 0, NULL);
	if (!pool->cache)
		return -ENOMEM;
	if (!taskacct_pool_fill(pool, wanted))
		return 0;
	taskacct_pool_exit(pool);
	return -ENOMEM;
}

/**
 * taskacct_pool_exit() - free an object pool
 * @pool: the pool; all that was taken has been put back
 *
 * Context: task context, may sleep.
 */
void taskacct_pool_exit(struct taskacct_pool *pool)
{
	void *object;

	cancel_work_sync(&pool->work);
	while ((object = taskacct_pool_take(pool)))
		kmem_cache_free(pool->cache, object);
	kmem_cache_destroy(pool->cache);
}
