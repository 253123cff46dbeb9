/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks and processes over the family
 */
#ifndef TASKACCT_TASK_NETLINK_H
#define TASKACCT_TASK_NETLINK_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct nlattr;
struct sk_buff;
struct taskacct_reach;

int taskacct_task_netlink_answer(struct sk_buff *request,
				 struct genl_info *info,
				 struct taskacct_reach *reach,
				 const struct nlattr *id, u32 kind, u32 want);
int taskacct_task_netlink_get(struct sk_buff *request, struct genl_info *info);
int taskacct_task_netlink_start(struct netlink_callback *cb);
int taskacct_task_netlink_dump(struct sk_buff *skb,
			       struct netlink_callback *cb);
int taskacct_task_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_TASK_NETLINK_H */
