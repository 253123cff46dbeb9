// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Receiving: what a listener does 10,000 times a second
 *
 * Datagrams are taken many to a system call and handed on where they lie.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>

#include "handle.h"

/*
 * What a dump fills at most. A message with two records of each kind and the
 * longest names has half of it.
 */
#define DATAGRAM_MAX 32768
#define BATCH 32

/* The kernel has no errors beyond this one. */
#define MAX_ERRNO 4095

struct ta_rx {
	struct mmsghdr msgs[BATCH];
	struct iovec iov[BATCH];
	struct sockaddr_nl from[BATCH];
	char data[BATCH][DATAGRAM_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
};

struct ta_rx *ta_rx_alloc(void)
{
	struct ta_rx *rx = malloc(sizeof(*rx));
	int i;

	if (!rx)
		return NULL;
	memset(rx->msgs, 0, sizeof(rx->msgs));
	for (i = 0; i < BATCH; i++) {
		rx->iov[i].iov_base = rx->data[i];
		rx->iov[i].iov_len = DATAGRAM_MAX;
		rx->msgs[i].msg_hdr.msg_name = &rx->from[i];
		rx->msgs[i].msg_hdr.msg_iov = &rx->iov[i];
		rx->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return rx;
}

uint64_t ta_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The kernel's own words, where it was asked for them and has some */
static void take_words(struct ta_reply *reply, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = nlmsg_data(nlh);
	const size_t length = (size_t)nlmsg_datalen(nlh);
	size_t skip = sizeof(*err);
	struct nlattr *attr;
	int left;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	/* A kernel that does not know NETLINK_CAP_ACK sends the request back. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip = offsetof(struct nlmsgerr, msg) + err->msg.nlmsg_len;
	if (skip > length)
		return;
	skip = NLMSG_ALIGN(skip);
	nla_for_each_attr(attr,
			  (struct nlattr *)((char *)nlmsg_data(nlh) + skip),
			  (int)(length - skip), left)
		if (nla_type(attr) == NLMSGERR_ATTR_MSG)
			nla_strlcpy(reply->words, attr, sizeof(reply->words));
}

static void take_end(struct ta_reply *reply, const struct nlmsghdr *nlh)
{
	const int *err = nlmsg_data(nlh);

	reply->done = true;
	if (nlmsg_datalen(nlh) >= (int)sizeof(*err) && !reply->err)
		reply->err = *err > 0 || *err < -MAX_ERRNO ? -EBADMSG : *err;
	/* An end, where an answer was due */
	if (reply->each && !reply->wait && !reply->err)
		reply->err = -EBADMSG;
	if (nlh->nlmsg_type == NLMSG_ERROR &&
	    nlmsg_datalen(nlh) >= (int)sizeof(struct nlmsgerr))
		take_words(reply, nlh);
}

static void take_reply(struct ta_reply *reply, const struct nlmsghdr *nlh)
{
	int err;

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		reply->changed = true;
	if (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE) {
		take_end(reply, nlh);
		return;
	}
	err = reply->each ? reply->each(nlh, reply->arg) : 0;
	if (err && !reply->err)
		reply->err = err;
	if (!reply->wait)
		reply->done = true;
}

bool ta_event_type(const struct nlmsghdr *nlh, enum taskacct_event_type *type)
{
	const struct genlmsghdr *genl = nlmsg_data(nlh);

	if (nlmsg_datalen(nlh) < (int)GENL_HDRLEN)
		return false;
	*type = genl->cmd == TASKACCT_CMD_GAP ? TASKACCT_EVENT_GAP :
						TASKACCT_EVENT_RECORDS;
	return genl->cmd == TASKACCT_CMD_NEW || genl->cmd == TASKACCT_CMD_GAP ||
	       genl->cmd == TASKACCT_CMD_EXIT ||
	       genl->cmd == TASKACCT_CMD_TASK_GET;
}

/* What belongs to no request says so with port 0. */
static bool take_event(struct taskacct *ta, const struct nlmsghdr *nlh,
		       uint64_t now)
{
	struct taskacct_event event = { .nlh = nlh, .time_ns = now };

	if (!ta->family.id || nlh->nlmsg_type != ta->family.id ||
	    nlh->nlmsg_pid || !ta_event_type(nlh, &event.type))
		return false;
	if (ta->handler)
		ta->handler(&event, ta->arg);
	return true;
}

static void take_datagram(struct taskacct *ta, struct ta_reply *reply,
			  char *data, int left, uint64_t now)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)data;

	for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left)) {
		if (take_event(ta, nlh, now))
			continue;
		if (reply && !reply->done && nlh->nlmsg_pid == ta->portid &&
		    nlh->nlmsg_seq == reply->seq)
			take_reply(reply, nlh);
	}
}

int ta_rx(struct taskacct *ta, struct ta_reply *reply)
{
	struct ta_rx *rx = ta->rx;
	uint64_t now;
	int i, n;

	for (i = 0; i < BATCH; i++)
		rx->msgs[i].msg_hdr.msg_namelen = sizeof(rx->from[i]);
	n = recvmmsg(ta->fd, rx->msgs, BATCH, MSG_DONTWAIT, NULL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	now = ta_now_ns();
	for (i = 0; i < n; i++) {
		/* Any process may send to this port: only the kernel counts. */
		if (rx->from[i].nl_pid ||
		    (rx->msgs[i].msg_hdr.msg_flags & MSG_TRUNC))
			continue;
		take_datagram(ta, reply, rx->data[i], (int)rx->msgs[i].msg_len,
			      now);
	}
	return n;
}

int taskacct_receive(struct taskacct *ta)
{
	int n;

	if (ta->overflow) {
		ta->overflow = false;
		return -ENOBUFS;
	}
	n = ta_rx(ta, NULL);
	if (n < 0 && n != -ENOBUFS)
		ta_fail(ta->error, sizeof(ta->error), n, NULL, "receive");
	return n;
}

void taskacct_set_handler(struct taskacct *ta, taskacct_handler handler,
			  void *arg)
{
	ta->handler = handler;
	ta->arg = arg;
}
