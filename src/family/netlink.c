// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family: its commands, and queries
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

/*
 * An id of four bytes at most. That it has no fewer is for check_sizes(): that costs a
 * query less than a policy with an exact length does.
 */
#define POLICY_ID	{ .type = NLA_BINARY, .len = sizeof(u32) }

static const struct nla_policy get_policy[] = {
	[TASKSTATS_CMD_ATTR_PID] = POLICY_ID,
	[TASKSTATS_CMD_ATTR_TGID] = POLICY_ID,
	[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] = { .type = NLA_STRING },
	[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK] = { .type = NLA_STRING },
	[TASKACCT_CMD_ATTR_WANT] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
	[TASKACCT_CMD_ATTR_FILTER] = { .type = NLA_NESTED },
	[TASKACCT_CMD_ATTR_BATCH_BYTES] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
	[TASKACCT_CMD_ATTR_BATCH_MSECS] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
};

static const struct nla_policy cgroup_policy[] = {
	[CGROUPSTATS_CMD_ATTR_FD] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
	[TASKACCT_CMD_ATTR_WANT] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
};

static const struct nla_policy uid_policy[] = {
	[TASKACCT_UID_ATTR_UID] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
};

/* For requests that carry nothing: generic netlink checks only what it has. */
static const struct nla_policy empty_policy[] = {
	[1] = { .type = NLA_REJECT },
};

static int parse_answer_want(u32 *want, struct nlattr **attrs,
			     struct netlink_ext_ack *extack)
{
	int err = taskacct_message_want(want, attrs, extack);

	if (err || !(*want & TASKACCT_WANT_STREAM))
		return err;
	NL_SET_ERR_MSG_ATTR(extack, attrs[TASKACCT_CMD_ATTR_WANT],
			    "an answer is not of a stream");
	return -EINVAL;
}

static int answer_with(struct sk_buff **skb,
		       const struct taskacct_answer *answer,
		       struct taskacct_shape *shape,
		       const struct taskacct_view *view)
{
	struct taskacct_message message = {};

	if (!taskacct_message_new_of(&message, shape, answer->task, answer->mm,
				     view, GFP_KERNEL))
		return -ENOMEM;
	taskacct_query_fill(answer, &message, view);
	*skb = message.skb;
	return 0;
}

static int tell_why_not(int err, u32 kind, const struct taskacct_reach *reach,
			struct netlink_ext_ack *extack)
{
	if (err == -ESRCH && kind == TASKACCT_KIND_TASK)
		NL_SET_ERR_MSG(extack, "no such task");
	else if (err == -ESRCH)
		NL_SET_ERR_MSG(extack, "no such process");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG(extack,
			       "executes a program, and that takes long");
	else if (err == -EPERM && !taskacct_reach_need_others(reach, extack))
		NL_SET_ERR_MSG(extack,
			       "needs CAP_NET_ADMIN: not yours, or privileged, or not dumpable");
	return err;
}

static int find_answer(struct taskacct_answer *answer, u32 kind, u32 id,
		       struct taskacct_reach *reach)
{
	return kind == TASKACCT_KIND_TASK ?
		       taskacct_query_task(answer, id, reach) :
		       taskacct_query_process(answer, id, reach);
}

static int get_stats(struct genl_info *info, const struct nlattr *attr,
		     struct taskacct_reach *reach)
{
	const u32 id = nla_get_u32(attr);
	struct taskacct_shape shape = {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.pid = id,
		.tgid = id,
	};
	struct taskacct_answer answer = {};
	struct sk_buff *skb;
	int err;

	if (info->attrs[TASKACCT_CMD_ATTR_WANT]) {
		err = parse_answer_want(&shape.want, info->attrs, info->extack);
		if (err)
			return err;
	}
	shape.kinds = nla_type(attr) == TASKSTATS_CMD_ATTR_PID ?
			      TASKACCT_KIND_TASK :
			      TASKACCT_KIND_PROCESS;
	err = find_answer(&answer, shape.kinds, id, reach);
	if (err)
		return tell_why_not(err, shape.kinds, reach, info->extack);
	err = answer_with(&skb, &answer, &shape, &reach->view);
	taskacct_query_done(&answer);
	if (err)
		return err;
	taskacct_stat_inc(TASKACCT_STAT_QUERIES);
	return genlmsg_reply(skb, info);
}

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

