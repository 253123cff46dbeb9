/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extended record: everything, and what is not known
 */
#ifndef TASKACCT_RECORD_H
#define TASKACCT_RECORD_H

#include <linux/types.h>

struct taskacct_memory;
struct task_struct;
struct taskacct_record;
struct taskacct_total;
struct taskacct_values;
struct taskacct_view;

u32 taskacct_record_absent(void);
bool taskacct_record_ended(struct task_struct *leader,
			   const struct taskacct_total *total);
void taskacct_record_fill_task(struct taskacct_record *record,
			       struct task_struct *t,
			       const struct taskacct_values *values,
			       const struct taskacct_memory *memory,
			       const struct taskacct_view *view, bool ended);
void taskacct_record_fill_process(struct taskacct_record *record,
				  struct task_struct *leader,
				  const struct taskacct_total *total,
				  const struct taskacct_memory *memory,
				  const struct taskacct_view *view);
void taskacct_record_fill_cgroup(struct taskacct_record *record, u64 id,
				 const struct taskacct_values *values);

#endif /* TASKACCT_RECORD_H */
