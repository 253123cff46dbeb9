// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: groups, which are what exits keep
 *
 * A process that has only ever had one thread has no group. Any other has one from the
 * first exit of one of its threads until its leader is freed. The group has the sum of the
 * threads that are noted. A total is that sum plus the values of the other threads, which
 * are read from the thread list (total.c).
 *
 * A thread is listed at its exit and noted, with its last values, at its end. It leaves the
 * thread list when it is released, before or after that. From its exit on it has an entry,
 * which is on a list of the group until the thread is noted. A total is the sum of the
 * group, the threads on the thread list that have no entry, and the threads on the list of
 * the group. Readers see each of the two steps as one (taskacct_group.seq), so no thread
 * is missed or counted twice:
 *
 *   runs	listed	(released)	noted	(released)	freed
 *   |----------|-----------------------|-----------------------|
 *   on the thread list, read from the task
 *		on the group's list, read from the task
 *					in the group's sum
 *								the entry goes
 *
 * The cost does not grow with the number of threads, except that of the search for the last
 * thread (last.c): all searches of a process together walk its list once, without a lock.
 *
 * Lock order: taskacct_group.lock, then a bucket's lock or
 * taskacct_listener.arrival_lock. signal_struct.stats_lock is only ever read.
 */

#include <linux/mempool.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "base/base.h"
#include "task/task.h"

#include "group.h"

/* Groups that are there even if no memory is */
#define RESERVED	64

/* Attempts at a few numbers that the kernel protects by a sequence lock */
#define RELEASED_TRIES	4

static struct taskacct_table groups;
static mempool_t *pool;

bool taskacct_tgid_loading = true;

bool taskacct_tgid_some_unlisted __read_mostly;

/**
 * taskacct_tgid_find() - the group of a process
 * @sig: the process
 *
 * Context: under rcu_read_lock(), or the lock of its bucket.
 * Return: its group, or NULL: no thread of it has been noted.
 */
struct taskacct_group *taskacct_tgid_find(const struct signal_struct *sig)
{
	struct taskacct_group *group;

	hlist_for_each_entry_rcu(group, &taskacct_table_bucket(&groups, sig)->head,
				 node)
		if (group->sig == sig)
			return group;
	return NULL;
}

/* Returns the group that is in the table afterwards, this one or another's */
static struct taskacct_group *insert_group(struct taskacct_group *new)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&groups, new->sig);
	struct taskacct_group *group;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = taskacct_tgid_find(new->sig);
	if (!group) {
		group = new;
		taskacct_table_add(&groups, bucket, &new->node);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return group;
}

static void free_group(struct taskacct_group *group)
{
	if (group->kept)
		taskacct_kept_free(group->kept);
	mempool_free(group, pool);
}

static void free_rcu_group(struct rcu_head *rcu)
{
	free_group(container_of(rcu, struct taskacct_group, rcu));
}

/**
 * taskacct_tgid_put() - let go of a group
 * @group: the group, of which the caller has one of its refs
 *
 * Context: any but NMI.
 */
void taskacct_tgid_put(struct taskacct_group *group)
{
	if (refcount_dec_and_test(&group->refs))
		call_rcu(&group->rcu, free_rcu_group);
}

/**
 * taskacct_tgid_remove() - forget a process
 * @sig: the process, whose leader the kernel is about to free
 *
 * Context: any but NMI.
 */
void taskacct_tgid_remove(const struct signal_struct *sig)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&groups, sig);
	struct taskacct_group *group;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = taskacct_tgid_find(sig);
	if (group)
		taskacct_table_del(&groups, &group->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	if (group)
		taskacct_tgid_put(group);
}

/**
 * taskacct_tgid_read_released() - what released threads have left behind
 * @values: receives it
 * @sig: of their process
 *
 * wait() for a child writes under the same lock, as often as a user likes, and
 * changes no more than I/O that is not distinguished anyway: so this does not try
 * for ever.
 *
 * Context: any but NMI; on PREEMPT_RT preemptible.
 * Return: true; false if it changed during each of a few attempts: then @values
 *	may have a part of what one thread has left.
 */
bool taskacct_tgid_read_released(struct taskacct_values *values,
				 struct signal_struct *sig)
{
	unsigned int tries = RELEASED_TRIES;
	unsigned int seq;

	do {
		seq = read_seqbegin(&sig->stats_lock);
		*values = (struct taskacct_values){};
		taskacct_fill_add_released(values, sig);
		if (!read_seqretry(&sig->stats_lock, seq))
			return true;
	} while (--tries);
	return false;
}

static struct taskacct_group *alloc_group(struct signal_struct *sig)
{
	struct taskacct_group *group;

