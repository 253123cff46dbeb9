// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: a thread begins to exit, comes to its end, and is freed
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/timekeeping.h>

#include "task/task.h"
#include "uid/uid.h"

#include "group.h"

static void enter_group(struct taskacct_group *group, struct taskacct_exited *exited,
			const struct taskacct_mm *mm)
{
	WRITE_ONCE(group->unsent, group->unsent + 1);
	write_seqcount_begin(&group->seq);
	if (likely(exited))
		taskacct_tgid_list(group, current, exited);
	else
		group->unlisted++;
	/* The threads share one address space. */
	if (mm)
		group->dead.values.mm = *mm;
	write_seqcount_end(&group->seq);
}

/* Where no listener wanted it. One of these threads is the last with an address space. */
static noinline void begin_as_last(struct taskacct_group *group)
{
	struct taskacct_memory memory;
	struct taskacct_mm mm = {};

	taskacct_memory_read(&memory, current->mm);
	taskacct_fill_mm(&mm, current->mm, &memory);
	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	group->dead.values.mm = mm;
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
}

/**
 * taskacct_tgid_begin() - the running thread of several begins to exit
 * @group: from taskacct_tgid_enter()
 * @mm: what its address space tells, or NULL
 *
 * Until taskacct_tgid_unlock() says that it is reported, no other thread is the last one.
 * Nothing is done for one that has an entry: while the module loads another may have
 * listed it before. One for whose entry there is no memory is noted at its end all the
 * same; it is missing in sums between its release and that, where it is released first.
 *
 * Context: the exit hook, for current.
 */
void taskacct_tgid_begin(struct taskacct_group *group,
			 const struct taskacct_mm *mm)
{
	struct taskacct_exited *exited = taskacct_exited_alloc();
	bool turn = false, listed;

	if (unlikely(!exited))
		WRITE_ONCE(taskacct_tgid_some_unlisted, true);
	raw_spin_lock(&group->lock);
	listed = taskacct_exited_may_be(current) && taskacct_exited_find(current);
	if (likely(!listed)) {
		turn = taskacct_tgid_take_turn(group, current);
		enter_group(group, exited, mm);
	}
	raw_spin_unlock(&group->lock);
	if (unlikely(listed))
		taskacct_exited_free(exited);
	if (!mm && unlikely(!atomic_read(&group->sig->live)) && current->mm)
		begin_as_last(group);
	if (turn) {
		rcu_read_lock();
		taskacct_tgid_finish(group);
		rcu_read_unlock();
	}
}

/* Returns whether the thread has to search for the last one. */
static bool note_unlisted(struct taskacct_group *group,
			  const struct taskacct_values *values)
{
	taskacct_fill_add(&group->dead.values, values);
	group->nr++;
	group->unlisted--;
	/* The thread that gave it the turn could not see that it exits. */
	return group->turn == current && !group->complete;
}

/**
 * taskacct_tgid_add() - note the running thread of several, which is at its end
 * @group: its process
 * @exited: its entry; NULL: taskacct_tgid_unlisted() knows the process
 * @values: receives its values; those of @exited, where it has one
 * @kept: what was kept of it, or NULL
 * @reported: it is reported to somebody
 *
 * Context: the hook at its end, for current.
 * Return: true: nothing is reported, and current is not the last thread, which is all; false:
 *	taskacct_tgid_lock() tells.
 */
bool taskacct_tgid_add(struct taskacct_group *group, struct taskacct_exited *exited,
		       struct taskacct_values *values,
		       struct taskacct_kept *kept, bool reported)
{
	bool turn = false, left = false;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	if (likely(exited)) {
		/* number-before-values: who has read values of a later time drops them. */
		WRITE_ONCE(exited->nr, ++group->nr);
		taskacct_mb_before_clock(); /* with read_ending_thread() */
	}
	values->kept = kept;
	taskacct_uid_note_values(values);
	if (reported)
		taskacct_fill_report(values);
	if (likely(exited)) {
		taskacct_tgid_note(group, exited);
		left = !reported && !taskacct_tgid_is_last(group);
		WRITE_ONCE(group->unsent, group->unsent - left);
	} else {
		turn = note_unlisted(group, values);
	}
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
	if (turn)
		taskacct_tgid_finish(group);
	return left;
}

static void let_go(struct taskacct_exited *exited)
{
	/* sum-before-number, with taskacct_tgid_note(): then it is on no list. */
	if (likely(smp_load_acquire(&exited->nr)))
		taskacct_exited_free_later(exited);
	else
		taskacct_tgid_note_later(exited);
}

/**
 * taskacct_tgid_free() - forget a task, and a process with its leader
 * @t: a task that the kernel is about to free
 *
 * A leader is released last, but freed in any order.
 *
 * Context: any but NMI; the task's address has not been reused.
 */
void taskacct_tgid_free(struct task_struct *t)
{
	struct taskacct_exited *exited;

	if (taskacct_exited_may_be(t)) {
		exited = taskacct_exited_remove(t);
		if (exited)
			let_go(exited);
	}
	if (thread_group_leader(t))
		taskacct_tgid_remove(t->signal);
}

/**
 * taskacct_tgid_threads() - how many threads have begun to exit and are not yet freed
 *
 * Return: their number.
 */
unsigned int taskacct_tgid_threads(void)
{
	return taskacct_exited_count();
}

/**
 * taskacct_tgid_init() - make room for groups and exited threads
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_tgid_init(void)
{
	int err;

	err = taskacct_tgid_groups_init();
	if (err)
		return err;
	err = taskacct_exited_init();
	if (err)
		taskacct_tgid_groups_exit();
	return err;
}

/**
 * taskacct_tgid_exit() - forget all groups and exited threads
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_tgid_exit(void)
{
	taskacct_tgid_adopt_exit();
	taskacct_exited_exit(taskacct_tgid_put);
	taskacct_tgid_groups_exit();
}
