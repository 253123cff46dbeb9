/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module did, over the family
 */
#ifndef TASKACCT_STAT_NETLINK_H
#define TASKACCT_STAT_NETLINK_H

struct genl_family;
struct genl_info;

void taskacct_stat_netlink_init(const struct genl_family *family);
int taskacct_stat_netlink_get(struct genl_info *info);

#endif /* TASKACCT_STAT_NETLINK_H */
