// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners over the family
 */

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "record/record.h"

#include "listen.h"
#include "listeners.h"

/* Where a listener is told about, and to whom: a reply or a part of a dump */
struct listener_reply {
	struct sk_buff *skb;
	const struct taskacct_reach *reach;
	u32 portid;
	u32 seq;
	int flags;
};

static bool put_u64(struct sk_buff *skb, int type, u64 value, int pad)
{
	return !nla_put_u64_64bit(skb, type, value, pad);
}

static bool put_listener_attrs(struct sk_buff *skb, const char *mask, u32 pid,
			       const struct taskacct_listener_info *info)
{
	const int pad = TASKACCT_LISTENER_ATTR_PAD;

	return !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_PORTID, info->portid) &&
	       !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_NETNS, info->netns) &&
	       !nla_put_u32(skb, TASKACCT_LISTENER_ATTR_PID, pid) &&
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
		       info->lost[TASKACCT_LOSS_MEMORY], pad) &&
	       (info->sub->classic ||
		(!nla_put_u32(skb, TASKACCT_LISTENER_ATTR_WANT,
			      info->sub->want) &&
		 put_u64(skb, TASKACCT_LISTENER_ATTR_WAITING, info->waiting,
			 pad) &&
		 taskacct_filter_put(skb, TASKACCT_LISTENER_ATTR_FILTER,
				     &info->sub->filter)));
}

static int tell_listener(const struct taskacct_listener_info *info, void *data)
{
	const struct listener_reply *reply = data;
	const u32 pid = reply->reach->view.init_ids ? info->pid : info->own_pid;
	char *mask;
	void *hdr;
	int err = 0;

	mask = kasprintf(GFP_KERNEL, "%*pbl", cpumask_pr_args(info->mask));
	if (!mask)
		return -ENOMEM;
	hdr = genlmsg_put(reply->skb, reply->portid, reply->seq, &taskacct_family,
			  reply->flags, TASKACCT_CMD_LISTENER_GET);
	if (hdr && put_listener_attrs(reply->skb, mask, pid, info)) {
		genlmsg_end(reply->skb, hdr);
	} else {
		if (hdr)
			genlmsg_cancel(reply->skb, hdr);
		err = -EMSGSIZE;
	}
	kfree(mask);
	return err;
}

/**
 * taskacct_listeners_netlink_get() - answer for the listener that asks
 * @request: the request
 * @info: of the request
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_listeners_netlink_get(struct sk_buff *request,
				   struct genl_info *info)
{
	struct taskacct_reach reach = {};
	struct listener_reply reply = {
		.reach = &reach,
		.portid = info->snd_portid,
		.seq = info->snd_seq,
	};
	int err;

	/* Whoever has the socket may; it is asked only whose pids he knows. */
	taskacct_reach_of(&reach, request, NULL);
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

/**
 * taskacct_listeners_netlink_start() - begin a dump: of all listeners, or of
 *	those that the asker may know of
 * @cb: the request's
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_listeners_netlink_start(struct netlink_callback *cb)
{
	struct taskacct_reach *reach;
	int err;

	reach = kzalloc(sizeof(*reach), GFP_KERNEL_ACCOUNT);
	if (!reach)
		return -ENOMEM;
	err = taskacct_reach_of(reach, cb->skb, cb->extack);
	if (!err)
		err = taskacct_reach_need_others(reach, cb->extack);
	if (err) {
		kfree(reach);
		return err;
	}
	/* Later parts may be read by a task that has another. */
	taskacct_reach_hold(reach);
	cb->args[1] = (long)reach;
	return 0;
}

static int tell_known_listener(const struct taskacct_listener_info *info,
			       void *data)
{
	const struct listener_reply *reply = data;

	if (!taskacct_reach_knows(reply->reach, &info->sub->reach))
		return 0;
	return tell_listener(info, data);
}

/**
 * taskacct_listeners_netlink_dump() - write as many listeners as there is room
 *	for
 * @skb: the datagram
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: length of the datagram, 0 when all has been told, -EMSGSIZE if not
 *	even one fits, or another error.
 */
int taskacct_listeners_netlink_dump(struct sk_buff *skb,
				    struct netlink_callback *cb)
{
	struct listener_reply reply = {
		.skb = skb,
		.reach = (struct taskacct_reach *)cb->args[1],
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
	};
	unsigned long next = cb->args[0];
	int err;

	err = taskacct_listeners_dump(&next, tell_known_listener, &reply);
	cb->args[0] = next;
	/* Full: the rest comes with the next call. */
	if (err == -EMSGSIZE && skb->len)
		return skb->len;
	return err ?: skb->len;
}

/**
 * taskacct_listeners_netlink_done() - end a dump
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: 0.
 */
int taskacct_listeners_netlink_done(struct netlink_callback *cb)
{
	struct taskacct_reach *reach = (struct taskacct_reach *)cb->args[1];

	taskacct_reach_drop(reach);
	kfree(reach);
	return 0;
}
