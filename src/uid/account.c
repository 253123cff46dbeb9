// SPDX-License-Identifier: GPL-2.0-only
/*
 * The account of a task: the entry of its user, locked (user-under-lock, see uid.c)
 */

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "account.h"
#include "usage.h"

/* Whether a user counts in this entry; that may have changed before it was locked. */
static bool is_entry_of(const struct taskacct_uid_entry *entry, kuid_t uid)
{
	return likely(entry != &taskacct_uid_entry_rest) ?
		       !entry->removed : !taskacct_uid_entry_find(uid);
}

/**
 * taskacct_uid_account_forget_io() - what debug mode tells of a task begins at 0
 * @task: what is kept of it
 *
 * Context: under the lock of the entry of its user.
 */
void taskacct_uid_account_forget_io(struct taskacct_uid_task *task)
{
	if (!static_branch_unlikely(&taskacct_uid_debug))
		return;
	taskacct_uid_view_keep_task(task, READ_ONCE(taskacct_uid_view));
	memset(task->reported->io, 0, sizeof(task->reported->io));
}

/**
 * taskacct_uid_account_move_to() - a task is counted for another user
 * @task: what is kept of it
 * @uid: the other
 *
 * Context: under the lock of the entry where it was counted; what it used has been
 *	added there. From here on it is behind the lock of the other's.
 */
void taskacct_uid_account_move_to(struct taskacct_uid_task *task, kuid_t uid)
{
	task->moved = true;
	taskacct_uid_account_forget_io(task);
	/* user-under-lock: from here on another lock protects the task. */
	smp_store_release(&task->uid, uid);
}

/* user-under-lock: whether the task still counts for the user of the locked entry */
static bool is_counted_for(const struct taskacct_uid_task *task, kuid_t uid)
{
	/*
	 * Pairs with taskacct_uid_account_move_to(), under the lock of the entry
	 * where it was.
	 */
	return uid_eq(smp_load_acquire(&task->uid), uid);
}

/*
 * A change of the user that no hook reported is seen late: what the task used since it was
 * last seen goes to the new user. A reader between the hook and the change of the
 * credentials undoes the move; the next reader, or the end of the task, does it again.
 */
static void follow_task(struct taskacct_uid_task *task, const struct task_struct *t)
{
	const kuid_t uid = task_uid(t);

	if (unlikely(!uid_eq(task->uid, uid)))
		taskacct_uid_account_move_to(task, uid);
}

/*
 * Locks the entry that a task is thought to count in: that of the user noted in what is
 * kept of the task, or of its present user. Returns false if that was wrong; account->uid
 * is the user to try next.
 */
static bool lock_at(struct taskacct_uid_account *account)
{
	struct task_struct *t = account->t;
	bool here;

	account->entry = taskacct_uid_entry_get(account->uid);
	raw_spin_lock(&account->entry->lock);
	account->task = taskacct_uid_task_find(t);
	if (unlikely(account->task) && is_counted_for(account->task, account->uid))
		follow_task(account->task, t);
	here = is_entry_of(account->entry, account->uid) &&
	       (!account->task || is_counted_for(account->task, account->uid));
	if (likely(here)) {
		/* For sparse: the callers declare that the lock is held. */
		__release(&account->entry->lock);
		return true;
	}
	if (account->task)
		account->uid = READ_ONCE(account->task->uid);
	raw_spin_unlock(&account->entry->lock);
	return false;
}

/**
 * taskacct_uid_account_lock() - lock the entry where current is counted
 * @account: receives it, and what is kept of current
 *
 * Nobody else changes current's user: it is tried again only where a reader moved
 * what is kept of it to that user, or root removed the entry, one after the other.
 *
 * Context: task context, under rcu_read_lock(), or preemption off.
 */
void taskacct_uid_account_lock(struct taskacct_uid_account *account)
	__acquires(&account->entry->lock)
{
	account->t = current;
	account->uid = task_uid(current);
	while (!lock_at(account))
		cpu_relax();
	__acquire(&account->entry->lock);
}

