// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module did, over the family
 */

#include <linux/bug.h>
#include <linux/jump_label.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "base/base.h"
#include "hooks/hooks.h"
#include "listen/listen.h"
#include "tgid/tgid.h"
#include "uid/uid.h"

#include "stat_netlink.h"

static bool put_stat(struct sk_buff *skb, int type, enum taskacct_stat stat)
{
	return !nla_put_u64_64bit(skb, type, taskacct_stat_read(stat),
				  TASKACCT_STAT_ATTR_PAD);
}

/* All 0 without uid=1 */
static bool put_uid_stat_attrs(struct sk_buff *skb)
{
	const bool on = static_key_enabled(&taskacct_uid_on);

	return !nla_put_u32(skb, TASKACCT_STAT_ATTR_UIDS,
			    on ? taskacct_uid_entry_count() : 0) &&
	       !nla_put_u32(skb, TASKACCT_STAT_ATTR_UID_TASKS,
			    on ? taskacct_uid_task_count() : 0) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_UID_REST,
			TASKACCT_STAT_UID_REST) &&
	       put_stat(skb, TASKACCT_STAT_ATTR_UID_NOMEM,
			TASKACCT_STAT_UID_NOMEM) &&
	       !nla_put_string(skb, TASKACCT_STAT_ATTR_UID_HOOK,
			       taskacct_hooks_setuid_name()) &&
	       !nla_put_string(skb, TASKACCT_STAT_ATTR_FSYNC_HOOK,
			       taskacct_hooks_fsync_name());
}

static bool put_stat_attrs(struct sk_buff *skb)
{
	return !nla_put_string(skb, TASKACCT_STAT_ATTR_HOOK,
			       taskacct_hooks_name()) &&
	       !nla_put_string(skb, TASKACCT_STAT_ATTR_END_HOOK,
			       taskacct_hooks_end_name()) &&
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
			TASKACCT_STAT_QUERIES) &&
	       put_uid_stat_attrs(skb) &&
	       !nla_put_u64_64bit(skb, TASKACCT_STAT_ATTR_EXITS_MISSED,
				  taskacct_hooks_missed(),
				  TASKACCT_STAT_ATTR_PAD);
}

/**
 * taskacct_stat_netlink_get() - answer with all counters
 * @info: of the request
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_stat_netlink_get(struct genl_info *info)
{
	struct sk_buff *skb;
	void *hdr;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	hdr = genlmsg_put_reply(skb, info, &taskacct_family, 0, TASKACCT_CMD_STAT_GET);
	if (WARN_ON_ONCE(!hdr || !put_stat_attrs(skb))) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}
