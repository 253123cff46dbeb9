// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: which thread is the last one
 *
 * The thread that has the turn (taskacct_group.turn) searches, once it is listed, for a
 * thread that is not listed yet, and gives it the turn. If there is none the group is
 * complete (taskacct_group.complete), and the last thread is the one that sends last
 * (last-is-last).
 */

#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>

#include "group.h"

/**
 * taskacct_tgid_passed() - whether a thread has passed the hook for certain
 * @t: a thread without an entry
 *
 * It did so before the hook was there, or when there was no memory for an entry.
 * The address space goes right after an early hook, and before a late one.
 *
 * Return: true if it will not come to the hook.
 */
bool taskacct_tgid_passed(const struct task_struct *t)
{
	if (READ_ONCE(t->exit_state))
		return true;
	return (READ_ONCE(t->flags) & PF_EXITING) && !READ_ONCE(t->mm) &&
	       !taskacct_fill_is_late;
}

/* Gives a thread the turn, unless it was listed meanwhile. */
static bool try_pass(struct taskacct_group *group, struct task_struct *t)
{
	bool passed;

	raw_spin_lock(&group->lock);
	passed = !taskacct_exited_of(t);
	if (passed) {
		group->from = &t->thread_node;
		WRITE_ONCE(group->turn, t);
	}
	raw_spin_unlock(&group->lock);
	return passed;
}

/**
 * taskacct_tgid_pass_turn() - search for a thread that is yet to be noted
 * @group: its process; whose turn it was is noted
 *
 * Context: under rcu_read_lock(), since before that thread was released.
 * Return: true if it is the turn of another thread now; false if no other thread
 *	will come.
 */
bool taskacct_tgid_pass_turn(struct taskacct_group *group)
{
	struct task_struct *t = list_entry(group->from, struct task_struct,
					   thread_node);

	list_for_each_entry_continue_rcu(t, &group->sig->thread_head,
					 thread_node) {
		if (t == current || taskacct_exited_of(t) ||
		    taskacct_tgid_passed(t))
			continue;
		if (try_pass(group, t))
			return true;
	}
	return false;
}

/**
 * taskacct_tgid_finish() - search for a thread that is yet to begin to exit
 * @group: its process; whose turn it was is listed
 *
 * Context: as taskacct_tgid_pass_turn(); preemptible if the hook is.
 */
void taskacct_tgid_finish(struct taskacct_group *group)
{
	if (taskacct_tgid_pass_turn(group))
		return;
	raw_spin_lock(&group->lock);
	/* last-is-last. Pairs with taskacct_tgid_is_last() */
	smp_store_release(&group->complete, true);
	raw_spin_unlock(&group->lock);
}

/**
 * taskacct_tgid_is_last() - whether current is the last thread
 * @group: its process
 *
 * Known before it is asked under the lock, where the others have sent by now.
 *
 * Context: the hook at its end, for current, that was noted.
 * Return: true if it is, and that stays so; false: it may become that.
 */
bool taskacct_tgid_is_last(const struct taskacct_group *group)
{
	/* last-is-last: no more come. Pairs with taskacct_tgid_finish() */
	return smp_load_acquire(&group->complete) &&
	       READ_ONCE(group->unsent) == 1;
}

/**
 * taskacct_tgid_lock() - begin to send current's message
 * @group: its process
 *
 * The last thread is the one whose message comes last, so that all others' are
 * before it: until taskacct_tgid_unlock() that does not change.
 *
 * Context: the hook at its end, for current, that was noted.
 * Return: true if current is the last thread.
 */
bool taskacct_tgid_lock(struct taskacct_group *group)
	__acquires(&group->lock)
{
	raw_spin_lock(&group->lock);
	return group->complete && group->unsent == 1;
}

/**
 * taskacct_tgid_unlock() - current's message has its place
 * @group: its process
 * @sent: it has, or there is none; false: it is yet to be sent
 *
 * Context: the hook at its end, for current, after taskacct_tgid_lock().
 */
void taskacct_tgid_unlock(struct taskacct_group *group, bool sent)
	__releases(&group->lock)
{
	WRITE_ONCE(group->unsent, group->unsent - sent);
	raw_spin_unlock(&group->lock);
}

/**
 * taskacct_tgid_reported() - the last message of a process is there
 * @group: the process
 *
 * Until then who asks sees that the process is ending.
 *
 * Context: the hook at the end of its last thread, for current, after taskacct_tgid_end().
 */
void taskacct_tgid_reported(struct taskacct_group *group)
{
	raw_spin_lock(&group->lock);
	WRITE_ONCE(group->unsent, group->unsent - 1);
	raw_spin_unlock(&group->lock);
}

/**
 * taskacct_tgid_end() - a process has come to its end
 * @group: the process
 *
 * Context: the hook at the end of its last thread, for current.
 */
void taskacct_tgid_end(struct taskacct_group *group)
{
	struct taskacct_total *dead = &group->dead;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	taskacct_fill_now(&dead->values.until);
	dead->ended = true;
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
}
