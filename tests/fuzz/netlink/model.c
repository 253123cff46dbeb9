// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family's rules, as Documentation/interface.rst has them, in the order in
 * which they apply. Generic netlink's own are those of its documentation.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>

#include "attr.h"
#include "model.h"

#define ALL_WANTS (TASKACCT_WANT_RECORD | TASKACCT_WANT_STREAM | \
		   TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH | \
		   TASKACCT_WANT_CMDLINE | TASKACCT_WANT_BARE)

/* What may be asked for */
enum asked {
	ASK_TASK,
	ASK_ALL_TASKS,
	ASK_EXITS,
	ASK_CGROUP_TOTAL,
	ASK_ALL_LISTENERS,
};

/*
 * Who may ask at all: about single tasks whoever may ask about any; then it
 * depends on the task.
 */
static int reach(const struct model_sock *sock, enum asked asked)
{
	const enum model_access least =
		asked == ASK_CGROUP_TOTAL ? REACH_ALL : REACH_OWN;

	return sock->reach >= least ? 0 : -EPERM;
}

static void refuse(struct expected *e, int error, bool words)
{
	e->error = error;
	e->words = words;
	e->answer = ANSWER_NONE;
}

/* Payload of attributes: a number of four bytes, or as they say */
#define U32 4
#define NOT_EMPTY 1
#define NEST 2

static const uint8_t get_rules[] = {
	[TASKSTATS_CMD_ATTR_PID] = U32,
	[TASKSTATS_CMD_ATTR_TGID] = U32,
	[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] = NOT_EMPTY,
	[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK] = NOT_EMPTY,
	[TASKACCT_CMD_ATTR_WANT] = U32,
	[TASKACCT_CMD_ATTR_FILTER] = NEST,
	[TASKACCT_CMD_ATTR_BATCH_BYTES] = U32,
	[TASKACCT_CMD_ATTR_BATCH_MSECS] = U32,
};

static const uint8_t cgroup_rules[sizeof(get_rules)] = {
	[CGROUPSTATS_CMD_ATTR_FD] = U32,
	[TASKACCT_CMD_ATTR_WANT] = U32,
};

/* The attributes of a request: of each known type the last */
struct attrs {
	const struct nlattr *of[sizeof(get_rules)];
	bool bad_size;
};

static bool is_bad_size(unsigned int rule, size_t size)
{
	switch (rule) {
	case NOT_EMPTY:
		return !size;
	case NEST:
		return size && size < NLA_HDRLEN;
	default:
		return size != rule;
	}
}

/* Others are passed over; what is left over is nobody's, and no error. */
static void take_attrs(struct attrs *attrs, const uint8_t *rules,
		       const char *data, size_t left)
{
	const struct nlattr *attr = (const struct nlattr *)data;
	unsigned int type;

	memset(attrs, 0, sizeof(*attrs));
	for (; attr_fits(attr, left); attr = attr_next(attr, &left)) {
		type = attr_type(attr);
		if (type >= sizeof(get_rules) || !rules[type])
			continue;
		attrs->bad_size |= is_bad_size(rules[type], attr_size(attr));
		attrs->of[type] = attr;
	}
}

/* How many of the attributes from one to another there are */
static unsigned int count(const struct attrs *attrs, unsigned int from,
			  unsigned int to)
{
	unsigned int n = 0;

	for (; from <= to; from++)
		n += !!attrs->of[from];
	return n;
}

static uint32_t number(const struct attrs *attrs, unsigned int type,
		       uint32_t otherwise)
{
	return attrs->of[type] ? (uint32_t)attr_number(attrs->of[type]) :
				 otherwise;
}

static int take_want(const struct attrs *attrs, uint32_t may, uint32_t *want)
{
	*want = number(attrs, TASKACCT_CMD_ATTR_WANT, 0);
	if (*want & ~(uint32_t)ALL_WANTS || *want & ~may ||
	    (*want & TASKACCT_WANT_BARE && !(*want & TASKACCT_WANT_RECORD)))
		return -EINVAL;
	return 0;
}

