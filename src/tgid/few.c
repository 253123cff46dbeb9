// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: threads that need no entry
 *
 * Most threads are released before their end, and few of a process are between their exit
 * and their end at one time. These have a place in the group itself meanwhile, and nothing
 * is kept of them when they are noted: who is released is on no thread list, and so nobody
 * reads it any more. A leader, which is not released, is remembered by its address.
 *
 * An entry is needed for who cannot have a place, for who was noted and stays on the thread
 * list, since somebody traces it, and while a total is added up exactly: that subtracts
 * what was noted meanwhile (taskacct_group.readers).
 *
 * A place has no owner but the thread: it has to come to its end, for nobody else gives the
 * place back. So there are none where ends may go unseen, nor on PREEMPT_RT, where no
 * memory for an entry can be had at the end.
 */

#include <linux/kconfig.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>

#include "task/task.h"
#include "uid/uid.h"

#include "few.h"
#include "group.h"

/* The place of a task, or a free one, of NULL; or NULL */
static struct task_struct **find_place(struct taskacct_group *group,
				       const struct task_struct *t)
{
	struct task_struct **place;

	for (place = group->few; place != group->few + TASKACCT_TGID_FEW; place++)
		if (READ_ONCE(*place) == t)
			return place;
	return NULL;
}

/**
 * taskacct_tgid_has_place() - whether a thread has a place in its group
 * @group: its process
 * @t: the thread
 *
 * Context: under taskacct_group.lock, or for current; for who looks at
 *	taskacct_group.seq; or while it is one of the readers.
 * Return: true if it is between its exit and its end without an entry.
 */
bool taskacct_tgid_has_place(struct taskacct_group *group, const struct task_struct *t)
{
	return find_place(group, t);
}

/**
 * taskacct_tgid_is_listed() - whether a thread has begun to exit
 * @group: its process
 * @t: a thread that was found on the process's list
 *
 * Another thread can be where a leader was that is freed, and is not taken for that: the
 * leader is forgotten when such a thread begins to exit (take_place()), and that is before it
 * has an exit_state.
 *
 * Context: as taskacct_tgid_has_place(); under rcu_read_lock(), in which @t was found.
 * Return: true if it is not to be read from the process's list.
 */
bool taskacct_tgid_is_listed(struct taskacct_group *group, const struct task_struct *t)
{
	if (!(READ_ONCE(t->flags) & PF_EXITING))
		return false;
	if (READ_ONCE(group->noted_leader) == t && READ_ONCE(t->exit_state))
		return true;
	if (taskacct_tgid_has_place(group, t))
		return true;
	/* place-or-entry. Pairs with the barrier in taskacct_tgid_list() */
	smp_rmb();
	return taskacct_exited_find(t);
}

static bool may_have_places(const struct taskacct_group *group)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       likely(READ_ONCE(taskacct_fill_sees_all_ends)) &&
	       likely(!READ_ONCE(taskacct_tgid_loading)) && likely(!group->readers);
}

/* While the module was loaded another may have listed it. */
static bool has_entry(void)
{
	return taskacct_exited_may_be(current) && taskacct_exited_find(current);
}

/* Under taskacct_group.lock, in a write section of its seq */
static bool take_place(struct taskacct_group *group)
{
	struct task_struct **place;

	if (unlikely(group->noted_leader == current))
		WRITE_ONCE(group->noted_leader, NULL);
	if (unlikely(!may_have_places(group) || has_entry()))
		return false;
	place = find_place(group, NULL);
	if (unlikely(!place))
		return false;
	WRITE_ONCE(*place, current);
	refcount_inc(&group->refs);
	/* listed-before-values, as in taskacct_tgid_list() */
	smp_mb();
	return true;
}

/**
 * taskacct_tgid_begin_placed() - the running thread of several begins to exit, with a place
 * @group: its process
 * @mm: what its address space tells, or NULL
 * @turn: receives whether it has to search for the last thread
 *
 * Context: the exit hook, for current.
 * Return: false if it has to have an entry, or has one: nothing was done.
 */
bool taskacct_tgid_begin_placed(struct taskacct_group *group, const struct taskacct_mm *mm,
				bool *turn)
{
	bool placed;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	placed = take_place(group);
	if (likely(placed))
		*turn = taskacct_tgid_count_in(group, mm);
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
	return placed;
}

