// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What can be asked of taskacct only: answers, dumps and exit messages that
 * have what is wanted, of the tasks that are meant
 */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>

#include "handle.h"

#define HAS(filter, what) \
	((filter)->has & (UINT32_C(1) << TASKACCT_FILTER_ATTR_##what))

static int put_conditions(struct nl_msg *msg, const struct taskacct_filter *f)
{
	if ((HAS(f, KINDS) &&
	     nla_put_u32(msg, TASKACCT_FILTER_ATTR_KINDS, f->kinds)) ||
	    (HAS(f, UID_MIN) &&
	     nla_put_u32(msg, TASKACCT_FILTER_ATTR_UID_MIN, f->uid_min)) ||
	    (HAS(f, UID_MAX) &&
	     nla_put_u32(msg, TASKACCT_FILTER_ATTR_UID_MAX, f->uid_max)) ||
	    (HAS(f, CGROUP_ID) &&
	     nla_put_u64(msg, TASKACCT_FILTER_ATTR_CGROUP_ID, f->cgroup_id)) ||
	    (HAS(f, CGROUP_FD) &&
	     nla_put_u32(msg, TASKACCT_FILTER_ATTR_CGROUP_FD,
			 (uint32_t)f->cgroup_fd)) ||
	    (HAS(f, MIN_LIFETIME) &&
	     nla_put_u64(msg, TASKACCT_FILTER_ATTR_MIN_LIFETIME,
			 f->min_lifetime)) ||
	    (HAS(f, MIN_CPU_TIME) &&
	     nla_put_u64(msg, TASKACCT_FILTER_ATTR_MIN_CPU_TIME,
			 f->min_cpu_time)) ||
	    (HAS(f, FAILED) &&
	     nla_put_flag(msg, TASKACCT_FILTER_ATTR_FAILED)) ||
	    (HAS(f, ONE_IN) &&
	     nla_put_u32(msg, TASKACCT_FILTER_ATTR_ONE_IN, f->one_in)))
		return -ENOMEM;
	return 0;
}

static int put_extensions(struct nl_msg *msg, uint32_t want,
			  const struct taskacct_filter *filter)
{
	struct nlattr *nest;

	if (nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want))
		return -ENOMEM;
	if (!filter || !filter->has)
		return 0;
	/* The kernel insists on the flag, libnl sets it since 3.5 only. */
	nest = nla_nest_start(msg, TASKACCT_CMD_ATTR_FILTER | NLA_F_NESTED);
	if (!nest || put_conditions(msg, filter))
		return -ENOMEM;
	nla_nest_end(msg, nest);
	return 0;
}

/* Frees the message where something cannot be put into it. */
static struct nl_msg *extend(struct nl_msg *msg, uint32_t want,
			     const struct taskacct_filter *filter)
{
	if (!msg || !put_extensions(msg, want, filter))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

static int check(struct taskacct *ta, const char *what)
{
	if (ta->family.has_records)
		return 0;
	return ta_fail(ta->error, sizeof(ta->error), -EOPNOTSUPP,
		       ta->family.counts ? "this taskacct is too old for it" :
					   "only taskacct has it",
		       "%s of %s", what, ta->family.name);
}

/* Who takes answers, while they are awaited */
struct taker {
	taskacct_handler each;
	void *arg;
};

static int take(const struct nlmsghdr *nlh, void *arg)
{
	struct taskacct_event event = { .nlh = nlh, .time_ns = ta_now_ns() };
	const struct genlmsghdr *genl = nlmsg_data(nlh);
	const struct taker *taker = arg;

	if (nlmsg_datalen(nlh) < (int)GENL_HDRLEN ||
	    genl->cmd != TASKACCT_CMD_NEW)
		return -EBADMSG;
	taker->each(&event, taker->arg);
	return 0;
}

int taskacct_ask(struct taskacct *ta, enum taskacct_kind kind, uint32_t id,
		 uint32_t want, taskacct_handler each, void *arg)
{
	struct taker taker = { .each = each, .arg = arg };
	struct ta_reply reply = { .each = take, .arg = &taker };
	const bool all = kind == TASKACCT_TGID;
	struct nl_msg *msg;
	int err;

	err = check(ta, "extended record");
	if (err)
		return err;
	msg = ta_message(ta, TASKACCT_CMD_GET, 0);
	if (msg &&
	    nla_put_u32(msg,
			all ? TASKSTATS_CMD_ATTR_TGID : TASKSTATS_CMD_ATTR_PID,
			id)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, extend(msg, want, NULL), &reply, "%s %u",
			  all ? "tgid" : "pid", id);
}

int taskacct_dump(struct taskacct *ta, uint32_t want,
		  const struct taskacct_filter *filter, taskacct_handler each,
		  void *arg, bool *changed)
{
	struct taker taker = { .each = each, .arg = arg };
	struct ta_reply reply = { .each = take, .arg = &taker };
	struct nl_msg *msg;
	int err;

	*changed = false;
	err = check(ta, "list of tasks");
	if (err)
		return err;
	msg = ta_message(ta, TASKACCT_CMD_GET, NLM_F_DUMP);
	err = ta_request(ta, extend(msg, want, filter), &reply,
			 "list of tasks");
	*changed = reply.changed;
	return err;
}

static int put_batch(struct nl_msg *msg, const struct taskacct_batch *batch)
{
	const uint32_t bytes = batch->bytes ? batch->bytes :
					      TASKACCT_BATCH_BYTES;
	const uint32_t msecs = batch->msecs ? batch->msecs :
					      TASKACCT_BATCH_MSECS;

	if (nla_put_u32(msg, TASKACCT_CMD_ATTR_BATCH_BYTES, bytes) ||
	    nla_put_u32(msg, TASKACCT_CMD_ATTR_BATCH_MSECS, msecs))
		return -ENOMEM;
	return 0;
}

int taskacct_subscribe(struct taskacct *ta, const char *cpus, uint32_t want,
		       const struct taskacct_filter *filter,
		       const struct taskacct_batch *batch)
{
	struct ta_reply reply = { .each = NULL };
	struct nl_msg *msg;
	int err;

	err = check(ta, "extended records or filters");
	if (err)
		return err;
	msg = ta_message(ta, TASKACCT_CMD_GET, NLM_F_ACK);
	if (msg &&
	    (nla_put_string(msg, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus) ||
	     (batch && put_batch(msg, batch)))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, extend(msg, want, filter), &reply,
			  "register CPUs %s", cpus);
}

static int take_cgroup(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *genl = nlmsg_data(nlh);
	struct taskacct_cgroup *cgroup = arg;
	struct cgroupstats stats = { 0 };
	struct nlattr *states, *record, *waits;
	int err;

	if (nlmsg_datalen(nlh) < (int)GENL_HDRLEN ||
	    genl->cmd != TASKACCT_CMD_CGROUP_NEW)
		return -EBADMSG;
	states = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
				 CGROUPSTATS_TYPE_CGROUP_STATS);
	record = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
				 TASKACCT_TYPE_RECORD);
	waits = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
				TASKACCT_TYPE_WAITS);
	if (!states || nla_len(states) < (int)sizeof(stats))
		return -EBADMSG;
	memcpy(&stats, nla_data(states), sizeof(stats));
	cgroup->sleeping = stats.nr_sleeping;
	cgroup->running = stats.nr_running;
	cgroup->stopped = stats.nr_stopped;
	cgroup->uninterruptible = stats.nr_uninterruptible;
	cgroup->io_wait = stats.nr_io_wait;
	cgroup->has_record = record;
	if (!record)
		return 0;
	err = taskacct_decode_record(&cgroup->record, nla_data(record),
				     (size_t)nla_len(record));
	return err || !waits ?
		       err :
		       taskacct_decode_waits(&cgroup->record, nla_data(waits),
					     (size_t)nla_len(waits));
}

