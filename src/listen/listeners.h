/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listeners: what they asked for, how they fare; delivery; losses
 */
#ifndef TASKACCT_LISTEN_LISTENERS_H
#define TASKACCT_LISTEN_LISTENERS_H

#include "listen.h"

struct netlink_ext_ack;
struct sock;

int taskacct_listeners_register(struct sock *sk, u32 portid,
				struct cpumask *mask,
				struct taskacct_subscription *sub,
				struct netlink_ext_ack *extack);
int taskacct_listeners_deregister(struct sock *sk, const struct cpumask *mask,
				  struct netlink_ext_ack *extack);
int taskacct_listeners_get(struct sock *sk,
			   int (*tell)(const struct taskacct_listener_info *info,
				       void *data),
			   void *data);
int taskacct_listeners_dump(unsigned long *next,
			    int (*tell)(const struct taskacct_listener_info *info,
					void *data),
			    void *data);

#endif /* TASKACCT_LISTEN_LISTENERS_H */
