/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners over the family
 */
#ifndef TASKACCT_LISTENERS_NETLINK_H
#define TASKACCT_LISTENERS_NETLINK_H

struct genl_family;
struct genl_info;
struct netlink_callback;
struct sk_buff;

void taskacct_listeners_netlink_init(const struct genl_family *family);
int taskacct_listeners_netlink_get(struct sk_buff *request,
				   struct genl_info *info);
int taskacct_listeners_netlink_start(struct netlink_callback *cb);
int taskacct_listeners_netlink_dump(struct sk_buff *skb,
				    struct netlink_callback *cb);
int taskacct_listeners_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_LISTENERS_NETLINK_H */
