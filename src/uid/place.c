// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a task is counted: the entry of its user, locked; see uid.c
 */

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "place.h"
#include "usage.h"

/* Is a user counted here? One who was may have an entry now, or none. */
static bool is_entry_of(const struct taskacct_uid_entry *entry, kuid_t uid)
{
	return likely(entry != &taskacct_uid_entry_rest) ?
		       !entry->removed : !taskacct_uid_entry_find(uid);
}

/**
 * taskacct_uid_place_forget_io() - what debug mode tells of a task begins at 0
 * @task: what is kept of it
 *
 * Context: under the lock of the entry of its user.
 */
void taskacct_uid_place_forget_io(struct taskacct_uid_task *task)
{
	if (!static_branch_unlikely(&taskacct_uid_debug))
		return;
	taskacct_uid_view_keep_task(task, READ_ONCE(taskacct_uid_view));
	memset(task->told->io, 0, sizeof(task->told->io));
}

/**
 * taskacct_uid_place_move_to() - a task is counted for another user
 * @task: what is kept of it
 * @uid: the other
 *
 * Context: under the lock of the entry where it was counted; what it used has been
 *	added there. From here on it is behind the lock of the other's.
 */
void taskacct_uid_place_move_to(struct taskacct_uid_task *task, kuid_t uid)
{
	task->moved = true;
	taskacct_uid_place_forget_io(task);
	/* From here on it is behind the lock of another entry. */
	smp_store_release(&task->uid, uid);
}

/* Is a task counted for this user, whose entry the caller has locked? */
static bool is_counted_for(const struct taskacct_uid_task *task, kuid_t uid)
{
	/*
	 * Pairs with taskacct_uid_place_move_to(), under the lock of the entry
	 * where it was.
	 */
	return uid_eq(smp_load_acquire(&task->uid), uid);
}

/*
 * Where nothing told of a task that changed its user, it is seen late: what it
 * used since it was last seen goes to the new one. Whoever comes between being
 * told and the change itself takes it back, and the next one, or the task at its
 * end, comes here again.
 */
static void follow(struct taskacct_uid_task *task, const struct task_struct *t)
{
	const kuid_t uid = task_uid(t);

	if (unlikely(!uid_eq(task->uid, uid)))
		taskacct_uid_place_move_to(task, uid);
}

/*
 * Locks the entry where a task is counted, as far as is known. What is kept of a
 * task has its user; of a task of which nothing is kept it is the one that it has.
 * Returns false, and place->uid says where to try again, if it is not this one.
 */
static bool lock_at(struct taskacct_uid_place *place)
{
	struct task_struct *t = place->t;
	bool here;

	place->entry = taskacct_uid_entry_get(place->uid);
	raw_spin_lock(&place->entry->lock);
	place->task = taskacct_uid_task_find(t);
	if (unlikely(place->task) && is_counted_for(place->task, place->uid))
		follow(place->task, t);
	here = is_entry_of(place->entry, place->uid) &&
	       (!place->task || is_counted_for(place->task, place->uid));
	if (likely(here)) {
		/* For sparse: the callers say that it is held. */
		__release(&place->entry->lock);
		return true;
	}
	if (place->task)
		place->uid = READ_ONCE(place->task->uid);
	raw_spin_unlock(&place->entry->lock);
	return false;
}

/**
 * taskacct_uid_place_lock() - lock the entry where current is counted
 * @place: receives it, and what is kept of current
 *
 * Nobody else changes current's user: it is tried again only where a reader moved
 * what is kept of it to that user, or root removed the entry, one after the other.
 *
 * Context: task context, under rcu_read_lock(), or preemption off.
 */
void taskacct_uid_place_lock(struct taskacct_uid_place *place)
	__acquires(&place->entry->lock)
{
	place->t = current;
	place->uid = task_uid(current);
	while (!lock_at(place))
		cpu_relax();
	__acquire(&place->entry->lock);
}

/* As often a reader looks for a task that changes its user all the time. */
#define TRIES	16

