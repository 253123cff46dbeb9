// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: which thread is the last one
 *
 * Whose turn it is (taskacct_group.turn) searches, once it is noted, for a thread
 * that is yet to come, and makes it that one's turn. If there is none all have come
 * (taskacct_group.complete), and the last thread is the last of them that sends.
 */

#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>

#include "hooks.h"
#include "tgid_group.h"

/**
 * taskacct_tgid_passed() - whether a thread has passed the hook for certain
 * @t: a thread without a mark
 *
 * It did so before the hook was there, or when there was no memory for a mark.
 * The address space goes right after an early hook, and before a late one.
 *
 * Context: any.
 * Return: true if it will not come to the hook.
 */
bool taskacct_tgid_passed(const struct task_struct *t)
{
	if (READ_ONCE(t->exit_state))
		return true;
	return (READ_ONCE(t->flags) & PF_EXITING) && !READ_ONCE(t->mm) &&
	       !taskacct_hooks_late();
}

/* Makes it a thread's turn, unless it was noted meanwhile. */
static bool try_pass(struct taskacct_group *group, struct task_struct *t)
{
	bool passed;

	raw_spin_lock(&group->lock);
	passed = !taskacct_mark_of(t);
	if (passed) {
		group->from = &t->thread_node;
		group->turn = t;
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
		if (t == current || taskacct_mark_of(t) ||
		    taskacct_tgid_passed(t))
			continue;
		if (try_pass(group, t))
			return true;
	}
	return false;
}

/**
 * taskacct_tgid_finish() - search for a thread that is yet to come
 * @group: from taskacct_tgid_enter()
 *
 * Context: the exit hook, for current, where taskacct_tgid_add() has said so;
 *	preemptible if the hook is.
 * Return: true if current is the last thread; false: it is not, or not yet.
 */
bool taskacct_tgid_finish(struct taskacct_group *group)
{
	bool last;

	if (taskacct_tgid_pass_turn(group))
		return false;
	raw_spin_lock(&group->lock);
	group->complete = true;
	last = group->unsent == 1;
	raw_spin_unlock(&group->lock);
	return last;
}

/**
 * taskacct_tgid_lock() - begin to send current's message
 * @group: from taskacct_tgid_enter()
 *
 * The last thread is the one whose message comes last, so that all others' are
 * before it: until taskacct_tgid_unlock() that does not change.
 *
 * Context: the exit hook, for current, that is told of, or had the turn.
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
 * @group: from taskacct_tgid_enter()
 * @sent: it has, or there is none; false: it is yet to be sent
 *
 * Context: the exit hook, for current, after taskacct_tgid_lock().
 */
void taskacct_tgid_unlock(struct taskacct_group *group, bool sent)
	__releases(&group->lock)
{
	group->unsent -= sent;
	raw_spin_unlock(&group->lock);
}

/**
 * taskacct_tgid_end() - a process has come to its end
 * @group: from taskacct_tgid_enter()
 * @values: of current, the last thread, as they were added
 *
 * Context: the exit hook, for current.
 */
void taskacct_tgid_end(struct taskacct_group *group,
		       const struct taskacct_values *values)
{
	struct taskacct_total *dead = &group->dead;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	/* That of all: they share one address space. */
	dead->values.mm = values->mm;
	taskacct_fill_now(&dead->values.until);
	dead->ended = true;
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
}
