// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users over the family
 */

#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "privilege/privilege.h"
#include "record/record.h"

#include "snapshot.h"
#include "totals.h"
#include "uid.h"

static int check_on(struct netlink_ext_ack *extack)
{
	if (static_branch_unlikely(&taskacct_uid_on))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "users are not counted: load the module with uid=1");
	return -EOPNOTSUPP;
}

/* Both who opened the socket and who sends have to be the user who reads. */
static int access_of(kuid_t *only, struct sk_buff *request,
		     struct netlink_ext_ack *extack)
{
	const bool privileged =
		taskacct_privilege_of_request(request, TASKACCT_PRIVILEGE_USERS,
					      &init_user_ns);
	int err = taskacct_access_users(only, privileged, extack);

	if (err || !uid_valid(*only) ||
	    uid_eq(NETLINK_CB(request).sk->sk_uid, *only))
		return err;
	NL_SET_ERR_MSG(extack, "the socket is another user's");
	return -EPERM;
}

/* There is room for it, and nothing to fill up behind it. */
static __always_inline void put_attr(struct sk_buff *skb, int type,
				     const void *data, size_t size)
{
	struct nlattr *attr = __skb_put(skb, nla_attr_size(size));

	*attr = (struct nlattr){ nla_attr_size(size), type };
	memcpy(nla_data(attr), data, size);
}

/* With padding before it where its value would not be aligned without */
static __always_inline void put_aligned(struct sk_buff *skb, int type,
					const void *data, size_t size)
{
	if (nla_need_padding_for_64bit(skb))
		put_attr(skb, TASKACCT_UID_ATTR_PAD, NULL, 0);
	put_attr(skb, type, data, size);
}

/* Waits of one kind, as a message has them; see struct taskacct_record_wait */
struct wait_attr {
	struct nlattr before;
	struct nlattr attr;
	struct taskacct_uid_wait wait;
};

/*
 * Of all kinds, behind a value of 64 bits: what is before the first is the attribute that
 * they are in.
 */
static void put_waits(struct sk_buff *skb, int type,
		      const struct taskacct_uid_wait *waits)
{
	const size_t size = TASKACCT_WAITS * sizeof(struct wait_attr);
	struct wait_attr *to = __skb_put(skb, size);
	unsigned int i;

	/* Unrolled, each pair of headers is one constant: half as many instructions. */
#pragma GCC unroll 16
	for (i = 0; i < TASKACCT_WAITS; i++)
		to[i] = (struct wait_attr){
			{ NLA_HDRLEN, TASKACCT_WAITS_ATTR_PAD },
			{ nla_attr_size(sizeof(*waits)),
			  TASKACCT_WAITS_ATTR_CPU + i },
			waits[i],
		};
	to->before = (struct nlattr){ size, type | NLA_F_NESTED };
}

static void put_used(struct sk_buff *skb, int type, int waits_type,
		     const struct taskacct_uid_used *used)
{
	put_aligned(skb, type, &used->value, sizeof(used->value));
	put_waits(skb, waits_type, used->wait);
}

/* Not nla_put_64bit(), which takes a hundred instructions besides those that copy */
static void put_row(struct sk_buff *skb, const struct taskacct_uid_row *row,
		    unsigned int states)
{
	put_attr(skb, TASKACCT_UID_ATTR_UID, &row->record.uid, sizeof(u32));
	put_aligned(skb, TASKACCT_UID_ATTR_RECORD, &row->record,
		    sizeof(row->record));
	put_used(skb, TASKACCT_UID_ATTR_FOREGROUND,
		 TASKACCT_UID_ATTR_FOREGROUND_WAITS,
		 &row->usage[TASKACCT_UID_FOREGROUND]);
	if (states > TASKACCT_UID_BACKGROUND)
		put_used(skb, TASKACCT_UID_ATTR_BACKGROUND,
			 TASKACCT_UID_ATTR_BACKGROUND_WAITS,
			 &row->usage[TASKACCT_UID_BACKGROUND]);
}

/* What a message takes at most */
static size_t answer_size(unsigned int states)
{
	const size_t used =
		nla_total_size_64bit(sizeof(struct taskacct_uid_usage)) +
		TASKACCT_WAITS * sizeof(struct wait_attr);
	const size_t attrs =
		nla_total_size(sizeof(u32)) +
		nla_total_size_64bit(sizeof(struct taskacct_uid_record)) +
		states * used;

	return nlmsg_total_size(GENL_HDRLEN + attrs);
}

