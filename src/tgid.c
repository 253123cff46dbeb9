// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals
 *
 * A process that only ever had one thread needs nothing here. Another has a
 * group from the first exit of one of its threads until its leader is freed.
 * The group holds the sum over the threads that have passed the exit hook; a
 * total is that sum plus the other threads, read from the thread list.
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
 * Threads that had passed the place of the hook before the hook was there have
 * left what the kernel keeps of them in their signal_struct, or are still on
 * the list; a new group starts with their values.
 *
 * Lock order: taskacct_group.sending, then taskacct_group.lock, then a bucket's
 * lock. signal_struct.stats_lock is only ever read.
 */

#include <linux/hash.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "hooks.h"
#include "stat.h"
#include "tgid.h"
#include "uid.h"

#define TABLE_BITS	12

/* Marks that are there even if no memory is, for a burst of exits */
#define RESERVED_MARKS	256

/* Attempts of a reader before it keeps writers out */
#define LOCKLESS_TRIES	4

/**
 * struct bucket - head of a chain in one of the two tables
 * @lock: protects changes to the chain. Innermost lock; taken in any context
 *	but NMI, since tasks are freed in softirq.
 * @head: the chain; read under RCU
 */
struct bucket {
	raw_spinlock_t lock;
	struct hlist_head head;
};

/**
 * struct taskacct_group - a process of which a thread has exited
 * @node: in the table of groups, under its bucket's lock
 * @rcu: for freeing
 * @sig: whose process it is; never followed, only compared
 * @sending: held for reading by a thread from being noted until its message is
 *	sent. The last thread takes it for writing, so that its message comes
 *	after all the others; so does the first, until @begun. Outermost lock.
 * @begun: the sum has begun, and no thread was noted before
 * @lock: protects all below it; taken in task context only
 * @seq: readers of @dead see all of a thread or nothing, and its mark as well
 * @dead: sum over the threads that were noted and those that had exited before
 */
struct taskacct_group {
	struct hlist_node node;
	struct rcu_head rcu;
	struct signal_struct *sig;
	rwlock_t sending;
	bool begun;
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	struct taskacct_total dead;
};

/**
 * struct mark - a thread that was noted and is not yet freed
 * @node: in the table of marks, under its bucket's lock
 * @rcu: for freeing
 * @task: the thread; not followed, only compared, and no other task can have
 *	the same address while the mark is there
 */
struct mark {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
};

static struct bucket *groups;
static struct bucket *marks;
static mempool_t *mark_pool;
static atomic_t nr_groups;
static atomic_t nr_marks;

static struct bucket *bucket_of(struct bucket *table, const void *key)
{
	return &table[hash_ptr(key, TABLE_BITS)];
}

static struct bucket *alloc_table(void)
{
	struct bucket *table;
	unsigned int i;

	table = kvcalloc(1 << TABLE_BITS, sizeof(*table), GFP_KERNEL);
	if (!table)
		return NULL;
	for (i = 0; i < 1 << TABLE_BITS; i++) {
		raw_spin_lock_init(&table[i].lock);
		INIT_HLIST_HEAD(&table[i].head);
	}
	return table;
}

static bool marked(const struct task_struct *t)
{
	const struct mark *mark;

	hlist_for_each_entry_rcu(mark, &bucket_of(marks, t)->head, node)
		if (mark->task == t)
			return true;
	return false;
}

static struct mark *alloc_mark(void)
{
	struct mark *mark = mempool_alloc(mark_pool, GFP_ATOMIC | __GFP_NOWARN);

	if (!mark)
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
	return mark;
}

static void insert_mark(struct mark *mark, const struct task_struct *t)
{
	struct bucket *bucket = bucket_of(marks, t);
	unsigned long flags;

	mark->task = t;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_add_head_rcu(&mark->node, &bucket->head);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	atomic_inc(&nr_marks);
}

static void free_mark_rcu(struct rcu_head *rcu)
{
	mempool_free(container_of(rcu, struct mark, rcu), mark_pool);
}

