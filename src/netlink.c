// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family: handlers, replies, errors
 *
 * Handlers run in the sender's context, several at a time, and may sleep.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/taskacct.h>

#include "hooks.h"
#include "listeners.h"
#include "netlink.h"
#include "query.h"
#include "stat.h"
#include "tgid.h"

static struct genl_family family;

static DEFINE_PER_CPU(u32, exit_seq);

/* Longest list of CPUs: the limit that users of the kernel's own know */
#define MASK_LENGTH_MAX	(100 + 6 * NR_CPUS)

static const struct nla_policy get_policy[] = {
	[TASKSTATS_CMD_ATTR_PID] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
	[TASKSTATS_CMD_ATTR_TGID] = NLA_POLICY_EXACT_LEN(sizeof(u32)),
	[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] = { .type = NLA_STRING },
	[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK] = { .type = NLA_STRING },
};

/* For requests that carry nothing: generic netlink checks only what it has. */
static const struct nla_policy empty_policy[] = {
	[1] = { .type = NLA_REJECT },
};

static size_t record_size(void)
{
	return nla_total_size(0) + nla_total_size(sizeof(u32)) +
	       nla_total_size_64bit(sizeof(struct taskstats));
}

/* Returns where the record goes, zeroed */
static struct taskstats *put_record(struct sk_buff *skb, int type, u32 id)
{
	struct nlattr *nest, *stats;

	nest = nla_nest_start_noflag(skb, type == TASKSTATS_TYPE_PID ?
						  TASKSTATS_TYPE_AGGR_PID :
						  TASKSTATS_TYPE_AGGR_TGID);
	if (!nest || nla_put_u32(skb, type, id))
		return NULL;
	stats = nla_reserve_64bit(skb, TASKSTATS_TYPE_STATS,
				  sizeof(struct taskstats),
				  TASKSTATS_TYPE_NULL);
	if (!stats)
		return NULL;
	nla_nest_end(skb, nest);
	return memset(nla_data(stats), 0, sizeof(struct taskstats));
}

/**
 * taskacct_netlink_next_seq() - number an exit message
 *
 * The numbers count per CPU, as in the kernel's own records. A message that
 * cannot be made or delivered has one too, so that a listener that hears one
 * CPU sees its losses.
 *
 * Context: any.
 * Return: the next number of this CPU.
 */
u32 taskacct_netlink_next_seq(void)
{
	return this_cpu_inc_return(exit_seq);
}

/**
 * taskacct_netlink_message() - begin an exit message
 * @message: receives the message and where its records go
 * @seq: its number
 * @pid: id of the task
 * @tgid: id of its process, or 0: without a record of the process
 *
 * Context: any; does not sleep.
 * Return: true, or false if there is no memory.
 */
