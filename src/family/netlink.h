/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family: its commands, and queries
 */
#ifndef TASKACCT_NETLINK_H
#define TASKACCT_NETLINK_H

#include <linux/types.h>

struct netlink_ext_ack;
struct nlattr;

int taskacct_netlink_init(const char *name);
void taskacct_netlink_exit(void);
u32 taskacct_netlink_next_seq(void);
int taskacct_netlink_want(u32 *want, struct nlattr **attrs,
			  struct netlink_ext_ack *extack);

#endif /* TASKACCT_NETLINK_H */
