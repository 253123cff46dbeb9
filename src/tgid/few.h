/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process totals: threads that need no entry
 */
#ifndef TASKACCT_TGID_FEW_H
#define TASKACCT_TGID_FEW_H

#include <linux/sched.h>
#include <linux/types.h>

#include "tgid.h"

bool taskacct_tgid_is_listed(struct taskacct_group *group, const struct task_struct *t);
bool taskacct_tgid_begin_placed(struct taskacct_group *group, const struct taskacct_mm *mm,
				bool *turn);

#endif /* TASKACCT_TGID_FEW_H */
