/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family: its commands, and what they take
 */
#ifndef TASKACCT_NETLINK_H
#define TASKACCT_NETLINK_H

#include <linux/types.h>

int taskacct_netlink_init(const char *name);
void taskacct_netlink_exit(void);
u32 taskacct_netlink_next_seq(void);

#endif /* TASKACCT_NETLINK_H */
