// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, dead and live
 *
 * A user has an entry, and the entry a sum. Whatever a task uses is added to
 * the sum of its user once: how much of it has been is kept with the task
 * (uid/task.c, uid/place.c), and only the difference is added
 *
 * - when somebody asks, for all tasks (uid/totals.c);
 * - when the task ends, for good: it is marked as dead;
 * - before it changes its user, so that what it used stays with the old one.
 *
 * So it does not matter which of these comes first, nor whether a reader on its
 * way through the tasks has passed one that ends meanwhile: nothing is counted
 * twice or left out, sums never go back, and no exit waits for a reader.
 *
 * What is kept with a task is protected by the lock of the entry of its user.
 * Which user that is changes under the lock of the old one only, by the task
 * itself, or by who finds that it has another by now: whoever has a lock looks
 * whether it is still the right one.
 *
 * Lock order: reading in uid/totals.c, or taskacct_group.lock; then the lock of
 * one entry; then that of the rest, that of a bucket in uid/task.c, and those of
 * a task's values.
 */

#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "base/base.h"

#include "clock.h"
#include "entry.h"
#include "place.h"
#include "uid.h"
#include "usage.h"

DEFINE_STATIC_KEY_FALSE(taskacct_uid_on);
bool taskacct_uid_sees_fsync;

static __always_inline void read_values(struct taskacct_uid_split *split,
					struct taskacct_values *values,
					bool told)
{
	taskacct_uid_usage_divide(split, current);
	taskacct_fill_values_of_current(values, told);
}

static __always_inline void add_values(struct taskacct_uid_used *sum,
				       const struct taskacct_values *values,
				       const struct taskacct_uid_split *split)
{
	if (values)
		taskacct_uid_usage_add_values(sum, current, values, split);
	else
		taskacct_uid_usage_add_task(sum, current, true, true);
}

static __always_inline void add_end(struct taskacct_uid_entry *entry)
{
	entry->ended++;
	entry->last = taskacct_uid_clock();
}

/* Nearly all tasks: their user is known, and nothing was kept of them. */
static __always_inline bool add_first(struct taskacct_values *values,
				      bool told)
{
	const struct cred *cred = rcu_dereference_protected(current->real_cred,
							    true);
	struct taskacct_uid_entry *entry = taskacct_uid_entry_find(cred->uid);
	struct taskacct_uid_split split = {};
	bool added;

	if (unlikely(!entry))
		return false;
	/*
	 * Other exits of this user wait for the lock: what is told besides is
	 * read before. Nobody has counted anything of the task, or this is not
	 * used.
	 */
	if (values)
		read_values(&split, values, told);
	raw_spin_lock(&entry->lock);
	added = !entry->removed && taskacct_uid_task_bury_first(current);
	if (likely(added)) {
		taskacct_uid_place_keep_view(entry, NULL);
		add_values(entry->sum, values, &split);
		add_end(entry);
	}
	raw_spin_unlock(&entry->lock);
	return added;
}

static noinline void add_any(struct taskacct_values *values, bool told)
{
	struct taskacct_uid_used now = {};
	struct taskacct_uid_split split = {};
	struct taskacct_uid_entry *entry;
	struct taskacct_uid_place place;

	taskacct_uid_place_lock(&place);
	entry = place.entry;
	/* Under the lock: a reader may have counted some of it. */
	if (values) {
		*values = (struct taskacct_values){ .kept = values->kept };
		read_values(&split, values, told);
	}
	add_values(&now, values, &split);
	if (place.task) {
		taskacct_uid_place_settle_to(&place, &now);
	} else {
		taskacct_uid_place_keep_view(entry, NULL);
		taskacct_uid_usage_add(entry->sum, &now);
	}
	add_end(entry);
	if (entry == &taskacct_uid_entry_rest)
		taskacct_stat_inc(TASKACCT_STAT_UID_REST);
	taskacct_uid_task_bury(current, place.task);
	taskacct_uid_place_unlock(&place);
}

/**
 * taskacct_uid_add() - count an exiting task for its user, to its end
 *
 * Context: the exit hook, for current, once, this or the other.
 */
