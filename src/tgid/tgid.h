/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of a process, also while its threads exit: what other directories may use
 */
#ifndef TASKACCT_TGID_H
#define TASKACCT_TGID_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "base/base.h"
#include "task/task.h"

struct taskacct_kept;
struct taskacct_tgid_room;

/* exited.c: exited threads, of threads that have begun to exit */

/**
 * struct taskacct_exited - a thread that has begun to exit and is not yet freed
 * @node: in the table of exited threads, under its bucket's lock
 * @rcu: for freeing
 * @task: the thread, which follows its own entry only; others may until it was noted.
 *	No other task can have the same address while the entry is there
 * @group: its process; until it was noted
 * @entered: how many threads of its process had been listed with this one
 * @ending: in taskacct_group.ending until it was noted
 * @nr: how many threads of its process had been noted with this one; 0: it was not
 *	yet
 * @values: its values as they were added to the sum, for who has seen a
 *	taskacct_group.nr that is not less than @nr
 * @spare: where nobody has it, among others of the kind
 *
 * All but @node, @rcu and @spare are written under the lock of the group.
 */
struct taskacct_exited {
	union {
		struct hlist_node node;
		struct llist_node spare;
	};
	struct rcu_head rcu;
	struct task_struct *task;
	struct taskacct_group *group;
	u64 entered;
	struct list_head ending;
	u64 nr;
	struct taskacct_values values;
};

extern struct taskacct_table taskacct_exited_threads;
void taskacct_exited_put(struct taskacct_exited *exited);
void taskacct_exited_free_later(struct taskacct_exited *exited);
struct taskacct_exited *taskacct_exited_find(const struct task_struct *t);

/**
 * taskacct_exited_may_be() - whether a task may have an entry
 * @t: the task
 *
 * Return: false if it has none.
 */
static inline bool taskacct_exited_may_be(const struct task_struct *t)
{
	return !hlist_empty(&taskacct_table_bucket(&taskacct_exited_threads, t)->head);
}

/* group.c: groups, of processes of which a thread has exited */

/* So many threads of a process need no entry at one time: more than CPUs run, mostly. */
#define TASKACCT_TGID_FEW	8

/**
 * struct taskacct_group - a process of which a thread has exited
 * @node: in the table of groups, under its bucket's lock
 * @sig: whose process it is. Followed only by and for a thread of it; there may be
 *	none any more. NULL: it is nobody's, and about to be freed
 * @rcu: for freeing
 * @refs: one while its leader is not freed, and one for each thread between its exit and
 *	its end: in @ending, in @few, or of @unlisted
 * @lock: protects all below it, for a number of instructions that does not
 *	depend on how many threads there are; taken in task context only
 * @seq: readers of @dead see all of a thread or nothing, and its entry as well
 * @ending: exited threads of threads that have begun to exit and are not noted yet, in the
 *	order in which they did; read under RCU. They may be on the thread list, or
 *	off it
 * @nr_ending: how many they are
 * @few: threads between the two that have no entry; NULL where there is room for one
 * @noted_leader: its leader, if that was noted without an entry; only compared
 * @readers: how many add it up exactly: nobody may be noted without an entry
 * @unlisted: threads between the two for whose entries there was no memory
 * @entered: how many threads have begun to exit
 * @nr: how many threads were noted
 * @turn: once no thread is alive: the thread that, when it begins to exit, has to
 *	search for another one that is yet to come; NULL until the first one does
 * @unsent: threads that have begun to exit and of which a message may yet be sent
 * @complete: no thread is yet to begin to exit
 * @kept: what was kept of a thread that has been reported, for the process's record where
 *	of the last thread nothing was; or NULL
 * @from: what on the thread list was searched last by or for @turn; belongs to
 *	whoever searches
 * @dead: sum over the threads that were noted and those that had been released
 *	before there was a group
 */
struct taskacct_group {
	struct hlist_node node;
	struct signal_struct *sig;
	struct rcu_head rcu;
	refcount_t refs;
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	struct list_head ending;
	unsigned int nr_ending;
	unsigned int readers;
	struct task_struct *few[TASKACCT_TGID_FEW];
	const struct task_struct *noted_leader;
	unsigned int unlisted;
	u64 entered;
	u64 nr;
	const struct task_struct *turn;
	unsigned int unsent;
	bool complete;
	struct taskacct_kept *kept;
	struct list_head *from;
	struct taskacct_total dead;
};

extern struct taskacct_table taskacct_tgid_table;

/**
 * taskacct_tgid_may_be() - whether the running task's process may have a group
 *
 * Return: false if it has none.
 */
static inline bool taskacct_tgid_may_be(void)
{
	return !hlist_empty(&taskacct_table_bucket(&taskacct_tgid_table,
						   current->signal)->head);
}

bool taskacct_tgid_needed(void);
bool taskacct_tgid_is_only(void);
struct taskacct_group *taskacct_tgid_enter(void);
struct taskacct_group *taskacct_tgid_own(void);
struct taskacct_kept *taskacct_tgid_keep(struct taskacct_group *group,
					 struct taskacct_kept *kept);
struct taskacct_kept *taskacct_tgid_kept(struct taskacct_group *group);
void taskacct_tgid_put(struct taskacct_group *group);
unsigned int taskacct_tgid_groups(void);

/* thread.c: a thread begins to exit, comes to its end, and is freed */

int taskacct_tgid_init(void);
void taskacct_tgid_exit(void);
void taskacct_tgid_begin(struct taskacct_group *group,
			 const struct taskacct_mm *mm);
bool taskacct_tgid_add(struct taskacct_group *group, struct taskacct_exited *exited,
		       struct taskacct_values *values,
		       struct taskacct_kept *kept, bool reported);
void taskacct_tgid_free(struct task_struct *t);
unsigned int taskacct_tgid_threads(void);

/* few.c: threads that need no entry */

bool taskacct_tgid_has_place(struct taskacct_group *group, const struct task_struct *t);
bool taskacct_tgid_leave(struct taskacct_group *group);
bool taskacct_tgid_add_placed(struct taskacct_group *group,
			      struct taskacct_values *values,
			      struct taskacct_kept *kept, bool reported);

/* last.c: which thread is the last */

bool taskacct_tgid_is_last(const struct taskacct_group *group);
bool taskacct_tgid_lock(struct taskacct_group *group);
void taskacct_tgid_unlock(struct taskacct_group *group, bool sent);
void taskacct_tgid_end(struct taskacct_group *group);
void taskacct_tgid_reported(struct taskacct_group *group);

/* adopt.c: threads that exit while the hook is attached */

int taskacct_tgid_adopt(void);

/* total.c: adding up a process */

bool taskacct_tgid_is_ending(const struct signal_struct *sig);
bool taskacct_tgid_total(struct task_struct *leader,
			 struct taskacct_total *total);

struct taskacct_tgid_room *
taskacct_tgid_room_alloc(const struct task_struct *leader);
void taskacct_tgid_room_free(struct taskacct_tgid_room *room);
void taskacct_tgid_total_exactly(struct task_struct *leader,
				 struct taskacct_total *total,
				 struct taskacct_tgid_room *room);
void taskacct_tgid_total_of_current(struct taskacct_total *total,
				    struct taskacct_group *group,
				    const struct taskacct_values *values);

#endif /* TASKACCT_TGID_H */
