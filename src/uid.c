// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, dead and live
 *
 * A user has an entry, and the entry a sum. Whatever a task uses is added to
 * the sum of its user once: how much of it has been is kept with the task
 * (uid_task.c), and only the difference is added
 *
 * - when somebody asks, for all tasks (uid_totals.c);
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
 * Lock order: reading in uid_totals.c, or taskacct_group.lock; then the lock of
 * one entry; then that of the rest, that of a bucket in uid_task.c, and those of
 * a task's values.
 */

#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "stat.h"
#include "uid.h"
#include "uid_clock.h"
#include "uid_entry.h"
#include "uid_usage.h"
#include "uid_view.h"

DEFINE_STATIC_KEY_FALSE(taskacct_uid_on);

/* Is a user counted here? One who was may have an entry now, or none. */
static bool is_entry_of(const struct taskacct_uid_entry *entry, kuid_t uid)
{
	return likely(entry != &taskacct_uid_entry_rest) ?
		       !entry->removed : !taskacct_uid_entry_find(uid);
}

static void forget_io(struct taskacct_uid_task *task)
{
	if (!static_branch_unlikely(&taskacct_uid_debug))
		return;
	taskacct_uid_view_keep_task(task, READ_ONCE(taskacct_uid_view));
	memset(task->told->io, 0, sizeof(task->told->io));
}

static void move_to(struct taskacct_uid_task *task, kuid_t uid)
{
	task->moved = true;
	forget_io(task);
	/* From here on it is behind the lock of another entry. */
	smp_store_release(&task->uid, uid);
}

/* Is a task counted for this user, whose entry the caller has locked? */
static bool is_counted_for(const struct taskacct_uid_task *task, kuid_t uid)
{
	/* Pairs with move_to(), under the lock of the entry where it was. */
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
		move_to(task, uid);
}

/* A task, and where it is counted */
struct place {
	struct task_struct *t;
	kuid_t uid;
	struct taskacct_uid_entry *entry;
	struct taskacct_uid_task *task;
};

/*
 * Locks the entry where a task is counted, as far as is known. What is kept of a
 * task has its user; of a task of which nothing is kept it is the one that it has.
 * Returns false, and place->uid says where to try again, if it is not this one.
 */
static bool lock_at(struct place *place)
{
	struct task_struct *t = place->t;

	place->entry = taskacct_uid_entry_get(place->uid);
	raw_spin_lock(&place->entry->lock);
	place->task = taskacct_uid_task_find(t);
	if (unlikely(place->task) && is_counted_for(place->task, place->uid))
		follow(place->task, t);
	if (likely(is_entry_of(place->entry, place->uid) &&
		   (!place->task || is_counted_for(place->task, place->uid))))
		return true;
	if (place->task)
		place->uid = READ_ONCE(place->task->uid);
	raw_spin_unlock(&place->entry->lock);
	return false;
}

/*
 * For current, whose user nobody else changes: it is tried again only where a
 * reader moved it to that user, or root removed the entry, one after the other.
 */
static void lock_place(struct place *place)
	__acquires(&place->entry->lock)
{
	place->t = current;
	place->uid = task_uid(current);
	while (!lock_at(place))
		cpu_relax();
}

/* As often a reader looks for a task that changes its user all the time. */
#define TRIES	16

/* Returns false, and nothing is locked, if it was in vain. */
static bool try_lock_place(struct place *place, struct task_struct *t)
{
	unsigned int tries = TRIES;

	place->t = t;
	place->uid = task_uid(t);
	while (tries--)
		if (lock_at(place))
			return true;
	return false;
}

static void unlock_place(struct place *place)
	__releases(&place->entry->lock)
{
	raw_spin_unlock(&place->entry->lock);
}

