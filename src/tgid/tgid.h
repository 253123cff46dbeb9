/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process totals: dead threads kept, live ones added
 */
#ifndef TASKACCT_TGID_H
#define TASKACCT_TGID_H

#include <linux/sched.h>
#include <linux/types.h>

#include "task/fill.h"

struct taskacct_group;
struct taskacct_kept;
struct taskacct_mark;
struct taskacct_tgid_room;

/**
 * struct taskacct_total - a process, as the sum of its threads
 * @values: of all threads, dead and live, but for the address space: that is
 *	as the last thread that exited saw it, all 0 if none did
 * @ended: the last thread has exited, and that is when they were read
 */
struct taskacct_total {
	struct taskacct_values values;
	bool ended;
};

/* Whether there has ever been no memory for a mark */
extern bool taskacct_tgid_some_unmarked;

int taskacct_tgid_init(void);
void taskacct_tgid_exit(void);
int taskacct_tgid_adopt(void);

bool taskacct_tgid_needed(void);
bool taskacct_tgid_is_only(void);
struct taskacct_group *taskacct_tgid_enter(void);
void taskacct_tgid_begin(struct taskacct_group *group,
			 const struct taskacct_mm *mm);
struct taskacct_group *taskacct_tgid_unmarked(void);
bool taskacct_tgid_add(struct taskacct_group *group, struct taskacct_mark *mark,
		       struct taskacct_values *values,
		       struct taskacct_kept *kept, bool told);
struct taskacct_kept *taskacct_tgid_keep(struct taskacct_group *group,
					 struct taskacct_kept *kept);
struct taskacct_kept *taskacct_tgid_kept(struct taskacct_group *group);
void taskacct_tgid_finish(struct taskacct_group *group);
void taskacct_tgid_put(struct taskacct_group *group);
bool taskacct_tgid_is_last(const struct taskacct_group *group);
bool taskacct_tgid_lock(struct taskacct_group *group);
void taskacct_tgid_unlock(struct taskacct_group *group, bool sent);
void taskacct_tgid_end(struct taskacct_group *group);
void taskacct_tgid_told(struct taskacct_group *group);
void taskacct_tgid_note_dead(struct taskacct_mark *mark);
void taskacct_tgid_free(struct task_struct *t);

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

unsigned int taskacct_tgid_groups(void);
unsigned int taskacct_tgid_threads(void);

#endif /* TASKACCT_TGID_H */
