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

static void add(struct taskacct_reserve *reserve, void *object)
{
	struct taskacct_spare *spare = object;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve->lock, flags);
	spare->next = reserve->first;
	reserve->first = spare;
	reserve->nr++;
	raw_spin_unlock_irqrestore(&reserve->lock, flags);
}

/**
 * taskacct_reserve_take() - take an object if there is one
 * @reserve: from where
 *
 * Context: any but NMI.
 * Return: the object, zeroed, or NULL.
 */
void *taskacct_reserve_take(struct taskacct_reserve *reserve)
{
	struct taskacct_spare *spare;
	unsigned long flags;

	raw_spin_lock_irqsave(&reserve->lock, flags);
	spare = reserve->first;
	if (spare) {
		reserve->first = spare->next;
		reserve->nr--;
		spare->next = NULL;
	}
	raw_spin_unlock_irqrestore(&reserve->lock, flags);
	return spare;
}

/**
 * taskacct_reserve_get() - take an object, and see that others come
 * @reserve: from where
 *
 * Context: any but NMI.
 * Return: the object, zeroed, or NULL if there is no memory.
 */
void *taskacct_reserve_get(struct taskacct_reserve *reserve)
{
	void *object = taskacct_reserve_take(reserve);

	if (READ_ONCE(reserve->nr) < reserve->wanted / 2)
		schedule_work(&reserve->work);
	if (!object && !IS_ENABLED(CONFIG_PREEMPT_RT))
		object = kmem_cache_zalloc(reserve->cache,
					   GFP_ATOMIC | __GFP_NOWARN);
	return object;
}

/**
 * taskacct_reserve_put() - give an object back
 * @reserve: from where it is
 * @object: the object
 *
 * Context: any but NMI.
 */
void taskacct_reserve_put(struct taskacct_reserve *reserve, void *object)
{
	const bool atomic = IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible();
	const unsigned int nr = READ_ONCE(reserve->nr);

	if (atomic || nr < reserve->wanted) {
		memset(object, 0, kmem_cache_size(reserve->cache));
		add(reserve, object);
		if (nr > 2 * reserve->wanted)
			schedule_work(&reserve->work);
	} else {
		kmem_cache_free(reserve->cache, object);
	}
}

/**
 * taskacct_reserve_fill() - get memory until there is enough
 * @reserve: for what
 * @wanted: how many objects there shall be at least
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_reserve_fill(struct taskacct_reserve *reserve, unsigned int wanted)
{
	void *object;

	while (READ_ONCE(reserve->nr) < wanted) {
		object = kmem_cache_zalloc(reserve->cache, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		add(reserve, object);
		cond_resched();
	}
	return 0;
}

/* Those that could not be freed when they were given back */
static void empty(struct taskacct_reserve *reserve)
{
	void *object;

	while (READ_ONCE(reserve->nr) > 2 * reserve->wanted) {
		object = taskacct_reserve_take(reserve);
		if (!object)
			return;
		kmem_cache_free(reserve->cache, object);
		cond_resched();
	}
}

static void fill_later(struct work_struct *work)
{
	struct taskacct_reserve *reserve =
		container_of(work, struct taskacct_reserve, work);

	empty(reserve);
	/* Without memory the next one that is taken has us called again. */
	taskacct_reserve_fill(reserve, reserve->wanted);
}

/**
 * taskacct_reserve_init() - make a reserve, and fill it
 * @reserve: the reserve
 * @name: of its objects
 * @size: of each, in bytes
 * @wanted: how many there shall be
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_reserve_init(struct taskacct_reserve *reserve, const char *name,
			  size_t size, unsigned int wanted)
{
	raw_spin_lock_init(&reserve->lock);
	INIT_WORK(&reserve->work, fill_later);
	reserve->first = NULL;
	reserve->nr = 0;
	reserve->wanted = wanted;
	reserve->cache = kmem_cache_create(name, size, 0, 0, NULL);
	if (!reserve->cache)
		return -ENOMEM;
	if (!taskacct_reserve_fill(reserve, wanted))
		return 0;
	taskacct_reserve_exit(reserve);
	return -ENOMEM;
}

/**
 * taskacct_reserve_exit() - free a reserve
 * @reserve: the reserve; all that was taken has been put back
 *
 * Context: task context, may sleep.
 */
void taskacct_reserve_exit(struct taskacct_reserve *reserve)
{
	void *object;

	cancel_work_sync(&reserve->work);
	while ((object = taskacct_reserve_take(reserve)))
		kmem_cache_free(reserve->cache, object);
	kmem_cache_destroy(reserve->cache);
}
