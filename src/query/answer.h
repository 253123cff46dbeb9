/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task that was found, as an answer
 */
#ifndef TASKACCT_QUERY_ANSWER_H
#define TASKACCT_QUERY_ANSWER_H

#include "query.h"

struct task_struct;

int taskacct_query_found_task(struct taskacct_answer *answer, u32 pid,
			      struct task_struct *t,
			      struct taskacct_reach *reach,
			      const struct taskacct_moment *now);

#endif /* TASKACCT_QUERY_ANSWER_H */
