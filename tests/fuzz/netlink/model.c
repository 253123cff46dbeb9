// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family's rules, as Documentation/interface.rst has them, in the order in
 * which they apply. Generic netlink's own are those of its documentation.
 */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "model.h"

static void refuse(struct expected *e, int error, bool words)
{
	e->error = error;
	e->words = words;
	e->answer = ANSWER_NONE;
}

/* The attributes of a GET: of each known type the last, the first bad size */
struct attrs {
	const struct nlattr *of[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK + 1];
	unsigned int n;
	bool bad_size;
};

static size_t payload(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static void take_attr(struct attrs *attrs, const struct nlattr *attr)
{
	const unsigned int type = attr->nla_type & NLA_TYPE_MASK;

	if (!type || type > TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK)
		return;
	if (type <= TASKSTATS_CMD_ATTR_TGID ? payload(attr) != 4 :
					      !payload(attr))
		attrs->bad_size = true;
	attrs->n += !attrs->of[type];
	attrs->of[type] = attr;
}

/* What is left over is nobody's, and no error. */
static void take_attrs(struct attrs *attrs, const char *data, size_t left)
{
	const struct nlattr *attr;
	size_t step;

	memset(attrs, 0, sizeof(*attrs));
	while (left >= sizeof(*attr)) {
		attr = (const struct nlattr *)data;
		if (attr->nla_len < sizeof(*attr) || attr->nla_len > left)
			return;
		take_attr(attrs, attr);
		step = NLA_ALIGN(attr->nla_len);
		if (step > left)
			return;
		data += step;
		left -= step;
	}
}

static void predict_query(struct expected *e, const struct nlattr *attr,
			  bool process)
{
	int there;

	memcpy(&e->id, (const char *)attr + NLA_HDRLEN, sizeof(e->id));
	e->process = process;
	there = model_tasks(e->id, process);
	if (!there) {
		refuse(e, -ESRCH, true);
		return;
	}
	e->answer = ANSWER_RECORD;
	if (there < 0) {
		e->or_error = -ESRCH;
		e->words = true;
	}
}

static void predict_mask(const struct model_rules *rules,
			 struct model_sock *sock, struct expected *e,
			 const struct nlattr *attr, bool registers)
{
	uint64_t mask;
	int err;

	if (!sock->may_register) {
		refuse(e, -EINVAL, true);
		return;
	}
	err = mask_parse(&rules->mask, (const char *)attr + NLA_HDRLEN,
			 payload(attr), &mask);
	if (err) {
		refuse(e, err, true);
		e->any_mask_error = err == -ERANGE;
	} else if (registers) {
		sock->listener = true;
		sock->mask |= mask;
	} else if (mask & sock->mask) {
		sock->mask &= ~mask;
	} else {
		refuse(e, -ENOENT, true);
	}
}

static void predict_get(const struct model_rules *rules,
			struct model_sock *sock, struct expected *e,
			const char *data, size_t size)
{
	const struct nlattr **of;
	struct attrs attrs;

	take_attrs(&attrs, data, size);
	of = attrs.of;
	if (attrs.bad_size)
		refuse(e, -ERANGE, true);
	else if (!sock->allowed)
		refuse(e, -EPERM, true);
	else if (attrs.n != 1)
		refuse(e, -EINVAL, true);
	else if (of[TASKSTATS_CMD_ATTR_PID])
		predict_query(e, of[TASKSTATS_CMD_ATTR_PID], false);
	else if (of[TASKSTATS_CMD_ATTR_TGID])
		predict_query(e, of[TASKSTATS_CMD_ATTR_TGID], true);
	else if (of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK])
		predict_mask(rules, sock, e,
			     of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK], true);
	else
		predict_mask(rules, sock, e,
			     of[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK], false);
}

static void predict_status(const struct model_sock *sock, struct expected *e)
{
	e->answer = ANSWER_STATUS;
	e->listener = sock->listener;
}

static void predict_listener(const struct model_sock *sock, struct expected *e)
{
	if (!sock->listener) {
		refuse(e, -ENOENT, true);
		return;
	}
	e->answer = ANSWER_LISTENER;
	e->mask = sock->mask;
}

static void predict_dump(const struct model_sock *sock, struct expected *e,
			 const struct genlmsghdr *genl, size_t size)
{
	if (genl->cmd != TASKACCT_CMD_LISTENER_GET)
		refuse(e, -EOPNOTSUPP, false);
	else if (size)
		refuse(e, -EINVAL, true);
	else if (genl->reserved)
		refuse(e, -EINVAL, false);
	else if (!sock->allowed)
		refuse(e, -EPERM, false); /* netlink has no place for words */
	else
		e->answer = ANSWER_DUMP;
	e->dump = genl->cmd == TASKACCT_CMD_LISTENER_GET;
	e->mask = sock->mask;
}

