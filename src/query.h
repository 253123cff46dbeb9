/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which task is meant, and who may ask
 */
#ifndef TASKACCT_QUERY_H
#define TASKACCT_QUERY_H

#include <linux/taskstats.h>
#include <linux/types.h>

struct netlink_ext_ack;
struct sk_buff;

int taskacct_query_allowed(const struct sk_buff *skb,
			   struct netlink_ext_ack *extack);
int taskacct_query_may_listen(struct netlink_ext_ack *extack);
int taskacct_query_task(struct taskstats *stats, u32 pid,
			struct netlink_ext_ack *extack);
int taskacct_query_process(struct taskstats *stats, u32 tgid,
			   struct netlink_ext_ack *extack);

#endif /* TASKACCT_QUERY_H */
