/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registrations: what a request says of the CPUs, the filter and the batches
 */
#ifndef TASKACCT_REGISTRATION_H
#define TASKACCT_REGISTRATION_H

#include <linux/types.h>

#include <linux/taskacct.h>

struct genl_info;
struct nlattr;
struct sk_buff;
struct taskacct_reach;

/**
 * taskacct_registration_is_extended() - whether a request has attributes that a
 *	classic one has not
 * @attrs: of the request, by type
 *
 * Context: any.
 * Return: true if it has any.
 */
static inline bool taskacct_registration_is_extended(struct nlattr **attrs)
{
	return attrs[TASKACCT_CMD_ATTR_WANT] ||
	       attrs[TASKACCT_CMD_ATTR_FILTER] ||
	       attrs[TASKACCT_CMD_ATTR_BATCH_BYTES] ||
	       attrs[TASKACCT_CMD_ATTR_BATCH_MSECS];
}

int taskacct_registration_set(struct sk_buff *skb, struct genl_info *info,
			      const struct nlattr *attr,
			      const struct taskacct_reach *reach);

#endif /* TASKACCT_REGISTRATION_H */
