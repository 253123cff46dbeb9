/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process totals: dead threads kept, live ones added
 */
#ifndef TASKACCT_TGID_H
#define TASKACCT_TGID_H

#include <linux/sched.h>
#include <linux/types.h>

#include "fill.h"

struct taskacct_group;

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

int taskacct_tgid_init(void);
void taskacct_tgid_exit(void);

bool taskacct_tgid_needed(void);
struct taskacct_group *taskacct_tgid_enter(void);
void taskacct_tgid_lock(struct taskacct_group *group);
bool taskacct_tgid_add(struct taskacct_group *group,
		       struct taskacct_values *values, bool told);
void taskacct_tgid_unlock(struct taskacct_group *group, bool last);
bool taskacct_tgid_is_last(void);
void taskacct_tgid_free(struct task_struct *t);

void taskacct_tgid_total(struct task_struct *leader,
			 struct taskacct_total *total);
unsigned int taskacct_tgid_groups(void);
unsigned int taskacct_tgid_threads(void);

#endif /* TASKACCT_TGID_H */
