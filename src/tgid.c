// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: what exits keep
 *
 * A process that only ever had one thread needs nothing here. Another has a
 * group from the first exit of one of its threads until its leader is freed.
 * The group holds the sum over the threads that have passed the exit hook; a
 * total is that sum plus the other threads, read from the thread list
 * (tgid_total.c).
 *
 * A thread that has passed the hook stays on the thread list until it is
 * released, which may be much later. For that time it has a mark, so that it
 * is not counted twice. It is noted and marked in one step as seen by readers
 * (taskacct_group.seq), so that it is not missed either:
 *
 *   runs	noted and marked	released	freed
 *   |----------|-----------------------|---------------|
 *   in the list, read from the task	|
 *		in the list, skipped: in the group's sum
 *					not in the list: in the group's sum
 *						the mark goes
 *
 * Nothing here takes longer for a process of more threads, but for the search for
 * the last thread (tgid_last.c): all searches of a process go through its list
 * once, together, with no lock held.
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

#include "stat.h"
#include "table.h"
#include "tgid_group.h"
#include "uid.h"

/* Groups that are there even if no memory is */
#define RESERVED	64

/* Attempts at a few numbers that the kernel protects by a sequence lock */
#define RELEASED_TRIES	4

static struct taskacct_table groups;
static mempool_t *pool;

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

static void free_rcu_group(struct rcu_head *rcu)
{
	mempool_free(container_of(rcu, struct taskacct_group, rcu), pool);
}

static void remove_group(const struct signal_struct *sig)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&groups, sig);
	struct taskacct_group *group;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = taskacct_tgid_find(sig);
	if (group) {
		taskacct_table_del(&groups, &group->node);
		call_rcu(&group->rcu, free_rcu_group);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_tgid_read_released() - what released threads have left behind
 * @values: receives it
 * @sig: of their process
 *
 * wait() for a child writes under the same lock, as often as a user likes, and
 * changes no more than I/O that is not told apart anyway: so this does not try
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
	 * The others are released already, and were noted before. Pairs with
	 * the stats_lock that the kernel takes to unlink a thread.
	 */
	smp_rmb();
	if (likely(hlist_empty(&taskacct_table_bucket(&groups, sig)->head)))
		/* There may have been others before the hook was there. */
		return taskacct_fill_released(sig);

	rcu_read_lock();
	needed = taskacct_tgid_find(sig) || taskacct_fill_released(sig);
	rcu_read_unlock();
	return needed;
}

/**
 * taskacct_tgid_is_noted() - whether the exiting task was noted before
 *
 * Context: the exit hook, for current; under rcu_read_lock().
 * Return: true if it was; then nothing is to be done for it.
 */
