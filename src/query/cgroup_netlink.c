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

	if (!record)
		return !nla_put(skb, CGROUPSTATS_TYPE_CGROUP_STATS,
				sizeof(*stats), stats);
	to = taskacct_message_record(skb);
	if (!to)
		return false;
	*to = *record;
	return !nla_put_64bit(skb, TASKACCT_TYPE_CGROUP_STATS, sizeof(*stats),
			      stats, TASKACCT_TYPE_PAD);
}

static int reply_cgroup(struct genl_info *info, int cmd,
			const struct cgroupstats *stats,
			const struct taskacct_full_record *record)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(nla_total_size_64bit(sizeof(*stats)) +
				  nla_total_size_64bit(sizeof(*record)),
			  GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &taskacct_family, 0, cmd);
	if (WARN_ON_ONCE(!hdr || !put_cgroup(skb, stats, record))) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static int get_stats(struct cgroupstats *stats, const struct nlattr *fd,
		     struct netlink_ext_ack *extack)
{
	if (fd)
		return taskacct_cgroup_stats(stats, nla_get_u32(fd), extack);
	NL_SET_ERR_MSG(extack, "no FD");
	return -EINVAL;
}

/**
 * taskacct_cgroup_netlink_get() - tell what the tasks of a cgroup are doing
 * @info: of the request
 *
 * How many do what: open to all who can open the directory, as in-tree.
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_cgroup_netlink_get(struct genl_info *info)
{
	struct cgroupstats stats;
	int err = get_stats(&stats, info->attrs[CGROUPSTATS_CMD_ATTR_FD],
			    info->extack);

	return err ?: reply_cgroup(info, TASKACCT_CMD_CGROUP_NEW, &stats, NULL);
}

/**
 * taskacct_cgroup_netlink_total() - tell what they have used as well
 * @request: the request
 * @info: of the request, with TASKACCT_CMD_ATTR_CGROUP_FD
 * @want: TASKACCT_WANT_*
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_cgroup_netlink_total(struct sk_buff *request,
				  struct genl_info *info, u32 want)
{
	const struct nlattr *fd = info->attrs[TASKACCT_CMD_ATTR_CGROUP_FD];
	struct taskacct_full_record record;
	struct cgroupstats stats;
	int err;

	if (want & ~(TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE)) {
		NL_SET_ERR_MSG(info->extack, "a cgroup has nothing but RECORD");
		return -EINVAL;
	}
	err = get_stats(&stats, fd, info->extack) ?:
	      taskacct_access_allowed(request, info->extack);
	if (!err)
		err = taskacct_cgroup_record(&record, nla_get_u32(fd),
					     info->extack);
	return err ?: reply_cgroup(info, TASKACCT_CMD_TASK_GET, &stats, &record);
}
