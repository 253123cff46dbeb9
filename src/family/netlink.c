// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family: its commands, and what they take
 *
 * Handlers run in the sender's context, several at a time, and may sleep.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "base/base.h"
#include "listen/listen.h"
#include "query/query.h"
#include "record/record.h"
#include "uid/uid.h"

#include "family.h"
#include "stat_netlink.h"

/* taskstats' own: longer numbers are refused, and what is not known passed over. */
static const struct nla_policy get_policy[] = {
	[TASKSTATS_CMD_ATTR_PID] = { .type = NLA_U32 },
	[TASKSTATS_CMD_ATTR_TGID] = { .type = NLA_U32 },
	[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] = { .type = NLA_STRING },
	[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK] = { .type = NLA_STRING },
};

static const struct nla_policy cgroup_policy[] = {
	[CGROUPSTATS_CMD_ATTR_FD] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
};

/* What an answer may have, and what an exit message may have beside it */
#define ANSWER_WANTS	(TASKACCT_WANT_RECORD | TASKACCT_WANT_STRINGS | \
			 TASKACCT_WANT_BARE)
#define EXIT_WANTS	(ANSWER_WANTS | TASKACCT_WANT_STREAM)

static const struct nla_policy task_policy[] = {
	[TASKACCT_CMD_ATTR_PID] = { .type = NLA_U32 },
	[TASKACCT_CMD_ATTR_TGID] = { .type = NLA_U32 },
	[TASKACCT_CMD_ATTR_WANT] = NLA_POLICY_MASK(NLA_U32, ANSWER_WANTS),
	[TASKACCT_CMD_ATTR_FILTER] = NLA_POLICY_NESTED(taskacct_filter_policy),
	[TASKACCT_CMD_ATTR_CGROUP_FD] = { .type = NLA_U32 },
};

/* Not const: a policy of older kernels would not point to them. */
static struct netlink_range_validation batch_bytes = {
	.min = 1,
	.max = TASKACCT_BATCH_BYTES_MAX,
};

static struct netlink_range_validation batch_msecs = {
	.min = 1,
	.max = TASKACCT_BATCH_MSECS_MAX,
};

static const struct nla_policy subscribe_policy[] = {
	[TASKACCT_CMD_ATTR_CPUMASK] = {
		.type = NLA_NUL_STRING,
		.len = TASKACCT_MASK_LENGTH_MAX - 1,
	},
	[TASKACCT_CMD_ATTR_WANT] = NLA_POLICY_MASK(NLA_U32, EXIT_WANTS),
	[TASKACCT_CMD_ATTR_FILTER] = NLA_POLICY_NESTED(taskacct_filter_policy),
	[TASKACCT_CMD_ATTR_BATCH_BYTES] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &batch_bytes),
	[TASKACCT_CMD_ATTR_BATCH_MSECS] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &batch_msecs),
};

static const struct nla_policy uid_policy[] = {
	[TASKACCT_UID_ATTR_UID] = { .type = NLA_U32 },
};

/* For requests that carry nothing: generic netlink checks only what it has. */
static const struct nla_policy empty_policy[] = {
	[1] = { .type = NLA_REJECT },
};

/* Exactly one of the classic attributes; or an error */
static const struct nlattr *subject_of(struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	const struct nlattr *pid = attrs[TASKSTATS_CMD_ATTR_PID];
	const struct nlattr *tgid = attrs[TASKSTATS_CMD_ATTR_TGID];
	const struct nlattr *on = attrs[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK];
	const struct nlattr *off = attrs[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK];
	const int n = !!pid + !!tgid + !!on + !!off;

	if (likely(n == 1))
		return pid ?: tgid ?: on ?: off;
	if (n)
		NL_SET_ERR_MSG_ATTR(info->extack, off ?: on ?: tgid,
				    "more than one of PID, TGID, REGISTER_CPUMASK and DEREGISTER_CPUMASK");
	else
		NL_SET_ERR_MSG(info->extack,
			       "none of PID, TGID, REGISTER_CPUMASK and DEREGISTER_CPUMASK");
	return ERR_PTR(-EINVAL);
}

