// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers: each request that wants one gets one, of the right form, with what
 * has to be in it; and nothing comes that nobody asked for.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "attr.h"
#include "judge.h"

void judge_wrong(struct judge *j, const char *fmt, ...)
{
	va_list args;

	if (j->why[0])
		return;
	va_start(args, fmt);
	vsnprintf(j->why, sizeof(j->why), fmt, args);
	va_end(args);
}

/* What comes for which request; of some several, up to the end of the dump */
static const struct {
	uint8_t cmd;
	bool several;
	void (*judge)(struct judge *j, struct expected *e,
		      const struct nlmsghdr *nlh);
} answers[] = {
	[ANSWER_RECORD] = { TASKACCT_CMD_NEW, false, judge_answer_task },
	[ANSWER_CGROUP] = { TASKACCT_CMD_CGROUP_NEW, false,
			    judge_answer_cgroup },
	[ANSWER_STATUS] = { TASKACCT_CMD_STAT_GET, false, judge_answer_status },
	[ANSWER_LISTENER] = { TASKACCT_CMD_LISTENER_GET, false,
			      judge_answer_listener },
	[ANSWER_LISTENERS] = { TASKACCT_CMD_LISTENER_GET, true,
			       judge_dumped_listener },
	[ANSWER_TASKS] = { TASKACCT_CMD_NEW, true, judge_dumped_task },
	[ANSWER_USER] = { TASKACCT_CMD_UID_GET, false, judge_answer_user },
	[ANSWER_USERS] = { TASKACCT_CMD_UID_GET, true, judge_dumped_user },
};

static const char *words_of(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	size_t skip = sizeof(*err), left;
	const struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - NLMSG_HDRLEN;
	skip = NLMSG_ALIGN(skip);
	left = nlh->nlmsg_len - NLMSG_HDRLEN;
	for (; skip + NLA_HDRLEN <= left; skip += NLA_ALIGN(attr->nla_len)) {
		attr = (const struct nlattr *)((const char *)err + skip);
		if (!attr_fits(attr, left - skip))
			return NULL;
		if (attr->nla_type == NLMSGERR_ATTR_MSG)
			return attr_data(attr);
	}
	return NULL;
}

static bool is_allowed(const struct judge *j, const struct expected *e, int err)
{
	if (e->any_mask_error)
		return err == -EINVAL || err == -ERANGE || err == -EOVERFLOW;
	if (err == e->error || (e->or_error && err == e->or_error) ||
	    (e->or_denied && err == -EPERM))
		return true;
	/* What netlink says where a queue is full, and a dump stuck in it */
	if (!j->sock->tight && !j->overflow)
		return false;
	if (e->dump && err == -EBUSY)
		return true;
	return e->answer != ANSWER_NONE &&
	       (err == -EAGAIN || err == -ENOBUFS);
}

/* Requests that come when a datagram has taken so long are refused. */
#define BUDGET_NS 500000000LL

static bool is_late(const struct judge *j, const struct expected *e, int err)
{
	return err == -EBUSY && e != j->expected && j->took_ns >= BUDGET_NS &&
	       !is_allowed(j, e, err);
}

static void judge_error(struct judge *j, struct expected *e,
			const struct nlmsghdr *nlh, int err)
{
	const struct nlmsgerr *msg = NLMSG_DATA(nlh);
	const char *words = words_of(nlh);
	const size_t body = e->nlh->nlmsg_len - NLMSG_HDRLEN;

	j->tally->errors[-err < ERRORS_MAX ? -err : ERRORS_MAX - 1]++;
	e->failed = true;
	e->done = true;
	j->late = is_late(j, e, err);
	if (j->late)
		return;
	/* An answer that found no room was made, and counted. */
	j->tally->maybe_queries += e->answer == ANSWER_RECORD && err == -EAGAIN;
	if (!is_allowed(j, e, err))
		judge_wrong(j, "error %d, not %d", err, e->error);
	if (e->answers)
		judge_wrong(j, "error %d after an answer", err);
	if (j->sock->ext_ack && e->words &&
	    (err == (e->error ?: e->or_error) || err == -EPERM) &&
	    !(words && *words))
		judge_wrong(j, "error %d without words", err);
	if (!j->sock->cap_ack && !(nlh->nlmsg_flags & NLM_F_CAPPED) &&
	    (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) + body ||
	     memcmp(NLMSG_DATA(&msg->msg), NLMSG_DATA(e->nlh), body)))
		judge_wrong(j, "error %d repeats another request", err);
}

