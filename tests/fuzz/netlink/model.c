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

#define ANSWER_WANTS (TASKACCT_WANT_RECORD | TASKACCT_WANT_EXE_PATH | \
		      TASKACCT_WANT_CGROUP_PATH | TASKACCT_WANT_CMDLINE | \
		      TASKACCT_WANT_BARE)
#define ALL_WANTS (ANSWER_WANTS | TASKACCT_WANT_STREAM)

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
};

static const uint8_t cgroup_rules[sizeof(get_rules)] = {
	[CGROUPSTATS_CMD_ATTR_FD] = U32,
};

/* What the strict commands take; all that is not here is refused */
static const uint8_t task_rules[TASKACCT_CMD_ATTR_MAX + 1] = {
	[TASKACCT_CMD_ATTR_PID] = U32,
	[TASKACCT_CMD_ATTR_TGID] = U32,
	[TASKACCT_CMD_ATTR_WANT] = U32,
	[TASKACCT_CMD_ATTR_FILTER] = NEST,
	[TASKACCT_CMD_ATTR_CGROUP_FD] = U32,
};

static const uint8_t subscribe_rules[TASKACCT_CMD_ATTR_MAX + 1] = {
	[TASKACCT_CMD_ATTR_CPUMASK] = NOT_EMPTY,
	[TASKACCT_CMD_ATTR_WANT] = U32,
	[TASKACCT_CMD_ATTR_FILTER] = NEST,
	[TASKACCT_CMD_ATTR_BATCH_BYTES] = U32,
	[TASKACCT_CMD_ATTR_BATCH_MSECS] = U32,
};

/* The attributes of a request: of each known type the last */
struct attrs {
	const struct nlattr *of[TASKACCT_CMD_ATTR_MAX + 1];
	bool bad_size;
};

