// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users of whom a task has been seen, and the table where they are found
 *
 * Users come with their first task and stay until they are removed. There are
 * max of them at most: those who come when the table is full, or when there is
 * no memory, are counted together, in the rest.
 *
 * Entries are found under RCU. The table changes under the lock of the rest,
 * which is taken inside that of an entry, see uid.c.
 */

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "reserve.h"
#include "uid_entry.h"

struct taskacct_uid_entry taskacct_uid_entry_rest = {
	.uid = KUIDT_INIT(-1),
	.lock = __RAW_SPIN_LOCK_UNLOCKED(taskacct_uid_entry_rest.lock),
	.sum = &taskacct_uid_entry_rest.usage[TASKACCT_UID_FOREGROUND],
};

struct hlist_head *taskacct_uid_entry_table;
static struct taskacct_reserve reserve;
static unsigned int max_entries;
static unsigned int nr_entries; /* under the lock of the rest */

static void insert(struct taskacct_uid_entry *entry)
{
	lockdep_assert_held(&taskacct_uid_entry_rest.lock);
	hlist_add_head_rcu(&entry->node, taskacct_uid_entry_chain(entry->uid));
	WRITE_ONCE(nr_entries, nr_entries + 1);
}

static struct taskacct_uid_entry *new_entry(kuid_t uid)
{
	struct taskacct_uid_entry *entry;

	/* Without a lock: once full, most who come here find it so. */
	if (taskacct_uid_entry_is_full())
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
	if (!entry && nr_entries < max_entries) {
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
	WRITE_ONCE(nr_entries, nr_entries - 1);
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
 *
 * Context: any. So it stays where nobody can remove users.
 * Return: true if there are as many as may be.
 */
bool taskacct_uid_entry_is_full(void)
{
	return READ_ONCE(nr_entries) >= max_entries;
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
	taskacct_uid_entry_table = kvcalloc(1 << TASKACCT_UID_ENTRY_BITS,
					    sizeof(*taskacct_uid_entry_table),
					    GFP_KERNEL);
	if (!taskacct_uid_entry_table)
		return -ENOMEM;
	err = taskacct_reserve_init(&reserve, "taskacct_uid",
				    sizeof(struct taskacct_uid_entry),
				    TASKACCT_UID_ENTRY_RESERVED);
	if (err)
		kvfree(taskacct_uid_entry_table);
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
	struct taskacct_uid_entry *entry;
	struct hlist_node *next;
	unsigned int i;

	/* Those that are on their way back to the reserve */
	rcu_barrier();
	for (i = 0; i < 1 << TASKACCT_UID_ENTRY_BITS; i++)
		hlist_for_each_entry_safe(entry, next,
					  &taskacct_uid_entry_table[i], node)
			taskacct_reserve_put(&reserve, entry);
	taskacct_reserve_exit(&reserve);
	kvfree(taskacct_uid_entry_table);
}
