/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exit messages for listeners that asked for more, or for less
 */
#ifndef TASKACCT_EXTENDED_H
#define TASKACCT_EXTENDED_H

#include <linux/types.h>

struct taskacct_heard;
struct taskacct_values;

bool taskacct_extended_wanted(bool several);
void taskacct_extended_miss(bool several);
void taskacct_extended_send(const struct taskacct_heard *heard,
			    const struct taskacct_values *values, u32 seq,
			    bool last, bool several);

#endif /* TASKACCT_EXTENDED_H */
