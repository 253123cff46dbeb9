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

static int parse_mask(struct cpumask *mask, const struct nlattr *attr,
		      struct netlink_ext_ack *extack)
{
	char *list;
	int err;

	if (nla_len(attr) > TASKACCT_MASK_LENGTH_MAX) {
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
static u32 number_or_default(const struct nlattr *attr, u32 usual)
{
	return attr ? nla_get_u32(attr) : usual;
}

static void parse_batch(struct taskacct_subscription *sub, struct nlattr **attrs)
{
	const struct nlattr *bytes = attrs[TASKACCT_CMD_ATTR_BATCH_BYTES];
	const struct nlattr *msecs = attrs[TASKACCT_CMD_ATTR_BATCH_MSECS];

	if (!bytes && !msecs)
		return;
	sub->batch_bytes = number_or_default(bytes, TASKACCT_BATCH_BYTES);
	sub->batch_wait = number_or_default(msecs, TASKACCT_BATCH_MSECS) *
			  (u64)NSEC_PER_MSEC;
}

static int parse_subscription(struct taskacct_subscription *sub,
			      struct sk_buff *skb, struct genl_info *info,
			      const struct taskacct_access *access)
{
	struct nlattr **attrs = info->attrs;
	int err;

	parse_batch(sub, attrs);
	err = taskacct_message_want(&sub->want, attrs[TASKACCT_CMD_ATTR_WANT],
				    info->extack);
	if (!err)
		err = taskacct_access_need_names(access, skb, sub->want,
						 info->extack);
	return err ?: taskacct_filter_parse(&sub->filter, &access->view,
					    attrs[TASKACCT_CMD_ATTR_FILTER],
					    info->extack);
}

/* A subscription that holds its access, for taskacct_subscription_free() */
static struct taskacct_subscription *new_sub(const struct taskacct_access *access)
{
	struct taskacct_subscription *sub = kzalloc(sizeof(*sub),
						    GFP_KERNEL_ACCOUNT);

	if (!sub)
		return NULL;
	/* Until it says otherwise all are meant. */
	taskacct_filter_parse(&sub->filter, &access->view, NULL, NULL);
	sub->access = *access;
	taskacct_access_hold(&sub->access);
	return sub;
}

/* Who asks for nothing and may receive everything has the default. */
static int register_mask(struct sk_buff *skb, struct genl_info *info,
			 struct cpumask *mask,
			 const struct taskacct_access *access)
{
	struct taskacct_subscription *sub = &taskacct_subscription_default;
	int err;

	if (taskacct_access_is_limited(access)) {
		sub = new_sub(access);
		if (!sub)
			return -ENOMEM;
		sub->classic = true;
	}
	err = taskacct_listeners_register(NETLINK_CB(skb).sk, info->snd_portid,
					  mask, sub, info->extack);
	if (err)
		taskacct_subscription_free(sub);
	return err;
}

/**
 * taskacct_registration_set() - register a socket for CPUs, or deregister it
 * @skb: the request
 * @info: of the request
 * @attr: its list of CPUs, whose type tells which of the two
 * @access: of the asker
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_registration_set(struct sk_buff *skb, struct genl_info *info,
			      const struct nlattr *attr,
			      const struct taskacct_access *access)
{
	cpumask_var_t mask;
	int err;

	/* Bits beyond those are not written. */
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = parse_mask(mask, attr, info->extack);
	if (err)
		goto out;
	if (nla_type(attr) == TASKSTATS_CMD_ATTR_REGISTER_CPUMASK)
		err = register_mask(skb, info, mask, access);
	else
		err = taskacct_listeners_deregister(NETLINK_CB(skb).sk, mask,
						    info->extack);
out:
	free_cpumask_var(mask);
	return err;
}

/* Something that goes with CPUs, or NULL */
static const struct nlattr *option_in(struct nlattr **attrs)
{
	return attrs[TASKACCT_CMD_ATTR_WANT] ?:
	       attrs[TASKACCT_CMD_ATTR_FILTER] ?:
	       attrs[TASKACCT_CMD_ATTR_BATCH_BYTES] ?:
	       attrs[TASKACCT_CMD_ATTR_BATCH_MSECS];
}

/* With an empty list of CPUs */
static int unsubscribe(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *option = option_in(info->attrs);

	if (!option)
		return taskacct_listeners_deregister(NETLINK_CB(skb).sk,
						     cpu_possible_mask,
						     info->extack);
	NL_SET_ERR_MSG_ATTR(info->extack, option, "goes with some CPUs only");
	return -EINVAL;
}

static int register_socket(struct sk_buff *skb, struct genl_info *info,
			   struct cpumask *mask, const struct taskacct_access *access)
{
	struct taskacct_subscription *sub = new_sub(access);
	int err;

	if (!sub)
		return -ENOMEM;
	err = parse_subscription(sub, skb, info, access);
	if (!err)
		err = taskacct_listeners_register(NETLINK_CB(skb).sk,
						  info->snd_portid, mask, sub,
						  info->extack);
	if (err)
		taskacct_subscription_free(sub);
	return err;
}

/**
 * taskacct_registration_subscribe() - send a socket what it asks for
 * @skb: the request
 * @info: of the request
 * @access: of the asker
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error, and nothing has changed.
 */
int taskacct_registration_subscribe(struct sk_buff *skb, struct genl_info *info,
				    const struct taskacct_access *access)
{
	const struct nlattr *cpus = info->attrs[TASKACCT_CMD_ATTR_CPUMASK];
	cpumask_var_t mask;
	int err = 0;

	if (cpus && !*(char *)nla_data(cpus))
		return unsubscribe(skb, info);
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	if (cpus)
		err = parse_mask(mask, cpus, info->extack);
	else
		cpumask_copy(mask, cpu_possible_mask);
	if (!err)
		err = register_socket(skb, info, mask, access);
	free_cpumask_var(mask);
	return err;
}
