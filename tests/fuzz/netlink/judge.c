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

#include "judge.h"

/* Attributes of an answer: payload by type, from 16 up */
#define FIRST_ATTR TASKACCT_STAT_ATTR_PAD
#define ATTRS_MAX 16

/* Version 8 of struct taskstats; the kernel's is longer. */
#define RECORD_MIN 328

struct found {
	const void *data[ATTRS_MAX];
	size_t size[ATTRS_MAX];
	uint32_t seen;
};

static void __attribute__((format(printf, 2, 3)))
wrong(struct judge *j, const char *fmt, ...)
{
	va_list args;

	if (j->why[0])
		return;
	va_start(args, fmt);
	vsnprintf(j->why, sizeof(j->why), fmt, args);
	va_end(args);
}

static const struct nlattr *first_attr(const struct nlmsghdr *nlh, size_t *left)
{
	*left = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return (const struct nlattr *)((const char *)NLMSG_DATA(nlh) +
				       GENL_HDRLEN);
}

static bool attr_fits(const struct nlattr *attr, size_t left)
{
	return left >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN &&
	       attr->nla_len <= left;
}

static const void *data_of(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

/* Exactly the nest, with the id and the struct in it, and nothing after it */
static const struct taskstats *record_in(const struct nlattr **at, size_t *left,
					 unsigned int nest_type,
					 unsigned int id_type, uint32_t *id)
{
	const size_t size = 3 * NLA_HDRLEN + 4 + RECORD_MIN;
	const struct nlattr *nest = *at, *in, *stats;

	if (!attr_fits(nest, *left) || nest->nla_type != nest_type ||
	    nest->nla_len < size)
		return NULL;
	in = data_of(nest);
	stats = (const struct nlattr *)((const char *)in + NLA_HDRLEN + 4);
	if (in->nla_len != NLA_HDRLEN + 4 || in->nla_type != id_type ||
	    stats->nla_type != TASKSTATS_TYPE_STATS ||
	    stats->nla_len != nest->nla_len - 2 * NLA_HDRLEN - 4)
		return NULL;
	memcpy(id, data_of(in), sizeof(*id));
	*left -= nest->nla_len;
	*at = (const struct nlattr *)((const char *)nest + nest->nla_len);
	return data_of(stats);
}

static void judge_record(struct judge *j, const struct expected *e,
			 const struct nlmsghdr *nlh)
{
	const struct taskstats *stats;
	const struct nlattr *attr;
	uint32_t id, pid;
	size_t left;

	attr = first_attr(nlh, &left);
	stats = record_in(&attr, &left,
			  e->process ? TASKSTATS_TYPE_AGGR_TGID :
				       TASKSTATS_TYPE_AGGR_PID,
			  e->process ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID,
			  &id);
	if (!stats || left) {
		wrong(j, "a record that is none");
		return;
	}
	memcpy(&pid, (const char *)stats + offsetof(struct taskstats, ac_pid),
	       sizeof(pid));
	if (id != e->id || pid != id)
		wrong(j, "record of %u, which says %u, for %u", id, pid, e->id);
	j->tally->queries++;
}

/* An exit's own message: a task's record, perhaps with its process's */
static void judge_exit(struct judge *j, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	size_t left;
	uint32_t id;

	j->tally->exits++;
	j->sock->received++;
	attr = first_attr(nlh, &left);
	if (!j->sock->listener)
		wrong(j, "an exit for who does not listen");
	else if (!record_in(&attr, &left, TASKSTATS_TYPE_AGGR_PID,
			    TASKSTATS_TYPE_PID, &id))
		wrong(j, "an exit without a record");
	else if (left && (!record_in(&attr, &left, TASKSTATS_TYPE_AGGR_TGID,
				     TASKSTATS_TYPE_TGID, &id) || left))
		wrong(j, "an exit with more than records");
}

/* Every attribute once, and none that nobody knows */
static bool find_attrs(const struct nlmsghdr *nlh, struct found *found)
{
	const struct nlattr *attr;
	unsigned int i;
	size_t left, step;

	memset(found, 0, sizeof(*found));
	attr = first_attr(nlh, &left);
	for (; left; left -= step) {
		if (!attr_fits(attr, left) || attr->nla_type < FIRST_ATTR ||
		    attr->nla_type >= FIRST_ATTR + ATTRS_MAX)
			return false;
		i = attr->nla_type - FIRST_ATTR;
		if (i && found->seen & 1U << i)
			return false;
		found->seen |= 1U << i;
		found->data[i] = data_of(attr);
		found->size[i] = attr->nla_len - NLA_HDRLEN;
		step = NLA_ALIGN(attr->nla_len);
		if (step > left)
			return false;
		attr = (const struct nlattr *)((const char *)attr + step);
	}
	found->seen &= ~1U; /* padding */
	return true;
}

static uint64_t number(const struct found *found, unsigned int attr)
{
	uint64_t value = 0;

	if (found->size[attr - FIRST_ATTR] <= sizeof(value))
		memcpy(&value, found->data[attr - FIRST_ATTR],
		       found->size[attr - FIRST_ATTR]);
	return value;
}

static const char *text(const struct found *found, unsigned int attr)
{
	const char *s = found->data[attr - FIRST_ATTR];
	const size_t size = found->size[attr - FIRST_ATTR];

	return size && !s[size - 1] ? s : NULL;
}

/* Bits of the attributes from one to another */
static uint32_t all_of(unsigned int from, unsigned int to)
{
	return (2U << (to - FIRST_ATTR)) - (1U << (from - FIRST_ATTR));
}

static void judge_status(struct judge *j, const struct expected *e,
			 const struct nlmsghdr *nlh)
{
	static uint64_t last[ATTRS_MAX];
	unsigned int attr, mine = e->listener, i;
	struct found found;
	uint64_t value;

	if (!find_attrs(nlh, &found) ||
	    found.seen != all_of(TASKACCT_STAT_ATTR_HOOK,
				 TASKACCT_STAT_ATTR_QUERIES) ||
	    !text(&found, TASKACCT_STAT_ATTR_HOOK)) {
		wrong(j, "figures that are none");
		return;
	}
	for (attr = TASKACCT_STAT_ATTR_EXITS;
	     attr <= TASKACCT_STAT_ATTR_QUERIES; attr++) {
		value = number(&found, attr);
		if (found.size[attr - FIRST_ATTR] != sizeof(value) ||
		    value < last[attr - FIRST_ATTR])
			wrong(j, "figure %u was %llu and is %llu", attr,
			      (unsigned long long)last[attr - FIRST_ATTR],
			      (unsigned long long)value);
		last[attr - FIRST_ATTR] = value;
	}
	for (i = 0; i < j->n_others; i++)
		mine += &j->others[i] != j->sock && j->others[i].fd >= 0 &&
			j->others[i].listener;
	if (number(&found, TASKACCT_STAT_ATTR_LISTENERS) < mine)
		wrong(j, "%llu listeners, %u of them here",
		      (unsigned long long)number(&found,
						 TASKACCT_STAT_ATTR_LISTENERS),
		      mine);
}

/* Of anybody's; returns false where it is no listener's */
static bool sums_up(const struct nlmsghdr *nlh, struct found *found)
{
	return find_attrs(nlh, found) &&
	       found->seen == all_of(TASKACCT_LISTENER_ATTR_PORTID,
				     TASKACCT_LISTENER_ATTR_LOST_MEMORY) &&
	       text(found, TASKACCT_LISTENER_ATTR_CPUMASK) &&
	       text(found, TASKACCT_LISTENER_ATTR_COMM) &&
	       number(found, TASKACCT_LISTENER_ATTR_MADE) ==
		       number(found, TASKACCT_LISTENER_ATTR_DELIVERED) +
		       number(found, TASKACCT_LISTENER_ATTR_FILTERED) +
		       number(found, TASKACCT_LISTENER_ATTR_LOST_QUEUE) +
		       number(found, TASKACCT_LISTENER_ATTR_LOST_MEMORY);
}

static void judge_own(struct judge *j, const struct model_sock *sock,
		      const struct found *found, uint64_t mask,
		      uint64_t received)
{
	const char *cpus = text(found, TASKACCT_LISTENER_ATTR_CPUMASK);
	const uint32_t pid =
		(uint32_t)number(found, TASKACCT_LISTENER_ATTR_PID);
	char should[256];

	mask_print(should, sizeof(should), mask);
	if (!sock->listener)
		wrong(j, "port %u is no listener", sock->port);
	else if (strcmp(cpus, should))
		wrong(j, "hears '%s', registered for '%s'", cpus, should);
	else if (pid != j->pid)
		wrong(j, "registered by %u, not by %u", pid, j->pid);
	else if (number(found, TASKACCT_LISTENER_ATTR_DELIVERED) < received)
		wrong(j, "delivered less than what was received");
}

static void judge_listener(struct judge *j, const struct expected *e,
			   const struct nlmsghdr *nlh)
{
	struct found found;

	if (!sums_up(nlh, &found))
		wrong(j, "a listener that is none, or does not add up");
	else if (number(&found, TASKACCT_LISTENER_ATTR_PORTID) !=
			 j->sock->port ||
		 number(&found, TASKACCT_LISTENER_ATTR_NETNS) !=
			 j->sock->netns)
		wrong(j, "another socket's figures");
	else
		/* Exits may slip in between its making and its sending. */
		judge_own(j, j->sock, &found, e->mask, j->received);
}

static void judge_dumped(struct judge *j, struct expected *e,
			 const struct nlmsghdr *nlh)
{
	const struct model_sock *s;
	struct found found;
	unsigned int i;

	if (!(nlh->nlmsg_flags & NLM_F_MULTI) || !sums_up(nlh, &found)) {
		wrong(j, "a listener in a dump that is none, or does not add up");
		return;
	}
	for (i = 0; i < j->n_others; i++) {
		s = &j->others[i];
		if (s->fd < 0 ||
		    s->port != number(&found, TASKACCT_LISTENER_ATTR_PORTID) ||
		    s->netns != number(&found, TASKACCT_LISTENER_ATTR_NETNS))
			continue;
		if (e->id & 1U << i)
			wrong(j, "twice in a dump: port %u", s->port);
		e->id |= 1U << i;
		/* The mask may have changed behind it in the datagram. */
		if (s != j->sock)
			judge_own(j, s, &found, s->mask, s->received);
	}
}

/* A dump that came to its end has every listener of this process. */
static void judge_dump_end(struct judge *j, const struct expected *e,
			   const struct nlmsghdr *nlh)
{
	const struct model_sock *s;
	unsigned int i;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ||
	    *(const int *)NLMSG_DATA(nlh))
		wrong(j, "a dump that failed");
	for (i = 0; i < j->n_others; i++) {
		s = &j->others[i];
		if (s->fd >= 0 && s != j->sock && s->listener &&
		    !(e->id & 1U << i))
			wrong(j, "not in a dump: port %u", s->port);
	}
}

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
			return data_of(attr);
	}
	return NULL;
}

