/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of an exiting task until its end
 */
#ifndef TASKACCT_EXIT_KEEP_H
#define TASKACCT_EXIT_KEEP_H

#include <linux/types.h>

struct taskacct_kept;

struct taskacct_kept *taskacct_keep_new(bool several);
void taskacct_keep_expect_last(struct taskacct_kept *kept);

#endif /* TASKACCT_EXIT_KEEP_H */
