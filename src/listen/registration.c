// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registrations: what a request says of the CPUs, the filter and the batches
 */

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "record/record.h"

#include "listen.h"
#include "listener.h"
#include "listeners.h"

/* Longest list of CPUs: the limit that users of the kernel's own know */
#define MASK_LENGTH_MAX	(100 + 6 * NR_CPUS)

static int parse_mask(struct cpumask *mask, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	char *list;
	int err;

	if (nla_len(attr) > MASK_LENGTH_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "list of CPUs is too long");
		return -E2BIG;
	}
	/* Ends at the first NUL; what follows it is nobody's. */
	list = nla_strdup(attr, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	/* "all" and "N" mean CPUs that there may be, as do all other numbers. */
	err = bitmap_parselist(list, cpumask_bits(mask), nr_cpu_ids);
	kfree(list);
	if (err) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "not a list of possible CPUs such as 0-3,5");
		return err;
	}
	if (cpumask_empty(mask)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "list of CPUs is empty");
		return -EINVAL;
	}
	if (!cpumask_subset(mask, cpu_possible_mask)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "list has CPUs that are not possible");
		return -EINVAL;
	}
	return 0;
}

/* One number of a batch: that of the request if there is one */
static int parse_number(u32 *value, const struct nlattr *attr, u32 usual,
			u32 max, struct netlink_ext_ack *extack)
{
	*value = attr ? nla_get_u32(attr) : usual;
	if (*value && *value <= max)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "0, or more than it may be");
	return -ERANGE;
}

static int parse_batch(struct taskacct_subscription *sub, struct nlattr **attrs,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *bytes = attrs[TASKACCT_CMD_ATTR_BATCH_BYTES];
	const struct nlattr *msecs = attrs[TASKACCT_CMD_ATTR_BATCH_MSECS];
	u32 wait;
	int err;

	if (!bytes && !msecs)
		return 0;
	err = parse_number(&sub->batch_bytes, bytes, TASKACCT_BATCH_BYTES,
			   TASKACCT_BATCH_BYTES_MAX, extack);
	if (err)
		return err;
	err = parse_number(&wait, msecs, TASKACCT_BATCH_MSECS,
			   TASKACCT_BATCH_MSECS_MAX, extack);
	sub->batch_wait = (u64)wait * NSEC_PER_MSEC;
	return err;
}

/* Makes what a listener asked for */
static int parse_subscription(struct taskacct_subscription **parsed,
			      struct genl_info *info,
			      const struct taskacct_reach *reach)
{
	const struct nlattr *filter = info->attrs[TASKACCT_CMD_ATTR_FILTER];
	struct taskacct_subscription *sub;
	int err;

	*parsed = &taskacct_subscription_default;
	if (!taskacct_registration_is_extended(info->attrs) &&
	    !taskacct_reach_is_limited(reach))
		return 0;
	sub = kzalloc(sizeof(*sub), GFP_KERNEL_ACCOUNT);
	if (!sub)
		return -ENOMEM;
	err = taskacct_message_want(&sub->want, info->attrs, info->extack);
	if (!err)
		err = taskacct_filter_parse(&sub->filter, &reach->view,
					    filter, info->extack);
	if (!err)
		err = parse_batch(sub, info->attrs, info->extack);
	if (err) {
		kfree(sub);
		return err;
	}
	sub->classic = !taskacct_registration_is_extended(info->attrs);
	sub->reach = *reach;
	taskacct_reach_hold(&sub->reach);
	*parsed = sub;
	return 0;
}

static int register_mask(struct sock *sk, struct genl_info *info,
			 struct cpumask *mask,
			 const struct taskacct_reach *reach)
{
	struct taskacct_subscription *sub;
	int err;

	err = parse_subscription(&sub, info, reach);
	if (err)
		return err;
	err = taskacct_listeners_register(sk, info->snd_portid, mask, sub,
					  info->extack);
	if (err)
		taskacct_subscription_free(sub);
	return err;
}

/**
 * taskacct_registration_set() - register a socket for CPUs, or deregister it
 * @skb: the request
 * @info: of the request
 * @attr: its list of CPUs, whose type tells which of the two
 * @reach: of the asker
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_registration_set(struct sk_buff *skb, struct genl_info *info,
			      const struct nlattr *attr,
			      const struct taskacct_reach *reach)
{
	struct sock *sk = NETLINK_CB(skb).sk;
	cpumask_var_t mask;
	int err;

	/* Bits beyond those are not written. */
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = parse_mask(mask, attr, info->extack);
	if (err)
		goto out;
	if (nla_type(attr) == TASKSTATS_CMD_ATTR_REGISTER_CPUMASK)
		err = register_mask(sk, info, mask, reach);
	else
		err = taskacct_listeners_deregister(sk, mask, info->extack);
out:
	free_cpumask_var(mask);
	return err;
}
