// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, for those who ask
 *
 * A reader first walks all tasks, and adds what each has used since it was last seen to
 * the entry of its user (counted-once, see uid.c). Most tasks have used nothing since
 * then and are passed without a lock. Then it copies the entries.
 *
 * There is one reader at a time. A reader that had to wait uses the result of a walk that
 * began after it came, if there was one. A walk with others waiting is done for all
 * users. So a reader waits for three walks at most: the one that has begun before, one
 * that reads times alone, and one that reads all.
 */

#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>

#include "base/base.h"

#include "entry.h"
#include "lines.h"
#include "live.h"
#include "snapshot.h"
#include "task.h"
#include "totals.h"
#include "uid.h"
#include "view.h"
#include "walk.h"

/* How many states are distinguished; changed under reading */
static unsigned int states = TASKACCT_UID_FOREGROUND + 1;

/*
 * Held by a reader, and by who removes users or changes their state. Exits do not take it.
 * Outermost lock.
 */
static DEFINE_MUTEX(reading);

/* How many wait for the mutex reading */
static atomic_t nr_waiting;

/* Number of the last walk for all users that has begun */
static atomic_long_t last_begun;

/*
 * Number of the last one whose result stands in the entries, and of the last one
 * that left out what was read and written; under reading
 */
static long last_whole;
static long last_times;

/* Number of the last walk of all, under reading */
static unsigned int last_round;

/* What a reader wants */
struct want {
	kuid_t only;
	bool io;
	long asked;
};

static struct want want(kuid_t only, bool io)
{
	struct want want = { .only = only, .io = io };

	/*
	 * A walk with a larger number sees what happened before. Pairs with
	 * begin_walk().
	 */
	smp_mb();
	want.asked = atomic_long_read(&last_begun);
	return want;
}

/* With a full barrier before the tasks are read */
static long begin_walk(void)
{
	return atomic_long_inc_return(&last_begun);
}

static int start_reading(void)
{
	int err;

	might_sleep();
	atomic_inc(&nr_waiting);
	err = mutex_lock_killable(&reading);
	atomic_dec(&nr_waiting);
	return err ? -EINTR : 0;
}

static void stop_reading(void)
{
	mutex_unlock(&reading);
}

/**
 * struct refresh - a walk that adds what tasks have used
 * @walk: the walk
 * @only: whose tasks; INVALID_UID: all
 * @io: what they read and wrote, too
 * @round: its number
 */
struct refresh {
	struct taskacct_uid_walk walk;
	kuid_t only;
	bool io;
	unsigned int round;
};

static bool count_unchanged(struct task_struct *t,
			    const struct refresh *refresh)
{
	struct taskacct_uid_task *task = taskacct_uid_task_find(t);
	const kuid_t uid = __task_cred(t)->uid;
	const bool known = task && uid_eq(READ_ONCE(task->uid), uid);
	struct taskacct_uid_entry *entry;

	if (uid_valid(refresh->only) && !uid_eq(uid, refresh->only))
		return true;
	if (!known || READ_ONCE(task->dead) ||
	    (refresh->io && !READ_ONCE(task->whole)) ||
	    !taskacct_uid_task_is_unchanged(task, t))
		return false;
	/* No entry: the user counts in the rest, or was removed and will come again. */
	entry = taskacct_uid_entry_find(uid);
	if (entry && task->round != refresh->round) {
		task->round = refresh->round;
		entry->tasks++;
	}
	return entry;
}

/* Dead ones were counted at their end. */
static bool visit_total(struct taskacct_uid_walk *walk, struct task_struct *t)
{
	const struct refresh *refresh =
		container_of(walk, struct refresh, walk);

	if (READ_ONCE(t->exit_state) || count_unchanged(t, refresh))
		return true;
	return taskacct_uid_add_live(t, refresh->round, refresh->io);
}

/* Enough for the tasks of one section, and for some users that are new */
static int refill_pools(void)
{
	int err = taskacct_uid_task_fill(TASKACCT_TASKS_SECTION);

	return err ?: taskacct_uid_entry_fill(2 * TASKACCT_UID_ENTRY_RESERVED);
}

static int count_from_0(struct taskacct_uid_entry *entry, void *data)
{
	entry->tasks = 0;
	return 0;
}

