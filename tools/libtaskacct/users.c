// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Totals per user
 */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>

#include "handle.h"

_Static_assert(sizeof(struct taskacct_uid_usage) <=
		       sizeof(((struct taskacct_used *)NULL)->room),
	       "struct taskacct_uid_usage has outgrown its room");
_Static_assert(sizeof(struct taskacct_uid_record) <=
		       sizeof(((struct taskacct_user *)NULL)->room),
	       "struct taskacct_uid_record has outgrown its room");

/* As much as both know */
static void copy_of(void *to, size_t size, const struct nlattr *attr)
{
	size_t length = attr ? (size_t)nla_len(attr) : 0;

	memset(to, 0, size);
	if (attr)
		memcpy(to, nla_data(attr), length < size ? length : size);
}

static void copy_waits(struct taskacct_uid_wait *waits, struct nlattr *nest)
{
	struct nlattr *attr;
	int kind, left;

	if (!nest)
		return;
	nla_for_each_nested(attr, nest, left) {
		kind = nla_type(attr) - TASKACCT_WAITS_ATTR_CPU;
		if (kind >= 0 && kind < TASKACCT_WAITS)
			copy_of(&waits[kind], sizeof(*waits), attr);
	}
}

static void take_used(struct taskacct_used *used, const struct nlattr *value,
		      struct nlattr *waits)
{
	used->length = value ? (size_t)nla_len(value) : sizeof(used->value);
	copy_of(&used->value, sizeof(used->value), value);
	copy_waits(used->wait, waits);
}

/* The version from which on members are only ever added */
#define OLDEST_VERSION 3

static int parse_user(const struct nlmsghdr *nlh, struct taskacct_user *user)
{
	struct nlattr *a[TASKACCT_UID_ATTR_MAX + 1];

	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, a,
			TASKACCT_UID_ATTR_MAX, NULL) ||
	    !a[TASKACCT_UID_ATTR_RECORD])
		return -EBADMSG;
	memset(user, 0, sizeof(*user));
	copy_of(&user->record, sizeof(user->record),
		a[TASKACCT_UID_ATTR_RECORD]);
	take_used(&user->foreground, a[TASKACCT_UID_ATTR_FOREGROUND],
		  a[TASKACCT_UID_ATTR_FOREGROUND_WAITS]);
	take_used(&user->background, a[TASKACCT_UID_ATTR_BACKGROUND],
		  a[TASKACCT_UID_ATTR_BACKGROUND_WAITS]);
	return user->record.version < OLDEST_VERSION ? -EBADMSG : 0;
}

static int take_user(const struct nlmsghdr *nlh, void *arg)
{
	return parse_user(nlh, arg);
}

static int check_family(struct taskacct *ta)
{
	if (ta->family.counts)
		return 0;
	return ta_fail(ta->error, sizeof(ta->error), -EOPNOTSUPP,
		       "it is the kernel's own taskstats, which has none",
		       "users of %s", ta->family.name);
}

int taskacct_get_user(struct taskacct *ta, uint32_t uid,
		      struct taskacct_user *user)
{
	struct ta_reply reply = { .each = take_user, .arg = user };
	struct nl_msg *msg;
	int err = check_family(ta);

	if (err)
		return err;
	msg = ta_message(ta, TASKACCT_CMD_UID_GET, 0);
	if (msg && nla_put_u32(msg, TASKACCT_UID_ATTR_UID, uid)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, msg, &reply, "user %u", uid);
}

/* A dump of users, while it comes in */
struct users_dump {
	void (*each)(const struct taskacct_user *user, void *arg);
	void *arg;
};

static int take_dumped(const struct nlmsghdr *nlh, void *arg)
{
	const struct users_dump *dump = arg;
	struct taskacct_user user;
	int err = parse_user(nlh, &user);

	if (!err)
		dump->each(&user, dump->arg);
	return err;
}

int taskacct_users(struct taskacct *ta,
		   void (*each)(const struct taskacct_user *user, void *arg),
		   void *arg)
{
	struct users_dump dump = { .each = each, .arg = arg };
	struct ta_reply reply = { .each = take_dumped, .arg = &dump };
	int err = check_family(ta);

	if (err)
		return err;
	err = ta_request(ta, ta_message(ta, TASKACCT_CMD_UID_GET, NLM_F_DUMP),
			 &reply, "users");
	/* Not on all kernels has netlink a place for words there. */
	if (err == -EOPNOTSUPP && !*reply.words)
		ta_fail(ta->error, sizeof(ta->error), err,
			"they are not counted: load the module with uid=1",
			"users");
	return err;
}