static void remove_mark(const struct task_struct *t)
{
	struct bucket *bucket = bucket_of(marks, t);
	struct mark *mark;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(mark, &bucket->head, node) {
		if (mark->task == t) {
			hlist_del_rcu(&mark->node);
			atomic_dec(&nr_marks);
			call_rcu(&mark->rcu, free_mark_rcu);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static struct taskacct_group *find_group(const struct signal_struct *sig)
{
	struct taskacct_group *group;

	hlist_for_each_entry_rcu(group, &bucket_of(groups, sig)->head, node)
		if (group->sig == sig)
			return group;
	return NULL;
}

/* Returns the group that is in the table afterwards, this one or another's */
static struct taskacct_group *insert_group(struct taskacct_group *new)
{
	struct bucket *bucket = bucket_of(groups, new->sig);
	struct taskacct_group *group;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = find_group(new->sig);
	if (!group) {
		group = new;
		hlist_add_head_rcu(&new->node, &bucket->head);
		atomic_inc(&nr_groups);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return group;
}

static void remove_group(const struct signal_struct *sig)
{
	struct bucket *bucket = bucket_of(groups, sig);
	struct taskacct_group *group;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	group = find_group(sig);
	if (group) {
		hlist_del_rcu(&group->node);
		atomic_dec(&nr_groups);
		kfree_rcu(group, rcu);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Whether a thread without a mark has passed the place of the hook all the
 * same, because the hook was not there yet or had no memory for a mark. The
 * address space goes right after an early hook, and before a late one.
 */
static bool passed_unnoted(const struct task_struct *t)
{
	if (READ_ONCE(t->exit_state))
		return true;
	return (READ_ONCE(t->flags) & PF_EXITING) && !READ_ONCE(t->mm) &&
	       !taskacct_hooks_late();
}

static bool is_noted(const struct task_struct *t)
{
	/* The mark costs a look into memory that live threads need not have. */
	return (READ_ONCE(t->flags) & PF_EXITING) && marked(t);
}

static void mark_unnoted(void)
{
	struct task_struct *t;
	struct mark *mark;

	for_each_thread(current, t) {
		if (t == current || !passed_unnoted(t))
			continue;
		mark = alloc_mark();
		if (mark)
			insert_mark(mark, t);
	}
}

/* Starts a group's sum with the threads that nobody has noted */
static void add_unnoted(struct taskacct_group *group)
{
	struct signal_struct *sig = current->signal;
	struct taskacct_values *sum = &group->dead.values;
	struct task_struct *t;
	unsigned int seq;

	lockdep_assert_held_write(&group->sending);

	/* They may be released while we look. */
	mark_unnoted();
	do {
		seq = read_seqbegin(&sig->stats_lock);
		*sum = (struct taskacct_values){};
		taskacct_fill_add_released(sum, sig);
		for_each_thread(current, t)
			if (is_noted(t))
				taskacct_fill_add_task(sum, t);
	} while (read_seqretry(&sig->stats_lock, seq));
}

/*
 * The group goes into the table locked: the other threads that come to the
 * hook wait until its sum has begun, and none is released meanwhile. Not by
 * its raw lock: on PREEMPT_RT memory and stats_lock may sleep.
 */
static struct taskacct_group *create_group(void)
{
	struct taskacct_group *group, *found;

	group = kzalloc(sizeof(*group), GFP_ATOMIC | __GFP_NOWARN);
	if (!group) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		return NULL;
	}
	group->sig = current->signal;
	rwlock_init(&group->sending);
	raw_spin_lock_init(&group->lock);
	seqcount_raw_spinlock_init(&group->seq, &group->lock);

	write_lock(&group->sending);
	found = insert_group(group);
	if (found == group) {
		add_unnoted(group);
		/* Pairs with smp_load_acquire() in find_begun() */
		smp_store_release(&group->begun, true);
	}
	write_unlock(&group->sending);

	if (found != group)
		kfree(group);
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
	if (likely(hlist_empty(&bucket_of(groups, sig)->head)))
		/* There may have been others before the hook was there. */
		return taskacct_fill_any_released(sig);

	rcu_read_lock();
	needed = find_group(sig) || taskacct_fill_any_released(sig);
	rcu_read_unlock();
	return needed;
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
	bool alone = thread_group_empty(current);
	struct taskacct_group *group;

	smp_rmb(); /* as in taskacct_tgid_needed() */
	group = find_group(current->signal);
	if (!group && !alone)
		group = create_group();
	return group;
}

/**
 * taskacct_tgid_lock() - keep the last thread's message from being sent
 * @group: from taskacct_tgid_enter()
 *
 * Context: the exit hook, for current.
 */
void taskacct_tgid_lock(struct taskacct_group *group)
	__acquires(&group->sending)
{
	read_lock(&group->sending);
}

/**
 * taskacct_tgid_is_last() - whether current is the last thread to be noted
 *
 * The process ends when no thread is alive; some of them may still be on
 * their way to the hook.
 *
 * Context: the exit hook, for current; under rcu_read_lock().
 * Return: true if no other thread will come.
 */
bool taskacct_tgid_is_last(void)
{
	struct task_struct *t;

	if (atomic_read(&current->signal->live))
		return false;
	for_each_thread(current, t)
		if (t != current && !is_noted(t) && !passed_unnoted(t))
			return false;
	return true;
}

/**
 * taskacct_tgid_add() - note the exiting task, once, in its process
 * @group: from taskacct_tgid_enter(), after taskacct_tgid_lock()
 * @values: receives the task's own values, exactly those that were added
 * @told: somebody is told of the task; of the last thread its process is
 *
 * The values are read where no reader of the total looks, so that none has
 * seen, and none will see, larger ones. For the last thread it returns when
 * the messages of all others are sent; none of them sleeps before that.
 *
 * Context: the exit hook, for current.
 * Return: true for the last thread of the process, and for no other.
 */
bool taskacct_tgid_add(struct taskacct_group *group,
		       struct taskacct_values *values, bool told)
	__must_hold(&group->sending)
{
	struct mark *mark = alloc_mark();
	bool last;

	raw_spin_lock(&group->lock);
	last = taskacct_tgid_is_last();

	write_seqcount_begin(&group->seq);
	taskacct_uid_note_values(values, told || last);
	taskacct_fill_add(&group->dead.values, values);
	if (mark)
		insert_mark(mark, current);
	if (last) {
		/* That of all: they share one address space. */
		group->dead.values.mm = values->mm;
		group->dead.values.until = values->until;
		group->dead.ended = true;
	}
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);

	if (last) {
		read_unlock(&group->sending);
		write_lock(&group->sending);
	}
	return last;
}

/**
 * taskacct_tgid_unlock() - the exiting task's message is sent
 * @group: from taskacct_tgid_enter()
 * @last: from taskacct_tgid_add()
 *
 * Context: the exit hook, for current.
 */
void taskacct_tgid_unlock(struct taskacct_group *group, bool last)
	__releases(&group->sending)
{
	if (last)
		write_unlock(&group->sending);
	else
		read_unlock(&group->sending);
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
	remove_mark(t);
	if (thread_group_leader(t))
		remove_group(t->signal);
}

static void add_threads(struct taskacct_total *total,
			struct task_struct *leader, bool noted_too)
{
	struct task_struct *t;

	/* Not after the walk: the process may end before that time. */
	taskacct_fill_now(&total->values.until);
	for_each_thread(leader, t)
		if (noted_too || !is_noted(t))
			taskacct_fill_add_task(&total->values, t);
}

static void copy_and_add(struct taskacct_total *total,
			 const struct taskacct_group *group,
			 struct task_struct *leader)
{
	*total = group->dead;
	/* Once it has ended, every thread is in the sum. */
	if (!total->ended)
		add_threads(total, leader, false);
}

/*
 * A thread that is noted while we look is in the sum and on the list, or in
 * neither: look again. One that is released while we look was noted before.
 */
static void total_of_group(struct taskacct_group *group,
			   struct task_struct *leader,
			   struct taskacct_total *total)
{
	unsigned int seq, tries;

	for (tries = 0; tries < LOCKLESS_TRIES; tries++) {
		seq = read_seqcount_begin(&group->seq);
		copy_and_add(total, group, leader);
		if (!read_seqcount_retry(&group->seq, seq))
			return;
	}

	raw_spin_lock(&group->lock);
	copy_and_add(total, group, leader);
	raw_spin_unlock(&group->lock);
}

/* A group that has not begun has noted nobody, and is as good as none. */
static struct taskacct_group *find_begun(const struct signal_struct *sig)
{
	struct taskacct_group *group = find_group(sig);

	/* Pairs with smp_store_release() in create_group() */
	return group && smp_load_acquire(&group->begun) ? group : NULL;
}

/*
 * Without a group no thread has been noted, and the kernel's own sums will do.
 * There are marks already where a group is about to begin.
 */
static bool total_without_group(struct task_struct *leader,
				struct taskacct_total *total)
{
	struct signal_struct *sig = leader->signal;
	unsigned int seq;

	seq = read_seqbegin(&sig->stats_lock);
	*total = (struct taskacct_total){};
	taskacct_fill_add_released(&total->values, sig);
	add_threads(total, leader, true);
	return !read_seqretry(&sig->stats_lock, seq);
}

/**
 * taskacct_tgid_total() - add up a process
 * @leader: its leader, dead or alive
 * @total: receives the sum
 *
 * Consistent while threads come and go: no thread is counted twice or left
 * out, and the sum is never smaller than an earlier one. Neither interrupts
 * nor preemption are off during the walk, unless threads exited during each of
 * a few attempts.
 *
 * Context: any but NMI; under rcu_read_lock().
 */
void taskacct_tgid_total(struct task_struct *leader,
			 struct taskacct_total *total)
{
	struct taskacct_group *group;

	for (;;) {
		group = find_begun(leader->signal);
		if (group) {
			total_of_group(group, leader, total);
			return;
		}
		if (!total_without_group(leader, total))
			continue;
		/*
		 * A thread reads its last values only after its group has
		 * begun. Pairs with smp_store_release() in create_group().
		 */
		smp_rmb();
		if (!find_begun(leader->signal))
			return;
	}
}

/**
 * taskacct_tgid_groups() - how many processes have a group now
 *
 * Return: their number.
 */
unsigned int taskacct_tgid_groups(void)
{
	return atomic_read(&nr_groups);
}

/**
 * taskacct_tgid_threads() - how many threads are noted and not yet freed
 *
 * Return: their number.
 */
unsigned int taskacct_tgid_threads(void)
{
	return atomic_read(&nr_marks);
}

/**
 * taskacct_tgid_init() - make room for groups
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_tgid_init(void)
{
	groups = alloc_table();
	if (!groups)
		return -ENOMEM;
	marks = alloc_table();
	if (!marks)
		goto err_marks;
	mark_pool = mempool_create_kmalloc_pool(RESERVED_MARKS,
						sizeof(struct mark));
	if (!mark_pool)
		goto err_mark_pool;
	return 0;

err_mark_pool:
	kvfree(marks);
err_marks:
	kvfree(groups);
	return -ENOMEM;
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
	struct mark *mark;
	unsigned int i;

	/* Marks that are on their way back to the pool */
	rcu_barrier();

	for (i = 0; i < 1 << TABLE_BITS; i++) {
		hlist_for_each_entry_safe(group, next, &groups[i].head, node)
			kfree(group);
		hlist_for_each_entry_safe(mark, next, &marks[i].head, node)
			mempool_free(mark, mark_pool);
	}
	mempool_destroy(mark_pool);
	kvfree(marks);
	kvfree(groups);
}