static int put_user_answer(struct sk_buff *skb, u32 portid, u32 seq, int flags,
			   const struct taskacct_uid_snapshot *snapshot, unsigned int i)
{
	struct nlmsghdr *nlh;

	if (skb_tailroom(skb) < answer_size(snapshot->states))
		return -EMSGSIZE;
	nlh = taskacct_message_begin(skb, TASKACCT_CMD_UID_GET, portid,
				     seq, flags);
	put_row(skb, taskacct_uid_snapshot_at(snapshot, i), snapshot->states);
	nlmsg_end(skb, nlh);
	return 0;
}

static int asked_uid(kuid_t *uid, struct sk_buff *request,
		     struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[TASKACCT_UID_ATTR_UID];
	kuid_t only;
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "no UID; all are had with a dump");
		return -EINVAL;
	}
	*uid = make_kuid(current_user_ns(), nla_get_u32(attr));
	if (!uid_valid(*uid)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "no such user id here");
		return -EINVAL;
	}
	err = access_of(&only, request, info->extack);
	if (err || !uid_valid(only) || uid_eq(*uid, only))
		return err;
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "others than one's own need CAP_SYS_PTRACE or CAP_PERFMON in the initial user namespace");
	return -EPERM;
}

static int reply_users(struct genl_info *info, const struct taskacct_uid_snapshot *snapshot)
{
	struct sk_buff *skb;
	int err;

	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	err = put_user_answer(skb, info->snd_portid, info->snd_seq, 0, snapshot, 0);
	if (WARN_ON_ONCE(err)) {
		nlmsg_free(skb);
		return err;
	}
	return genlmsg_reply(skb, info);
}

/**
 * taskacct_uid_netlink_get() - answer for one user
 * @request: the request
 * @info: of the request
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_uid_netlink_get(struct sk_buff *request, struct genl_info *info)
{
	struct taskacct_uid_snapshot snapshot;
	kuid_t uid;
	int err;

	err = check_on(info->extack);
	if (err)
		return err;
	err = asked_uid(&uid, request, info);
	if (err)
		return err;
	err = taskacct_uid_totals_read(&snapshot, TASKACCT_UID_RECORDS, uid,
				       current_user_ns());
	if (err)
		return err;
	if (snapshot.nr) {
		err = reply_users(info, &snapshot);
	} else {
		NL_SET_ERR_MSG(info->extack, "no task of this user was seen");
		err = -ENOENT;
	}
	taskacct_uid_snapshot_free(&snapshot);
	return err;
}

/**
 * taskacct_uid_netlink_start() - begin a dump: of all users, or of one's own
 * @cb: the request's
 *
 * Context: the request's task, may sleep.
 * Return: 0 or an error.
 */
int taskacct_uid_netlink_start(struct netlink_callback *cb)
{
	struct taskacct_uid_snapshot *snapshot;
	kuid_t only;
	int err;

	err = check_on(cb->extack);
	if (err)
		return err;
	if (taskacct_genl_dump_attrs(cb)[TASKACCT_UID_ATTR_UID]) {
		NL_SET_ERR_MSG(cb->extack, "a dump is of all: without UID");
		return -EINVAL;
	}
	err = access_of(&only, cb->skb, cb->extack);
	if (err)
		return err;
	snapshot = kzalloc(sizeof(*snapshot), GFP_KERNEL_ACCOUNT);
	if (!snapshot)
		return -ENOMEM;
	err = taskacct_uid_totals_read(snapshot, TASKACCT_UID_RECORDS, only,
				       current_user_ns());
	if (err) {
		kfree(snapshot);
		return err;
	}
	cb->args[0] = (long)snapshot;
	return 0;
}

/**
 * taskacct_uid_netlink_dump() - write as many users as there is room for
 * @skb: the datagram
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: length of the datagram, 0 when all has been reported, or -EMSGSIZE if
 *	not even one fits.
 */
int taskacct_uid_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct taskacct_uid_snapshot *snapshot =
		(const struct taskacct_uid_snapshot *)cb->args[0];
	int err = 0;

	for (; cb->args[1] < snapshot->nr; cb->args[1]++) {
		err = put_user_answer(skb, NETLINK_CB(cb->skb).portid,
				      cb->nlh->nlmsg_seq, NLM_F_MULTI, snapshot,
				      cb->args[1]);
		if (err)
			break;
	}
	return skb->len ?: err;
}

/**
 * taskacct_uid_netlink_done() - end a dump
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: 0.
 */
int taskacct_uid_netlink_done(struct netlink_callback *cb)
{
	struct taskacct_uid_snapshot *snapshot =
		(struct taskacct_uid_snapshot *)cb->args[0];

	taskacct_uid_snapshot_free(snapshot);
	kfree(snapshot);
	return 0;
}
