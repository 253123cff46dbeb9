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

#include "base/base.h"
#include "task/task.h"

#include "group.h"

/* Groups that are there even if no memory is */
#define RESERVED	64

/* Attempts at a few numbers that the kernel protects by a sequence lock */
#define RELEASED_TRIES	4

struct taskacct_table taskacct_tgid_table __read_mostly;
static struct kmem_cache *cache;
static mempool_t *pool;

bool taskacct_tgid_loading = true;

/* Under rcu_read_lock(), or the lock of the bucket */
static __always_inline struct taskacct_group *search(const struct taskacct_bucket *bucket,
						     const struct signal_struct *sig)
{
	struct taskacct_group *group;

	hlist_for_each_entry_rcu(group, &bucket->head, node, true)
		if (READ_ONCE(group->sig) == sig)
			return group;
	return NULL;
}

/*
 * Groups are freed at once, and their memory is a group's for as long as an RCU read section
 * that has met it. A search may be led astray by one that is another process's by then, and
 * miss what it looks for: then it is made once more, with the lock.
 */
static noinline struct taskacct_group *search_again(struct taskacct_bucket *bucket,
						    const struct signal_struct *sig)
{
	struct taskacct_group *group;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = search(bucket, sig);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return group;
}

/* Inlined for the threads that exit */
static __always_inline struct taskacct_group *find(const struct signal_struct *sig)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_tgid_table, sig);

	if (hlist_empty(&bucket->head))
		return NULL;
	return search(bucket, sig) ?: search_again(bucket, sig);
}

/**
 * taskacct_tgid_find() - the group of a process
 * @sig: the process
 *
 * The group stays while the process's leader is not freed, or a thread of it that has begun
 * to exit is not noted: so for who has found the leader in the same RCU read section, and
 * for a thread of the process that is not released or not noted. For anybody else it may be
 * another's any time.
 *
 * Context: under rcu_read_lock().
 * Return: its group, or NULL: no thread of it has been noted.
 */
struct taskacct_group *taskacct_tgid_find(const struct signal_struct *sig)
{
	return find(sig);
}

/* Returns the group that is in the table afterwards, this one or another's */
static struct taskacct_group *insert_group(struct taskacct_group *new)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_tgid_table, new->sig);
	struct taskacct_group *group;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = search(bucket, new->sig);
	if (!group) {
		group = new;
		taskacct_table_add(&taskacct_tgid_table, bucket, &new->node);
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

/*
 * It is still a group for who meets it in a chain, but not where it becomes part of the
 * reserve, which debugging overwrites. On PREEMPT_RT memory may not be freed here. While the
 * module is being loaded some look at all groups.
 */
static bool must_wait(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) || READ_ONCE(taskacct_tgid_loading) ||
	       READ_ONCE(pool->curr_nr) < RESERVED;
}

static void free_group_soon(struct taskacct_group *group)
{
	if (unlikely(must_wait())) {
		call_rcu(&group->rcu, free_rcu_group);
		return;
	}
	if (group->kept)
		taskacct_kept_free(group->kept);
	kmem_cache_free(cache, group);
}

static void remove_group(struct taskacct_group *group)
{
	struct taskacct_bucket *bucket = taskacct_table_bucket(&taskacct_tgid_table,
							       group->sig);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	taskacct_table_del(&taskacct_tgid_table, &group->node);
	WRITE_ONCE(group->sig, NULL);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/**
 * taskacct_tgid_put() - let go of a group
 * @group: the group, of which the caller has one of its refs
 *
 * The task of which the caller lets go is not freed yet, so that no other process can have
 * the same address before the group is out of the table.
 *
 * Context: any but NMI.
 */
void taskacct_tgid_put(struct taskacct_group *group)
{
	if (!refcount_dec_and_test(&group->refs))
		return;
	remove_group(group);
	free_group_soon(group);
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
	const size_t kept = offsetof(struct taskacct_group, rcu);
	struct taskacct_group *group;

	group = mempool_alloc(pool, GFP_ATOMIC | __GFP_NOWARN);
	if (!group) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		return NULL;
	}
	/* Who was led astray may still look at what is before that. */
	memset((void *)group + kept, 0, sizeof(*group) - kept);
	WRITE_ONCE(group->sig, sig);
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
	if (taskacct_fill_released(sig))
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
	if (likely(hlist_empty(&taskacct_table_bucket(&taskacct_tgid_table, sig)->head)))
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
	group = find(current->signal);
	rcu_read_unlock_sched();
	if (likely(group))
		return group;
	rcu_read_lock();
	group = taskacct_tgid_get(current->signal);
	rcu_read_unlock();
	return group;
}

/**
 * taskacct_tgid_own() - the running task's process
 *
 * Context: the hook at its end, for current.
 * Return: the group, which stays until current is noted; or NULL.
 */
struct taskacct_group *taskacct_tgid_own(void)
{
	struct taskacct_group *group;

	/* Costs less than rcu_read_lock(). */
	rcu_read_lock_sched();
	group = find(current->signal);
	rcu_read_unlock_sched();
	return group;
}

/**
 * __taskacct_tgid_take_turn() - whether a thread has to search for the last one
 * @group: its process, of which no thread is alive
 * @t: the thread, which is listed next
 *
 * Once no thread of a process is alive none is added to its list, and those that are yet to
 * be listed only become fewer. Of these only one searches on when it is listed: all before
 * it on the list were listed.
 *
 * Context: under taskacct_group.lock.
 * Return: as taskacct_tgid_take_turn().
 */
bool __taskacct_tgid_take_turn(struct taskacct_group *group, struct task_struct *t)
{
	if (group->turn)
		return group->turn == t;
	/* The first one searches from the head of the list. */
	group->turn = t;
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
	smp_mb();
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
	swap(group->kept, kept);
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

	for (i = 0; i < taskacct_table_size(&taskacct_tgid_table); i++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(group, taskacct_table_chain(&taskacct_tgid_table, i),
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
	return taskacct_table_count(&taskacct_tgid_table);
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
	int err = taskacct_table_init(&taskacct_tgid_table, taskacct_table_tasks() / 2,
				      sizeof(struct taskacct_bucket));

	if (err)
		return err;
	cache = kmem_cache_create("taskacct_group", sizeof(struct taskacct_group),
				  0, SLAB_TYPESAFE_BY_RCU, NULL);
	if (!cache)
		goto err_cache;
	pool = mempool_create_slab_pool(RESERVED, cache);
	if (!pool)
		goto err_pool;
	return 0;

err_pool:
	kmem_cache_destroy(cache);
err_cache:
	taskacct_table_exit(&taskacct_tgid_table);
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

	for (i = 0; i < taskacct_table_size(&taskacct_tgid_table); i++) {
		hlist_for_each_entry_safe(group, next,
					  taskacct_table_chain(&taskacct_tgid_table, i), node)
			free_group(group);
		cond_resched();
	}
	/* Groups that RCU callbacks are about to return to the pool */
	rcu_barrier();
	mempool_destroy(pool);
	kmem_cache_destroy(cache);
	taskacct_table_exit(&taskacct_tgid_table);
}
