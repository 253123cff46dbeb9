// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user: what readers do with one live task at a time; see uid.c
 */

#include <linux/string.h>
#include <linux/user_namespace.h>

#include "live.h"
#include "place.h"
#include "uid.h"
#include "view.h"

/* Begins to keep something of a task; returns false if there is no memory. */
static bool keep(struct taskacct_uid_place *place, bool io)
{
	place->task = taskacct_uid_task_new(place->t, place->uid, true);
	if (place->task)
		taskacct_uid_place_settle_new(place, io);
	return place->task;
}

/* It would be counted in the rest, where it does not belong, for good. */
static bool lacks_entry(const struct taskacct_uid_place *place)
{
	return unlikely(place->entry == &taskacct_uid_entry_rest) &&
	       !taskacct_uid_entry_is_full(place->uid);
}

/* Returns false, and the task is not counted, if there is no memory. */
static bool add_live(struct taskacct_uid_place *place, unsigned int round, bool io)
{
	if (taskacct_uid_task_buried(place->t, place->task))
		return true;
	if (lacks_entry(place))
		return false;
	if (place->task)
		taskacct_uid_place_settle(place, io);
	else if (!keep(place, io))
		return false;
	if (place->task->round != round) {
		place->task->round = round;
		place->entry->tasks++;
	}
	return true;
}

/**
 * taskacct_uid_add_live() - count what a live task has used up to now
 * @t: the task; nothing is done if it has been counted to its end meanwhile, or
 *	if it changes its user all the time: then it has been counted up to now
 * @round: the number of the walk, in which it counts as a live task once
 * @io: what it read and wrote as well, R83
 *
 * Context: the only reader, under rcu_read_lock().
 * Return: false if there was no memory for it, or for its user.
 */
bool taskacct_uid_add_live(struct task_struct *t, unsigned int round, bool io)
{
	struct taskacct_uid_place place;
	bool added;

	if (!taskacct_uid_place_try_lock(&place, t))
		return true;
	added = add_live(&place, round, io);
	taskacct_uid_place_unlock(&place);
	return added;
}

/**
 * taskacct_uid_tell_io() - what a task has read and written, in debug mode
 * @t: the task
 * @round: the number of the walk, in which it is told of once
 * @uid: receives for which user
 * @io: receives it, by state
 *
 * It is of the instant at which the last view began.
 *
 * Context: the only reader, under rcu_read_lock().
 * Return: true; false if there was no such task at that instant, or it has been
 *	told of.
 */
bool taskacct_uid_tell_io(struct task_struct *t, unsigned int round,
			  kuid_t *uid, struct taskacct_uid_io *io)
{
	struct taskacct_uid_place place;

	if (!taskacct_uid_place_try_lock(&place, t))
		return false;
	*uid = INVALID_UID;
	if (place.task && place.task->round != round) {
		memcpy(io, taskacct_uid_view_of_task(place.task, uid),
		       TASKACCT_UID_STATES * sizeof(*io));
		place.task->round = round;
	}
	taskacct_uid_place_unlock(&place);
	return uid_valid(*uid);
}

/**
 * taskacct_uid_is_within() - whether a user is one of several
 * @ns: whose numbers @from and @to are
 * @uid: the user
 * @from: the first of them
 * @to: the last one
 *
 * Context: any.
 * Return: true if so; false if it has no number there.
 */
bool taskacct_uid_is_within(struct user_namespace *ns, kuid_t uid, u32 from,
			    u32 to)
{
	u32 id = from_kuid(ns, uid);

	return uid_valid(uid) && id != (u32)-1 && id >= from && id <= to;
}

/**
 * taskacct_uid_count_again() - what a live task has used counts again
 * @t: the task, if its user is one of these
 * @ns: whose numbers @from and @to are
 * @from: the first user
 * @to: the last one
 *
 * It counts anew for the entry that its user gets next. Of one that had another
 * user only what it uses from now on: what it used before is not all this one's.
 * The rest is not removed.
 *
 * Context: who removes these users, the only one, under rcu_read_lock().
 */
void taskacct_uid_count_again(struct task_struct *t, struct user_namespace *ns,
			      u32 from, u32 to)
{
	struct taskacct_uid_task *task = taskacct_uid_task_find(t);
	struct taskacct_uid_place place;

	if (!task ||
	    !taskacct_uid_is_within(ns, READ_ONCE(task->uid), from, to) ||
	    !taskacct_uid_place_try_lock(&place, t))
		return;
	task = place.task;
	if (task && !task->dead && place.entry != &taskacct_uid_entry_rest &&
	    taskacct_uid_is_within(ns, place.uid, from, to)) {
		if (task->moved)
			taskacct_uid_place_settle(&place, true);
		else
			memset(&task->seen, 0, sizeof(task->seen));
		WRITE_ONCE(task->away, false);
		taskacct_uid_place_forget_io(task);
	}
	taskacct_uid_place_unlock(&place);
}
