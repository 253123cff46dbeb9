// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, for those who ask
 *
 * A reader goes through all tasks first, and has what each has used since it was
 * last seen added to its user's entry (uid.c). Most have used nothing since, and
 * are passed without a lock. What is in the entries then is the answer.
 */

#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>

#include "uid.h"
#include "uid_entry.h"
#include "uid_rows.h"
#include "uid_task.h"
#include "uid_totals.h"

/* How many states there are to tell apart; changed under reading */
static unsigned int states = TASKACCT_UID_FOREGROUND + 1;

/*
 * One reader at a time, or one who removes users or changes their state. Exits
 * do not wait for it. Outermost lock.
 */
static DEFINE_MUTEX(reading);

static bool count_unchanged(struct task_struct *t, kuid_t only)
{
	struct taskacct_uid_task *task = taskacct_uid_task_find(t);
	const kuid_t uid = __task_cred(t)->uid;
	const bool known = task && uid_eq(READ_ONCE(task->uid), uid);
	struct taskacct_uid_entry *entry;

	if (uid_valid(only) && !uid_eq(uid, only))
		return true;
	if (!known || READ_ONCE(task->dead) ||
	    !taskacct_uid_task_is_unchanged(task, t))
		return false;
	/* None: the rest, or it was removed and will come again. */
	entry = taskacct_uid_entry_find(uid);
	if (entry)
		entry->tasks++;
	return entry;
}

/*
 * Where there was no memory for one before there is none for this one. Dead ones
 * were counted at their end.
 */
static void visit(struct task_struct *t, kuid_t only,
		  struct taskacct_uid_missing *missing)
{
	if (READ_ONCE(t->exit_state) || count_unchanged(t, only))
		return;
	if (missing->tasks && !taskacct_uid_task_find(t)) {
		missing->tasks++;
		return;
	}
	taskacct_uid_add_live(t, missing);
}

static void count_from_0(kuid_t only)
{
	struct taskacct_uid_entry *entry;
	unsigned int i;

	taskacct_uid_entry_rest.tasks = 0;
	if (uid_valid(only)) {
		entry = taskacct_uid_entry_find(only);
		if (entry)
			entry->tasks = 0;
		return;
	}
	for (i = 0; i < 1 << TASKACCT_UID_ENTRY_BITS; i++)
		hlist_for_each_entry_rcu(entry, &taskacct_uid_entry_table[i],
					 node)
			entry->tasks = 0;
}

static struct taskacct_uid_missing visit_all(kuid_t only)
{
	struct taskacct_uid_missing missing = {};
	struct task_struct *leader, *t;

	rcu_read_lock();
	count_from_0(only);
	for_each_process_thread(leader, t)
		visit(t, only, &missing);
	rcu_read_unlock();
	return missing;
}

/*
 * Adds what live tasks, of one user or of all, have used up to now. Of how many
 * users those are that have no entry is not known: for twice as many each time.
 */
static int refresh(kuid_t only)
{
	unsigned int users = TASKACCT_UID_ENTRY_RESERVED;
	struct taskacct_uid_missing missing;
	int err = 0;

	lockdep_assert_held(&reading);
	for (;;) {
		missing = visit_all(only);
		if (!missing.tasks && !missing.users)
			return 0;
		if (missing.tasks)
			err = taskacct_uid_task_fill(missing.tasks +
						     missing.tasks / 8);
		if (!err && missing.users)
			err = taskacct_uid_entry_fill(users);
		if (err)
			return err;
		users *= 2;
	}
}

/* Which users there are. They stay while we have the mutex. */
static int list_all(struct taskacct_uid_rows *rows, struct user_namespace *ns)
{
	struct taskacct_uid_entry *entry;
	unsigned int i;
	int err = 0;

	for (i = 0; i < 1 << TASKACCT_UID_ENTRY_BITS; i++) {
		hlist_for_each_entry_rcu(entry, &taskacct_uid_entry_table[i],
					 node) {
			err = taskacct_uid_rows_add(rows, entry, ns);
			if (err)
				return err;
		}
	}
	if (taskacct_uid_entry_rest.ended || taskacct_uid_entry_rest.tasks)
		err = taskacct_uid_rows_add(rows, &taskacct_uid_entry_rest, ns);
	return err;
}

static int list_one(struct taskacct_uid_rows *rows, kuid_t only,
		    struct user_namespace *ns)
{
	struct taskacct_uid_entry *entry = taskacct_uid_entry_find(only);

	return entry ? taskacct_uid_rows_add(rows, entry, ns) : 0;
}

static int list_rows(struct taskacct_uid_rows *rows, kuid_t only,
		     struct user_namespace *ns)
{
	int err;

	rcu_read_lock();
	err = uid_valid(only) ? list_one(rows, only, ns) : list_all(rows, ns);
	rcu_read_unlock();
	return err;
}