static bool is_allowed(const struct judge *j, const struct expected *e, int err)
{
	if (e->any_mask_error)
		return err == -EINVAL || err == -ERANGE || err == -EOVERFLOW;
	if (err == e->error || (e->or_error && err == e->or_error))
		return true;
	/* What netlink says where a queue is full, and a dump stuck in it */
	if (!j->sock->tight && !j->overflow)
		return false;
	if (e->dump && err == -EBUSY)
		return true;
	return e->answer != ANSWER_NONE &&
	       (err == -EAGAIN || err == -ENOBUFS);
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
	/* An answer that found no room was made, and counted. */
	j->tally->maybe_queries += e->answer == ANSWER_RECORD && err == -EAGAIN;
	if (!is_allowed(j, e, err))
		wrong(j, "error %d, not %d", err, e->error);
	if (e->answers)
		wrong(j, "error %d after an answer", err);
	if (j->sock->ext_ack && e->words && err == (e->error ?: e->or_error) &&
	    !(words && *words))
		wrong(j, "error %d without words", err);
	if (!j->sock->cap_ack && !(nlh->nlmsg_flags & NLM_F_CAPPED) &&
	    (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) + body ||
	     memcmp(NLMSG_DATA(&msg->msg), NLMSG_DATA(e->nlh), body)))
		wrong(j, "error %d repeats another request", err);
}

