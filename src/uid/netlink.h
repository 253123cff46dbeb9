/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users over the family
 */
#ifndef TASKACCT_UID_NETLINK_H
#define TASKACCT_UID_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct netlink_callback;
struct sk_buff;

void taskacct_uid_netlink_init(const struct genl_family *family);
int taskacct_uid_netlink_get(struct sk_buff *request, struct genl_info *info);
int taskacct_uid_netlink_start(struct netlink_callback *cb);
int taskacct_uid_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb);
int taskacct_uid_netlink_done(struct netlink_callback *cb);

#endif /* TASKACCT_UID_NETLINK_H */