static int read_rows(struct taskacct_uid_rows *rows, kuid_t only,
		     struct user_namespace *ns)
{
	int err;

	err = refresh(only);
	if (err)
		return err;
	/* Somebody is in the background since we have got memory. */
	if (rows->states != states) {
		taskacct_uid_rows_free(rows);
		rows->states = states;
	}
	/* Others may come with exits, now and while we wait for memory. */
	while ((err = list_rows(rows, only, ns)) == -ENOSPC) {
		taskacct_uid_rows_free(rows);
		err = taskacct_uid_rows_alloc(rows,
					      taskacct_uid_entry_count() + 64);
		if (err)
			return err;
	}
	if (err)
		return err;
	taskacct_uid_rows_fill(rows);
	if (!taskacct_uid_task_debug)
		return 0;
	return taskacct_uid_rows_read_lines(rows, only, ns);
}

/**
 * taskacct_uid_totals_read() - what users have used up to now
 * @rows: receives it, for taskacct_uid_rows_free()
 * @kind: what of it
 * @only: one user, or INVALID_UID for all and the rest
 * @ns: whose numbers to use; users that have none there are one
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -EINTR if we were killed while another was reading.
 */
int taskacct_uid_totals_read(struct taskacct_uid_rows *rows,
			     enum taskacct_uid_kind kind, kuid_t only,
			     struct user_namespace *ns)
{
	int err;

	might_sleep();
	*rows = (struct taskacct_uid_rows){
		.kind = kind,
		.states = READ_ONCE(states),
	};
	/*
	 * Before we have the mutex: anybody may ask for his own, and who has to
	 * wait for memory of a cgroup that is full must not make others wait.
	 */
	err = taskacct_uid_rows_alloc(rows, uid_valid(only) ? 1 :
					    taskacct_uid_entry_count() + 64);
	if (!err && mutex_lock_killable(&reading))
		err = -EINTR;
	if (!err) {
		err = read_rows(rows, only, ns);
		mutex_unlock(&reading);
	}
	if (err)
		taskacct_uid_rows_free(rows);
	return err;
}

/* It cannot be removed while we have the mutex. */
static int register_user(kuid_t uid, struct taskacct_uid_entry **entry)
{
	int err = 0;

	lockdep_assert_held(&reading);
	while (!err) {
		rcu_read_lock();
		*entry = taskacct_uid_entry_get(uid);
		rcu_read_unlock();
		if (*entry != &taskacct_uid_entry_rest)
			return 0;
		if (taskacct_uid_entry_is_full())
			return -ENOSPC;
		err = taskacct_uid_entry_fill(TASKACCT_UID_ENTRY_RESERVED);
	}
	return err;
}

/**
 * taskacct_uid_totals_set() - put a user into the foreground or the background
 * @uid: the user, who need not have a task
 * @state: TASKACCT_UID_FOREGROUND or TASKACCT_UID_BACKGROUND
 *
 * What was used up to now stays with the old state.
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, -ENOSPC if the user belongs to the rest, or -EINTR if we
 *	were killed while another was reading.
 */
int taskacct_uid_totals_set(kuid_t uid, unsigned int state)
{
	struct taskacct_uid_entry *entry;
	int err;

	might_sleep();
	if (mutex_lock_killable(&reading))
		return -EINTR;
	err = register_user(uid, &entry);
	if (!err && entry->state != state)
		err = refresh(uid);
	if (!err) {
		WRITE_ONCE(states, max(states, state + 1));
		raw_spin_lock(&entry->lock);
		entry->state = state;
		entry->sum = &entry->usage[state];
		raw_spin_unlock(&entry->lock);
	}
	mutex_unlock(&reading);
	return err;
}

/**
 * taskacct_uid_totals_remove() - forget what users have used
 * @ns: whose numbers @from and @to are
 * @from: the first user
 * @to: the last one
 *
 * What live tasks have used counts again.
 *
 * Context: task context, may sleep.
 */
void taskacct_uid_totals_remove(struct user_namespace *ns, u32 from, u32 to)
{
	struct taskacct_uid_entry *entry;
	struct task_struct *leader, *t;
	unsigned int i;

	might_sleep();
	mutex_lock(&reading);
	rcu_read_lock();
	for_each_process_thread(leader, t)
		taskacct_uid_count_again(t, ns, from, to);
	for (i = 0; i < 1 << TASKACCT_UID_ENTRY_BITS; i++)
		hlist_for_each_entry_rcu(entry, &taskacct_uid_entry_table[i],
					 node)
			if (taskacct_uid_is_within(ns, entry->uid, from, to))
				taskacct_uid_entry_remove(entry);
	rcu_read_unlock();
	mutex_unlock(&reading);
}
