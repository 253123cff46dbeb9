// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users of whom a task has been seen, and the table where they are found
 *
 * Users come with their first task and stay until they are removed. There are
 * max of them at most: those who come when the table is full, or when there is
 * no memory, are counted together, in the rest.
 *
 * Whoever has a range of user ids can have tasks of all of them, and must not push
 * others into the rest. Ids below 65,536, which are the host's own, have a quarter
 * of the table for themselves. Of the others no 65,536 ids from a multiple of
 * 65,536 on get more than a quarter; a range of /etc/subuid lies in two such
 * blocks at the most. Which block an id is in cannot be changed by who uses it;
 * in which user namespace a task is, and who owns that, can.
 *
 * Entries are found under RCU. The table changes under the lock of the rest,
 * which is taken inside that of an entry, see uid.c.
 */

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "base/base.h"

#include "entry.h"

struct taskacct_uid_entry taskacct_uid_entry_rest = {
	.uid = KUIDT_INIT(-1),
	.lock = __RAW_SPIN_LOCK_UNLOCKED(taskacct_uid_entry_rest.lock),
	.sum = &taskacct_uid_entry_rest.usage[TASKACCT_UID_FOREGROUND],
};

struct taskacct_uid_entry_table taskacct_uid_entry_table __read_mostly;
static struct taskacct_reserve reserve;
static unsigned int max_entries;

/* The ids of a block have these upper bits; the first block is the host's own. */
#define BLOCK_SHIFT	16
#define BLOCKS		(1U << (32 - BLOCK_SHIFT))

/* How many there are, and in each block; under the lock of the rest */
static unsigned int nr_entries;
static unsigned int *nr_of_block;

/* Chains are of four users on average where there are as many as may be. */
#define CHAINS_MIN	256U
#define CHAINS_MAX	1048576U

/* Users that are passed in one RCU section */
#define SECTION		1000

/* All but the rest, as they came; changes under the lock of the rest */
static LIST_HEAD(all_entries);

static unsigned int *block_of(kuid_t uid)
{
	return &nr_of_block[__kuid_val(uid) >> BLOCK_SHIFT];
}

static unsigned int quarter(void)
{
	return DIV_ROUND_UP(max_entries, 4);
}

static void count(kuid_t uid, int by)
{
	unsigned int *block = block_of(uid);

	lockdep_assert_held(&taskacct_uid_entry_rest.lock);
	WRITE_ONCE(nr_entries, nr_entries + by);
	WRITE_ONCE(*block, *block + by);
}

static void insert(struct taskacct_uid_entry *entry)
{
	lockdep_assert_held(&taskacct_uid_entry_rest.lock);
	hlist_add_head_rcu(&entry->node, taskacct_uid_entry_chain(entry->uid));
	list_add_tail_rcu(&entry->all, &all_entries);
	count(entry->uid, 1);
}

static struct taskacct_uid_entry *new_entry(kuid_t uid)
{
	struct taskacct_uid_entry *entry;

	/* Without a lock: once full, most who come here find it so. */
	if (taskacct_uid_entry_is_full(uid))
		return NULL;
	entry = taskacct_reserve_get(&reserve);
	if (!entry)
		return NULL;
	entry->uid = uid;
	entry->first = ktime_get_boottime_ns();
	entry->last = entry->first;
	entry->sum = &entry->usage[TASKACCT_UID_FOREGROUND];
	raw_spin_lock_init(&entry->lock);
	return entry;
}

/**
 * taskacct_uid_entry_make() - make an entry for a user who was not found
 * @uid: the user
 *
 * Context: task context, under rcu_read_lock(), or preemption off.
 * Return: it, or that which another has made meanwhile, or the rest.
 */
struct taskacct_uid_entry *taskacct_uid_entry_make(kuid_t uid)
{
	struct taskacct_uid_entry *new = new_entry(uid), *entry;

	if (!new)
		return &taskacct_uid_entry_rest;
	raw_spin_lock(&taskacct_uid_entry_rest.lock);
	entry = taskacct_uid_entry_find(uid);
	if (!entry && !taskacct_uid_entry_is_full(uid)) {
		insert(new);
		entry = new;
	}
	raw_spin_unlock(&taskacct_uid_entry_rest.lock);
	if (entry != new)
		taskacct_reserve_put(&reserve, new);
	return entry ?: &taskacct_uid_entry_rest;
}

static void put_back(struct rcu_head *rcu)
{
	taskacct_reserve_put(&reserve, container_of(rcu,
						    struct taskacct_uid_entry,
						    rcu));
}

/**
 * taskacct_uid_entry_remove() - remove a user
 * @entry: the user, not the rest
 *
 * Whoever counts a task here has the lock, or will look. Both at once: who has
 * found it removed looks for another until it is out of the table, and must not
 * do so while we are preempted.
 *
 * Context: task context, under rcu_read_lock(); one at a time.
 */