void taskacct_uid_add(void)
{
	/* Protects what RCU does, for less. */
	preempt_disable();
	if (!add_first(NULL, false))
		add_any(NULL, false);
	preempt_enable();
}

/**
 * taskacct_uid_add_values() - the same where others are told its values
 * @values: zeroed; receives them, exactly those that were counted
 * @told: as for taskacct_fill_values_of_current()
 *
 * Context: the exit hook, for current.
 */
void taskacct_uid_add_values(struct taskacct_values *values, bool told)
{
	preempt_disable();
	if (!add_first(values, told))
		add_any(values, told);
	preempt_enable();
}

/* Not inlined: most who change their credentials keep their user, and need none of this. */
static noinline void change(kuid_t uid)
{
	struct taskacct_uid_used now = {};
	struct taskacct_uid_place place;

	rcu_read_lock();
	taskacct_uid_place_lock(&place);
	/*
	 * First: to keep something of it may wake who gets more memory, and the
	 * kernel may count no further than to there.
	 */
	taskacct_uid_usage_add_task(&now, current, true, false);
	if (!place.task)
		place.task = taskacct_uid_task_new(current, place.uid, false);
	if (place.task) {
		taskacct_uid_place_settle_whole(&place, &now);
		taskacct_uid_place_move_to(place.task, uid);
	}
	taskacct_uid_place_unlock(&place);
	rcu_read_unlock();
}

/**
 * taskacct_uid_change() - current is about to change its user
 * @uid: the new real user id
 *
 * Context: the hook, for current, just before.
 */
void taskacct_uid_change(kuid_t uid)
{
	if (!static_branch_unlikely(&taskacct_uid_on) ||
	    uid_eq(uid, task_uid(current)) || (current->flags & PF_EXITING))
		return;
	change(uid);
}

/**
 * taskacct_uid_fsync() - current has the kernel write a file to storage
 *
 * It is counted at once for the user that current has, and in debug mode for
 * the task, too.
 *
 * Context: the hook, for current, with preemption off.
 */
void taskacct_uid_fsync(void)
{
	struct taskacct_uid_place place;

	if (!static_branch_unlikely(&taskacct_uid_on) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	rcu_read_lock();
	taskacct_uid_place_lock(&place);
	if (static_branch_unlikely(&taskacct_uid_debug) && !place.task) {
		place.task = taskacct_uid_task_new(current, place.uid, false);
		if (place.task)
			taskacct_uid_place_settle(&place, true);
	}
	taskacct_uid_place_keep_view(place.entry, place.task);
	place.entry->sum->value.fsync++;
	if (static_branch_unlikely(&taskacct_uid_debug) && place.task)
		place.task->told->io[place.entry->state].fsync++;
	taskacct_uid_place_unlock(&place);
	rcu_read_unlock();
}

/**
 * taskacct_uid_init() - make room for users
 * @max: how many are kept apart
 * @debug: whether to keep each task's I/O too
 *
 * Context: task context, may sleep.
 * Return: 0 or a negative errno.
 */
int taskacct_uid_init(unsigned int max, bool debug)
{
	int err;

	err = taskacct_uid_clock_init();
	if (err)
		return err;
	err = taskacct_uid_entry_init(max);
	if (err)
		goto err_entry;
	err = taskacct_uid_task_init(debug);
	if (err)
		goto err_task;
	return 0;

err_task:
	taskacct_uid_entry_exit();
err_entry:
	taskacct_uid_clock_exit();
	return err;
}

/**
 * taskacct_uid_start() - begin to count
 *
 * Context: task context, may sleep; all hooks are attached.
 */
void taskacct_uid_start(void)
{
	taskacct_uid_entry_start();
	static_branch_enable(&taskacct_uid_on);
}

/**
 * taskacct_uid_exit() - forget all users
 *
 * Context: task context, may sleep; after taskacct_uid_init(); no hook and no
 *	reader is running or will run.
 */
void taskacct_uid_exit(void)
{
	if (static_key_enabled(&taskacct_uid_on))
		static_branch_disable(&taskacct_uid_on);
	taskacct_uid_task_exit();
	taskacct_uid_entry_exit();
	taskacct_uid_clock_exit();
}
