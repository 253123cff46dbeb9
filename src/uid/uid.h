/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals per user, dead and live
 */
#ifndef TASKACCT_UID_H
#define TASKACCT_UID_H

#include <linux/jump_label.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "task/fill.h"

#include "task.h"

struct user_namespace;

DECLARE_STATIC_KEY_FALSE(taskacct_uid_on);

int taskacct_uid_init(unsigned int max, bool debug);
void taskacct_uid_start(void);
void taskacct_uid_exit(void);

void taskacct_uid_add(void);
void taskacct_uid_add_values(struct taskacct_values *values, bool told);
void taskacct_uid_change(kuid_t uid);

void taskacct_uid_fsync(void);

bool taskacct_uid_add_live(struct task_struct *t, unsigned int round, bool io);
bool taskacct_uid_tell_io(struct task_struct *t, unsigned int round,
			  kuid_t *uid, struct taskacct_uid_io *io);
bool taskacct_uid_is_within(struct user_namespace *ns, kuid_t uid, u32 from,
			    u32 to);
void taskacct_uid_count_again(struct task_struct *t, struct user_namespace *ns,
			      u32 from, u32 to);

/**
 * taskacct_uid_note() - count an exiting task for its user
 *
 * Context: the exit hook, for current, where nobody else wants its values.
 */
static inline void taskacct_uid_note(void)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add();
}

/**
 * taskacct_uid_note_values() - read an exiting task's values, and count them
 * @values: zeroed; receives them
 * @told: as for taskacct_fill_values_of_current()
 *
 * What is counted for the user is what others are told: nothing is read twice.
 *
 * Context: the exit hook, for current.
 */
static inline void taskacct_uid_note_values(struct taskacct_values *values,
					    bool told)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_add_values(values, told);
	else
		taskacct_fill_values_of_current(values, told);
}

/**
 * taskacct_uid_forget() - forget a task
 * @t: a task that the kernel is about to free
 *
 * Context: any but NMI.
 */
static inline void taskacct_uid_forget(const struct task_struct *t)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		taskacct_uid_task_free(t);
}

#endif /* TASKACCT_UID_H */
