// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users over the family
 */

#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/minmax.h>
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

/* Waits of one kind, as a message has them; see struct taskacct_record_wait */
struct wait_attr {
	struct nlattr before;
	struct nlattr attr;
	struct taskacct_uid_wait wait;
};

/* What was used in one state; what is before the first of the waits is their nest. */
struct used_attrs {
	struct nlattr attr[TASKACCT_NLA_PADDING + 1];
	struct taskacct_uid_usage value;
	struct wait_attr waits[TASKACCT_WAITS];
} __packed __aligned(NLA_ALIGNTO);

/* The same in all messages of an answer */
struct user_headers {
	struct nlmsghdr netlink;
	struct genlmsghdr genl;
};

/**
 * struct user_message - the message of a user
 * @headers: the same in all of an answer
 * @uid_attr: the attribute UID
 * @uid: its value
 * @record_attr: the attribute RECORD, whose value needs no padding here
 * @record: its value
 * @used: by state
 */
struct user_message {
	struct user_headers headers;
	struct nlattr uid_attr;
	u32 uid;
	struct nlattr record_attr;
	struct taskacct_uid_record record;
	struct used_attrs used[];
} __packed __aligned(NLA_ALIGNTO);

static __always_inline void put_waits(struct wait_attr *to, int type,
				      const struct taskacct_uid_wait *waits)
{
	unsigned int i;

	/* Unrolled, each pair of headers is one constant: half as many instructions. */
#pragma GCC unroll 16
	for (i = 0; i < TASKACCT_WAITS; i++)
		to[i] = (struct wait_attr){
			{ NLA_HDRLEN, TASKACCT_WAITS_ATTR_PAD },
			{ nla_attr_size(sizeof(*waits)), TASKACCT_WAITS_ATTR_CPU + i },
			waits[i],
		};
	to->before = (struct nlattr){ TASKACCT_WAITS * sizeof(*to), type | NLA_F_NESTED };
}

static __always_inline void put_used(struct used_attrs *to, unsigned int state,
				     const struct taskacct_uid_used *used)
{
	to->attr[0] = (struct nlattr){ NLA_HDRLEN, TASKACCT_UID_ATTR_PAD };
	to->attr[TASKACCT_NLA_PADDING] = (struct nlattr){
		nla_attr_size(sizeof(to->value)),
		TASKACCT_UID_ATTR_FOREGROUND + state,
	};
	to->value = used->value;
	put_waits(to->waits, TASKACCT_UID_ATTR_FOREGROUND_WAITS + state, used->wait);
}

/* Not nla_put_64bit(), which takes a hundred instructions besides those that copy */
static __always_inline void put_user_attrs(struct user_message *to,
					   const struct taskacct_uid_row *row,
					   unsigned int states)
{
	unsigned int i;

	BUILD_BUG_ON(offsetof(struct user_message, record) % sizeof(u64));
	BUILD_BUG_ON(TASKACCT_UID_ATTR_BACKGROUND - TASKACCT_UID_ATTR_FOREGROUND != 1);
	BUILD_BUG_ON(TASKACCT_UID_ATTR_BACKGROUND_WAITS -
		     TASKACCT_UID_ATTR_FOREGROUND_WAITS != 1);
	to->uid_attr = (struct nlattr){ nla_attr_size(sizeof(to->uid)),
					TASKACCT_UID_ATTR_UID };
	to->uid = row->record.uid;
	to->record_attr = (struct nlattr){ nla_attr_size(sizeof(to->record)),
					   TASKACCT_UID_ATTR_RECORD };
	to->record = row->record;
	for (i = 0; i < states; i++)
		put_used(&to->used[i], i, &row->usage[i]);
}

static struct user_headers headers_of(const struct taskacct_uid_snapshot *snapshot,
				      u32 portid, u32 seq, int flags)
{
	return (struct user_headers){
		.netlink = {
			.nlmsg_len = sizeof(struct user_message) +
				     snapshot->states * sizeof(struct used_attrs),
			.nlmsg_type = taskacct_family.id,
			.nlmsg_flags = flags,
			.nlmsg_seq = seq,
			.nlmsg_pid = portid,
		},
		.genl = {
			.cmd = TASKACCT_CMD_UID_GET,
			.version = taskacct_family.version,
		},
	};
}

/* Writes messages of as many users as there is room for, in one go; returns how many. */
static noinline unsigned int put_users(struct sk_buff *skb,
				       const struct user_headers *headers,
				       const struct taskacct_uid_snapshot *snapshot,
				       unsigned int first)
{
	const unsigned int size = headers->netlink.nlmsg_len;
	const unsigned int n = min_t(unsigned int, snapshot->nr - first,
				     skb_tailroom(skb) / size);
	void *to = __skb_put(skb, n * size);
	unsigned int i;

	for (i = first; i < first + n; i++, to += size) {
		((struct user_message *)to)->headers = *headers;
		put_user_attrs(to, taskacct_uid_snapshot_at(snapshot, i),
			       snapshot->states);
	}
	return n;
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

static int reply_user(struct genl_info *info, const struct taskacct_uid_snapshot *snapshot)
{
	const struct user_headers headers = headers_of(snapshot, info->snd_portid,
						       info->snd_seq, 0);
	struct sk_buff *skb = nlmsg_new(headers.netlink.nlmsg_len, GFP_KERNEL);

	if (!skb)
		return -ENOMEM;
	put_users(skb, &headers, snapshot, 0);
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
		err = reply_user(info, &snapshot);
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
	const struct user_headers headers = headers_of(snapshot, NETLINK_CB(cb->skb).portid,
						       cb->nlh->nlmsg_seq, NLM_F_MULTI);

	cb->args[1] += put_users(skb, &headers, snapshot, cb->args[1]);
	if (!skb->len && cb->args[1] < snapshot->nr)
		return -EMSGSIZE;
	return skb->len;
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