static void judge_ack(struct judge *j, struct expected *e,
		      const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *msg = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)) ||
	    memcmp(&msg->msg, e->nlh, NLMSG_HDRLEN)) {
		wrong(j, "acknowledges another request");
		return;
	}
	if (msg->error < 0) {
		judge_error(j, e, nlh, msg->error);
		return;
	}
	j->tally->acks++;
	e->done = true;
	if (msg->error > 0 || e->error)
		wrong(j, "acknowledged; should be %d", e->error);
	else if (!e->ack || e->answer == ANSWER_DUMP)
		wrong(j, "acknowledged, unasked");
	else if (e->answer != ANSWER_NONE && !e->answers && !j->overflow)
		wrong(j, "acknowledged without an answer");
}

static void judge_answer(struct judge *j, struct expected *e,
			 const struct nlmsghdr *nlh)
{
	static const uint8_t cmds[] = {
		[ANSWER_RECORD] = TASKACCT_CMD_NEW,
		[ANSWER_STATUS] = TASKACCT_CMD_STAT_GET,
		[ANSWER_LISTENER] = TASKACCT_CMD_LISTENER_GET,
		[ANSWER_DUMP] = TASKACCT_CMD_LISTENER_GET,
	};
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	j->tally->answers++;
	if (e->answer == ANSWER_NONE || genl->cmd != cmds[e->answer] ||
	    genl->version != TASKACCT_GENL_VERSION || genl->reserved) {
		wrong(j, "an answer of command %u, should be error %d",
		      genl->cmd, e->error);
		return;
	}
	if (e->answers++ && e->answer != ANSWER_DUMP)
		wrong(j, "answered twice");
	if (e->answer == ANSWER_DUMP)
		judge_dumped(j, e, nlh);
	else if (nlh->nlmsg_flags)
		wrong(j, "an answer with flags");
	else if (e->answer == ANSWER_RECORD)
		judge_record(j, e, nlh);
	else if (e->answer == ANSWER_STATUS)
		judge_status(j, e, nlh);
	else
		judge_listener(j, e, nlh);
	if (e->answer != ANSWER_DUMP && !e->ack)
		e->done = true;
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
			wrong(j, "answers no request: type %u, number %u",
			      nlh->nlmsg_type, nlh->nlmsg_seq);
	} else if (nlh->nlmsg_type == NLMSG_ERROR) {
		judge_ack(j, e, nlh);
	} else if (nlh->nlmsg_type == NLMSG_DONE) {
		e->done = true;
		if (e->answer == ANSWER_DUMP)
			judge_dump_end(j, e, nlh);
		else
			wrong(j, "the end of no dump");
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
			wrong(j, "no answer to request %ld of %u, error %d",
			      (long)(e - j->expected), j->n, e->error);
	}
}
