/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a task is counted: the entry of its user, locked
 */
#ifndef TASKACCT_UID_PLACE_H
#define TASKACCT_UID_PLACE_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "entry.h"
#include "task.h"
#include "view.h"

/**
 * struct taskacct_uid_place - a task, and where it is counted
 * @t: the task
 * @uid: for whom
 * @entry: of that user, or the rest
 * @task: what is kept of the task, or NULL
 */
struct taskacct_uid_place {
	struct task_struct *t;
	kuid_t uid;
	struct taskacct_uid_entry *entry;
	struct taskacct_uid_task *task;
};

void taskacct_uid_place_lock(struct taskacct_uid_place *place)
	__acquires(&place->entry->lock);
bool __taskacct_uid_place_try_lock(struct taskacct_uid_place *place,
				   struct task_struct *t);
void taskacct_uid_place_settle_to(struct taskacct_uid_place *place,
				  struct taskacct_uid_used *now);
void taskacct_uid_place_settle(struct taskacct_uid_place *place, bool io);
void taskacct_uid_place_settle_whole(struct taskacct_uid_place *place,
				     struct taskacct_uid_used *now);
void taskacct_uid_place_settle_new(struct taskacct_uid_place *place, bool io);
void taskacct_uid_place_move_to(struct taskacct_uid_task *task, kuid_t uid);
void taskacct_uid_place_forget_io(struct taskacct_uid_task *task);

/**
 * taskacct_uid_place_try_lock() - lock the entry where any task is counted
 * @place: receives it, and what is kept of the task
 * @t: the task
 *
 * Context: task context, under rcu_read_lock(); taskacct_uid_place_unlock() follows.
 * Return: false, and nothing is locked, if it changes its user all the time.
 */
static inline bool
taskacct_uid_place_try_lock(struct taskacct_uid_place *place,
			    struct task_struct *t)
{
	if (!__taskacct_uid_place_try_lock(place, t))
		return false;
	__acquire(&place->entry->lock);
	return true;
}

/**
 * taskacct_uid_place_unlock() - unlock the entry
 * @place: from taskacct_uid_place_lock() or taskacct_uid_place_try_lock()
 *
 * Context: any where one of these was called.
 */
static inline void taskacct_uid_place_unlock(struct taskacct_uid_place *place)
	__releases(&place->entry->lock)
{
	raw_spin_unlock(&place->entry->lock);
}

/**
 * taskacct_uid_place_keep_view() - an entry is about to change
 * @entry: the entry
 * @task: what is kept of the task that changes with it, or NULL
 *
 * Each exit does it, so that it costs nothing but in debug mode.
 *
 * Context: under the entry's lock.
 */
static __always_inline void
taskacct_uid_place_keep_view(struct taskacct_uid_entry *entry,
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

#endif /* TASKACCT_UID_PLACE_H */
