// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks and processes over the family
 */

#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "base/base.h"
#include "record/record.h"

#include "cgroup.h"
#include "query.h"

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

static int tell_why_not(int err, u32 kind, const struct taskacct_access *access,
			struct netlink_ext_ack *extack)
{
	if (err == -ESRCH && kind == TASKACCT_KIND_TASK)
		NL_SET_ERR_MSG(extack, "no such task");
	else if (err == -ESRCH)
		NL_SET_ERR_MSG(extack, "no such process");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG(extack,
			       "executes a program, and that takes long");
	else if (err == -EPERM && !taskacct_access_need_others(access, extack))
		NL_SET_ERR_MSG(extack,
			       "needs CAP_NET_ADMIN: not yours, or privileged, or not dumpable");
	return err;
}

static int find_answer(struct taskacct_answer *answer, u32 kind, u32 id,
		       struct taskacct_access *access)
{
	taskacct_runtime_forget();
	return kind == TASKACCT_KIND_TASK ?
		       taskacct_query_task(answer, id, access) :
		       taskacct_query_process(answer, id, access);
}

/**
 * taskacct_task_netlink_answer() - answer for a task or a process
 * @request: the request; a classic one gets a classic answer
 * @info: of the request
 * @access: of the asker
 * @id: the number that it asks for
 * @kind: TASKACCT_KIND_TASK or TASKACCT_KIND_PROCESS
 * @want: TASKACCT_WANT_*
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_task_netlink_answer(struct sk_buff *request,
				 struct genl_info *info,
				 struct taskacct_access *access,
				 const struct nlattr *id, u32 kind, u32 want)
{
	struct taskacct_shape shape = {
		.portid = info->snd_portid,
		.seq = info->snd_seq,
		.cmd = info->genlhdr->cmd == TASKACCT_CMD_GET ?
			       TASKACCT_CMD_NEW :
			       TASKACCT_CMD_TASK_GET,
		.want = want,
		.kinds = kind,
		.pid = nla_get_u32(id),
		.tgid = nla_get_u32(id),
	};
	struct taskacct_answer answer = { .extended = want & TASKACCT_WANT_RECORD };
	struct sk_buff *skb;
	int err;

	err = find_answer(&answer, kind, shape.pid, access);
	if (err)
		return tell_why_not(err, kind, access, info->extack);
	if (!taskacct_access_is_own(access, answer.task))
		err = taskacct_access_need_names(access, request, want,
						 info->extack);
	if (!err)
		err = answer_with(&skb, &answer, &shape, &access->view);
	taskacct_query_done(&answer);
	if (err)
		return err;
	taskacct_stat_inc(TASKACCT_STAT_QUERIES);
	return genlmsg_reply(skb, info);
}

/* Exactly one of those that say who is asked for, and no filter */
static int check_subject(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *filter = attrs[TASKACCT_CMD_ATTR_FILTER];
	const int n = !!attrs[TASKACCT_CMD_ATTR_PID] +
		      !!attrs[TASKACCT_CMD_ATTR_TGID] +
		      !!attrs[TASKACCT_CMD_ATTR_CGROUP_FD];

	if (filter)
		NL_SET_ERR_MSG_ATTR(extack, filter,
				    "FILTER goes with a dump only");
	else if (n > 1)
		NL_SET_ERR_MSG(extack,
			       "more than one of PID, TGID and CGROUP_FD");
	else if (!n)
		NL_SET_ERR_MSG(extack,
			       "none of PID, TGID and CGROUP_FD; all tasks are had with a dump");
	else
		return 0;
	return -EINVAL;
}

/**
 * taskacct_task_netlink_get() - answer TASK_GET
 * @request: the request
 * @info: of the request
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_task_netlink_get(struct sk_buff *request, struct genl_info *info)
{
	const struct nlattr *pid = info->attrs[TASKACCT_CMD_ATTR_PID];
	const struct nlattr *tgid = info->attrs[TASKACCT_CMD_ATTR_TGID];
	struct taskacct_access access = {};
	u32 want;
	int err;

	err = check_subject(info->attrs, info->extack);
	if (!err)
		err = taskacct_message_want(&want,
					    info->attrs[TASKACCT_CMD_ATTR_WANT],
					    info->extack);
	if (err)
		return err;
	if (!pid && !tgid)
		return taskacct_cgroup_netlink_total(request, info, want);
	err = taskacct_access_of(&access, request, info->extack);
	if (err)
		return err;
	return taskacct_task_netlink_answer(request, info, &access, pid ?: tgid,
					    pid ? TASKACCT_KIND_TASK :
						  TASKACCT_KIND_PROCESS,
					    want);
}

static int check_dump(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *id = attrs[TASKACCT_CMD_ATTR_PID] ?:
				  attrs[TASKACCT_CMD_ATTR_TGID] ?:
				  attrs[TASKACCT_CMD_ATTR_CGROUP_FD];

	if (!id)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, id,
			    "a dump is of all: only WANT and FILTER go with it");
	return -EINVAL;
}

/**
 * taskacct_task_netlink_start() - begin a dump: of all tasks or processes, or of
 *	those that the asker may ask about
 * @cb: the request's
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_task_netlink_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = taskacct_genl_dump_attrs(cb);
	struct taskacct_access access = {};
	struct taskacct_dump *dump;
	int err;

	err = check_dump(attrs, cb->extack);
	if (!err)
		err = taskacct_access_of(&access, cb->skb, cb->extack);
	if (!err)
		err = taskacct_access_need_others(&access, cb->extack);
	if (err)
		return err;
	dump = taskacct_dump_new(&access);
	if (!dump)
		return -ENOMEM;
	err = taskacct_message_want(&dump->shape.want,
				    attrs[TASKACCT_CMD_ATTR_WANT], cb->extack);
	if (!err)
		err = taskacct_access_need_names(&access, cb->skb,
						 dump->shape.want, cb->extack);
	if (!err)
		err = taskacct_filter_parse(&dump->filter, &access.view,
					    attrs[TASKACCT_CMD_ATTR_FILTER],
					    cb->extack);
	if (err) {
		taskacct_dump_free(dump);
		return err;
	}
	cb->args[0] = (long)dump;
	return 0;
}

/**
 * taskacct_task_netlink_dump() - write as many answers as there is room for
 * @skb: the datagram
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: as taskacct_dump_some().
 */
int taskacct_task_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return taskacct_dump_some((struct taskacct_dump *)cb->args[0], skb, cb);
}

/**
 * taskacct_task_netlink_done() - end a dump
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: 0.
 */
int taskacct_task_netlink_done(struct netlink_callback *cb)
{
	taskacct_dump_free((struct taskacct_dump *)cb->args[0]);
	return 0;
}
