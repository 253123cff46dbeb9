/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tasks of a cgroup are doing, and what they have used
 */
#ifndef TASKACCT_CGROUP_H
#define TASKACCT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/netlink.h>
#include <linux/types.h>

struct cgroupstats;
struct taskacct_full_record;

#if TASKACCT_HAVE_CGROUPS
int taskacct_cgroup_stats(struct cgroupstats *stats, int fd,
			  struct netlink_ext_ack *extack);
int taskacct_cgroup_record(struct taskacct_full_record *record, int fd,
			   struct netlink_ext_ack *extack);
#else
static inline int taskacct_cgroup_stats(struct cgroupstats *stats, int fd,
					struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "this kernel has no cgroups");
	return -EOPNOTSUPP;
}

static inline int taskacct_cgroup_record(struct taskacct_full_record *record, int fd,
					 struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "this kernel has no cgroups");
	return -EOPNOTSUPP;
}
#endif

#endif /* TASKACCT_CGROUP_H */