/* A query goes with WANT alone, deregistration with nothing. */
static int check_extensions(struct genl_info *info, unsigned int type)
{
	const struct nlattr *attr;
	unsigned int i;

	if (type == TASKSTATS_CMD_ATTR_REGISTER_CPUMASK ||
	    likely(!taskacct_registration_is_extended(info->attrs)))
		return 0;
	for (i = TASKACCT_CMD_ATTR_WANT; i <= TASKACCT_CMD_ATTR_MAX; i++) {
		attr = info->attrs[i];
		if (!attr || (i == TASKACCT_CMD_ATTR_WANT &&
			      type != TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK))
			continue;
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "does not go with this request");
		return -EINVAL;
	}
	return 0;
}

static int check_size(const struct nlattr *id, struct netlink_ext_ack *extack)
{
	if (likely(!id || nla_len(id) == sizeof(u32)))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, id, "not 4 bytes long");
	return -ERANGE;
}

/* Before anything else, as netlink does by the policy */
static int check_sizes(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	return check_size(attrs[TASKSTATS_CMD_ATTR_PID], extack) ?:
	       check_size(attrs[TASKSTATS_CMD_ATTR_TGID], extack);
}

static int get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct taskacct_reach reach = {};
	const struct nlattr *attr;
	unsigned int type;
	int err;

	err = check_sizes(info->attrs, info->extack) ?:
	      taskacct_budget_check(skb, info->extack);
	if (!err)
		err = taskacct_reach_of(&reach, skb, info->extack);
	if (err)
		return err;
	attr = subject_of(info);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	type = nla_type(attr);
	err = check_extensions(info, type);
	if (err)
		return err;
	if (type == TASKSTATS_CMD_ATTR_PID || type == TASKSTATS_CMD_ATTR_TGID)
		return get_stats(info, attr, &reach);
	err = taskacct_reach_need_others(&reach, info->extack);
	if (err)
		return err;
	return taskacct_registration_set(skb, info, attr, &reach);
}

/* As in every GET, what is not known is passed over. */
static int check_dump(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	unsigned int i;

	for (i = 1; i <= TASKACCT_CMD_ATTR_MAX; i++) {
		if (!attrs[i] || i == TASKACCT_CMD_ATTR_WANT ||
		    i == TASKACCT_CMD_ATTR_FILTER ||
		    (i > TASKSTATS_CMD_ATTR_MAX && i < TASKACCT_CMD_ATTR_WANT))
			continue;
		NL_SET_ERR_MSG_ATTR(extack, attrs[i],
				    "a dump is of all: only WANT and FILTER go with it");
		return -EINVAL;
	}
	return 0;
}

static int get_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = taskacct_genl_dump_attrs(cb);
	struct taskacct_reach reach = {};
	struct taskacct_dump *dump;
	int err;

	err = check_sizes(attrs, cb->extack) ?:
	      taskacct_budget_check(cb->skb, cb->extack);
	if (!err)
		err = taskacct_reach_of(&reach, cb->skb, cb->extack);
	if (!err)
		err = taskacct_reach_need_others(&reach, cb->extack);
	if (!err)
		err = check_dump(attrs, cb->extack);
	if (err)
		return err;
	dump = taskacct_dump_new(&reach);
	if (!dump)
		return -ENOMEM;
	err = parse_answer_want(&dump->want, attrs, cb->extack);
	if (!err)
		err = taskacct_filter_parse(&dump->filter, &reach.view,
					    attrs[TASKACCT_CMD_ATTR_FILTER],
					    cb->extack);
	if (err) {
		taskacct_dump_free(dump);
		return err;
	}
	cb->args[0] = (long)dump;
	return 0;
}

static int get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return taskacct_dump_some((struct taskacct_dump *)cb->args[0], skb, cb);
}

static int get_done(struct netlink_callback *cb)
{
	taskacct_dump_free((struct taskacct_dump *)cb->args[0]);
	return 0;
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

/* Whatever is in the reserved field, as in-tree */
static int cgroup_doit(struct sk_buff *request, struct genl_info *info)
{
	return taskacct_budget_check(request, info->extack) ?:
	       taskacct_cgroup_netlink_get(request, info);
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
		.validate = GENL_DONT_VALIDATE_STRICT |
			    GENL_DONT_VALIDATE_DUMP_STRICT,
		.policy = get_policy,
		.maxattr = ARRAY_SIZE(get_policy) - 1,
		.doit = get_doit,
		.start = get_start,
		.dumpit = get_dumpit,
		.done = get_done,
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
};

/* All but its name */
static const struct genl_family description = {
	.version = TASKACCT_GENL_VERSION,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
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
