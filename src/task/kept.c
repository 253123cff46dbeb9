// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of a task from its exit to its end
 *
 * Only of tasks whose exits somebody wants to receive, and of each as much whoever it is: so
 * it is bounded by the tasks that are between the two.
 */

#include <linux/cred.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "base/base.h"

#include "task.h"

/*
 * Objects that are there where no memory is: a victim of the OOM killer gives its own back
 * only after its exit.
 */
#define RESERVED	256

struct taskacct_table taskacct_kept_table __read_mostly;
static struct kmem_cache *cache;
static mempool_t *pool;

/**
 * taskacct_memory_read() - read what is in memory of an address space
 * @memory: receives it
 * @mm: the address space, kept by the caller
 */
void taskacct_memory_read(struct taskacct_memory *memory, struct mm_struct *mm)
{
	memory->anon = taskacct_mm_counter(mm, MM_ANONPAGES) << PAGE_SHIFT;
	memory->file = taskacct_mm_counter(mm, MM_FILEPAGES) << PAGE_SHIFT;
	memory->shmem = taskacct_mm_counter(mm, MM_SHMEMPAGES) << PAGE_SHIFT;
	memory->swap = taskacct_mm_counter(mm, MM_SWAPENTS) << PAGE_SHIFT;
}

/*
 * Names take up to 8 KiB. Tasks can be held up between their exit and their end, as by a
 * file system: of more at one time they are left out.
 */
#define MAX_WITH_STRINGS	2048

static atomic_t with_strings;

/**
 * taskacct_kept_read_strings() - read the names of the running task, and keep them
 * @kept: what is kept of it
 * @want: which, TASKACCT_WANT_*
 * @mm: its address space, or NULL
 *
 * Context: the exit hook, for current.
 */
void taskacct_kept_read_strings(struct taskacct_kept *kept, u32 want,
				struct mm_struct *mm)
{
	kept->strings = (struct taskacct_strings){};
	kept->has_strings = false;
	if (!mm || !want)
		return;
	kept->has_strings = atomic_inc_return(&with_strings) <= MAX_WITH_STRINGS;
	if (kept->has_strings)
		taskacct_strings_get(&kept->strings, want, current, mm, NULL,
				     TASKACCT_GFP_QUEUED);
	else
		atomic_dec(&with_strings);
}

/**
 * taskacct_kept_strings() - get the names of a task at its end that are wanted
 * @strings: receives them; those that cannot be had are left out
 * @want: TASKACCT_WANT_*
 * @kept: what was kept of it at its exit, or NULL; stays as long as @strings
 * @view: whose paths of cgroups to use
 * @gfp: how to get memory
 *
 * Context: the hook at its end, for current.
 */
void taskacct_kept_strings(struct taskacct_strings *strings, u32 want,
			   const struct taskacct_kept *kept,
			   const struct taskacct_view *view, gfp_t gfp)
{
	taskacct_strings_get(strings, want & TASKACCT_WANT_CGROUP_PATH, current,
			     NULL, view, gfp);
	if (kept && kept->whole && (want & TASKACCT_WANT_EXE_PATH)) {
		strings->exe = kept->strings.exe;
		strings->exe_length = kept->strings.exe_length;
	}
	if (kept && kept->whole && (want & TASKACCT_WANT_CMDLINE)) {
		strings->cmdline = kept->strings.cmdline;
		strings->cmdline_length = kept->strings.cmdline_length;
	}
}

static void let_strings_go(struct taskacct_kept *kept)
{
	if (!kept->has_strings)
		return;
	taskacct_strings_put(&kept->strings);
	atomic_dec(&with_strings);
}

static void let_more_go(struct taskacct_kept *kept)
{
	unsigned int i;

	let_strings_go(kept);
	put_user_ns(kept->user_ns);
	for (i = 0; i < ARRAY_SIZE(kept->pids); i++)
		put_pid(kept->pids[i]);
}

/* How many a CPU has at hand */
#define SPARES	4

static DEFINE_PER_CPU(struct taskacct_spares, kept_spares);

/**
 * taskacct_kept_alloc() - get memory for what is to be kept of a task
 *
 * Context: the exit hook; on PREEMPT_RT preemptible.
 * Return: that, for taskacct_kept_put_back(), or NULL.
 */
