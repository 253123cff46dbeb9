/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks of a user have used, in the form in which it is told
 */
#ifndef TASKACCT_UID_USAGE_H
#define TASKACCT_UID_USAGE_H

#include <linux/types.h>

#include <linux/taskacct.h>

struct task_struct;
struct taskacct_values;

void taskacct_uid_usage_add_task(struct taskacct_uid_usage *sum,
				 struct task_struct *t);
void taskacct_uid_usage_of_values(struct taskacct_uid_usage *usage,
				  struct task_struct *t,
				  const struct taskacct_values *values);
void taskacct_uid_usage_add(struct taskacct_uid_usage *sum,
			    const struct taskacct_uid_usage *usage);
void taskacct_uid_usage_settle(struct taskacct_uid_usage *sum,
			       struct taskacct_uid_usage *seen,
			       const struct taskacct_uid_usage *now);

#endif /* TASKACCT_UID_USAGE_H */
