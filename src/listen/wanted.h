/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who wants to hear of an exit
 */
#ifndef TASKACCT_WANTED_H
#define TASKACCT_WANTED_H

#include <linux/types.h>

struct task_struct;
struct taskacct_hearer;
struct taskacct_kept;
struct taskacct_shape;
struct taskacct_subscription;

bool taskacct_wanted(bool several, const struct taskacct_kept *kept);
bool taskacct_wanted_by(const struct taskacct_hearer *by, bool several,
			const struct taskacct_kept *kept);
void taskacct_wanted_miss(bool several, const struct taskacct_kept *kept);
void taskacct_wanted_shape(struct taskacct_shape *shape, bool last, bool several);
u32 taskacct_wanted_names(void);
struct task_struct *taskacct_wanted_leader(const struct taskacct_kept *kept);
u32 taskacct_wanted_kinds(const struct taskacct_subscription *sub, u32 kinds,
			  bool several);
u32 taskacct_wanted_meet(struct taskacct_subscription *sub, u32 kinds,
			 const struct taskacct_kept *kept, u64 process_cpu_time);

#endif /* TASKACCT_WANTED_H */