static u64 grown(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

/* What debug mode tells of a task, R80 */
static void split_io(struct taskacct_uid_task *task, unsigned int state,
		     const struct taskacct_uid_usage *now)
{
	const struct taskacct_uid_usage *seen = &task->seen;
	struct taskacct_uid_io *io = &task->told->io[state];

	io->rchar += grown(seen->rchar, now->rchar);
	io->wchar += grown(seen->wchar, now->wchar);
	io->read_bytes += grown(seen->read_bytes, now->read_bytes);
	io->written += grown(seen->written, now->written);
}

/* An entry is about to change, and the task that is counted there, if any. */
static __always_inline void keep_view(struct taskacct_uid_entry *entry,
				      struct taskacct_uid_task *task)
{
	unsigned int view;

	if (!static_branch_unlikely(&taskacct_uid_debug))
		return;
	view = READ_ONCE(taskacct_uid_view);
	taskacct_uid_view_keep_entry(entry, view);
	if (task)
		taskacct_uid_view_keep_task(task, view);
}

static void settle_to(struct place *place, const struct taskacct_uid_usage *now)
{
	struct taskacct_uid_entry *entry = place->entry;
	struct taskacct_uid_task *task = place->task;

	keep_view(entry, task);
	if (static_branch_unlikely(&taskacct_uid_debug))
		split_io(task, entry->state, now);
	taskacct_uid_usage_settle(entry->sum, &task->seen, now);
}

/* Adds what a task has used up to now, or all but what it read and wrote, R83 */
static void settle(struct place *place, bool io)
{
	struct taskacct_uid_task *task = place->task;
	struct taskacct_uid_usage now = {};

	taskacct_uid_task_note(task, place->t);
	WRITE_ONCE(task->whole, io);
	taskacct_uid_usage_add_task(&now, place->t, false);
	if (!io)
		taskacct_uid_usage_copy_io(&now, &task->seen);
	settle_to(place, &now);
}

/* The same for one that is new here, for less: all that it has used */
static void settle_new(struct place *place, bool io)
{
	struct taskacct_uid_task *task = place->task;

	if (static_branch_unlikely(&taskacct_uid_debug) || !io) {
		settle(place, io);
		return;
	}
	taskacct_uid_task_note(task, place->t);
	WRITE_ONCE(task->whole, true);
	taskacct_uid_usage_add_task(&task->seen, place->t, false);
	taskacct_uid_usage_add(place->entry->sum, &task->seen);
}

static __always_inline void add_values(struct taskacct_uid_usage *sum,
				       struct taskacct_values *values)
{
	if (values)
		taskacct_uid_usage_add_values(sum, current, values);
	else
		taskacct_uid_usage_add_task(sum, current, true);
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
	bool added;

	if (unlikely(!entry))
		return false;
	/*
	 * Other exits of this user wait for the lock: what is told besides is
	 * read before. Nobody has counted anything of the task, or this is not
	 * used.
	 */
	if (values)
		taskacct_fill_values_of_current(values, told);
	raw_spin_lock(&entry->lock);
	added = !entry->removed && taskacct_uid_task_bury_first(current);
	if (likely(added)) {
		keep_view(entry, NULL);
		add_values(entry->sum, values);
		add_end(entry);
	}
	raw_spin_unlock(&entry->lock);
	return added;
}

static noinline void add_any(struct taskacct_values *values, bool told)
{
	struct taskacct_uid_usage now = {};
	struct taskacct_uid_entry *entry;
	struct place place;

	lock_place(&place);
	entry = place.entry;
	/* Under the lock: a reader may have counted some of it. */
	if (values)
		taskacct_fill_values_of_current(values, told);
	add_values(&now, values);
	if (place.task) {
		settle_to(&place, &now);
	} else {
		keep_view(entry, NULL);
		taskacct_uid_usage_add(entry->sum, &now);
	}
	add_end(entry);
	if (entry == &taskacct_uid_entry_rest)
		taskacct_stat_inc(TASKACCT_STAT_UID_REST);
	taskacct_uid_task_bury(current, place.task);
	unlock_place(&place);
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
 * @values: receives them, exactly those that were counted
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

/**
 * taskacct_uid_change() - current is about to change its user
 * @uid: the new real user id
 *
 * Context: the hook, for current, just before.
 */
void taskacct_uid_change(kuid_t uid)
{
	struct place place;

	if (!static_branch_unlikely(&taskacct_uid_on) ||
	    uid_eq(uid, task_uid(current)) || (current->flags & PF_EXITING))
		return;
	rcu_read_lock();
	lock_place(&place);
	if (!place.task)
		place.task = taskacct_uid_task_new(current, place.uid, false);
	if (place.task) {
		settle(&place, true);
		move_to(place.task, uid);
	}
	unlock_place(&place);
	rcu_read_unlock();
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
	struct place place;

	if (!static_branch_unlikely(&taskacct_uid_on) ||
	    (current->flags & (PF_KTHREAD | PF_EXITING)))
		return;
	rcu_read_lock();
	lock_place(&place);
	if (static_branch_unlikely(&taskacct_uid_debug) && !place.task) {
		place.task = taskacct_uid_task_new(current, place.uid, false);
		if (place.task)
			settle(&place, true);
	}
	keep_view(place.entry, place.task);
	place.entry->sum->fsync++;
	if (static_branch_unlikely(&taskacct_uid_debug) && place.task)
		place.task->told->io[place.entry->state].fsync++;
	unlock_place(&place);
	rcu_read_unlock();
}

/* Begins to keep something of a task; returns false if there is no memory. */
static bool keep(struct place *place, bool io)
{
	place->task = taskacct_uid_task_new(place->t, place->uid, true);
	if (place->task)
		settle_new(place, io);
	return place->task;
}

/* It would be counted in the rest, where it does not belong, for good. */
static bool lacks_entry(const struct place *place)
{
	return unlikely(place->entry == &taskacct_uid_entry_rest) &&
	       !taskacct_uid_entry_is_full(place->uid);
}

/* Returns false, and the task is not counted, if there is no memory. */
static bool add_live(struct place *place, unsigned int round, bool io)
{
	if (taskacct_uid_task_buried(place->t, place->task))
		return true;
	if (lacks_entry(place))
		return false;
	if (place->task)
		settle(place, io);
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
	struct place place;
	bool added;

	if (!try_lock_place(&place, t))
		return true;
	added = add_live(&place, round, io);
	unlock_place(&place);
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
	struct place place;

	if (!try_lock_place(&place, t))
		return false;
	*uid = INVALID_UID;
	if (place.task && place.task->round != round) {
		memcpy(io, taskacct_uid_view_of_task(place.task, uid),
		       TASKACCT_UID_STATES * sizeof(*io));
		place.task->round = round;
	}
	unlock_place(&place);
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
	struct place place;

	if (!task ||
	    !taskacct_uid_is_within(ns, READ_ONCE(task->uid), from, to) ||
	    !try_lock_place(&place, t))
		return;
	task = place.task;
	if (task && !task->dead && place.entry != &taskacct_uid_entry_rest &&
	    taskacct_uid_is_within(ns, place.uid, from, to)) {
		if (task->moved)
			settle(&place, true);
		else
			memset(&task->seen, 0, sizeof(task->seen));
		WRITE_ONCE(task->away, false);
		forget_io(task);
	}
	unlock_place(&place);
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