static void judge_ack(struct judge *j, struct expected *e,
		      const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *msg = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) ||
	    memcmp(&msg->msg, e->nlh, NLMSG_HDRLEN)) {
		judge_wrong(j, "acknowledges another request");
		return;
	}
	if (msg->error < 0) {
		judge_error(j, e, nlh, msg->error);
		return;
	}
	j->tally->acks++;
	e->done = true;
	if (msg->error > 0 || e->error)
		judge_wrong(j, "acknowledged; should be %d", e->error);
	else if (!e->ack || answers[e->answer].several)
		judge_wrong(j, "acknowledged, unasked");
	else if (e->answer != ANSWER_NONE && !e->answers && !j->overflow)
		judge_wrong(j, "acknowledged without an answer");
}

static void judge_answer(struct judge *j, struct expected *e,
			 const struct nlmsghdr *nlh)
{
	const bool several = answers[e->answer].several;
	const uint16_t flags = several ? NLM_F_MULTI | NLM_F_DUMP_INTR : 0;
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	j->tally->answers++;
	if (e->answer == ANSWER_NONE || genl->cmd != answers[e->answer].cmd ||
	    genl->version != TASKACCT_GENL_VERSION || genl->reserved) {
		judge_wrong(j, "an answer of command %u, should be error %d",
			    genl->cmd, e->error);
		return;
	}
	if (e->answers++ && !several)
		judge_wrong(j, "answered twice");
	if (nlh->nlmsg_flags & ~flags ||
	    (several && !(nlh->nlmsg_flags & NLM_F_MULTI)))
		judge_wrong(j, "an answer with flags %x", nlh->nlmsg_flags);
	else
		answers[e->answer].judge(j, e, nlh);
	if (!several && !e->ack)
		e->done = true;
}

/* Where a queue was full, parts of it may be missing. */
static void judge_dump_end(struct judge *j, struct expected *e,
			   const struct nlmsghdr *nlh)
{
	e->done = true;
	if (!answers[e->answer].several)
		judge_wrong(j, "the end of no dump");
	else if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ||
		 *(const int *)NLMSG_DATA(nlh))
		judge_wrong(j, "a dump that failed");
	else if (e->answer == ANSWER_LISTENERS)
		judge_dump_of_listeners(j, e);
	else if (e->answer == ANSWER_TASKS)
		judge_dump_of_tasks(j, e);
	else
		judge_dump_of_users(j, e);
}

/* Its request: the first one of its number that is not done with */
static struct expected *request_of(struct judge *j, const struct nlmsghdr *nlh)
{
	struct expected *e;

	for (e = j->expected; e < j->expected + j->n; e++)
		if (e->nlh->nlmsg_seq == nlh->nlmsg_seq && !e->done &&
		    (nlh->nlmsg_type == NLMSG_ERROR || !e->error))
			return e;
	return NULL;
}

void judge_message(struct judge *j, const struct nlmsghdr *nlh)
{
	struct expected *e;

	if (nlh->nlmsg_type == j->rules->family && !nlh->nlmsg_pid &&
	    nlh->nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN) {
		judge_exit(j, nlh);
		return;
	}
	e = request_of(j, nlh);
	if (!e || nlh->nlmsg_pid != j->sock->port) {
		/* A dump that a full queue had delayed */
		if (!j->sock->tight)
			judge_wrong(j, "answers no request: type %u, number %u",
				    nlh->nlmsg_type, nlh->nlmsg_seq);
	} else if (nlh->nlmsg_type == NLMSG_ERROR) {
		judge_ack(j, e, nlh);
	} else if (nlh->nlmsg_type == NLMSG_DONE) {
		judge_dump_end(j, e, nlh);
	} else {
		judge_answer(j, e, nlh);
	}
}

void judge_end(struct judge *j)
{
	struct expected *e;

	for (e = j->expected; e < j->expected + j->n; e++) {
		if (e->done)
			continue;
		if (!e->error && !e->ack && e->answer == ANSWER_NONE) {
			j->tally->silent++;
			continue;
		}
		j->tally->lost++;
		j->tally->maybe_queries += e->answer == ANSWER_RECORD &&
					   !e->answers;
		if (!j->overflow && !j->sock->tight)
			judge_wrong(j, "no answer to request %ld of %u, error %d",
			      (long)(e - j->expected), j->n, e->error);
	}
}