	group = mempool_alloc(pool, GFP_ATOMIC | __GFP_NOWARN);
	if (!group) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		return NULL;
	}
	memset(group, 0, sizeof(*group));
	group->sig = sig;
	refcount_set(&group->refs, 1);
	INIT_LIST_HEAD(&group->ending);
	raw_spin_lock_init(&group->lock);
	seqcount_raw_spinlock_init(&group->seq, &group->lock);
	return group;
}

/**
 * taskacct_tgid_get() - find or make the group of a process
 * @sig: the process
 *
 * A new one begins with what the kernel keeps of released threads. They were
 * released before the hook was there: a thread that passes the hook is in a
 * group first. If another thread is noted and released after that was read, it
 * has inserted a group of its own before, and this one is not used.
 *
 * Context: under rcu_read_lock(); on PREEMPT_RT preemptible.
 * Return: the group, or NULL if there is no memory.
 */
struct taskacct_group *taskacct_tgid_get(struct signal_struct *sig)
{
	struct taskacct_group *group, *found = taskacct_tgid_find(sig);

	if (found)
		return found;
	group = alloc_group(sig);
	if (!group)
		return NULL;
	taskacct_tgid_read_released(&group->dead.values, sig);
	if (READ_ONCE(taskacct_tgid_loading))
		group->dead.values.flags |= TASKACCT_FLAG_OTHERS_LATE;
	found = insert_group(group);
	if (found != group)
		mempool_free(group, pool);
	return found;
}

/**
 * taskacct_tgid_needed() - whether the exiting task's process needs a total
 *
 * Context: the exit hook, for current.
 * Return: false for a process that only ever had one thread.
 */
bool taskacct_tgid_needed(void)
{
	const struct signal_struct *sig = current->signal;
	bool needed;

	if (!thread_group_empty(current))
		return true;

	/*
	 * group-before-release: the others are released already, and were noted
	 * before. Pairs with the stats_lock that the kernel takes to unlink a
	 * thread.
	 */
	smp_rmb();
	if (likely(hlist_empty(&taskacct_table_bucket(&groups, sig)->head)))
		/* There may have been others before the hook was there. */
		return taskacct_fill_has_released(sig);

	rcu_read_lock();
	needed = taskacct_tgid_find(sig) || taskacct_fill_has_released(sig);
	rcu_read_unlock();
	return needed;
}

/**
 * taskacct_tgid_is_only() - whether no other thread is left
 *
 * Context: the exit hook, for current, whose process has no group.
 * Return: true if all others have been released.
 */
bool taskacct_tgid_is_only(void)
{
	return !atomic_read(&current->signal->live) &&
	       thread_group_empty(current);
}

/**
 * taskacct_tgid_enter() - find or start the exiting task's process
 *
 * Also where all others were released before the hook was there: what they have left
 * behind has current's part in it by its end, if its parent has waited for it.
 *
 * Context: the exit hook, for current.
 * Return: the group, which stays while current is not released, for its leader is
 *	released last; or NULL: there was no memory.
 */
struct taskacct_group *taskacct_tgid_enter(void)
{
	struct taskacct_group *group;

	smp_rmb(); /* group-before-release, as in taskacct_tgid_needed() */
	/* Costs less than rcu_read_lock(). */
	rcu_read_lock_sched();
	group = taskacct_tgid_find(current->signal);
	rcu_read_unlock_sched();
	if (likely(group))
		return group;
	rcu_read_lock();
	group = taskacct_tgid_get(current->signal);
	rcu_read_unlock();
	return group;
}

/**
 * taskacct_tgid_take_turn() - whether a thread has to search for the last one
 * @group: its process
 * @t: the thread, which is noted next
 *
 * Once no thread of a process is alive none is added to its list, and those
 * that are yet to be noted only become fewer. Of these only one searches on when
 * it is noted: all before it on the list were noted.
 *
 * Context: under taskacct_group.lock.
 * Return: true if taskacct_tgid_pass_turn() has to be called when it is noted.
 */
bool taskacct_tgid_take_turn(struct taskacct_group *group,
			     struct task_struct *t)
{
	lockdep_assert_held(&group->lock);

	if (atomic_read(&group->sig->live))
		return false;
	if (group->turn)
		return group->turn == t;
	/* The first one searches from the head of the list. */
	WRITE_ONCE(group->turn, t);
	group->from = &group->sig->thread_head;
	return true;
}

/**
 * taskacct_tgid_list() - list a thread that has begun to exit
 * @group: its process
 * @t: the thread
 * @exited: for it
 *
 * Context: under taskacct_group.lock, in a write section of its seq.
 */
void taskacct_tgid_list(struct taskacct_group *group, struct task_struct *t,
			struct taskacct_exited *exited)
{
	lockdep_assert_held(&group->lock);