static int forget_counts(kuid_t only)
{
	struct taskacct_uid_entry *entry;

	taskacct_uid_entry_rest.tasks = 0;
	if (!uid_valid(only))
		return taskacct_uid_entry_each(count_from_0, NULL, false);
	rcu_read_lock();
	entry = taskacct_uid_entry_find(only);
	if (entry)
		entry->tasks = 0;
	rcu_read_unlock();
	return 0;
}

static int go_through(kuid_t only, bool io)
{
	struct refresh refresh = {
		.walk = { .visit = visit_total, .refill = refill_pools },
		.only = only,
		.io = io,
		.round = ++last_round,
	};
	int err = forget_counts(only);

	taskacct_runtime_forget();
	return err ?: taskacct_uid_walk(&refresh.walk);
}

static void forget_walks(void)
{
	last_whole = 0;
	last_times = 0;
}

static bool has_been_read(const struct want *want)
{
	return last_whole > want->asked ||
	       (!want->io && last_times > want->asked);
}

/* Adds what live tasks, of one user or of all, have used up to now. */
static int refresh_totals(const struct want *want)
{
	kuid_t only = want->only;
	long number = 0;
	int err;

	lockdep_assert_held(&reading);
	if (has_been_read(want))
		return 0;
	if (atomic_read(&nr_waiting))
		only = INVALID_UID;
	if (!uid_valid(only))
		number = begin_walk();
	err = go_through(only, want->io);
	if (err)
		/* The states of some live tasks have changed. */
		forget_walks();
	else if (number && want->io)
		last_whole = number;
	else if (number)
		last_times = number;
	return err;
}

/* What list_rows() gives to list_entry() */
struct list {
	struct taskacct_uid_snapshot *snapshot;
	struct user_namespace *ns;
};

static int list_entry_of(struct taskacct_uid_entry *entry, void *data)
{
	const struct list *list = data;

	return taskacct_uid_snapshot_add(list->snapshot, entry, list->ns);
}

/* Lists the users. They stay while the mutex is held. */
static int list_all(struct list *list)
{
	int err = taskacct_uid_entry_each(list_entry_of, list, false);

	/* One that ends just now may be missed, or not. */
	if (!err && (data_race(taskacct_uid_entry_rest.ended) ||
		     taskacct_uid_entry_rest.tasks))
		err = list_entry_of(&taskacct_uid_entry_rest, list);
	return err;
}

static int list_one(struct list *list, kuid_t only)
{
	struct taskacct_uid_entry *entry;
	int err;

	rcu_read_lock();
	entry = taskacct_uid_entry_find(only);
	err = entry ? list_entry_of(entry, list) : 0;
	rcu_read_unlock();
	return err;
}

/* Returns -ENOSPC if there is no room. */
static int read_rows(struct taskacct_uid_snapshot *snapshot, const struct want *want,
		     struct user_namespace *ns)
{
	struct list list = { .snapshot = snapshot, .ns = ns };
	int err;

	err = refresh_totals(want);
	if (err)
		return err;
	/* A user has got the background state since the memory was allocated. */
	if (snapshot->states != states)
		return -ENOSPC;
	if (snapshot->with_lines)
		WRITE_ONCE(taskacct_uid_view, taskacct_uid_view + 1);
	err = uid_valid(want->only) ? list_one(&list, want->only) :
				      list_all(&list);
	if (!err)
		err = taskacct_uid_snapshot_fill(snapshot);
	if (!err && snapshot->with_lines)
		err = taskacct_uid_lines_read(snapshot, want->only, ns,
					      ++last_round);
	return err;
}

/* Room for the users there are and some more; at each retry twice as many */
static int make_snapshot_room(struct taskacct_uid_snapshot *snapshot, const struct want *want,
			      unsigned int times)
{
	const unsigned int users = uid_valid(want->only) ?
					   1 : taskacct_uid_entry_count() + 64;
	int err;

	snapshot->states = READ_ONCE(states);
	err = taskacct_uid_snapshot_alloc(snapshot, users * times);
	if (!err && snapshot->with_lines)
		err = taskacct_uid_lines_alloc(snapshot, times *
					       (taskacct_uid_task_count() + 64));
	return err;
}

