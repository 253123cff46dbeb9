// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Opening a socket, finding the family, asking and being answered
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "handle.h"

/*
 * The kernel answers within the call, but behind what the queue has already.
 * This is how long nothing at all may come, for what nobody thought of.
 */
#define ANSWER_MS 5000

/* After an overflow the answer may have been dropped: ask again sooner. */
#define DROPPED_MS 100
#define TRIES 10

int ta_fail(char *error, size_t size, int err, const char *words,
	    const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(error, size, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < size)
		snprintf(error + n, size - (size_t)n, ": %s",
			 words && *words ? words : strerror(-err));
	return err;
}

struct nl_msg *ta_message(struct taskacct *ta, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, ta->portid, 0, ta->family.id, 0, flags,
				(uint8_t)cmd, TASKACCT_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Takes what comes in; it may go on coming in without end. */
static int await_some(struct taskacct *ta, struct ta_reply *reply, int wait)
{
	struct pollfd pfd = { .fd = ta->fd, .events = POLLIN };

	if (poll(&pfd, 1, wait) < 0)
		return errno == EINTR ? 0 : -errno;
	return ta_rx(ta, reply);
}

/* Returns 1 to ask again: the answer may have been dropped. */
static int await(struct taskacct *ta, struct ta_reply *reply)
{
	int64_t now = clock_ms(), until = now + ANSWER_MS;
	bool overflow = false;
	int err;

	while (!reply->done) {
		if (now >= until)
			return !overflow   ? -ETIMEDOUT :
			       reply->dump ? -ENOBUFS :
					     1;
		err = await_some(ta, reply, (int)(until - now));
		now = clock_ms();
		if (err == -ENOBUFS) {
			if (!overflow)
				until = now + DROPPED_MS;
			overflow = true;
			ta->overflow = true;
		} else if (err < 0) {
			return err;
		} else if (err > 0 && (!overflow || reply->dump)) {
			until = now + ANSWER_MS;
		}
	}
	return reply->err;
}

static int send_and_await(struct taskacct *ta, struct nl_msg *msg,
			  struct ta_reply *reply)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	int err;

	nlh->nlmsg_flags |= NLM_F_REQUEST;
	nlh->nlmsg_seq = ++ta->seq;
	reply->seq = nlh->nlmsg_seq;
	reply->dump = (nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	reply->wait = reply->dump || (nlh->nlmsg_flags & NLM_F_ACK);
	reply->changed = false;
	reply->done = false;
	reply->err = 0;
	reply->words[0] = '\0';

	errno = 0;
	err = nl_send(ta->sk, msg);
	if (err < 0)
		return errno ? -errno : -EIO;
	return await(ta, reply);
}

int ta_request(struct taskacct *ta, struct nl_msg *msg, struct ta_reply *reply,
	       const char *fmt, ...)
{
	char what[TA_ERROR_MAX / 2];
	int err = -ENOMEM, tries = 0;
	va_list args;

	if (msg) {
		do {
			err = send_and_await(ta, msg, reply);
		} while (err == 1 && ++tries < TRIES);
		nlmsg_free(msg);
	}
	if (err == 1)
		err = -ENOBUFS;
	if (!err)
		return 0;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return ta_fail(ta->error, sizeof(ta->error), err,
		       msg ? reply->words : NULL, "%s", what);
}

static void take_op(struct ta_family *family, const struct nlattr *op)
{
	struct nlattr *attr;
	uint32_t id = 0;
	int left;

	nla_for_each_nested(attr, op, left)
		if (nla_type(attr) == CTRL_ATTR_OP_ID &&
		    nla_len(attr) >= (int)sizeof(id))
			id = nla_get_u32(attr);
	if (id == TASKACCT_CMD_LISTENER_GET)
		family->counts = true;
	if (id == TASKACCT_CMD_TASK_GET)
		family->has_records = true;
}

static void take_ops(struct ta_family *family, const struct nlattr *ops)
{
	struct nlattr *op;
	int left;

	nla_for_each_nested(op, ops, left)
		take_op(family, op);
	family->has_records &= family->counts;
}

bool ta_family_parse(struct ta_family *family, const struct nlmsghdr *nlh)
{
	struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	struct genlmsghdr *genl;

	if (nlh->nlmsg_type != GENL_ID_CTRL ||
	    !nlmsg_valid_hdr(nlh, GENL_HDRLEN))
		return false;
	genl = nlmsg_data(nlh);
	if (genl->cmd != CTRL_CMD_NEWFAMILY ||
	    nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, attrs,
			CTRL_ATTR_MAX, NULL) ||
	    !attrs[CTRL_ATTR_FAMILY_ID] || !attrs[CTRL_ATTR_FAMILY_NAME] ||
	    nla_len(attrs[CTRL_ATTR_FAMILY_ID]) < (int)sizeof(uint16_t))
		return false;
	memset(family, 0, sizeof(*family));
	family->id = nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]);
	nla_strlcpy(family->name, attrs[CTRL_ATTR_FAMILY_NAME], TA_FAMILY_MAX);
	if (attrs[CTRL_ATTR_OPS])
		take_ops(family, attrs[CTRL_ATTR_OPS]);
	return true;
}

