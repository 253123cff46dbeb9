// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: which thread is the last one
 *
 * Whose turn it is (taskacct_group.turn) searches, once it is noted, for a thread
 * that is yet to come, and makes it that one's turn. If there is none it is the last.
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

/*
 * What the thread has to send that searches it sends before the next one's turn
 * can end: it holds the lock for reading by then, and still when true is returned.
 */
static bool pass_turn_to(struct taskacct_group *group, struct task_struct *t)
{
	bool passed;

	read_lock(&group->sending);
	passed = try_pass(group, t);
	/* For sparse, whose locks do not depend on what is returned */
	if (passed)
		__release(&group->sending);
	else
		read_unlock(&group->sending);
	return passed;
}

/**
 * taskacct_tgid_pass_turn() - search for a thread that is yet to be noted
 * @group: its process; whose turn it was is noted
 *
 * Context: under rcu_read_lock(), since before that thread was released.
 * Return: true, with taskacct_group.sending held for reading, of which the caller
 *	tells sparse, if it is the turn of another thread now; false if no other
 *	thread will come.
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
		if (pass_turn_to(group, t))
			return true;
	}
	return false;
}

/**
 * taskacct_tgid_finish() - find out whether current is the last thread
 * @group: from taskacct_tgid_enter(), after taskacct_tgid_unlock()
 * @values: of current, as they were added
 *
 * For the last thread it returns when the messages of all others are sent; none
 * of them sleeps before that.
 *
 * Context: the exit hook, for current, where taskacct_tgid_add() has said so;
 *	preemptible if the hook is.
 * Return: true for the last thread of the process, and for no other, as for
 *	taskacct_tgid_unlock().
 */
bool taskacct_tgid_finish(struct taskacct_group *group,
			  const struct taskacct_values *values)
	__acquires(&group->sending)
{
	struct taskacct_total *dead = &group->dead;

	if (taskacct_tgid_pass_turn(group)) {
		__acquire(&group->sending);
		return false;
	}
	write_lock(&group->sending);
	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	/* That of all: they share one address space. */
	dead->values.mm = values->mm;
	taskacct_fill_now(&dead->values.until);
	dead->ended = true;
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
	return true;
}