static int check_id_size(const struct nlattr *id, struct netlink_ext_ack *extack)
{
	if (likely(!id || nla_len(id) == sizeof(u32)))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, id, "not 4 bytes long");
	return -ERANGE;
}

/* Before anything else, as netlink does by the policy */
static int check_id_sizes(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	return check_id_size(attrs[TASKSTATS_CMD_ATTR_PID], extack) ?:
	       check_id_size(attrs[TASKSTATS_CMD_ATTR_TGID], extack);
}

static int get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct taskacct_access access = {};
	const struct nlattr *attr;
	int err;

	err = check_id_sizes(info->attrs, info->extack) ?:
	      taskacct_budget_check(skb, info->extack);
	if (!err)
		err = taskacct_access_of(&access, skb, info->extack);
	if (err)
		return err;
	attr = subject_of(info);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	if (nla_type(attr) == TASKSTATS_CMD_ATTR_PID)
		return taskacct_task_netlink_answer(skb, info, &access, attr,
						    TASKACCT_KIND_TASK, 0);
	if (nla_type(attr) == TASKSTATS_CMD_ATTR_TGID)
		return taskacct_task_netlink_answer(skb, info, &access, attr,
						    TASKACCT_KIND_PROCESS, 0);
	err = taskacct_access_need_others(&access, info->extack);
	if (err)
		return err;
	return taskacct_registration_set(skb, info, attr, &access);
}

/*
 * The commands that we add are strict. The kernel checks it from 6.1 on only;
 * clients of the classic ones leave anything there.
 */
static int check_reserved(const struct nlmsghdr *nlh,
			  struct netlink_ext_ack *extack)
{
	const struct genlmsghdr *hdr = nlmsg_data(nlh);

	if (!hdr->reserved)
		return 0;
	NL_SET_ERR_MSG(extack, "reserved field of the header is not 0");
	return -EINVAL;
}

static int begin_doit(struct sk_buff *request,
		      const struct genl_info *info)
{
	return check_reserved(info->nlhdr, info->extack) ?:
	       taskacct_budget_check(request, info->extack);
}

static int begin_dump(const struct netlink_callback *cb)
{
	return check_reserved(cb->nlh, cb->extack) ?:
	       taskacct_budget_check(cb->skb, cb->extack);
}

static int task_doit(struct sk_buff *request, struct genl_info *info)
{
	return begin_doit(request, info) ?:
	       taskacct_task_netlink_get(request, info);
}

static int task_start(struct netlink_callback *cb)
{
	return begin_dump(cb) ?:
	       taskacct_task_netlink_start(cb);
}

static int subscribe_doit(struct sk_buff *request, struct genl_info *info)
{
	struct taskacct_access access = {};
	int err;

	err = begin_doit(request, info) ?:
	      taskacct_access_of(&access, request, info->extack);
	if (!err)
		err = taskacct_access_need_others(&access, info->extack);
	return err ?: taskacct_registration_subscribe(request, info, &access);
}

/* Whatever is in the reserved field, as in-tree */
static int cgroup_doit(struct sk_buff *request, struct genl_info *info)
{
	return taskacct_budget_check(request, info->extack) ?:
	       taskacct_cgroup_netlink_get(info);
}

static int stat_doit(struct sk_buff *request, struct genl_info *info)
{
	return begin_doit(request, info) ?:
	       taskacct_stat_netlink_get(info);
}

static int listener_doit(struct sk_buff *request, struct genl_info *info)
{
	return begin_doit(request, info) ?:
	       taskacct_listeners_netlink_get(request, info);
}

static int listener_start(struct netlink_callback *cb)
{
	return begin_dump(cb) ?:
	       taskacct_listeners_netlink_start(cb);
}

static int uid_doit(struct sk_buff *request, struct genl_info *info)
{
	return begin_doit(request, info) ?:
	       taskacct_uid_netlink_get(request, info);
}

