/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which task is meant, and what it has used
 */
#ifndef TASKACCT_QUERY_H
#define TASKACCT_QUERY_H

#include <linux/types.h>

#include "access/reach.h"
#include "tgid/tgid.h"

struct mm_struct;
struct netlink_ext_ack;
struct sk_buff;
struct task_struct;
struct taskacct_message;

/**
 * struct taskacct_answer - what was found for a query
 * @kind: TASKACCT_KIND_*
 * @id: the number that was asked for
 * @task: the task; of a process, its leader; referenced
 * @mm: its address space, or NULL; referenced
 * @ending: its parent has been told that it has ended, and it is not at its end
 * @locked: the task cannot execute another program as long as this lasts
 * @total: values of the task, or of the process
 */
struct taskacct_answer {
	u32 kind;
	u32 id;
	struct task_struct *task;
	struct mm_struct *mm;
	bool ending;
	bool locked;
	struct taskacct_total total;
};

int taskacct_query_allowed(const struct sk_buff *skb,
			   struct netlink_ext_ack *extack);
int taskacct_query_task(struct taskacct_answer *answer, u32 pid,
			struct taskacct_reach *reach);
int taskacct_query_found_task(struct taskacct_answer *answer, u32 pid,
			      struct task_struct *t,
			      struct taskacct_reach *reach,
			      const struct taskacct_moment *now);
int taskacct_query_process(struct taskacct_answer *answer, u32 tgid,
			   struct taskacct_reach *reach);
void taskacct_query_fill(const struct taskacct_answer *answer,
			 const struct taskacct_message *message,
			 const struct taskacct_view *view);
void taskacct_query_done(struct taskacct_answer *answer);

#endif /* TASKACCT_QUERY_H */
