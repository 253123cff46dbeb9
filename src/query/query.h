/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers about tasks, processes and cgroups: what other directories may use
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
struct nlattr;
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
 * @memory: what is in memory of that, if an extended record is wanted
 * @extended: such a record is wanted; set by who asks
 * @ending: its parent knows that it has ended, and it is not at its end
 * @locked: the task cannot execute another program as long as this lasts
 * @total: values of the task, or of the process
 */
struct taskacct_answer {
	u32 kind;
	u32 id;
	struct task_struct *task;
	struct mm_struct *mm;
	struct taskacct_memory memory;
	bool extended;
	bool ending;
	bool locked;
	struct taskacct_total total;
};

int taskacct_query_task(struct taskacct_answer *answer, u32 pid,
			struct taskacct_access *access);
int taskacct_query_process(struct taskacct_answer *answer, u32 tgid,
			   struct taskacct_access *access);
void taskacct_query_fill(const struct taskacct_answer *answer,
			 const struct taskacct_message *message,
			 const struct taskacct_view *view);
void taskacct_query_done(struct taskacct_answer *answer);

/* dump.c: answers for all tasks, or for all processes */

/**
 * struct taskacct_dump - a dump that is under way
 * @shape: what its messages have. It stands here, as does @message, since each of a dump's
 *	thousands of messages has the same
 * @filter: which tasks or processes; its kinds: which of the two, 0: tasks
 * @met: how many have met all its conditions but "one in so many"
 * @access: which the asker may see, and in whose numbers; held
 * @next: the smallest id that is still to come
 * @reported: kinds of it that are already reported
 * @meant: kinds of it that have passed the filter
 * @now: when those that come next were found
 * @answer: what is being reported
 * @message: where it goes. What no message of the dump has is NULL from the beginning
 * @length: of the last message; 0: there was none yet
 */
struct taskacct_dump {
	struct taskacct_shape shape;
	struct taskacct_filter filter;
	atomic_t met;
	struct taskacct_access access;
	int next;
	u32 reported;
	u32 meant;
	struct taskacct_moment now;
	struct taskacct_answer answer;
	struct taskacct_message message;
	unsigned int length;
};

struct taskacct_dump *taskacct_dump_new(const struct taskacct_access *access);
void taskacct_dump_free(struct taskacct_dump *dump);
int taskacct_dump_some(struct taskacct_dump *dump, struct sk_buff *skb,
		       struct netlink_callback *cb);

/* cgroup_netlink.c: the family's answers about cgroups */

int taskacct_cgroup_netlink_get(struct genl_info *info);

/* task_netlink.c: its answers about tasks and processes */

int taskacct_task_netlink_answer(struct sk_buff *request,
				 struct genl_info *info,
				 struct taskacct_access *access,
				 const struct nlattr *id, u32 kind, u32 want);
int taskacct_task_netlink_get(struct sk_buff *request, struct genl_info *info);
int taskacct_task_netlink_start(struct netlink_callback *cb);
int taskacct_task_netlink_dump(struct sk_buff *skb,
			       struct netlink_callback *cb);
int taskacct_task_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_QUERY_H */