static int take_filter(const struct attrs *attrs, struct model_filter *filter)
{
	const struct nlattr *attr = attrs->of[TASKACCT_CMD_ATTR_FILTER];

	*filter = (struct model_filter){ .uid_max = UINT32_MAX, .one_in = 1 };
	return attr ? filter_take(filter, attr->nla_type, attr_data(attr),
				  attr_size(attr)) :
		      0;
}

static int take_batch(const struct attrs *attrs, uint32_t *size)
{
	uint32_t bytes, msecs;

	*size = 0;
	if (!count(attrs, TASKACCT_CMD_ATTR_BATCH_BYTES,
		   TASKACCT_CMD_ATTR_BATCH_MSECS))
		return 0;
	bytes = number(attrs, TASKACCT_CMD_ATTR_BATCH_BYTES,
		       TASKACCT_BATCH_BYTES);
	msecs = number(attrs, TASKACCT_CMD_ATTR_BATCH_MSECS,
		       TASKACCT_BATCH_MSECS);
	*size = bytes;
	return !bytes || bytes > TASKACCT_BATCH_BYTES_MAX || !msecs ||
			       msecs > TASKACCT_BATCH_MSECS_MAX ?
		       -ERANGE :
		       0;
}

static void predict_query(const struct model_sock *sock, struct expected *e,
			  const struct attrs *attrs, bool process)
{
	const uint32_t may = ALL_WANTS & ~(uint32_t)TASKACCT_WANT_STREAM;
	int there, own = 1;

	if (take_want(attrs, may, &e->want)) {
		refuse(e, -EINVAL, true);
		return;
	}
	e->id = number(attrs, process ? TASKSTATS_CMD_ATTR_TGID :
					TASKSTATS_CMD_ATTR_PID, 0);
	e->process = process;
	there = model_tasks(e->id, process);
	if (!there) {
		refuse(e, -ESRCH, true);
		return;
	}
	if (sock->reach == REACH_OWN)
		own = model_own(e->id);
	if (there > 0 && !own) {
		refuse(e, -EPERM, true);
		return;
	}
	e->answer = ANSWER_RECORD;
	e->or_error = there < 0 ? -ESRCH : 0;
	e->or_denied = own < 0;
	e->words = there < 0 || own < 0;
}

const struct model_sub *model_sub(const struct model_sock *sock,
				  unsigned int ago)
{
	if (ago >= SUBS_MAX || ago >= sock->n_subs)
		return NULL;
	return &sock->subs[(sock->n_subs - 1 - ago) % SUBS_MAX];
}

static void subscribe(struct model_sock *sock, const struct model_sub *sub)
{
	sock->stream.unbroken = (sock->stream.unbroken || !sock->n_subs) &&
				sub->want & TASKACCT_WANT_STREAM;
	sock->subs[sock->n_subs++ % SUBS_MAX] = *sub;
}

/* What has been asked for replaces all that was; else CPUs are added to it. */
static void predict_register(struct model_sock *sock, struct expected *e,
			     const struct attrs *attrs, uint64_t mask)
{
	struct model_sub sub = { 0 };
	int err;

	sub.extended = count(attrs, TASKACCT_CMD_ATTR_WANT,
			     TASKACCT_CMD_ATTR_BATCH_MSECS);
	err = take_want(attrs, ALL_WANTS, &sub.want) ?:
	      take_filter(attrs, &sub.filter) ?:
	      take_batch(attrs, &sub.batch_bytes);
	if (err) {
		refuse(e, err, true);
		return;
	}
	if (sub.extended || !sock->listener)
		subscribe(sock, &sub);
	sock->listener = true;
	sock->mask = sub.extended ? mask : sock->mask | mask;
	sock->received |= mask;
}

static void predict_mask(const struct model_rules *rules,
			 struct model_sock *sock, struct expected *e,
			 const struct attrs *attrs, const struct nlattr *attr)
{
	uint64_t mask;
	int err;

	err = reach(sock, ASK_EXITS);
	if (err) {
		refuse(e, err, true);
		return;
	}
	err = mask_parse(&rules->mask, attr_data(attr), attr_size(attr), &mask);
	if (err) {
		refuse(e, err, true);
		e->any_mask_error = err == -ERANGE;
	} else if (attrs->of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK]) {
		predict_register(sock, e, attrs, mask);
	} else if (mask & sock->mask) {
		sock->mask &= ~mask;
	} else {
		refuse(e, -ENOENT, true);
	}
}

