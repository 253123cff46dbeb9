/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extended record: everything, and what is not known
 */
#ifndef TASKACCT_RECORD_H
#define TASKACCT_RECORD_H

#include <linux/netlink.h>
#include <linux/types.h>

#include <linux/taskacct.h>

struct taskacct_memory;
struct task_struct;
struct taskacct_total;
struct taskacct_values;
struct taskacct_view;

/**
 * struct taskacct_record_wait - waits of one kind, as a message has them
 * @before: of the first kind the attribute that all are in; of others padding, so that
 *	values are aligned wherever the record is
 * @attr: the kind's own attribute
 * @wait: its value
 */
struct taskacct_record_wait {
	struct nlattr before;
	struct nlattr attr;
	struct taskacct_wait wait;
};

/**
 * struct taskacct_full_record - a record and its waits, as a message has them
 * @record: the value of an attribute RECORD
 * @waits: the attribute WAITS that follows it
 */
struct taskacct_full_record {
	struct taskacct_record record;
	struct taskacct_record_wait waits[TASKACCT_WAITS];
};

u64 taskacct_record_absent(void);
bool taskacct_record_ended(struct task_struct *leader,
			   const struct taskacct_total *total);
void taskacct_record_fill_task(struct taskacct_full_record *full,
			       struct task_struct *t,
			       const struct taskacct_values *values,
			       const struct taskacct_memory *memory,
			       const struct taskacct_view *view, bool ended);
void taskacct_record_fill_process(struct taskacct_full_record *full,
				  struct task_struct *leader,
				  const struct taskacct_total *total,
				  const struct taskacct_memory *memory,
				  const struct taskacct_view *view);
void taskacct_record_fill_cgroup(struct taskacct_full_record *full, u64 id,
				 const struct taskacct_values *values);

#endif /* TASKACCT_RECORD_H */