bool taskacct_netlink_message(struct taskacct_message *message, u32 seq,
			      u32 pid, u32 tgid)
{
	struct sk_buff *skb;
	void *hdr;

	/* No larger than needed: the listener's buffer is charged for it. */
	skb = genlmsg_new(tgid ? 2 * record_size() : record_size(),
			  GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return false;
	hdr = genlmsg_put(skb, 0, seq, &family, 0, TASKACCT_CMD_NEW);
	if (!hdr)
		goto err_size;
	message->skb = skb;
	message->task = put_record(skb, TASKSTATS_TYPE_PID, pid);
	message->process = tgid ? put_record(skb, TASKSTATS_TYPE_TGID, tgid) :
				  NULL;
	if (!message->task || (tgid && !message->process))
		goto err_size;
	genlmsg_end(skb, hdr);
	return true;

err_size:
	WARN_ON_ONCE(1); /* record_size() is wrong */
	nlmsg_free(skb);
	return false;
}

static int get_stats(struct genl_info *info, const struct nlattr *attr)
{
	int (*query)(struct taskstats *stats, u32 id,
		     struct netlink_ext_ack *extack);
	struct taskstats *stats;
	struct sk_buff *skb;
	void *hdr;
	int type, err;
	u32 id;

	if (nla_type(attr) == TASKSTATS_CMD_ATTR_PID) {
		type = TASKSTATS_TYPE_PID;
		query = taskacct_query_task;
	} else {
		type = TASKSTATS_TYPE_TGID;
		query = taskacct_query_process;
	}

	skb = genlmsg_new(record_size(), GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	id = nla_get_u32(attr);
	hdr = genlmsg_put_reply(skb, info, &family, 0, TASKACCT_CMD_NEW);
	stats = hdr ? put_record(skb, type, id) : NULL;
	if (WARN_ON_ONCE(!stats)) {
		err = -EMSGSIZE;
		goto err_skb;
	}

	err = query(stats, id, info->extack);
	if (err)
		goto err_skb;
	genlmsg_end(skb, hdr);
	taskacct_stat_inc(TASKACCT_STAT_QUERIES);
	return genlmsg_reply(skb, info);

err_skb:
	nlmsg_free(skb);
	return err;
}

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
	err = bitmap_parselist(list, cpumask_bits(mask), nr_cpumask_bits);
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

static int set_mask(struct sk_buff *skb, struct genl_info *info,
		    const struct nlattr *attr)
{
	struct sock *sk = NETLINK_CB(skb).sk;
	cpumask_var_t mask;
	int err;

	err = taskacct_query_may_listen(info->extack);
	if (err)
		return err;
	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = parse_mask(mask, attr, info->extack);
	if (err)
		goto out;
	if (nla_type(attr) == TASKSTATS_CMD_ATTR_REGISTER_CPUMASK)
		err = taskacct_listeners_register(sk, info->snd_portid, mask);
	else
		err = taskacct_listeners_deregister(sk, mask, info->extack);
out:
	free_cpumask_var(mask);
	return err;
}

static int get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = NULL;
	unsigned int i;
	int err;

	err = taskacct_query_allowed(skb, info->extack);
	if (err)
		return err;

	for (i = 1; i < ARRAY_SIZE(get_policy); i++) {
		if (!info->attrs[i])
			continue;
		if (attr) {
			NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[i],
					    "more than one of PID, TGID, REGISTER_CPUMASK and DEREGISTER_CPUMASK");
			return -EINVAL;
		}
		attr = info->attrs[i];
	}
	if (!attr) {
		NL_SET_ERR_MSG(info->extack,
			       "none of PID, TGID, REGISTER_CPUMASK and DEREGISTER_CPUMASK");
		return -EINVAL;
	}

	if (nla_type(attr) == TASKSTATS_CMD_ATTR_PID ||
	    nla_type(attr) == TASKSTATS_CMD_ATTR_TGID)
		return get_stats(info, attr);
	return set_mask(skb, info, attr);
}

static bool put_u64(struct sk_buff *skb, int type, u64 value, int pad)
{
	return !nla_put_u64_64bit(skb, type, value, pad);
}

static bool put_stat(struct sk_buff *skb, int type, enum taskacct_stat stat)
{
	return put_u64(skb, type, taskacct_stat_read(stat),
		       TASKACCT_STAT_ATTR_PAD);
}

static bool put_stat_attrs(struct sk_buff *skb)
{
	return !nla_put_string(skb, TASKACCT_STAT_ATTR_HOOK,
			       taskacct_hooks_name()) &&
	       !nla_put_u32(skb, TASKACCT_STAT_ATTR_LISTENERS,
			    taskacct_listeners_count()) &&
	       !nla_put_u32(skb, TASKACCT_STAT_ATTR_GROUPS,
			    taskacct_tgid_groups()) &&
	       !nla_put_u32(skb, TASKACCT_STAT_ATTR_THREADS,
			    taskacct_tgid_threads()) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_EXITS, TASKACCT_STAT_EXITS) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_MADE, TASKACCT_STAT_MADE) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_DELIVERED,
			TASKACCT_STAT_DELIVERED) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_FILTERED,
			TASKACCT_STAT_FILTERED) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_LOST_QUEUE,
			TASKACCT_STAT_LOST_QUEUE) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_LOST_MEMORY,
			TASKACCT_STAT_LOST_MEMORY) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_GROUP_NOMEM,
			TASKACCT_STAT_GROUP_NOMEM) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_QUERIES,
			TASKACCT_STAT_QUERIES);
}

