/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cgroups over the family
 */
#ifndef TASKACCT_CGROUP_NETLINK_H
#define TASKACCT_CGROUP_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct sk_buff;

void taskacct_cgroup_netlink_init(const struct genl_family *family);
int taskacct_cgroup_netlink_get(struct genl_info *info);
int taskacct_cgroup_netlink_total(struct sk_buff *request,
				  struct genl_info *info, u32 want);

#endif /* TASKACCT_CGROUP_NETLINK_H */