/* A query goes with WANT, a registration with all, deregistration with none. */
static bool goes_together(const struct attrs *attrs)
{
	if (attrs->of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK])
		return true;
	return !count(attrs,
		      attrs->of[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK] ?
			      TASKACCT_CMD_ATTR_WANT :
			      TASKACCT_CMD_ATTR_FILTER,
		      TASKACCT_CMD_ATTR_BATCH_MSECS);
}

static void predict_get(const struct model_rules *rules,
			struct model_sock *sock, struct expected *e,
			const char *data, size_t size)
{
	const struct nlattr **of;
	struct attrs attrs;

	take_attrs(&attrs, get_rules, data, size);
	of = attrs.of;
	if (attrs.bad_size)
		refuse(e, -ERANGE, true);
	else if (reach(sock, ASK_TASK))
		refuse(e, reach(sock, ASK_TASK), true);
	else if (count(&attrs, TASKSTATS_CMD_ATTR_PID,
		       TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK) != 1 ||
		 !goes_together(&attrs))
		refuse(e, -EINVAL, true);
	else if (of[TASKSTATS_CMD_ATTR_PID])
		predict_query(sock, e, &attrs, false);
	else if (of[TASKSTATS_CMD_ATTR_TGID])
		predict_query(sock, e, &attrs, true);
	else
		predict_mask(rules, sock, e, &attrs,
			     of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] ?:
			     of[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK]);
}

/* How many do what is told to whoever can open the directory. */
static int check_cgroup(const struct model_sock *sock, struct expected *e,
			const struct attrs *attrs)
{
	int kind;

	if (!attrs->of[CGROUPSTATS_CMD_ATTR_FD] ||
	    take_want(attrs, TASKACCT_WANT_RECORD, &e->want))
		return -EINVAL;
	kind = model_cgroup((int)number(attrs, CGROUPSTATS_CMD_ATTR_FD, 0),
			    &e->cgroup);
	if (kind < 0)
		return kind;
	if (!e->want)
		return 0;
	return reach(sock, ASK_CGROUP_TOTAL) ?:
	       (kind == CGROUP_V1 ? -EOPNOTSUPP : 0);
}

static void predict_cgroup(const struct model_sock *sock, struct expected *e,
			   const char *data, size_t size)
{
	struct attrs attrs;
	int err;

	take_attrs(&attrs, cgroup_rules, data, size);
	err = attrs.bad_size ? -ERANGE : check_cgroup(sock, e, &attrs);
	if (err)
		refuse(e, err, true);
	else
		e->answer = ANSWER_CGROUP;
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
	e->sub = *model_sub(sock, 0);
}

/* Not on all kernels has netlink a place for words where a dump begins. */
static void predict_all_tasks(const struct model_sock *sock,
			      struct expected *e, const char *data, size_t size)
{
	const uint32_t may = ALL_WANTS & ~(uint32_t)TASKACCT_WANT_STREAM;
	struct attrs attrs;
	int err;

	take_attrs(&attrs, get_rules, data, size);
	if (attrs.bad_size)
		err = -ERANGE;
	else if (reach(sock, ASK_ALL_TASKS))
		err = reach(sock, ASK_ALL_TASKS);
	else if (count(&attrs, TASKSTATS_CMD_ATTR_PID,
		       TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK) ||
		 count(&attrs, TASKACCT_CMD_ATTR_BATCH_BYTES,
		       TASKACCT_CMD_ATTR_BATCH_MSECS))
		err = -EINVAL;
	else
		err = take_want(&attrs, may, &e->want) ?:
		      take_filter(&attrs, &e->filter);
	if (err)
		refuse(e, err, false);
	else
		e->answer = ANSWER_TASKS;
}

