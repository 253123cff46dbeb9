/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes of which a thread has exited: for the files that add them up
 */
#ifndef TASKACCT_TGID_GROUP_H
#define TASKACCT_TGID_GROUP_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "exited.h"
#include "tgid.h"

/* The hook is there, and threads may have exited unseen by it just before. */
extern bool taskacct_tgid_loading;

struct taskacct_group *taskacct_tgid_find(const struct signal_struct *sig);
struct taskacct_group *taskacct_tgid_get(struct signal_struct *sig);
bool taskacct_tgid_read_released(struct taskacct_values *values,
				 struct signal_struct *sig);
bool __taskacct_tgid_take_turn(struct taskacct_group *group, struct task_struct *t);
void taskacct_tgid_list(struct taskacct_group *group, struct task_struct *t,
			struct taskacct_exited *exited);
void taskacct_tgid_note(struct taskacct_group *group,
			struct taskacct_exited *exited);
int taskacct_tgid_groups_init(void);
void taskacct_tgid_groups_exit(void);
void taskacct_tgid_note_later(struct taskacct_exited *exited);
void taskacct_tgid_adopt_exit(void);
void taskacct_tgid_visit(void (*look_at)(struct taskacct_group *group));
bool taskacct_tgid_pass_turn(struct taskacct_group *group);
unsigned int taskacct_tgid_most_threads(const struct signal_struct *sig);
bool taskacct_tgid_passed(const struct task_struct *t);
void taskacct_tgid_finish(struct taskacct_group *group);
void taskacct_tgid_note_dead(struct taskacct_exited *exited);

/**
 * taskacct_tgid_take_turn() - whether a thread has to search for the last one
 * @group: its process
 * @t: the thread, which is listed next
 *
 * Context: under taskacct_group.lock.
 * Return: true if taskacct_tgid_pass_turn() has to be called when it is listed.
 */
static inline bool taskacct_tgid_take_turn(struct taskacct_group *group,
					   struct task_struct *t)
{
	lockdep_assert_held(&group->lock);

	return unlikely(!atomic_read(&group->sig->live)) && __taskacct_tgid_take_turn(group, t);
}

/**
 * taskacct_tgid_count_in() - the running thread is between its exit and its end
 * @group: its process
 * @mm: what its address space tells, which its threads share, or NULL
 *
 * Context: the exit hook, for current, under taskacct_group.lock, in a write section of its
 *	seq.
 * Return: whether current has to search for the last thread.
 */
static inline bool taskacct_tgid_count_in(struct taskacct_group *group,
					  const struct taskacct_mm *mm)
{
	group->unsent++;
	if (mm)
		group->dead.values.mm = *mm;
	return taskacct_tgid_take_turn(group, current);
}

#endif /* TASKACCT_TGID_GROUP_H */