/**
 * __taskacct_uid_place_try_lock() - taskacct_uid_place_try_lock(), which is to be
 *	called
 * @place: receives the entry, and what is kept of the task
 * @t: the task
 *
 * Context: task context, under rcu_read_lock().
 * Return: as for that. Sparse does not know here that a lock is held.
 */
bool __taskacct_uid_place_try_lock(struct taskacct_uid_place *place,
				   struct task_struct *t)
{
	unsigned int tries = TRIES;

	place->t = t;
	place->uid = task_uid(t);
	while (tries--)
		if (lock_at(place))
			return true;
	return false;
}

static u64 grown(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

/* What debug mode tells of a task, R80 */
static void split_io(struct taskacct_uid_task *task, unsigned int state,
		     const struct taskacct_uid_used *now)
{
	const struct taskacct_uid_used *seen = &task->seen;
	struct taskacct_uid_io *io = &task->told->io[state];

	io->rchar += grown(seen->value.rchar, now->value.rchar);
	io->wchar += grown(seen->value.wchar, now->value.wchar);
	io->read_bytes += grown(seen->value.read_bytes,
				now->value.read_bytes);
	io->written += grown(seen->value.written, now->value.written);
}

/**
 * taskacct_uid_place_settle_to() - add what a task has used since it was last seen
 * @place: the task, of which something is kept
 * @now: what it has used now; becomes no less than was told of it
 *
 * Context: @place is locked.
 */
void taskacct_uid_place_settle_to(struct taskacct_uid_place *place,
				  struct taskacct_uid_used *now)
{
	struct taskacct_uid_entry *entry = place->entry;
	struct taskacct_uid_task *task = place->task;

	if (unlikely(task->moved))
		taskacct_uid_usage_keep_up(now, &task->seen);
	taskacct_uid_place_keep_view(entry, task);
	if (static_branch_unlikely(&taskacct_uid_debug))
		split_io(task, entry->state, now);
	taskacct_uid_usage_settle(entry->sum, &task->seen, now);
}

static void note_whole(struct taskacct_uid_place *place, bool io)
{
	taskacct_uid_task_note(place->task, place->t);
	WRITE_ONCE(place->task->whole, io);
}

/**
 * taskacct_uid_place_settle() - add what a task has used up to now
 * @place: the task, of which something is kept
 * @io: what it read and wrote as well, R83
 *
 * Context: @place is locked.
 */
void taskacct_uid_place_settle(struct taskacct_uid_place *place, bool io)
{
	struct taskacct_uid_used now = {};

	note_whole(place, io);
	taskacct_uid_usage_add_task(&now, place->t, false, false);
	if (!io)
		taskacct_uid_usage_copy_io(&now, &place->task->seen);
	taskacct_uid_place_settle_to(place, &now);
}

/**
 * taskacct_uid_place_settle_whole() - add all that a task has used
 * @place: the task, of which something is kept
 * @now: what it has used now, what it read and wrote too; as for
 *	taskacct_uid_place_settle_to()
 *
 * Context: @place is locked.
 */
void taskacct_uid_place_settle_whole(struct taskacct_uid_place *place,
				     struct taskacct_uid_used *now)
{
	note_whole(place, true);
	taskacct_uid_place_settle_to(place, now);
}

/**
 * taskacct_uid_place_settle_new() - the same for a task that is new here, for less
 * @place: the task, of which nothing has been counted
 * @io: as above
 *
 * Context: @place is locked.
 */
void taskacct_uid_place_settle_new(struct taskacct_uid_place *place, bool io)
{
	struct taskacct_uid_used *seen = &place->task->seen;

	if (static_branch_unlikely(&taskacct_uid_debug) || !io) {
		taskacct_uid_place_settle(place, io);
		return;
	}
	note_whole(place, true);
	taskacct_uid_usage_add_task(seen, place->t, false, false);
	taskacct_uid_usage_add(place->entry->sum, seen);
}
