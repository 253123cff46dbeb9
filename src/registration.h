/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registrations: what a request says of the CPUs, the filter and the batches
 */
#ifndef TASKACCT_REGISTRATION_H
#define TASKACCT_REGISTRATION_H

#include <linux/threads.h>

struct genl_info;
struct nlattr;
struct sk_buff;
struct taskacct_reach;

/* Longest list of CPUs: the limit that users of the kernel's own know */
#define TASKACCT_MASK_LENGTH_MAX	(100 + 6 * NR_CPUS)

int taskacct_registration_set(struct sk_buff *skb, struct genl_info *info,
			      const struct nlattr *attr,
			      const struct taskacct_reach *reach);
int taskacct_registration_subscribe(struct sk_buff *skb, struct genl_info *info,
				    const struct taskacct_reach *reach);

#endif /* TASKACCT_REGISTRATION_H */