/* last-is-last, under taskacct_group.lock */
static bool is_alone(const struct taskacct_group *group)
{
	return group->complete && group->unsent == 1;
}

/* Readers look for those that are on the thread list, and for all if they add up exactly. */
static bool needs_entry(const struct taskacct_group *group)
{
	return unlikely(group->readers) ||
	       (!thread_group_leader(current) && unlikely(!taskacct_was_released(current)));
}

/* Not on PREEMPT_RT: the lock does not keep memory from being had. */
static struct taskacct_exited *replace_place(struct taskacct_group *group,
					     struct task_struct **place)
{
	struct taskacct_exited *exited = taskacct_exited_alloc();

	if (!exited)
		return NULL;
	/* place-or-entry: that is behind a full barrier. */
	taskacct_tgid_list(group, current, exited);
	WRITE_ONCE(*place, NULL);
	return exited;
}

static void note_with(struct taskacct_group *group, struct taskacct_exited *exited,
		      struct taskacct_values *values)
{
	/* number-before-values. Pairs with read_placed() and read_ending_thread() */
	WRITE_ONCE(exited->nr, ++group->nr);
	smp_mb(); /* number-before-values */
	taskacct_uid_note_values(values);
	exited->values = *values;
	taskacct_tgid_note(group, exited);
	taskacct_tgid_put(group);
}

static void give_back(struct taskacct_group *group, struct task_struct **place)
{
	group->nr++;
	if (thread_group_leader(current))
		WRITE_ONCE(group->noted_leader, current);
	WRITE_ONCE(*place, NULL);
}

/* Apart: its stack is large. */
static noinline void add_values(struct taskacct_group *group, struct taskacct_values *values)
{
	taskacct_uid_note_values(values);
	taskacct_fill_add(&group->dead.values, values);
}

static noinline void add_for_user(struct taskacct_group *group)
{
	struct taskacct_values values taskacct_uninitialized;

	values.kept = NULL;
	add_values(group, &values);
}

/**
 * taskacct_tgid_leave() - note the running thread, if it has a place and no more is to be done
 * @group: its process
 *
 * Context: the hook at its end, for current, where nothing was kept of it and nobody wants
 *	it.
 * Return: true: it is not the last thread, and that is all; false: nothing was done.
 */
bool taskacct_tgid_leave(struct taskacct_group *group)
{
	struct task_struct **place = find_place(group, current);
	bool left;

	if (unlikely(!place))
		return false;
	raw_spin_lock(&group->lock);
	left = !is_alone(group) && !needs_entry(group);
	if (likely(left)) {
		write_seqcount_begin(&group->seq);
		/* number-before-values, of which the number is seq. With total_of_group() */
		smp_mb();
		if (taskacct_uid_notes())
			add_for_user(group);
		else
			taskacct_fill_add_current(&group->dead.values);
		give_back(group, place);
		write_seqcount_end(&group->seq);
		group->unsent--;
	}
	raw_spin_unlock(&group->lock);
	if (likely(left))
		taskacct_tgid_put(group);
	return left;
}

/**
 * taskacct_tgid_add_placed() - note the running thread, which has a place
 * @group: its process
 * @values: receives its values
 * @kept: what was kept of it, or NULL
 * @reported: it is reported to somebody
 *
 * Where an entry is needed for which there is no memory the thread is counted twice until it
 * is released, as one without an entry that is not released.
 *
 * Context: the hook at its end, for current.
 * Return: as taskacct_tgid_add().
 */
bool taskacct_tgid_add_placed(struct taskacct_group *group,
			      struct taskacct_values *values,
			      struct taskacct_kept *kept, bool reported)
{
	struct task_struct **place = find_place(group, current);
	struct taskacct_exited *exited = NULL;
	bool left;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	values->kept = kept;
	if (needs_entry(group))
		exited = replace_place(group, place);
	if (unlikely(exited)) {
		note_with(group, exited, values);
	} else {
		smp_mb(); /* as in taskacct_tgid_leave() */
		add_values(group, values);
		give_back(group, place);
	}
	write_seqcount_end(&group->seq);
	left = !reported && !is_alone(group);
	group->unsent -= left;
	raw_spin_unlock(&group->lock);
	if (reported)
		taskacct_fill_report(values);
	return left;
}