static int uid_start(struct netlink_callback *cb)
{
	return begin_dump(cb) ?:
	       taskacct_uid_netlink_start(cb);
}

static const struct genl_ops ops[] = {
	{
		.cmd = TASKACCT_CMD_GET,
		.validate = GENL_DONT_VALIDATE_STRICT | GENL_DONT_VALIDATE_DUMP,
		.policy = get_policy,
		.maxattr = ARRAY_SIZE(get_policy) - 1,
		.doit = get_doit,
	},
	{
		.cmd = TASKACCT_CMD_CGROUP_GET,
		.validate = GENL_DONT_VALIDATE_STRICT | GENL_DONT_VALIDATE_DUMP,
		.policy = cgroup_policy,
		.maxattr = ARRAY_SIZE(cgroup_policy) - 1,
		.doit = cgroup_doit,
	},
	{
		.cmd = TASKACCT_CMD_STAT_GET,
		.policy = empty_policy,
		.maxattr = ARRAY_SIZE(empty_policy) - 1,
		.doit = stat_doit,
	},
	{
		.cmd = TASKACCT_CMD_LISTENER_GET,
		.policy = empty_policy,
		.maxattr = ARRAY_SIZE(empty_policy) - 1,
		.doit = listener_doit,
		.start = listener_start,
		.dumpit = taskacct_listeners_netlink_dump,
		.done = taskacct_listeners_netlink_done,
	},
	{
		.cmd = TASKACCT_CMD_UID_GET,
		.policy = uid_policy,
		.maxattr = ARRAY_SIZE(uid_policy) - 1,
		.doit = uid_doit,
		.start = uid_start,
		.dumpit = taskacct_uid_netlink_dump,
		.done = taskacct_uid_netlink_done,
	},
	{
		.cmd = TASKACCT_CMD_TASK_GET,
		.policy = task_policy,
		.maxattr = ARRAY_SIZE(task_policy) - 1,
		.doit = task_doit,
		.start = task_start,
		.dumpit = taskacct_task_netlink_dump,
		.done = taskacct_task_netlink_done,
	},
	{
		.cmd = TASKACCT_CMD_SUBSCRIBE,
		.policy = subscribe_policy,
		.maxattr = ARRAY_SIZE(subscribe_policy) - 1,
		.doit = subscribe_doit,
	},
};

static const struct genl_multicast_group mcgrps[] = {
	{ .name = TASKACCT_MCGRP_EXITS },
};

/* All but its name */
static const struct genl_family description = {
	.version = TASKACCT_GENL_VERSION,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = mcgrps,
	.n_mcgrps = ARRAY_SIZE(mcgrps),
	/* Clients leave anything in the reserved field of the classic ones. */
	TASKACCT_RESV_START_OP(TASKACCT_CMD_STAT_GET)
	.netnsok = true,
	.parallel_ops = true,
};

/**
 * taskacct_netlink_init() - register the family
 * @name: its name
 *
 * Context: task context, may sleep.
 * Return: 0, -EINVAL if the name is empty or too long, -EBUSY if another
 *	family has it, or another error of genl_register_family().
 */
int taskacct_netlink_init(const char *name)
{
	int err;

	taskacct_family = description;
	if (!*name || strscpy(taskacct_family.name, name,
			      sizeof(taskacct_family.name)) < 0) {
		pr_err("family=%s: 1 to %zu characters\n", name,
		       sizeof(taskacct_family.name) - 1);
		return -EINVAL;
	}
	err = genl_register_family(&taskacct_family);
	if (err)
		pr_err("cannot register family %s: %pe\n", name, ERR_PTR(err));
	/* modprobe takes EEXIST for "loaded already", and is content. */
	return err == -EEXIST ? -EBUSY : err;
}

/**
 * taskacct_netlink_exit() - unregister the family
 *
 * Waits for handlers that are running.
 *
 * Context: task context, may sleep.
 */
void taskacct_netlink_exit(void)
{
	genl_unregister_family(&taskacct_family);
}
