/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module did, over the family
 */
#ifndef TASKACCT_STAT_NETLINK_H
#define TASKACCT_STAT_NETLINK_H

struct genl_info;

int taskacct_stat_netlink_get(struct genl_info *info);

#endif /* TASKACCT_STAT_NETLINK_H */