/* Nothing but user ids: the one attribute that is known there */
static bool only_uids(const char *data, size_t size)
{
	const struct nlattr uid = {
		.nla_len = NLA_HDRLEN + sizeof(uint32_t),
		.nla_type = TASKACCT_UID_ATTR_UID,
	};

	while (size >= uid.nla_len && !memcmp(data, &uid, sizeof(uid))) {
		data += uid.nla_len;
		size -= uid.nla_len;
	}
	return !size;
}

/* The module is loaded without uid=1. */
static void predict_uid(struct expected *e, const struct genlmsghdr *genl,
			const char *data, size_t size)
{
	const bool dump = (e->nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;

	if (!only_uids(data, size))
		refuse(e, -EINVAL, true);
	else if (genl->reserved)
		refuse(e, -EINVAL, !dump);
	else
		refuse(e, -EOPNOTSUPP, !dump);
	e->dump = dump;
}

static bool is_command(unsigned int cmd)
{
	return cmd == TASKACCT_CMD_GET || cmd == TASKACCT_CMD_STAT_GET ||
	       cmd == TASKACCT_CMD_LISTENER_GET || cmd == TASKACCT_CMD_UID_GET;
}

/* New commands take clean headers only, those to come included. */
static bool is_clean(const struct nlmsghdr *nlh, const struct genlmsghdr *genl)
{
	unsigned int flags = nlh->nlmsg_flags;

	if ((flags & NLM_F_DUMP) == NLM_F_DUMP)
		flags &= ~(unsigned int)NLM_F_DUMP;
	return !genl->reserved &&
	       !(flags & ~(unsigned int)(NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_ECHO));
}

static void predict_command(const struct model_rules *rules,
			    struct model_sock *sock, struct expected *e)
{
	const struct nlmsghdr *nlh = e->nlh;
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	const char *data = (const char *)(genl + 1);
	const size_t size = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	if (genl->cmd >= TASKACCT_CMD_STAT_GET && rules->strict &&
	    !is_clean(nlh, genl))
		refuse(e, -EINVAL, true);
	else if (!is_command(genl->cmd))
		refuse(e, -EOPNOTSUPP, false);
	else if (genl->cmd == TASKACCT_CMD_UID_GET)
		predict_uid(e, genl, data, size);
	else if ((nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		predict_dump(sock, e, genl, size);
	else if (genl->cmd == TASKACCT_CMD_GET)
		predict_get(rules, sock, e, data, size);
	else if (size || genl->reserved)
		refuse(e, -EINVAL, true);
	else if (genl->cmd == TASKACCT_CMD_STAT_GET)
		predict_status(sock, e);
	else
		predict_listener(sock, e);
}

static void predict_one(const struct model_rules *rules,
			struct model_sock *sock, struct expected *e,
			const struct nlmsghdr *nlh)
{
	memset(e, 0, sizeof(*e));
	e->nlh = nlh;
	e->ack = nlh->nlmsg_flags & NLM_F_ACK;
	if (!(nlh->nlmsg_flags & NLM_F_REQUEST) ||
	    nlh->nlmsg_type < NLMSG_MIN_TYPE)
		return;
	if (nlh->nlmsg_type != rules->family)
		refuse(e, -ENOENT, false);
	else if (nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		refuse(e, -EINVAL, false);
	else
		predict_command(rules, sock, e);
}

unsigned int model_predict(const struct model_rules *rules,
			   struct model_sock *sock, const void *data,
			   size_t size, struct expected expected[EXPECTED_MAX])
{
	const char *at = data;
	const struct nlmsghdr *nlh;
	unsigned int i, n = 0;
	bool dumped = false;
	size_t step;

	for (; size >= NLMSG_HDRLEN && n < EXPECTED_MAX; at += step) {
		nlh = (const struct nlmsghdr *)at;
		if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > size)
			break;
		predict_one(rules, sock, &expected[n++], nlh);
		step = NLMSG_ALIGN(nlh->nlmsg_len);
		step = step < size ? step : size;
		size -= step;
	}
	/* One dump at a time: the first may not be over. */
	for (i = 0; i < n; i++) {
		if (dumped && expected[i].dump)
			expected[i].or_error = -EBUSY;
		dumped = dumped || expected[i].answer == ANSWER_DUMP;
	}
	return n;
}