static int stat_doit(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &family, 0, TASKACCT_CMD_STAT_GET);
	if (WARN_ON_ONCE(!hdr || !put_stat_attrs(skb))) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* Where a listener is told about: one message of a reply or of a dump */
struct listener_reply {
	struct sk_buff *skb;
	u32 portid;
	u32 seq;
	int flags;
};

static bool put_listener_attrs(struct sk_buff *skb, const char *mask,
			       const struct taskacct_listener_info *info)
{
	const int pad = TASKACCT_LISTENER_ATTR_PAD;

	return !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_PORTID, info->portid) &&
	       !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_NETNS, info->netns) &&
	       !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_PID, info->pid) &&
	       !nla_put_string(skb, TASKACCT_LISTENER_ATTR_COMM, info->comm) &&
	       !nla_put_string(skb, TASKACCT_LISTENER_ATTR_CPUMASK, mask) &&
	       put_u64(skb, TASKACCT_LISTENER_ATTR_MADE, info->made, pad) &&
	       put_u64(skb, TASKACCT_LISTENER_ATTR_DELIVERED, info->delivered,
		       pad) &&
	       put_u64(skb, TASKACCT_LISTENER_ATTR_FILTERED, info->filtered,
		       pad) &&
	       put_u64(skb, TASKACCT_LISTENER_ATTR_LOST_QUEUE,
		       info->lost[TASKACCT_LOSS_QUEUE], pad) &&
	       put_u64(skb, TASKACCT_LISTENER_ATTR_LOST_MEMORY,
		       info->lost[TASKACCT_LOSS_MEMORY], pad);
}

static int tell_listener(const struct taskacct_listener_info *info, void *data)
{
	const struct listener_reply *reply = data;
	char *mask;
	void *hdr;
	int err = 0;

	mask = kasprintf(GFP_KERNEL, "%*pbl", cpumask_pr_args(info->mask));
	if (!mask)
		return -ENOMEM;
	hdr = genlmsg_put(reply->skb, reply->portid, reply->seq, &family,
			  reply->flags, TASKACCT_CMD_LISTENER_GET);
	if (hdr && put_listener_attrs(reply->skb, mask, info)) {
		genlmsg_end(reply->skb, hdr);
	} else {
		if (hdr)
			genlmsg_cancel(reply->skb, hdr);
		err = -EMSGSIZE;
	}
	kfree(mask);
	return err;
}

static int listener_doit(struct sk_buff *request, struct genl_info *info)
{
	struct listener_reply reply = {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
	};
	int err;

	/* With a list of CPUs, which can be long: "0,2,4,…" */
	reply.skb = genlmsg_new(GENLMSG_DEFAULT_SIZE + 6 * nr_cpu_ids,
				GFP_KERNEL);
	if (!reply.skb)
		return -ENOMEM;
	err = taskacct_listeners_get(NETLINK_CB(request).sk, tell_listener,
				     &reply);
	if (err) {
		if (err == -ENOENT)
			NL_SET_ERR_MSG(info->extack,
				       "this socket is not registered");
		nlmsg_free(reply.skb);
		return err;
	}
	return genlmsg_reply(reply.skb, info);
}

static int listener_start(struct netlink_callback *cb)
{
	return taskacct_query_allowed(cb->skb, cb->extack);
}

static int listener_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct listener_reply reply = {
		.skb = skb,
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
	};
	unsigned long next = cb->args[0];
	int err;

	err = taskacct_listeners_dump(&next, tell_listener, &reply);
	cb->args[0] = next;
	/* Full: the rest comes with the next call. */
	if (err == -EMSGSIZE && skb->len)
		return skb->len;
	return err ?: skb->len;
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
		.dumpit = listener_dumpit,
	},
};

static struct genl_family family = {
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

	if (!*name || strscpy(family.name, name, sizeof(family.name)) < 0) {
		pr_err("family=%s: 1 to %zu characters\n", name,
		       sizeof(family.name) - 1);
		return -EINVAL;
	}
	err = genl_register_family(&family);
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
	genl_unregister_family(&family);
}
