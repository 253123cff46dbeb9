/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tasks of a cgroup are doing, and what they have used
 */
#ifndef TASKACCT_CGROUP_H
#define TASKACCT_CGROUP_H

#include <linux/types.h>

struct cgroupstats;
struct netlink_ext_ack;
struct taskacct_record;

int taskacct_cgroup_stats(struct cgroupstats *stats, int fd,
			  struct netlink_ext_ack *extack);
int taskacct_cgroup_record(struct taskacct_record *record, int fd,
			   struct netlink_ext_ack *extack);

#endif /* TASKACCT_CGROUP_H */