bool taskacct_tgid_is_noted(void)
{
	return unlikely(taskacct_mark_find(current));
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
 * Context: the exit hook, for current; under rcu_read_lock() as long as the
 *	group is used.
 * Return: the group, or NULL: current is the only thread left and all others
 *	were released before the hook was there, or there was no memory. Then
 *	what the kernel keeps of the others is all that there is.
 */
struct taskacct_group *taskacct_tgid_enter(void)
{
	const bool alone = thread_group_empty(current);

	smp_rmb(); /* as in taskacct_tgid_needed() */
	return alone ? taskacct_tgid_find(current->signal) :
		       taskacct_tgid_get(current->signal);
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
	group->turn = t;
	group->from = &group->sig->thread_head;
	return true;
}

/**
 * taskacct_tgid_mark() - mark a thread that is about to be noted
 * @group: its process
 * @t: the thread
 * @mark: for it; NULL: there was no memory
 *
 * Its values are read afterwards: so a reader who has read it without seeing the mark
 * has not read more than will be noted.
 *
 * Context: under taskacct_group.lock, in a write section of its seq.
 */
void taskacct_tgid_mark(struct taskacct_group *group,
			const struct task_struct *t, struct taskacct_mark *mark)
{
	lockdep_assert_held(&group->lock);

	group->nr++;
	if (mark) {
		mark->nr = group->nr;
		taskacct_mark_insert(mark, t);
	}
	/*
	 * The mark, the sequence and the group in its table are seen by who sees values
	 * of a time after this. Pairs with the barriers after values have been read, in
	 * tgid_total.c.
	 */
	smp_mb();
}

/**
 * taskacct_tgid_note() - add a thread to the sum of its process
 * @group: its process
 * @values: of the thread, read after it was marked
 * @mark: its mark, or NULL
 *
 * Context: as taskacct_tgid_mark(), in the same write section.
 */
void taskacct_tgid_note(struct taskacct_group *group,
			const struct taskacct_values *values,
			struct taskacct_mark *mark)
{
	lockdep_assert_held(&group->lock);

	if (mark)
		mark->usage = values->usage;
	taskacct_fill_add(&group->dead.values, values);
}

/**
 * taskacct_tgid_add() - note the exiting task, once, in its process
 * @group: from taskacct_tgid_enter()
 * @values: zeroed; receives the task's own values, exactly those that were added
 * @told: somebody is told of the task: until then no other thread is the last one
 *
 * Context: the exit hook, for current.
 * Return: true if it may be the last thread of the process: then
 *	taskacct_tgid_finish() tells.
 */
bool taskacct_tgid_add(struct taskacct_group *group,
		       struct taskacct_values *values, bool told)
{
	struct taskacct_mark *mark = taskacct_mark_alloc();
	bool turn;

	raw_spin_lock(&group->lock);
	turn = taskacct_tgid_take_turn(group, current);
	if (told || turn)
		group->unsent++;
	write_seqcount_begin(&group->seq);
	taskacct_tgid_mark(group, current, mark);
	taskacct_uid_note_values(values, told || turn);
	taskacct_tgid_note(group, values, mark);
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
	return turn;
}

/**
 * taskacct_tgid_free() - forget a task, and a process with its leader
 * @t: a task that the kernel is about to free
 *
 * A leader is released last, but freed in any order.
 *
 * Context: any but NMI; the task's address has not been reused.
 */
void taskacct_tgid_free(struct task_struct *t)
{
	taskacct_mark_remove(t);
	if (thread_group_leader(t))
		remove_group(t->signal);
}

/**
 * taskacct_tgid_groups() - how many processes have a group now
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_tgid_groups(void)
{
	return taskacct_table_count(&groups);
}

/**
 * taskacct_tgid_threads() - how many threads are noted and not yet freed
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_tgid_threads(void)
{
	return taskacct_mark_count();
}

/**
 * taskacct_tgid_init() - make room for groups
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_tgid_init(void)
{
	int err;

	/* Each has two threads at least. */
	err = taskacct_table_init(&groups, taskacct_table_tasks() / 2,
				  sizeof(struct taskacct_bucket));
	if (err)
		return err;
	err = taskacct_mark_init();
	if (err)
		goto err_marks;
	pool = mempool_create_kmalloc_pool(RESERVED,
					   sizeof(struct taskacct_group));
	if (!pool) {
		err = -ENOMEM;
		goto err_pool;
	}
	return 0;

err_pool:
	taskacct_mark_exit();
err_marks:
	taskacct_table_exit(&groups);
	return err;
}

/**
 * taskacct_tgid_exit() - forget all groups
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_tgid_exit(void)
{
	struct taskacct_group *group;
	struct hlist_node *next;
	unsigned long i;

	/* Groups and marks that are on their way back to their pools */
	rcu_barrier();

	for (i = 0; i < taskacct_table_size(&groups); i++) {
		hlist_for_each_entry_safe(group, next, taskacct_table_chain(&groups, i),
					  node)
			mempool_free(group, pool);
		cond_resched();
	}
	mempool_destroy(pool);
	taskacct_mark_exit();
	taskacct_table_exit(&groups);
}