/* How often a reader tries to lock a task that keeps changing its user */
#define TRIES	16

/**
 * __taskacct_uid_account_try_lock() - taskacct_uid_account_try_lock(), which is to be
 *	called
 * @account: receives the entry, and what is kept of the task
 * @t: the task
 *
 * Context: task context, under rcu_read_lock().
 * Return: as for that. Sparse does not know here that a lock is held.
 */
bool __taskacct_uid_account_try_lock(struct taskacct_uid_account *account,
				     struct task_struct *t)
{
	unsigned int tries = TRIES;

	account->t = t;
	account->uid = task_uid(t);
	while (tries--)
		if (lock_at(account))
			return true;
	return false;
}

static u64 growth(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

/* What debug mode reports of a task, R80 */
static void split_io(struct taskacct_uid_task *task, unsigned int state,
		     const struct taskacct_uid_usage *now)
{
	const struct taskacct_uid_usage *seen = &task->seen;
	struct taskacct_uid_io *io = &task->reported->io[state];

	io->rchar += growth(seen->rchar, now->rchar);
	io->wchar += growth(seen->wchar, now->wchar);
	io->read_bytes += growth(seen->read_bytes, now->read_bytes);
	io->written += growth(seen->written, now->written);
}

/**
 * taskacct_uid_account_settle_to() - add what a task has used since it was last seen
 * @account: the task, of which something is kept
 * @now: what it has used now; becomes no less than was reported of it
 *
 * Context: @account is locked.
 */
void taskacct_uid_account_settle_to(struct taskacct_uid_account *account,
				    struct taskacct_uid_usage *now)
{
	struct taskacct_uid_entry *entry = account->entry;
	struct taskacct_uid_task *task = account->task;

	if (unlikely(task->moved))
		taskacct_uid_usage_keep_up(now, &task->seen);
	taskacct_uid_account_keep_view(entry, task);
	if (static_branch_unlikely(&taskacct_uid_debug))
		split_io(task, entry->state, now);
	taskacct_uid_usage_settle(entry->sum, &task->seen, now);
}

static void note_whole(struct taskacct_uid_account *account, bool io)
{
	taskacct_uid_task_note(account->task, account->t);
	WRITE_ONCE(account->task->whole, io);
}

/**
 * taskacct_uid_account_settle() - add what a task has used up to now
 * @account: the task, of which something is kept
 * @io: what it read and wrote as well, R83
 *
 * Context: @account is locked.
 */
void taskacct_uid_account_settle(struct taskacct_uid_account *account, bool io)
{
	struct taskacct_uid_usage now = {};

	note_whole(account, io);
	taskacct_uid_usage_add_task(&now, account->t, false, false);
	if (!io)
		taskacct_uid_usage_copy_io(&now, &account->task->seen);
	taskacct_uid_account_settle_to(account, &now);
}

/**
 * taskacct_uid_account_settle_whole() - add all that a task has used
 * @account: the task, of which something is kept
 * @now: what it has used now, what it read and wrote too; as for
 *	taskacct_uid_account_settle_to()
 *
 * Context: @account is locked.
 */
void taskacct_uid_account_settle_whole(struct taskacct_uid_account *account,
				       struct taskacct_uid_usage *now)
{
	note_whole(account, true);
	taskacct_uid_account_settle_to(account, now);
}

/**
 * taskacct_uid_account_settle_new() - the same for a task that is new here, for less
 * @account: the task, of which nothing has been counted
 * @io: as above
 *
 * Context: @account is locked.
 */
void taskacct_uid_account_settle_new(struct taskacct_uid_account *account, bool io)
{
	struct taskacct_uid_usage *seen = &account->task->seen;

	if (static_branch_unlikely(&taskacct_uid_debug) || !io) {
		taskacct_uid_account_settle(account, io);
		return;
	}
	note_whole(account, true);
	taskacct_uid_usage_add_task(seen, account->t, false, false);
	taskacct_uid_usage_add(account->entry->sum, seen);
}
