/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: what other folders may use
 */
#ifndef TASKACCT_FAMILY_H
#define TASKACCT_FAMILY_H

#include <linux/types.h>

/* netlink.c: the family */

int taskacct_netlink_init(const char *name);
void taskacct_netlink_exit(void);

#endif /* TASKACCT_FAMILY_H */
