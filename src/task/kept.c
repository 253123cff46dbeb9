// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of a task from its exit to its end
 *
 * Only of tasks that somebody wants to hear of, and of each as much whoever it is: so
 * it is bounded by the tasks that are between the two.
 */

#include <linux/cred.h>
#include <linux/cpumask.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "base/spare.h"
#include "listen/heard.h"
#include "listen/listener.h"
#include "listen/wanted.h"
#include "record/message.h"
#include "tgid/tgid.h"

#include "kept.h"

struct taskacct_table taskacct_kept_table __read_mostly;
static struct kmem_cache *cache;

/**
 * taskacct_memory_read() - read what is in memory of an address space
 * @memory: receives it
 * @mm: the address space, kept by the caller
 *
 * Context: any.
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
#define MAX_NAMED	2048

static atomic_t named;

static void keep_names(struct taskacct_kept *kept, struct mm_struct *mm)
{
	u32 want;

	rcu_read_lock();
	want = taskacct_wanted_names() & TASKACCT_WANT_NAMES &
	       ~TASKACCT_WANT_CGROUP_PATH;
	rcu_read_unlock();
	kept->names = (struct taskacct_names){};
	kept->is_named = false;
	if (!mm || !want)
		return;
	kept->is_named = atomic_inc_return(&named) <= MAX_NAMED;
	if (kept->is_named)
		taskacct_names_get(&kept->names, want, current, mm, NULL,
				   TASKACCT_GFP_QUEUED);
	else
		atomic_dec(&named);
}

static void let_names_go(struct taskacct_kept *kept)
{
	if (!kept->is_named)
		return;
	taskacct_names_put(&kept->names);
	atomic_dec(&named);
}

/* For who has asked for something: to say who it was, and what it had */
static noinline void keep_more(struct taskacct_kept *kept, struct mm_struct *mm)
{
	struct taskacct_dumpable dumpable;
	unsigned int i;

	rcu_read_lock();
	dumpable = taskacct_dumpable(current, mm);
	kept->dumpable = dumpable.by_user;
	kept->user_ns = get_user_ns((struct user_namespace *)dumpable.user_ns);
	kept->pids[TASKACCT_KEPT_PID] = task_pid(current);
	kept->pids[TASKACCT_KEPT_TGID] = task_tgid(current);
	kept->pids[TASKACCT_KEPT_PPID] =
		task_tgid(rcu_dereference(current->real_parent));
	for (i = 0; i < ARRAY_SIZE(kept->pids); i++)
		get_pid(kept->pids[i]);
	rcu_read_unlock();
	keep_names(kept, mm);
	if (mm)
		taskacct_memory_read(&kept->memory, mm);
}

static void let_more_go(struct taskacct_kept *kept)
{
	unsigned int i;

	let_names_go(kept);
	put_user_ns(kept->user_ns);
	for (i = 0; i < ARRAY_SIZE(kept->pids); i++)
		put_pid(kept->pids[i]);
}

/* How many a CPU has at hand */
#define SPARES	4

static DEFINE_PER_CPU(struct taskacct_spares, spares);

static struct taskacct_kept *get_memory(void)
{
	struct llist_node *spare = taskacct_spare_take(&spares);

	return likely(spare) ? llist_entry(spare, struct taskacct_kept, spare) :
			       kmem_cache_alloc(cache, TASKACCT_GFP_QUEUED);
}

static void put_memory(struct taskacct_kept *kept)
{
	if (!taskacct_spare_put(&spares, &kept->spare, SPARES))
		kmem_cache_free(cache, kept);
}

/**
 * taskacct_kept_put_back() - keep for the end what has been taken
 * @kept: from taskacct_kept_take()
 *
 * Context: as taskacct_kept_new().
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

/*
 * Whether any queue has room for a message now, of a thread or of a process. For one that
 * has it at the end only, memory is had there.
 */
static bool has_room(const struct taskacct_heard *heard)
{
	const struct taskacct_hearer *by, *const end = heard->by + heard->n;
	const struct taskacct_listener *listener;

	for (by = heard->by; by != end; by++) {
		listener = rcu_dereference_sched(by->listener);
		if (listener && taskacct_listener_has_room(listener, false))
			return true;
	}
	return false;
}

/*
 * The last thread's has its process's record, too. Names make it larger, and are known at
 * the end only.
 */
static struct sk_buff *get_message(const struct taskacct_kept *kept, bool last)
{
	struct taskacct_shape shape = {
		.kinds = TASKACCT_KIND_TASK |
			 (last && kept->several ? TASKACCT_KIND_PROCESS : 0),
	};

	if (kept->whole)
		taskacct_wanted_shape(&shape, last, kept->several);
	if (shape.want & TASKACCT_WANT_NAMES)
		return NULL;
	return taskacct_message_memory(&shape, TASKACCT_GFP_QUEUED);
}

/**
 * taskacct_kept_new() - keep what the running task will not have at its end
 * @several: its process has had several threads
 *
 * Context: the exit hook, for current; on PREEMPT_RT preemptible.
 * Return: it; NULL: there is no memory.
 */
struct taskacct_kept *taskacct_kept_new(bool several)
{
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	struct taskacct_kept *kept = get_memory();
	const struct taskacct_heard *heard;
	bool room;

	if (!kept)
		return NULL;
	kept->task = current;
	kept->start = current->start_time;
	kept->early = false;
	kept->several = several;
	kept->last = !several || taskacct_tgid_is_only();
	kept->leader = several ? get_task_struct(current->group_leader) : NULL;
	kept->start_of_group = current->group_leader->start_time;
	rcu_read_lock_sched();
	kept->ppid = task_tgid_nr(rcu_dereference_sched(current->real_parent));
	heard = taskacct_heard_here();
	kept->whole = heard && heard->extended;
	room = heard && has_room(heard);
	rcu_read_unlock_sched();
	kept->skb = likely(room) ? get_message(kept, !several) : NULL;
	kept->has_mm = mm;
	if (mm)
		taskacct_fill_mm(&kept->mm, mm);
	else
		kept->mm = (struct taskacct_mm){};
	if (kept->whole)
		keep_more(kept, mm);
	taskacct_kept_put_back(kept);
	return kept;
}

/**
 * taskacct_kept_expect_last() - have memory for the message of a process's last thread
 * @kept: what was kept of that, whose process has had several
 *
 * Context: the hook at its end, for current, before its values are read: to get memory
 *	takes long, as taskacct_kept.skb has it.
 */
void taskacct_kept_expect_last(struct taskacct_kept *kept)
{
	if (!kept->skb)
		return;
	consume_skb(kept->skb);
	kept->skb = get_message(kept, true);
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
 * Context: as taskacct_kept_new().
 */
void taskacct_kept_free(struct taskacct_kept *kept)
{
	if (kept->whole)
		let_more_go(kept);
	if (kept->skb)
		consume_skb(kept->skb);
	if (kept->leader)
		put_task_struct(kept->leader);
	put_memory(kept);
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
	if (cache)
		return 0;
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
		llist_for_each_entry_safe(kept, more, per_cpu(spares, cpu).list.first,
					  spare)
			kmem_cache_free(cache, kept);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&taskacct_kept_table);
}