struct taskacct_kept *taskacct_kept_alloc(void)
{
	struct llist_node *spare = taskacct_spare_take(&kept_spares);
	struct taskacct_kept *kept;

	if (likely(spare))
		return llist_entry(spare, struct taskacct_kept, spare);
	kept = mempool_alloc(pool, TASKACCT_GFP_QUEUED);
	if (!kept)
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
	return kept;
}

/* The reserve is filled first. */
static void free_memory(struct taskacct_kept *kept)
{
	if (READ_ONCE(pool->curr_nr) < RESERVED ||
	    !taskacct_spare_put(&kept_spares, &kept->spare, SPARES))
		mempool_free(kept, pool);
}

/**
 * taskacct_kept_put_back() - keep it for the end
 * @kept: what is kept of the running task
 *
 * Context: the exit hook, for current; on PREEMPT_RT preemptible.
 */
void taskacct_kept_put_back(struct taskacct_kept *kept)
{
	struct taskacct_bucket *bucket =
		taskacct_table_bucket(&taskacct_kept_table, current);

	/* Nobody but tasks that exit come here: no interrupt does. */
	raw_spin_lock(&bucket->lock);
	taskacct_table_add(&taskacct_kept_table, bucket, &kept->node);
	raw_spin_unlock(&bucket->lock);
}

/**
 * __taskacct_kept_take() - taskacct_kept_take(), which is to be called
 * @bucket: current's
 *
 * Context: as for that.
 * Return: as for that.
 */
struct taskacct_kept *__taskacct_kept_take(struct taskacct_bucket *bucket)
{
	struct taskacct_kept *kept, *found = NULL;

	raw_spin_lock(&bucket->lock);
	hlist_for_each_entry(kept, &bucket->head, node) {
		if (kept->task == current) {
			taskacct_table_del(&taskacct_kept_table, &kept->node);
			found = kept;
			break;
		}
	}
	raw_spin_unlock(&bucket->lock);
	if (likely(!found || found->start == current->start_time))
		return found;
	/* Of one that had the same address, and was not seen at its end */
	taskacct_kept_free(found);
	return NULL;
}

/**
 * taskacct_kept_free() - let go of it
 * @kept: what was kept
 *
 * Context: as taskacct_kept_put_back().
 */
void taskacct_kept_free(struct taskacct_kept *kept)
{
	if (kept->whole)
		let_more_go(kept);
	if (kept->skb)
		consume_skb(kept->skb);
	if (kept->leader)
		put_task_struct(kept->leader);
	free_memory(kept);
}

/**
 * taskacct_kept_init() - make room for it
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_kept_init(void)
{
	static struct lock_class_key key;
	unsigned long i;
	int err = taskacct_table_init(&taskacct_kept_table,
				      taskacct_table_tasks(),
				      sizeof(struct taskacct_bucket));

	if (err)
		return err;
	/* The others' are taken in interrupts, too. */
	for (i = 0; i < taskacct_table_size(&taskacct_kept_table); i++)
		lockdep_set_class(&((struct taskacct_bucket *)
				    taskacct_kept_table.buckets)[i].lock, &key);
	cache = kmem_cache_create("taskacct_kept", sizeof(struct taskacct_kept),
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
	taskacct_table_exit(&taskacct_kept_table);
	return -ENOMEM;
}

/**
 * taskacct_kept_exit() - forget all
 *
 * Context: task context, may sleep; no hook is running or will run.
 */
void taskacct_kept_exit(void)
{
	struct taskacct_kept *kept, *more;
	struct hlist_node *next;
	unsigned int cpu;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(&taskacct_kept_table); i++) {
		hlist_for_each_entry_safe(kept, next,
					  taskacct_table_chain(&taskacct_kept_table, i),
					  node)
			taskacct_kept_free(kept);
		cond_resched();
	}
	for_each_possible_cpu(cpu)
		llist_for_each_entry_safe(kept, more, per_cpu(kept_spares, cpu).list.first,
					  spare)
			mempool_free(kept, pool);
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&taskacct_kept_table);
}
