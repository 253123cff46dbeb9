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

#include "mark.h"
#include "tgid.h"

/**
 * struct taskacct_group - a process of which a thread has exited
 * @node: in the table of groups, under its bucket's lock
 * @rcu: for freeing
 * @refs: one while its leader is not freed, and one for each thread in @ending
 * @sig: whose process it is. Followed only by and for a thread of it; there may be
 *	none any more
 * @lock: protects all below it, for a number of instructions that does not
 *	depend on how many threads there are; taken in task context only
 * @seq: readers of @dead see all of a thread or nothing, and its mark as well
 * @ending: marks of threads that have begun to exit and are not noted yet, in the
 *	order in which they did; read under RCU. They may be on the thread list, or
 *	off it
 * @nr_ending: how many they are
 * @unmarked: threads between the two for whose marks there was no memory
 * @entered: how many threads have begun to exit
 * @nr: how many threads were noted
 * @turn: once no thread is alive: the thread that, when it begins to exit, has to
 *	search for another one that is yet to come; NULL until the first one does
 * @unsent: threads that have begun to exit and of which a message may yet be sent
 * @complete: no thread is yet to begin to exit
 * @kept: what was kept of a thread that has been told, for the process's record where
 *	of the last thread nothing was; or NULL
 * @from: what on the thread list was searched last by or for @turn; belongs to
 *	whoever searches
 * @dead: sum over the threads that were noted and those that had been released
 *	before there was a group
 */
struct taskacct_group {
	struct hlist_node node;
	struct rcu_head rcu;
	refcount_t refs;
	struct signal_struct *sig;
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	struct list_head ending;
	unsigned int nr_ending;
	unsigned int unmarked;
	u64 entered;
	u64 nr;
	const struct task_struct *turn;
	unsigned int unsent;
	bool complete;
	struct taskacct_kept *kept;
	struct list_head *from;
	struct taskacct_total dead;
};

/* The hook is there, and threads may have exited unseen by it just before. */
extern bool taskacct_tgid_loading;

struct taskacct_group *taskacct_tgid_find(const struct signal_struct *sig);
struct taskacct_group *taskacct_tgid_get(struct signal_struct *sig);
bool taskacct_tgid_read_released(struct taskacct_values *values,
				 struct signal_struct *sig);
bool taskacct_tgid_take_turn(struct taskacct_group *group,
			     struct task_struct *t);
void taskacct_tgid_mark(struct taskacct_group *group, struct task_struct *t,
			struct taskacct_mark *mark);
void taskacct_tgid_note(struct taskacct_group *group,
			struct taskacct_mark *mark);
void taskacct_tgid_visit(void (*look_at)(struct taskacct_group *group));
bool taskacct_tgid_pass_turn(struct taskacct_group *group);
unsigned int taskacct_tgid_most_threads(const struct signal_struct *sig);
bool taskacct_tgid_passed(const struct task_struct *t);

#endif /* TASKACCT_TGID_GROUP_H */
