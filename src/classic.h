/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exit messages for listeners that asked for nothing
 */
#ifndef TASKACCT_CLASSIC_H
#define TASKACCT_CLASSIC_H

#include <linux/types.h>

#include "listeners.h"

struct taskacct_heard;
struct taskacct_values;

void taskacct_classic_send(const struct taskacct_heard *heard,
			   const struct taskacct_values *values, u32 seq,
			   bool last, bool several);
void taskacct_classic_lose(const struct taskacct_heard *heard,
			   enum taskacct_loss why);

#endif /* TASKACCT_CLASSIC_H */
