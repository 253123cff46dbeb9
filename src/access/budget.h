/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the requests of one datagram may take
 */
#ifndef TASKACCT_BUDGET_H
#define TASKACCT_BUDGET_H

struct netlink_ext_ack;
struct sk_buff;

int taskacct_budget_check(struct sk_buff *request,
			  struct netlink_ext_ack *extack);

#endif /* TASKACCT_BUDGET_H */
