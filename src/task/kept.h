/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of a task from its exit to its end
 */
#ifndef TASKACCT_KEPT_H
#define TASKACCT_KEPT_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/pid.h>
#include <linux/types.h>

#include "base/table.h"

#include "fill.h"
#include "names.h"

struct sk_buff;
struct task_struct;
struct user_namespace;

/**
 * struct taskacct_memory - what is in memory of an address space, in bytes
 * @anon: anonymous pages
 * @file: pages of files
 * @shmem: pages of shared memory
 * @swap: what is swapped out
 */
struct taskacct_memory {
	u64 anon;
	u64 file;
	u64 shmem;
	u64 swap;
};

/**
 * struct taskacct_kept - what a task has at its exit and not at its end
 * @node: in the table, under its bucket's lock
 * @spare: where nobody has it, among others of the kind
 * @task: whose it is; only compared
 * @start: when that was started, in ns of CLOCK_MONOTONIC
 * @early: it has been told of when it was seen to exit
 * @leader: of its process, referenced, where that has had several threads; else NULL
 * @several: the process has had several threads
 * @last: it is its process's only thread, as far as is known
 * @whole: whoever hears it may want what is behind @mm; else that is not filled in
 * @ppid: number of its parent's process
 * @start_of_group: when its process was started, in ns of CLOCK_MONOTONIC
 * @skb: for its message, where that has no names; or NULL, also where no queue had
 *	room for it. To get memory can take long, and at the end it would be missing in
 *	what the task has run
 * @mm: what its address space tells
 * @has_mm: it has an address space
 * @dumpable: its user may look into its program
 * @memory: what is in memory of the address space
 * @pids: numbers of the task, its process and its parent's process, referenced
 * @user_ns: user namespace that its executable is of, referenced
 * @is_named: @names takes memory
 * @names: of its program, for who wants them
 */
struct taskacct_kept {
	union {
		struct hlist_node node;
		struct llist_node spare;
	};
	const struct task_struct *task;
	u64 start;
	bool early;
	struct task_struct *leader;
	bool several;
	bool last;
	bool whole;
	pid_t ppid;
	u64 start_of_group;
	struct sk_buff *skb;
	struct taskacct_mm mm;
	bool has_mm;
	bool dumpable;
	struct taskacct_memory memory;
	struct pid *pids[3];
	struct user_namespace *user_ns;
	bool is_named;
	struct taskacct_names names;
};

/* In taskacct_kept.pids */
enum { TASKACCT_KEPT_PID, TASKACCT_KEPT_TGID, TASKACCT_KEPT_PPID };

/**
 * taskacct_kept_number() - a number of a task at its end
 * @kept: what was kept of it
 * @which: TASKACCT_KEPT_*
 * @view: whose number
 *
 * Context: any.
 * Return: the number; 0 if the view does not have it, or it was not kept.
 */
static inline pid_t taskacct_kept_number(const struct taskacct_kept *kept,
					 unsigned int which,
					 const struct taskacct_view *view)
{
	return kept->whole ? pid_nr_ns(kept->pids[which], view->pid_ns) : 0;
}

/**
 * taskacct_kept_ppid() - number of the parent's process of a task at its end
 * @kept: what was kept of it
 * @view: whose number
 *
 * Context: any.
 * Return: as taskacct_kept_number().
 */
static inline pid_t taskacct_kept_ppid(const struct taskacct_kept *kept,
				       const struct taskacct_view *view)
{
	return likely(view->pid_ns == &init_pid_ns) ?
		       kept->ppid :
		       taskacct_kept_number(kept, TASKACCT_KEPT_PPID, view);
}

/**
 * taskacct_kept_pid() - number of a task that may be at its end
 * @kept: what was kept of it, or of a thread of its process; or NULL
 * @view: whose number
 * @t: the task
 *
 * Context: any.
 * Return: as taskacct_view_pid().
 */
static inline pid_t taskacct_kept_pid(const struct taskacct_kept *kept,
				      const struct taskacct_view *view,
				      struct task_struct *t)
{
	if (likely(!kept || view->pid_ns == &init_pid_ns))
		return taskacct_view_pid(view, t);
	return taskacct_kept_number(kept, kept->task == t ? TASKACCT_KEPT_PID :
							    TASKACCT_KEPT_TGID,
				    view);
}

/**
 * taskacct_kept_tgid() - number of its process
 * @kept: as for taskacct_kept_pid()
 * @view: whose number
 * @t: the task
 *
 * Context: any.
 * Return: as taskacct_view_tgid().
 */
static inline pid_t taskacct_kept_tgid(const struct taskacct_kept *kept,
				       const struct taskacct_view *view,
				       struct task_struct *t)
{
	return likely(!kept || view->pid_ns == &init_pid_ns) ?
		       taskacct_view_tgid(view, t) :
		       taskacct_kept_number(kept, TASKACCT_KEPT_TGID, view);
}

extern struct taskacct_table taskacct_kept_table;

int taskacct_kept_init(void);
void taskacct_kept_exit(void);
struct taskacct_kept *taskacct_kept_new(bool several);
void taskacct_kept_expect_last(struct taskacct_kept *kept);
void taskacct_kept_put_back(struct taskacct_kept *kept);
struct taskacct_kept *__taskacct_kept_take(struct taskacct_bucket *bucket);
void taskacct_kept_free(struct taskacct_kept *kept);
void taskacct_memory_read(struct taskacct_memory *memory, struct mm_struct *mm);

/**
 * taskacct_kept_may_be() - whether something may have been kept of the running task
 *
 * Context: any.
 * Return: false if nothing was.
 */
static inline bool taskacct_kept_may_be(void)
{
	return !hlist_empty(&taskacct_table_bucket(&taskacct_kept_table,
						   current)->head);
}

/**
 * taskacct_kept_take() - what was kept of the running task
 *
 * Context: the hook at its end, for current.
 * Return: it, for taskacct_kept_free(), or NULL if nothing was.
 */
static inline struct taskacct_kept *taskacct_kept_take(void)
{
	struct taskacct_bucket *bucket =
		taskacct_table_bucket(&taskacct_kept_table, current);

	return likely(hlist_empty(&bucket->head)) ?
		       NULL : __taskacct_kept_take(bucket);
}

#endif /* TASKACCT_KEPT_H */
