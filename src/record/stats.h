/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values into struct taskstats
 */
#ifndef TASKACCT_FILL_STATS_H
#define TASKACCT_FILL_STATS_H

#include <linux/types.h>

#include "task/fill.h"

struct task_struct;
struct taskstats;

void taskacct_fill_identity(struct taskstats *stats, struct task_struct *t,
			    const struct taskacct_view *view,
			    const struct taskacct_values *values);
void taskacct_fill_values(struct taskstats *stats,
			  const struct taskacct_values *values);
void taskacct_fill_process(struct taskstats *stats,
			   const struct task_struct *leader);
void taskacct_fill_task(struct taskstats *stats,
			const struct taskacct_values *values,
			const struct taskacct_view *view, bool last);
void taskacct_fill_last(struct taskstats *stats, struct task_struct *leader,
			const struct taskacct_values *values,
			const struct taskacct_view *view);

#endif /* TASKACCT_FILL_STATS_H */