/**
 * taskacct_uid_totals_read() - what users have used up to now
 * @snapshot: receives it, for taskacct_uid_snapshot_free()
 * @kind: what of it
 * @only: one user, or INVALID_UID for all and the rest
 * @ns: whose numbers to use; users that have none there are one
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOMEM, or -EINTR if we were killed.
 */
int taskacct_uid_totals_read(struct taskacct_uid_snapshot *snapshot,
			     enum taskacct_uid_kind kind, kuid_t only,
			     struct user_namespace *ns)
{
	const struct want wanted = want(only, kind != TASKACCT_UID_TIMES);
	unsigned int times = 1;
	int err;

	*snapshot = (struct taskacct_uid_snapshot){
		.kind = kind,
		.with_lines = kind == TASKACCT_UID_IO &&
			      static_key_enabled(&taskacct_uid_debug),
	};
	/*
	 * Memory is allocated before the mutex is taken: a reader in a full memory
	 * cgroup must not make others wait. The numbers of users and tasks are
	 * bounded, so the loop ends.
	 */
	do {
		taskacct_uid_snapshot_free(snapshot);
		err = make_snapshot_room(snapshot, &wanted, times);
		if (!err)
			err = start_reading();
		if (err)
			break;
		err = read_rows(snapshot, &wanted, ns);
		stop_reading();
		times *= 2;
	} while (err == -ENOSPC && times);
	if (err)
		taskacct_uid_snapshot_free(snapshot);
	return err == -ENOSPC ? -ENOMEM : err;
}

/* The user cannot be removed while the mutex is held. */
static int register_user(kuid_t uid, struct taskacct_uid_entry **entry)
{
	unsigned int tries = 16;
	int err = 0;

	lockdep_assert_held(&reading);
	while (!err && tries--) {
		rcu_read_lock();
		*entry = taskacct_uid_entry_get(uid);
		rcu_read_unlock();
		if (*entry != &taskacct_uid_entry_rest)
			return 0;
		if (taskacct_uid_entry_is_full(uid))
			return -ENOSPC;
		err = taskacct_uid_entry_fill(TASKACCT_UID_ENTRY_RESERVED);
	}
	/* Other tasks took the memory each time. */
	return err ?: -ENOMEM;
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
 *	were killed.
 */
int taskacct_uid_totals_set(kuid_t uid, unsigned int state)
{
	const struct want wanted = want(uid, true);
	struct taskacct_uid_entry *entry;
	int err;

	err = start_reading();
	if (err)
		return err;
	err = register_user(uid, &entry);
	if (!err && entry->state != state)
		err = refresh_totals(&wanted);
	if (!err) {
		WRITE_ONCE(states, max(states, state + 1));
		raw_spin_lock(&entry->lock);
		entry->state = state;
		entry->sum = &entry->usage[state];
		raw_spin_unlock(&entry->lock);
	}
	stop_reading();
	return err;
}

/* Users that are removed, by the numbers of a user namespace */
struct removal {
	struct taskacct_uid_walk walk;
	struct user_namespace *ns;
	u32 from;
	u32 to;
};

static bool count_again(struct taskacct_uid_walk *walk, struct task_struct *t)
{
	const struct removal *removal =
		container_of(walk, struct removal, walk);

	taskacct_uid_count_again(t, removal->ns, removal->from, removal->to);
	return true;
}

static int remove_entry(struct taskacct_uid_entry *entry, void *data)
{
	const struct removal *removal = data;

	if (taskacct_uid_is_within(removal->ns, entry->uid, removal->from,
				   removal->to))
		taskacct_uid_entry_remove(entry);
	return 0;
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
 * Return: 0, or -EINTR if we were killed while another was reading.
 */
int taskacct_uid_totals_remove(struct user_namespace *ns, u32 from, u32 to)
{
	struct removal removal = {
		.walk = { .visit = count_again, .to_the_end = true },
		.ns = ns,
		.from = from,
		.to = to,
	};
	int err;

	err = start_reading();
	if (err)
		return err;
	/* Neither can fail, and the second has to finish what the first begins. */
	taskacct_uid_walk(&removal.walk);
	taskacct_uid_entry_each(remove_entry, &removal, true);
	/* What is counted again is in no entry yet. */
	forget_walks();
	stop_reading();
	return 0;
}