void taskacct_uid_entry_remove(struct taskacct_uid_entry *entry)
{
	raw_spin_lock(&entry->lock);
	entry->removed = true;
	raw_spin_lock(&taskacct_uid_entry_rest.lock);
	hlist_del_rcu(&entry->node);
	list_del_rcu(&entry->all);
	count(entry->uid, -1);
	raw_spin_unlock(&taskacct_uid_entry_rest.lock);
	raw_spin_unlock(&entry->lock);
	call_rcu(&entry->rcu, put_back);
}

/**
 * taskacct_uid_entry_fill() - get memory for entries
 * @users: how many shall be ready
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_entry_fill(unsigned int users)
{
	return taskacct_reserve_fill(&reserve, users);
}

/**
 * taskacct_uid_entry_is_full() - whether a new user belongs to the rest
 * @uid: the user
 *
 * Context: any. So it stays where nobody can remove users.
 * Return: true if there are as many as may be, of all or of this block.
 */
bool taskacct_uid_entry_is_full(kuid_t uid)
{
	const unsigned int of_host = READ_ONCE(nr_of_block[0]);
	const unsigned int nr = READ_ONCE(nr_entries);
	const unsigned int *block = block_of(uid);

	if (nr >= max_entries)
		return true;
	if (block == nr_of_block)
		return false;
	/* What the host's own have left of their quarter is kept for them. */
	return READ_ONCE(*block) >= quarter() ||
	       nr + quarter() - min(of_host, quarter()) >= max_entries;
}

/**
 * taskacct_uid_entry_count() - how many users are kept apart
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_uid_entry_count(void)
{
	return READ_ONCE(nr_entries);
}

/**
 * taskacct_uid_entry_each() - visit all users but the rest, in parts
 * @visit: called for each of them, under rcu_read_lock(); it may remove it. What
 *	it returns if not 0 ends the walk
 * @data: for @visit
 * @to_the_end: it goes on where we are killed
 *
 * Users who come meanwhile may be left out.
 *
 * Context: task context, may sleep; nobody else removes users.
 * Return: 0, what @visit returned, or -EINTR if we were killed.
 */
int taskacct_uid_entry_each(int (*visit)(struct taskacct_uid_entry *entry,
					 void *data),
			    void *data, bool to_the_end)
{
	const struct list_head *at = READ_ONCE(all_entries.next);
	struct taskacct_uid_entry *entry;
	unsigned int left;
	int err = 0;

	might_sleep();
	while (at != &all_entries && !err) {
		rcu_read_lock();
		for (left = SECTION; left && at != &all_entries && !err; left--) {
			entry = list_entry(at, struct taskacct_uid_entry, all);
			/* @visit may remove this one, and nobody removes the next. */
			at = READ_ONCE(at->next);
			err = visit(entry, data);
		}
		rcu_read_unlock();
		cond_resched();
		if (!err && !to_the_end && fatal_signal_pending(current))
			err = -EINTR;
	}
	return err;
}

static int make_table(unsigned int max)
{
	const unsigned int chains = roundup_pow_of_two(clamp(max / 4,
							     CHAINS_MIN,
							     CHAINS_MAX));

	nr_of_block = kvcalloc(BLOCKS, sizeof(*nr_of_block), GFP_KERNEL);
	taskacct_uid_entry_table = (struct taskacct_uid_entry_table){
		.chains = kvcalloc(chains, sizeof(struct hlist_head),
				   GFP_KERNEL),
		.factor = get_random_u32() | 1,
		.shift = 32 - ilog2(chains),
	};
	return nr_of_block && taskacct_uid_entry_table.chains ? 0 : -ENOMEM;
}

static void free_table(void)
{
	kvfree(taskacct_uid_entry_table.chains);
	kvfree(nr_of_block);
}

/**
 * taskacct_uid_entry_init() - make room for users
 * @max: how many are kept apart
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_entry_init(unsigned int max)
{
	int err;

	max_entries = max;
	err = make_table(max);
	if (!err)
		err = taskacct_reserve_init(&reserve, "taskacct_uid",
					    sizeof(struct taskacct_uid_entry),
					    TASKACCT_UID_ENTRY_RESERVED);
	if (err)
		free_table();
	return err;
}

/**
 * taskacct_uid_entry_start() - the rest begins
 *
 * Context: task context, before the first task is counted.
 */
void taskacct_uid_entry_start(void)
{
	taskacct_uid_entry_rest.first = ktime_get_boottime_ns();
	taskacct_uid_entry_rest.last = taskacct_uid_entry_rest.first;
}

/**
 * taskacct_uid_entry_exit() - forget all users
 *
 * Context: task context, may sleep; no hook and no reader is running or will
 *	run.
 */
void taskacct_uid_entry_exit(void)
{
	struct taskacct_uid_entry *entry, *next;

	/* Those that are on their way back to the reserve */
	rcu_barrier();
	list_for_each_entry_safe(entry, next, &all_entries, all) {
		taskacct_reserve_put(&reserve, entry);
		cond_resched();
	}
	taskacct_reserve_exit(&reserve);
	free_table();
}
