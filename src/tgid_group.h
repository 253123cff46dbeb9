/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes of which a thread has exited: for the files that add them up
 */
#ifndef TASKACCT_TGID_GROUP_H
#define TASKACCT_TGID_GROUP_H

#include <linux/list.h>
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
 * @sig: whose process it is. Followed only by and for a thread of it; there may be
 *	none any more
 * @lock: protects all below it, for a number of instructions that does not
 *	depend on how many threads there are; taken in task context only
 * @seq: readers of @dead see all of a thread or nothing, and its mark as well
 * @nr: how many threads were noted
 * @turn: once no thread is alive: the thread that, when it is noted, has to
 *	search for another one that is yet to come; NULL until the first one does
 * @unsent: threads that were noted and of which a message is yet to be sent, or
 *	whose turn it is
 * @complete: no thread is yet to be noted
 * @from: what on the thread list was searched last by or for @turn; belongs to
 *	whoever searches
 * @dead: sum over the threads that were noted and those that had been released
 *	before there was a group
 */
struct taskacct_group {
	struct hlist_node node;
	struct rcu_head rcu;
	struct signal_struct *sig;
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u64 nr;
	const struct task_struct *turn;
	unsigned int unsent;
	bool complete;
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
void taskacct_tgid_mark(struct taskacct_group *group,
			const struct task_struct *t,
			struct taskacct_mark *mark);
void taskacct_tgid_note(struct taskacct_group *group,
			const struct taskacct_values *values,
			struct taskacct_mark *mark);
bool taskacct_tgid_pass_turn(struct taskacct_group *group);
unsigned int taskacct_tgid_most_threads(const struct signal_struct *sig);
bool taskacct_tgid_passed(const struct task_struct *t);

#endif /* TASKACCT_TGID_GROUP_H */