static bool is_bad_size(unsigned int rule, size_t size)
{
	return rule == NOT_EMPTY ? !size : size != rule;
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

/* A list of CPUs: ended by NUL within so many bytes, and no longer */
static int check_list(const struct nlattr *attr, size_t length_max)
{
	size_t size = attr_size(attr);
	const size_t seen = size < length_max ? size : length_max;

	if (attr->nla_type & NLA_F_NESTED || !memchr(attr_data(attr), 0, seen))
		return -EINVAL;
	size -= !((const char *)attr_data(attr))[size - 1];
	return size >= length_max ? -ERANGE : 0;
}

static int check_nest(const struct nlattr *attr)
{
	const size_t size = attr_size(attr);

	if (!(attr->nla_type & NLA_F_NESTED))
		return -EINVAL;
	if (!size)
		return 0;
	return size < NLA_HDRLEN ? -ERANGE : filter_check(attr_data(attr), size);
}

/* @wants: the bits that WANT may have */
static int check_number(const struct nlattr *attr, uint32_t wants)
{
	const uint64_t value = attr_number(attr);

	if (attr->nla_type & NLA_F_NESTED || attr_size(attr) != U32)
		return -EINVAL;
	switch (attr_type(attr)) {
	case TASKACCT_CMD_ATTR_WANT:
		return value & ~(uint64_t)wants ? -EINVAL : 0;
	case TASKACCT_CMD_ATTR_BATCH_BYTES:
		return !value || value > TASKACCT_BATCH_BYTES_MAX ? -ERANGE : 0;
	case TASKACCT_CMD_ATTR_BATCH_MSECS:
		return !value || value > TASKACCT_BATCH_MSECS_MAX ? -ERANGE : 0;
	default:
		return 0;
	}
}

/* Nothing is passed over. Returns 0 or the error of the first that is wrong. */
static int take_strictly(struct attrs *attrs, const uint8_t *rules,
			 uint32_t wants, size_t length_max, const char *data,
			 size_t left)
{
	const struct nlattr *attr = (const struct nlattr *)data;
	unsigned int type;
	int err;

	memset(attrs, 0, sizeof(*attrs));
	for (; attr_fits(attr, left); attr = attr_next(attr, &left)) {
		type = attr_type(attr);
		if (type > TASKACCT_CMD_ATTR_MAX || !rules[type])
			return -EINVAL;
		err = rules[type] == NEST ? check_nest(attr) :
		      rules[type] == U32  ? check_number(attr, wants) :
					    check_list(attr, length_max);
		if (err)
			return err;
		attrs->of[type] = attr;
	}
	return left ? -EINVAL : 0;
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

static int take_want(const struct attrs *attrs, uint32_t *want)
{
	*want = number(attrs, TASKACCT_CMD_ATTR_WANT, 0);
	return *want & TASKACCT_WANT_BARE && !(*want & TASKACCT_WANT_RECORD) ?
		       -EINVAL :
		       0;
}

static int take_filter(const struct attrs *attrs, struct model_filter *filter)
{
	const struct nlattr *attr = attrs->of[TASKACCT_CMD_ATTR_FILTER];

	*filter = (struct model_filter){ .uid_max = UINT32_MAX, .one_in = 1 };
	return attr ? filter_take(filter, attr->nla_type, attr_data(attr),
				  attr_size(attr)) :
		      0;
}

static uint32_t batch_of(const struct attrs *attrs)
{
	if (!count(attrs, TASKACCT_CMD_ATTR_BATCH_BYTES,
		   TASKACCT_CMD_ATTR_BATCH_MSECS))
		return 0;
	return number(attrs, TASKACCT_CMD_ATTR_BATCH_BYTES,
		      TASKACCT_BATCH_BYTES);
}

static void predict_query(const struct model_sock *sock, struct expected *e,
			  uint32_t id, bool process)
{
	int there, own = 1;

	e->id = id;
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

/* CPUs are added to what was asked for. */
static void predict_register(struct model_sock *sock, uint64_t mask)
{
	const struct model_sub sub = { .filter = { .uid_max = UINT32_MAX,
						   .one_in = 1 } };

	if (!sock->listener)
		subscribe(sock, &sub);
	sock->listener = true;
	sock->mask |= mask;
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
		predict_register(sock, mask);
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

	take_attrs(&attrs, get_rules, data, size);
	of = attrs.of;
	if (attrs.bad_size)
		refuse(e, -ERANGE, true);
	else if (reach(sock, ASK_TASK))
		refuse(e, reach(sock, ASK_TASK), true);
	else if (count(&attrs, TASKSTATS_CMD_ATTR_PID,
		       TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK) != 1)
		refuse(e, -EINVAL, true);
	else if (of[TASKSTATS_CMD_ATTR_PID])
		predict_query(sock, e,
			      number(&attrs, TASKSTATS_CMD_ATTR_PID, 0), false);
	else if (of[TASKSTATS_CMD_ATTR_TGID])
		predict_query(sock, e,
			      number(&attrs, TASKSTATS_CMD_ATTR_TGID, 0), true);
	else
		predict_mask(rules, sock, e, &attrs,
			     of[TASKSTATS_CMD_ATTR_REGISTER_CPUMASK] ?:
			     of[TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK]);
}

/* How many do what is reported to whoever can open the directory. */
static int check_cgroup(const struct model_sock *sock, struct expected *e,
			uint32_t fd, bool total)
{
	const int kind = model_cgroup((int)fd, &e->cgroup);

	if (kind < 0 || !total)
		return kind < 0 ? kind : 0;
	return reach(sock, ASK_CGROUP_TOTAL) ?:
	       (kind == CGROUP_V1 ? -EOPNOTSUPP : 0);
}

static void predict_cgroup(const struct model_sock *sock, struct expected *e,
			   const char *data, size_t size)
{
	struct attrs attrs;
	int err;

	take_attrs(&attrs, cgroup_rules, data, size);
	err = attrs.bad_size ? -ERANGE :
	      !attrs.of[CGROUPSTATS_CMD_ATTR_FD] ? -EINVAL :
	      check_cgroup(sock, e, number(&attrs, CGROUPSTATS_CMD_ATTR_FD, 0),
			   false);
	if (err)
		refuse(e, err, true);
	else
		e->answer = ANSWER_CGROUP;
}

/* Who has said whom he asks for, and what he wants */
static void predict_task(const struct model_sock *sock, struct expected *e,
			 const struct attrs *attrs)
{
	const uint32_t of_cgroup = TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE;
	int err = 0;

	if (attrs->of[TASKACCT_CMD_ATTR_CGROUP_FD]) {
		err = e->want & ~of_cgroup ? -EINVAL :
		      check_cgroup(sock, e,
				   number(attrs, TASKACCT_CMD_ATTR_CGROUP_FD, 0),
				   true);
		e->want = TASKACCT_WANT_RECORD;
		e->answer = ANSWER_CGROUP;
	} else if (reach(sock, ASK_TASK)) {
		err = reach(sock, ASK_TASK);
	} else if (attrs->of[TASKACCT_CMD_ATTR_PID]) {
		predict_query(sock, e, number(attrs, TASKACCT_CMD_ATTR_PID, 0),
			      false);
	} else {
		predict_query(sock, e, number(attrs, TASKACCT_CMD_ATTR_TGID, 0),
			      true);
	}
	if (err)
		refuse(e, err, true);
}

static void predict_task_get(const struct model_rules *rules,
			     const struct model_sock *sock, struct expected *e,
			     const struct genlmsghdr *genl, size_t size)
{
	struct attrs attrs;
	int err;

	err = take_strictly(&attrs, task_rules, ANSWER_WANTS,
			    rules->mask.length_max, (const char *)(genl + 1),
			    size);
	if (!err && (genl->reserved || attrs.of[TASKACCT_CMD_ATTR_FILTER] ||
		     count(&attrs, TASKACCT_CMD_ATTR_PID,
			   TASKACCT_CMD_ATTR_TGID) +
				     !!attrs.of[TASKACCT_CMD_ATTR_CGROUP_FD] !=
			     1))
		err = -EINVAL;
	if (!err)
		err = take_want(&attrs, &e->want);
	if (err)
		refuse(e, err, true);
	else
		predict_task(sock, e, &attrs);
}

/* An empty list ends what was subscribed. */
static int end_subscription(struct model_sock *sock, const struct attrs *attrs)
{
	if (count(attrs, TASKACCT_CMD_ATTR_WANT, TASKACCT_CMD_ATTR_BATCH_MSECS))
		return -EINVAL;
	if (!sock->mask)
		return -ENOENT;
	sock->mask = 0;
	return 0;
}

/* What is asked for replaces all that was. */
static int predict_subscription(const struct model_rules *rules,
				struct model_sock *sock, struct expected *e,
				const struct attrs *attrs)
{
	const struct nlattr *cpus = attrs->of[TASKACCT_CMD_ATTR_CPUMASK];
	struct model_sub sub = { .extended = true };
	uint64_t mask = rules->mask.possible;
	int err = 0;

	if (cpus && !*(const char *)attr_data(cpus))
		return end_subscription(sock, attrs);
	if (cpus)
		err = mask_parse(&rules->mask, attr_data(cpus), attr_size(cpus),
				 &mask);
	e->any_mask_error = err == -ERANGE;
	err = err ?: take_want(attrs, &sub.want) ?:
		     take_filter(attrs, &sub.filter);
	if (err)
		return err;
	sub.batch_bytes = batch_of(attrs);
	subscribe(sock, &sub);
	sock->listener = true;
	sock->mask = mask;
	sock->received |= mask;
	return 0;
}

static void predict_subscribe(const struct model_rules *rules,
			      struct model_sock *sock, struct expected *e,
			      const struct genlmsghdr *genl, size_t size)
{
	struct attrs attrs;
	int err;

	err = take_strictly(&attrs, subscribe_rules, ALL_WANTS,
			    rules->mask.length_max, (const char *)(genl + 1),
			    size);
	if (!err && genl->reserved)
		err = -EINVAL;
	if (!err)
		err = reach(sock, ASK_EXITS) ?:
		      predict_subscription(rules, sock, e, &attrs);
	if (err)
		refuse(e, err, true);
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
static void predict_all_tasks(const struct model_rules *rules,
			      const struct model_sock *sock,
			      struct expected *e,
			      const struct genlmsghdr *genl, size_t size)
{
	struct attrs attrs;
	int err;

	err = take_strictly(&attrs, task_rules, ANSWER_WANTS,
			    rules->mask.length_max, (const char *)(genl + 1),
			    size);
	if (!err && (genl->reserved || attrs.of[TASKACCT_CMD_ATTR_CGROUP_FD] ||
		     count(&attrs, TASKACCT_CMD_ATTR_PID,
			   TASKACCT_CMD_ATTR_TGID)))
		err = -EINVAL;
	if (!err)
		err = reach(sock, ASK_ALL_TASKS) ?:
		      take_want(&attrs, &e->want) ?:
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

static void predict_dump(const struct model_rules *rules,
			 const struct model_sock *sock, struct expected *e,
			 const struct genlmsghdr *genl, size_t size)
{
	e->dump = true;
	e->mask = sock->mask;
	if (genl->cmd == TASKACCT_CMD_TASK_GET) {
		predict_all_tasks(rules, sock, e, genl, size);
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
			return -EINVAL;
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
	       cmd == TASKACCT_CMD_UID_GET || cmd == TASKACCT_CMD_TASK_GET ||
	       cmd == TASKACCT_CMD_SUBSCRIBE;
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
		predict_dump(rules, sock, e, genl, size);
	else if (genl->cmd == TASKACCT_CMD_GET)
		predict_get(rules, sock, e, data, size);
	else if (genl->cmd == TASKACCT_CMD_CGROUP_GET)
		predict_cgroup(sock, e, data, size);
	else if (genl->cmd == TASKACCT_CMD_TASK_GET)
		predict_task_get(rules, sock, e, genl, size);
	else if (genl->cmd == TASKACCT_CMD_SUBSCRIBE)
		predict_subscribe(rules, sock, e, genl, size);
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