int taskacct_cgroup(struct taskacct *ta, int fd, bool record,
		    struct taskacct_cgroup *cgroup)
{
	struct ta_reply reply = { .each = take_cgroup, .arg = cgroup };
	struct nl_msg *msg;
	int err;

	memset(cgroup, 0, sizeof(*cgroup));
	err = record ? check(ta, "what a cgroup used") : 0;
	if (err)
		return err;
	msg = ta_message(ta, TASKACCT_CMD_CGROUP_GET, 0);
	if (msg && nla_put_u32(msg, CGROUPSTATS_CMD_ATTR_FD, (uint32_t)fd)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	/* The kernel's own takes nothing else. */
	if (record)
		msg = extend(msg, TASKACCT_WANT_RECORD, NULL);
	return ta_request(ta, msg, &reply, "cgroup");
}

static uint64_t number_of(const struct nlattr *attr)
{
	uint64_t u64 = 0;
	uint32_t u32 = 0;

	if (nla_len(attr) >= (int)sizeof(u64)) {
		memcpy(&u64, nla_data(attr), sizeof(u64));
		return u64;
	}
	if (nla_len(attr) >= (int)sizeof(u32))
		memcpy(&u32, nla_data(attr), sizeof(u32));
	return u32;
}

static bool take_condition(struct taskacct_filter *f, int type, uint64_t value)
{
	switch (type) {
	case TASKACCT_FILTER_ATTR_KINDS:
		f->kinds = (uint32_t)value;
		return true;
	case TASKACCT_FILTER_ATTR_UID_MIN:
		f->uid_min = (uint32_t)value;
		return true;
	case TASKACCT_FILTER_ATTR_UID_MAX:
		f->uid_max = (uint32_t)value;
		return true;
	case TASKACCT_FILTER_ATTR_CGROUP_ID:
		f->cgroup_id = value;
		return true;
	case TASKACCT_FILTER_ATTR_MIN_LIFETIME:
		f->min_lifetime = value;
		return true;
	case TASKACCT_FILTER_ATTR_MIN_CPU_TIME:
		f->min_cpu_time = value;
		return true;
	case TASKACCT_FILTER_ATTR_ONE_IN:
		f->one_in = (uint32_t)value;
		return true;
	default:
		return type == TASKACCT_FILTER_ATTR_FAILED;
	}
}

void ta_filter_parse(struct taskacct_filter *filter, const struct nlattr *nest)
{
	struct nlattr *attr;
	int left;

	memset(filter, 0, sizeof(*filter));
	filter->cgroup_fd = -1;
	nla_for_each_nested(attr, nest, left)
		if (take_condition(filter, nla_type(attr), number_of(attr)))
			filter->has |= UINT32_C(1) << nla_type(attr);
}
