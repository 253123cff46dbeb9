// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, dead and live
 *
 * A user has an entry, and the entry has a sum. What a task uses is added to the sum of
 * its user once (counted-once): the task keeps how much was added (task.c, account.c), and
 * only the difference is added
 *
 * - when a reader asks, for all tasks (totals.c);
 * - when the task ends, for the last time: it is marked as dead;
 * - before it changes its user, so that what it used stays with the old one.
 *
 * The order of these does not matter. A task that ends during a walk is neither missed nor
 * counted twice, sums never decrease, and no exit waits for a reader.
 *
 * The lock of the entry of its user protects what is kept of a task (user-under-lock). The
 * user of a task changes only under the lock of the old user's entry: the task does it,
 * or whoever sees that the user has changed. So a lock is taken, and then it is checked
 * that the user is still the same.
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

#include "account.h"
#include "clock.h"
#include "entry.h"
#include "uid.h"
#include "usage.h"

DEFINE_STATIC_KEY_FALSE(taskacct_uid_on);
bool taskacct_uid_sees_fsync;

static __always_inline void read_values(struct taskacct_uid_split *split,
					struct taskacct_values *values)
{
	taskacct_uid_usage_divide(split, current);
	taskacct_fill_values_of_current(values);
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

/* The fast path: the user has an entry, and nothing was kept of the task. */
static __always_inline bool add_first(struct taskacct_values *values)
{
	const struct cred *cred = rcu_dereference_protected(current->real_cred,
							    true);
	struct taskacct_uid_entry *entry = taskacct_uid_entry_find(cred->uid);
	struct taskacct_uid_split split = {};
	bool added;

	if (unlikely(!entry))
		return false;
	/*
	 * Other exits of this user wait for the lock, so all that is reported besides
	 * is read before it is taken. The values are not used if a reader has
	 * counted some of the task meanwhile.
	 */
	if (values)
		read_values(&split, values);
	raw_spin_lock(&entry->lock);
	added = !entry->removed && taskacct_uid_task_mark_first_dead(current);
	if (likely(added)) {
		taskacct_uid_account_keep_view(entry, NULL);
		add_values(entry->sum, values, &split);
		add_end(entry);
	}
	raw_spin_unlock(&entry->lock);
	return added;
}

static noinline void add_any(struct taskacct_values *values)
{
	struct taskacct_uid_used now = {};
	struct taskacct_uid_split split = {};
	struct taskacct_uid_entry *entry;
	struct taskacct_uid_account account;

	taskacct_uid_account_lock(&account);
	entry = account.entry;
	/* Under the lock, as a reader may have counted some of it. */
	if (values)
		read_values(&split, values);
	add_values(&now, values, &split);
	if (account.task) {
		taskacct_uid_account_settle_to(&account, &now);
	} else {
		taskacct_uid_account_keep_view(entry, NULL);
		taskacct_uid_usage_add(entry->sum, &now);
	}
	add_end(entry);
	if (entry == &taskacct_uid_entry_rest)
		taskacct_stat_inc(TASKACCT_STAT_UID_REST);
	taskacct_uid_task_mark_dead(current, account.task);
	taskacct_uid_account_unlock(&account);
}

/**
 * taskacct_uid_add() - count an exiting task for its user, to its end
 *
 * Context: the exit hook, for current, once, this or the other.
 */
void taskacct_uid_add(void)
{
	/* Protects as an RCU read section does, and costs less. */
	preempt_disable();
	if (!add_first(NULL))
		add_any(NULL);
	preempt_enable();
}

/**
 * taskacct_uid_add_values() - the same where others see its values
 * @values: receives them, exactly those that were counted
 *
 * Context: the exit hook, for current.
 */
void taskacct_uid_add_values(struct taskacct_values *values)
{
	preempt_disable();
	if (!add_first(values))
		add_any(values);
	preempt_enable();
}

/* Not inlined: most changes of credentials keep the user. */
static noinline void change_user(kuid_t uid)
{
	struct taskacct_uid_used now = {};
	struct taskacct_uid_account account;

	rcu_read_lock();
	taskacct_uid_account_lock(&account);
	/*
	 * The values are read first: keeping something of the task may wake the
	 * worker that allocates memory, and the kernel may count only up to there.
	 */
	taskacct_uid_usage_add_task(&now, current, true, false);
	if (!account.task)
		account.task = taskacct_uid_task_new(current, account.uid, false);
	if (account.task) {
		taskacct_uid_account_settle_whole(&account, &now);
		taskacct_uid_account_move_to(account.task, uid);
	}
	taskacct_uid_account_unlock(&account);
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
	change_user(uid);
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
	struct taskacct_uid_account account;

	if (!static_branch_unlikely(&taskacct_uid_on) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	rcu_read_lock();
	taskacct_uid_account_lock(&account);
	if (static_branch_unlikely(&taskacct_uid_debug) && !account.task) {
		account.task = taskacct_uid_task_new(current, account.uid, false);
		if (account.task)
			taskacct_uid_account_settle(&account, true);
	}
	taskacct_uid_account_keep_view(account.entry, account.task);
	account.entry->sum->value.fsync++;
	if (static_branch_unlikely(&taskacct_uid_debug) && account.task)
		account.task->reported->io[account.entry->state].fsync++;
	taskacct_uid_account_unlock(&account);
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