static int take_family(const struct nlmsghdr *nlh, void *arg)
{
	struct taskacct *ta = arg;

	if (!ta_family_parse(&ta->family, nlh))
		return -EBADMSG;
	free(ta->family_message);
	ta->family_message = malloc(nlh->nlmsg_len);
	if (!ta->family_message)
		return -ENOMEM;
	memcpy(ta->family_message, nlh, nlh->nlmsg_len);
	return 0;
}

static int find_family(struct taskacct *ta, const char *family)
{
	struct ta_reply reply = { .each = take_family, .arg = ta };
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && (!genlmsg_put(msg, ta->portid, 0, GENL_ID_CTRL, 0, 0,
				 CTRL_CMD_GETFAMILY, 1) ||
		    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, family))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, msg, &reply, "family %s", family);
}

static int connect_socket(struct taskacct *ta)
{
	struct stat netns;
	int err, on = 1;

	ta->sk = nl_socket_alloc();
	ta->rx = ta_rx_alloc();
	if (!ta->sk || !ta->rx)
		return ta_fail(ta->error, sizeof(ta->error), -ENOMEM, NULL,
			       "netlink socket");
	errno = 0;
	err = nl_connect(ta->sk, NETLINK_GENERIC);
	if (err)
		return ta_fail(ta->error, sizeof(ta->error),
			       errno ? -errno : -EIO, NULL, "netlink socket");
	ta->fd = nl_socket_get_fd(ta->sk);
	ta->portid = nl_socket_get_local_port(ta->sk);
	ta->netns = stat("/proc/self/ns/net", &netns) ? 0 : netns.st_ino;

	/* Words are a comfort: a kernel without them is no failure. */
	setsockopt(ta->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(ta->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

int taskacct_open(struct taskacct **handle, const char *family)
{
	struct taskacct *ta;
	int err;

	ta = calloc(1, sizeof(*ta));
	*handle = ta;
	if (!ta)
		return -ENOMEM;
	ta->fd = -1;
	if (strlen(family) >= TA_FAMILY_MAX)
		return ta_fail(ta->error, sizeof(ta->error), -EINVAL,
			       "a name has 15 characters at most", "family %s",
			       family);
	err = connect_socket(ta);
	return err ? err : find_family(ta, family);
}

void taskacct_close(struct taskacct *ta)
{
	if (!ta)
		return;
	if (ta->sk)
		nl_socket_free(ta->sk);
	free(ta->family_message);
	free(ta->rx);
	free(ta);
}

const char *taskacct_error(const struct taskacct *ta)
{
	return ta->error;
}

bool taskacct_counts_losses(const struct taskacct *ta)
{
	return ta->family.counts;
}

bool taskacct_has_records(const struct taskacct *ta)
{
	return ta->family.has_records;
}

const char *taskacct_family(const struct taskacct *ta)
{
	return ta->family.name;
}

unsigned int taskacct_family_type(const struct taskacct *ta)
{
	return ta->family.id;
}

const struct nlmsghdr *taskacct_family_message(const struct taskacct *ta)
{
	return ta->family_message;
}

int taskacct_fd(const struct taskacct *ta)
{
	return ta->fd;
}