	exited->group = group;
	exited->entered = ++group->entered;
	exited->nr = 0;
	taskacct_exited_insert(exited, t);
	refcount_inc(&group->refs);
	list_add_tail_rcu(&exited->ending, &group->ending);
	group->nr_ending++;
	/*
	 * listed-before-values: the entry, the sequence and the group in its table are
	 * seen by who sees values of a time after this. Pairs with the barriers after
	 * values have been read, in total.c.
	 */
	taskacct_mb_before_clock();
}

/**
 * taskacct_tgid_note() - add a thread to the sum of its process
 * @group: its process; the caller lets go of it for the thread
 * @exited: its entry, with its last values
 *
 * Context: as taskacct_tgid_list().
 */
void taskacct_tgid_note(struct taskacct_group *group,
			struct taskacct_exited *exited)
{
	lockdep_assert_held(&group->lock);

	taskacct_fill_add(&group->dead.values, &exited->values);
	list_del_rcu(&exited->ending);
	group->nr_ending--;
	/* A thread that notes itself has its number already: number-before-values. */
	if (!exited->nr)
		/*
		 * sum-before-number. Pairs with taskacct_tgid_note_dead() and let_go() in
		 * thread.c
		 */
		smp_store_release(&exited->nr, ++group->nr);
}

/**
 * taskacct_tgid_unlisted() - the process of a thread that should have an entry
 *
 * Asked where taskacct_tgid_some_unlisted is set.
 *
 * Context: the hook at its end, for current, which has none; under rcu_read_lock(),
 *	as long as the group is used.
 * Return: its process, or NULL: it had no several threads, or all those that should
 *	have entries, have them.
 */
struct taskacct_group *taskacct_tgid_unlisted(void)
{
	struct taskacct_group *group;

	group = taskacct_tgid_find(current->signal);
	return group && READ_ONCE(group->unlisted) ? group : NULL;
}

/**
 * taskacct_tgid_keep() - hand over what was kept of a thread
 * @group: its process
 * @kept: what was kept of it
 *
 * Context: the hook at its end, for current, before it is noted.
 * Return: @kept, or NULL: it is the group's now, and stays as long as that.
 */
struct taskacct_kept *taskacct_tgid_keep(struct taskacct_group *group,
					 struct taskacct_kept *kept)
{
	if (!READ_ONCE(group->turn) || READ_ONCE(group->kept))
		return kept;
	raw_spin_lock(&group->lock);
	/* That of another thread, which may have been first, is in use by it. */
	if (likely(!group->kept)) {
		WRITE_ONCE(group->kept, kept);
		kept = NULL;
	}
	raw_spin_unlock(&group->lock);
	return kept;
}

/**
 * taskacct_tgid_kept() - what was kept of a thread of a process
 * @group: the process
 *
 * Context: the hook at the end of its last thread, for current.
 * Return: that, which stays as long as the group, or NULL.
 */
struct taskacct_kept *taskacct_tgid_kept(struct taskacct_group *group)
{
	/* All threads are noted, and each hands over what was kept before that. */
	return group->kept;
}

/**
 * taskacct_tgid_visit() - look at each process that has a group
 * @look_at: called for each, under rcu_read_lock()
 *
 * Context: task context, may sleep.
 */
void taskacct_tgid_visit(void (*look_at)(struct taskacct_group *group))
{
	struct taskacct_group *group;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(&groups); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(group, taskacct_table_chain(&groups, i),
					 node)
			look_at(group);
		rcu_read_unlock();
		cond_resched();
	}
}

/**
 * taskacct_tgid_groups() - how many processes have a group now
 *
 * Return: their number.
 */
unsigned int taskacct_tgid_groups(void)
{
	return taskacct_table_count(&groups);
}

/**
 * taskacct_tgid_groups_init() - make room for groups
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_tgid_groups_init(void)
{
	/* Each has two threads at least. */
	int err = taskacct_table_init(&groups, taskacct_table_tasks() / 2,
				      sizeof(struct taskacct_bucket));

	if (err)
		return err;
	pool = mempool_create_kmalloc_pool(RESERVED,
					   sizeof(struct taskacct_group));
	if (pool)
		return 0;
	taskacct_table_exit(&groups);
	return -ENOMEM;
}

/**
 * taskacct_tgid_groups_exit() - forget all groups
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_tgid_groups_exit(void)
{
	struct taskacct_group *group;
	struct hlist_node *next;
	unsigned long i;

	for (i = 0; i < taskacct_table_size(&groups); i++) {
		hlist_for_each_entry_safe(group, next, taskacct_table_chain(&groups, i),
					  node)
			free_group(group);
		cond_resched();
	}
	/* Groups that RCU callbacks are about to return to the pool */
	rcu_barrier();
	mempool_destroy(pool);
	taskacct_table_exit(&groups);
}
