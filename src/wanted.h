/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who wants to hear of an exit
 */
#ifndef TASKACCT_WANTED_H
#define TASKACCT_WANTED_H

#include <linux/types.h>

struct taskacct_hearer;
struct taskacct_subscription;

bool taskacct_wanted(bool several);
bool taskacct_wanted_by(const struct taskacct_hearer *by, bool several);
void taskacct_wanted_miss(bool several);
u32 taskacct_wanted_kinds(const struct taskacct_subscription *sub, u32 kinds,
			  bool several);
u32 taskacct_wanted_meet(struct taskacct_subscription *sub, u32 kinds,
			 u64 process_cpu_time);

#endif /* TASKACCT_WANTED_H */