static void predict_all_listeners(const struct model_sock *sock,
				  struct expected *e,
				  const struct genlmsghdr *genl, size_t size)
{
	if (size)
		refuse(e, -EINVAL, true);
	else if (genl->reserved)
		refuse(e, -EINVAL, false);
	else if (reach(sock, ASK_ALL_LISTENERS))
		refuse(e, reach(sock, ASK_ALL_LISTENERS), false);
	else
		e->answer = ANSWER_LISTENERS;
}

static void predict_dump(const struct model_sock *sock, struct expected *e,
			 const struct genlmsghdr *genl, size_t size)
{
	e->dump = true;
	e->mask = sock->mask;
	if (genl->cmd == TASKACCT_CMD_GET) {
		predict_all_tasks(sock, e, (const char *)(genl + 1), size);
	} else if (genl->cmd == TASKACCT_CMD_LISTENER_GET) {
		predict_all_listeners(sock, e, genl, size);
	} else {
		refuse(e, -EOPNOTSUPP, false);
		e->dump = false;
	}
}

/* Nothing but user ids: the one attribute that is known there; the last counts */
static int take_uid(const struct nlattr **uid, const char *data, size_t left)
{
	const struct nlattr *attr = (const struct nlattr *)data;

	*uid = NULL;
	for (; attr_fits(attr, left); attr = attr_next(attr, &left)) {
		if (attr_type(attr) != TASKACCT_UID_ATTR_UID ||
		    attr->nla_type & NLA_F_NESTED)
			return -EINVAL;
		if (is_bad_size(U32, attr_size(attr)))
			return -ERANGE;
		*uid = attr;
	}
	return left ? -EINVAL : 0;
}

/* Root and who asks are there for sure. */
static void predict_user(const struct model_sock *sock, struct expected *e,
			 const struct nlattr *uid)
{
	const bool own = uid && attr_number(uid) == getuid();

	e->words = true;
	if (!uid || attr_number(uid) == UINT32_MAX || !sock->numbered) {
		refuse(e, -EINVAL, true);
	} else if (sock->users == REACH_NONE ||
		   (sock->users == REACH_OWN && !own)) {
		refuse(e, -EPERM, true);
	} else {
		e->answer = ANSWER_USER;
		e->id = (uint32_t)attr_number(uid);
		e->or_error = own || !e->id ? 0 : -ENOENT;
	}
}

static void predict_all_users(const struct model_sock *sock,
			      struct expected *e, const struct nlattr *uid)
{
	if (uid)
		refuse(e, -EINVAL, false);
	else if (sock->users == REACH_NONE)
		refuse(e, -EPERM, false);
	else
		e->answer = ANSWER_USERS;
}

static void predict_uid(const struct model_rules *rules,
			const struct model_sock *sock, struct expected *e,
			const struct genlmsghdr *genl, const char *data,
			size_t size)
{
	const bool dump = (e->nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	const struct nlattr *uid;
	const int err = take_uid(&uid, data, size);

	if (err)
		refuse(e, err, true);
	else if (genl->reserved)
		refuse(e, -EINVAL, !dump);
	else if (!rules->users)
		refuse(e, -EOPNOTSUPP, !dump);
	else if (dump)
		predict_all_users(sock, e, uid);
	else
		predict_user(sock, e, uid);
	e->dump = dump;
}

static bool is_command(unsigned int cmd)
{
	return cmd == TASKACCT_CMD_GET || cmd == TASKACCT_CMD_CGROUP_GET ||
	       cmd == TASKACCT_CMD_STAT_GET || cmd == TASKACCT_CMD_LISTENER_GET ||
	       cmd == TASKACCT_CMD_UID_GET;
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
		predict_uid(rules, sock, e, genl, data, size);
	else if ((nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP)
		predict_dump(sock, e, genl, size);
	else if (genl->cmd == TASKACCT_CMD_GET)
		predict_get(rules, sock, e, data, size);
	else if (genl->cmd == TASKACCT_CMD_CGROUP_GET)
		predict_cgroup(sock, e, data, size);
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
		dumped = dumped || expected[i].answer == ANSWER_LISTENERS ||
			 expected[i].answer == ANSWER_TASKS ||
			 expected[i].answer == ANSWER_USERS;
	}
	return n;
}
