/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers about tasks, processes and cgroups: what other folders may use
 */
#ifndef TASKACCT_QUERY_H
#define TASKACCT_QUERY_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "access/access.h"
#include "record/record.h"
#include "task/task.h"

struct genl_info;
struct mm_struct;
struct netlink_callback;
struct sk_buff;
struct task_struct;
struct taskacct_message;

/* query.c: which task is meant, and what it has used */

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

int taskacct_query_task(struct taskacct_answer *answer, u32 pid,
			struct taskacct_reach *reach);
int taskacct_query_process(struct taskacct_answer *answer, u32 tgid,
			   struct taskacct_reach *reach);
void taskacct_query_fill(const struct taskacct_answer *answer,
			 const struct taskacct_message *message,
			 const struct taskacct_view *view);
void taskacct_query_done(struct taskacct_answer *answer);

/* dump.c: answers for all tasks, or for all processes */

/**
 * struct taskacct_dump - a dump that is under way
 * @want: TASKACCT_WANT_*
 * @filter: which tasks or processes; its kinds: which of the two, 0: tasks
 * @met: how many have met all its conditions but "one in so many"
 * @reach: which the asker may see, and in whose numbers; held
 * @next: the smallest id that is still to come
 * @told: kinds that are already told of it
 * @meant: kinds of it that have passed the filter
 * @now: when those that come next were found
 * @answer: what is being told
 * @length: of the last message; 0: there was none yet
 */
struct taskacct_dump {
	u32 want;
	struct taskacct_filter filter;
	atomic_t met;
	struct taskacct_reach reach;
	int next;
	u32 told;
	u32 meant;
	struct taskacct_moment now;
	struct taskacct_answer answer;
	unsigned int length;
};

struct taskacct_dump *taskacct_dump_new(const struct taskacct_reach *reach);
void taskacct_dump_free(struct taskacct_dump *dump);
int taskacct_dump_some(struct taskacct_dump *dump, struct sk_buff *skb,
		       struct netlink_callback *cb);

/* cgroup_netlink.c: the family's answers about cgroups */

int taskacct_cgroup_netlink_get(struct sk_buff *request,
				struct genl_info *info);

#endif /* TASKACCT_QUERY_H */
