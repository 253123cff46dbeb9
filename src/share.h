/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Batches that several listeners share
 */
#ifndef TASKACCT_SHARE_H
#define TASKACCT_SHARE_H

#include <linux/types.h>

struct sk_buff;
struct taskacct_listener;
struct taskacct_listener_info;
struct taskacct_share;
struct taskacct_subscription;

void taskacct_share_append(struct taskacct_share *share,
			   const struct taskacct_subscription *sub,
			   const struct sk_buff *message);

bool taskacct_share_is_like(const struct taskacct_listener *listener,
			    const struct taskacct_listener *other);
void taskacct_share_join(struct taskacct_listener *listener,
			 struct taskacct_listener *other);
int taskacct_share_part(struct taskacct_listener *listener);
void taskacct_share_leave(struct taskacct_listener *listener);
void taskacct_share_figures(struct taskacct_listener *listener,
			    struct taskacct_listener_info *info);

#endif /* TASKACCT_SHARE_H */
