// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups over the family
 */

#include <linux/bug.h>
#include <linux/cgroupstats.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "cgroup.h"
#include "query.h"

static bool put_cgroup(struct sk_buff *skb, const struct cgroupstats *stats,
		       const struct taskacct_full_record *record)
{
	struct taskacct_full_record *to;

	if (nla_put(skb, CGROUPSTATS_TYPE_CGROUP_STATS, sizeof(*stats), stats))
		return false;
	if (!record)
		return true;
	to = taskacct_message_record(skb);
	if (to)
		*to = *record;
	return to;
}

static int reply_cgroup(struct genl_info *info, const struct cgroupstats *stats,
			const struct taskacct_full_record *record)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(nla_total_size(sizeof(*stats)) +
				  nla_total_size_64bit(sizeof(*record)),
			  GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &taskacct_family, 0, TASKACCT_CMD_CGROUP_NEW);
	if (WARN_ON_ONCE(!hdr || !put_cgroup(skb, stats, record))) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/**
 * taskacct_cgroup_netlink_get() - answer for one cgroup
 * @request: the request
 * @info: of the request
 *
 * How many do what is told to all who can open the folder, as in-tree.
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_cgroup_netlink_get(struct sk_buff *request, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[CGROUPSTATS_CMD_ATTR_FD];
	struct taskacct_full_record record;
	struct cgroupstats stats;
	u32 want;
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "no FD");
		return -EINVAL;
	}
	err = taskacct_message_want(&want, info->attrs, info->extack);
	if (err)
		return err;
	if (want & ~TASKACCT_WANT_RECORD) {
		NL_SET_ERR_MSG(info->extack, "a cgroup has nothing but RECORD");
		return -EINVAL;
	}
	err = taskacct_cgroup_stats(&stats, nla_get_u32(attr), info->extack);
	if (err)
		return err;
	if (!want)
		return reply_cgroup(info, &stats, NULL);
	err = taskacct_reach_allowed(request, info->extack);
	if (!err)
		err = taskacct_cgroup_record(&record, nla_get_u32(attr),
					     info->extack);
	return err ?: reply_cgroup(info, &stats, &record);
}
