// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: a thread begins to exit, comes to its end, and is freed
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>

#include "task/task.h"
#include "uid/uid.h"

#include "group.h"

static void enter(struct taskacct_group *group, struct taskacct_mark *mark,
		  const struct taskacct_mm *mm)
{
	group->unsent++;
	write_seqcount_begin(&group->seq);
	if (likely(mark))
		taskacct_tgid_mark(group, current, mark);
	else
		group->unmarked++;
	/* That of all: they share one address space. */
	if (mm)
		group->dead.values.mm = *mm;
	write_seqcount_end(&group->seq);
}

/* Where nobody wanted it. Of these threads one is the last that has an address space. */
static noinline void begin_as_last(struct taskacct_group *group)
{
	struct taskacct_mm mm = {};

	taskacct_fill_mm(&mm, current->mm);
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
 * Until taskacct_tgid_unlock() says that it is told no other thread is the last one.
 * Nothing is done for one that has a mark: while the module loads another may have
 * marked it before. One for whose mark there is no memory is noted at its end all the
 * same; it is missing in sums between its release and that, where it is released first.
 *
 * Context: the exit hook, for current.
 */
void taskacct_tgid_begin(struct taskacct_group *group,
			 const struct taskacct_mm *mm)
{
	struct taskacct_mark *mark = taskacct_mark_alloc();
	bool turn = false, marked;

	if (unlikely(!mark))
		WRITE_ONCE(taskacct_tgid_some_unmarked, true);
	raw_spin_lock(&group->lock);
	marked = taskacct_mark_may_be(current) && taskacct_mark_find(current);
	if (likely(!marked)) {
		turn = taskacct_tgid_take_turn(group, current);
		enter(group, mark, mm);
	}
	raw_spin_unlock(&group->lock);
	if (unlikely(marked))
		taskacct_mark_free(mark);
	if (!mm && unlikely(!atomic_read(&group->sig->live)) && current->mm)
		begin_as_last(group);
	if (turn) {
		rcu_read_lock();
		taskacct_tgid_finish(group);
		rcu_read_unlock();
	}
}

/* Returns whether it has to search */
static bool note_unmarked(struct taskacct_group *group,
			  const struct taskacct_values *values)
{
	taskacct_fill_add(&group->dead.values, values);
	group->nr++;
	group->unmarked--;
	/* Whoever made it its turn could not see that it had begun. */
	return group->turn == current && !group->complete;
}

/**
 * taskacct_tgid_add() - note the running thread of several, which is at its end
 * @group: its process
 * @mark: its mark; NULL: taskacct_tgid_unmarked() knows the process
 * @values: receives its values; those of @mark, where it has one
 * @kept: what was kept of it, or NULL
 * @told: somebody is told of it
 *
 * Context: the hook at its end, for current.
 * Return: true: nobody is told, and current is not the last thread, which is all; false:
 *	taskacct_tgid_lock() tells.
 */
bool taskacct_tgid_add(struct taskacct_group *group, struct taskacct_mark *mark,
		       struct taskacct_values *values,
		       struct taskacct_kept *kept, bool told)
{
	bool turn = false, left = false;

	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	if (likely(mark)) {
		/* First: whoever has read values of a later time does not use them. */
		WRITE_ONCE(mark->nr, ++group->nr);
		smp_mb(); /* with read_ending_thread() */
	}
	*values = (struct taskacct_values){ .kept = kept };
	taskacct_uid_note_values(values, told);
	if (likely(mark)) {
		taskacct_tgid_note(group, mark);
		left = !told && !taskacct_tgid_is_last(group);
		group->unsent -= left;
	} else {
		turn = note_unmarked(group, values);
	}
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
	if (turn)
		taskacct_tgid_finish(group);
	return left;
}

static void let_go(struct taskacct_mark *mark)
{
	/* Pairs with taskacct_tgid_note(): then it is on no list. */
	if (likely(smp_load_acquire(&mark->nr)))
		taskacct_mark_free_later(mark);
	else
		taskacct_tgid_note_later(mark);
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
	struct taskacct_mark *mark;

	if (taskacct_mark_may_be(t)) {
		mark = taskacct_mark_remove(t);
		if (mark)
			let_go(mark);
	}
	if (thread_group_leader(t))
		taskacct_tgid_remove(t->signal);
}

/**
 * taskacct_tgid_threads() - how many threads have begun to exit and are not yet freed
 *
 * Context: any.
 * Return: their number.
 */
unsigned int taskacct_tgid_threads(void)
{
	return taskacct_mark_count();
}

/**
 * taskacct_tgid_init() - make room for groups and marks
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
	err = taskacct_mark_init();
	if (err)
		taskacct_tgid_groups_exit();
	return err;
}

/**
 * taskacct_tgid_exit() - forget all groups and marks
 *
 * Context: task context, may sleep; no hook and no query is running or will
 *	run.
 */
void taskacct_tgid_exit(void)
{
	taskacct_tgid_adopt_exit();
	taskacct_mark_exit(taskacct_tgid_put);
	taskacct_tgid_groups_exit();
}
