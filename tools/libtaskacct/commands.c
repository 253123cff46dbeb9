// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What can be asked of the family
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>

#include "handle.h"

/* A query, while its answer is awaited */
struct query {
	struct taskacct_classic *record;
	taskacct_handler raw;
	void *arg;
};

static int take_record(const struct nlmsghdr *nlh, void *arg)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct taskacct_event event = { .nlh = nlh, .time_ns = ta_now_ns() };
	struct query *query = arg;

	if (taskacct_records(nlh, records) < 1)
		return -EBADMSG;
	*query->record = records[0];
	if (query->raw)
		query->raw(&event, query->arg);
	return 0;
}

int taskacct_query(struct taskacct *ta, enum taskacct_kind kind, uint32_t id,
		   struct taskacct_classic *record, taskacct_handler raw,
		   void *arg)
{
	struct query query = { .record = record, .raw = raw, .arg = arg };
	struct ta_reply reply = { .each = take_record, .arg = &query };
	struct nl_msg *msg = ta_message(ta, TASKACCT_CMD_GET, 0);
	int type = kind == TASKACCT_TGID ? TASKSTATS_CMD_ATTR_TGID :
					   TASKSTATS_CMD_ATTR_PID;

	if (msg && nla_put_u32(msg, type, id)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, msg, &reply, "%s %u",
			  kind == TASKACCT_TGID ? "tgid" : "pid", id);
}

static int set_mask(struct taskacct *ta, int type, const char *cpus,
		    const char *what)
{
	struct nl_msg *msg = ta_message(ta, TASKACCT_CMD_GET, NLM_F_ACK);
	struct ta_reply reply = { .each = NULL };

	if (msg && nla_put_string(msg, type, cpus)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return ta_request(ta, msg, &reply, "%s CPUs %s", what, cpus);
}

int taskacct_register(struct taskacct *ta, const char *cpus)
{
	return set_mask(ta, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus,
			"register");
}

int taskacct_deregister(struct taskacct *ta, const char *cpus)
{
	uint32_t before = ta->seq;
	int err = set_mask(ta, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, cpus,
			   "deregister");

	/* Asked twice, because the first answer was dropped: it was done. */
	if (err == -ENOENT && ta->seq != before + 1)
		return 0;
	return err;
}

int taskacct_set_buffer(struct taskacct *ta, int bytes, int *got)
{
	socklen_t size = sizeof(*got);

	if (setsockopt(ta->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
		       sizeof(bytes)) &&
	    setsockopt(ta->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)))
		return ta_fail(ta->error, sizeof(ta->error), -errno, NULL,
			       "receive buffer of %d bytes", bytes);
	if (getsockopt(ta->fd, SOL_SOCKET, SO_RCVBUF, got, &size))
		return ta_fail(ta->error, sizeof(ta->error), -errno, NULL,
			       "receive buffer");
	return 0;
}

static uint32_t u32_of(struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ?
		       nla_get_u32(attr) :
		       0;
}

static uint64_t u64_of(struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint64_t) ?
		       nla_get_u64(attr) :
		       0;
}

static void text_of(char *text, struct nlattr *attr, size_t size)
{
	text[0] = '\0';
	if (attr)
		nla_strlcpy(text, attr, size);
}

/* libnl's own takes a text to end with a NUL. */
static char *copy_of(struct nlattr *attr)
{
	return attr ? strndup(nla_data(attr), (size_t)nla_len(attr)) :
		      strdup("");
}

static int parse_listener(const struct nlmsghdr *nlh,
			  struct taskacct_listener *l)
{
	struct nlattr *a[TASKACCT_LISTENER_ATTR_MAX + 1];

	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, a,
			TASKACCT_LISTENER_ATTR_MAX, NULL))
		return -EBADMSG;
	l->portid = u32_of(a[TASKACCT_LISTENER_ATTR_PORTID]);
	l->netns = u32_of(a[TASKACCT_LISTENER_ATTR_NETNS]);
	l->pid = u32_of(a[TASKACCT_LISTENER_ATTR_PID]);
	text_of(l->comm, a[TASKACCT_LISTENER_ATTR_COMM], sizeof(l->comm));
	l->made = u64_of(a[TASKACCT_LISTENER_ATTR_MADE]);
	l->delivered = u64_of(a[TASKACCT_LISTENER_ATTR_DELIVERED]);
	l->filtered = u64_of(a[TASKACCT_LISTENER_ATTR_FILTERED]);
	l->lost_queue = u64_of(a[TASKACCT_LISTENER_ATTR_LOST_QUEUE]);
	l->lost_memory = u64_of(a[TASKACCT_LISTENER_ATTR_LOST_MEMORY]);
	l->waiting = u64_of(a[TASKACCT_LISTENER_ATTR_WAITING]);
	l->extended = a[TASKACCT_LISTENER_ATTR_WANT];
	l->want = u32_of(a[TASKACCT_LISTENER_ATTR_WANT]);
	memset(&l->filter, 0, sizeof(l->filter));
	if (a[TASKACCT_LISTENER_ATTR_FILTER])
		ta_filter_parse(&l->filter, a[TASKACCT_LISTENER_ATTR_FILTER]);
	l->cpumask = copy_of(a[TASKACCT_LISTENER_ATTR_CPUMASK]);
	return l->cpumask ? 0 : -ENOMEM;
}

static int take_listener(const struct nlmsghdr *nlh, void *arg)
{
	taskacct_listener_free(arg);
	return parse_listener(nlh, arg);
}

static int check_counts(struct taskacct *ta)
{
	if (ta->family.counts)
		return 0;
	return ta_fail(ta->error, sizeof(ta->error), -EOPNOTSUPP,
		       "it is the kernel's own taskstats, which keeps none",
		       "statistics of %s", ta->family.name);
}

int taskacct_listener(struct taskacct *ta, struct taskacct_listener *listener)
{
	struct ta_reply reply = { .each = take_listener, .arg = listener };
	int err = check_counts(ta);

	memset(listener, 0, sizeof(*listener));
	if (err)
		return err;
	return ta_request(ta, ta_message(ta, TASKACCT_CMD_LISTENER_GET, 0),
			  &reply, "statistics of this listener");
}

void taskacct_listener_free(struct taskacct_listener *listener)
{
	free(listener->cpumask);
	listener->cpumask = NULL;
}

/* A dump of listeners, while it comes in */
struct listeners_dump {
	void (*each)(const struct taskacct_listener *listener, void *arg);
	void *arg;
};

static int take_dumped(const struct nlmsghdr *nlh, void *arg)
{
	struct taskacct_listener listener = { .cpumask = NULL };
	const struct listeners_dump *dump = arg;
	int err = parse_listener(nlh, &listener);

	if (!err)
		dump->each(&listener, dump->arg);
	taskacct_listener_free(&listener);
	return err;
}

int taskacct_listeners(struct taskacct *ta,
		       void (*each)(const struct taskacct_listener *listener,
				    void *arg),
		       void *arg)
{
	struct listeners_dump dump = { .each = each, .arg = arg };
	struct ta_reply reply = { .each = take_dumped, .arg = &dump };
	int err = check_counts(ta);

	if (err)
		return err;
	return ta_request(ta,
			  ta_message(ta, TASKACCT_CMD_LISTENER_GET, NLM_F_DUMP),
			  &reply, "list of listeners");
}

bool taskacct_is_listener(const struct taskacct *ta,
			  const struct taskacct_listener *listener)
{
	return listener->portid == ta->portid &&
	       (!ta->netns || listener->netns == ta->netns);
}

static int take_status(const struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *a[TASKACCT_STAT_ATTR_MAX + 1];
	struct taskacct_status *s = arg;

	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, a,
			TASKACCT_STAT_ATTR_MAX, NULL))
		return -EBADMSG;
	text_of(s->hook, a[TASKACCT_STAT_ATTR_HOOK], sizeof(s->hook));
	s->listeners = u32_of(a[TASKACCT_STAT_ATTR_LISTENERS]);
	s->groups = u32_of(a[TASKACCT_STAT_ATTR_GROUPS]);
	s->threads = u32_of(a[TASKACCT_STAT_ATTR_THREADS]);
	s->exits = u64_of(a[TASKACCT_STAT_ATTR_EXITS]);
	s->made = u64_of(a[TASKACCT_STAT_ATTR_MADE]);
	s->delivered = u64_of(a[TASKACCT_STAT_ATTR_DELIVERED]);
	s->filtered = u64_of(a[TASKACCT_STAT_ATTR_FILTERED]);
	s->lost_queue = u64_of(a[TASKACCT_STAT_ATTR_LOST_QUEUE]);
	s->lost_memory = u64_of(a[TASKACCT_STAT_ATTR_LOST_MEMORY]);
	s->group_nomem = u64_of(a[TASKACCT_STAT_ATTR_GROUP_NOMEM]);
	s->queries = u64_of(a[TASKACCT_STAT_ATTR_QUERIES]);
	s->uids = u32_of(a[TASKACCT_STAT_ATTR_UIDS]);
	s->uid_tasks = u32_of(a[TASKACCT_STAT_ATTR_UID_TASKS]);
	s->uid_rest = u64_of(a[TASKACCT_STAT_ATTR_UID_REST]);
	s->uid_nomem = u64_of(a[TASKACCT_STAT_ATTR_UID_NOMEM]);
	text_of(s->uid_hook, a[TASKACCT_STAT_ATTR_UID_HOOK],
		sizeof(s->uid_hook));
	text_of(s->fsync_hook, a[TASKACCT_STAT_ATTR_FSYNC_HOOK],
		sizeof(s->fsync_hook));
	s->exits_missed = u64_of(a[TASKACCT_STAT_ATTR_EXITS_MISSED]);
	text_of(s->end_hook, a[TASKACCT_STAT_ATTR_END_HOOK],
		sizeof(s->end_hook));
	return 0;
}

int taskacct_status(struct taskacct *ta, struct taskacct_status *status)
{
	struct ta_reply reply = { .each = take_status, .arg = status };
	int err = check_counts(ta);

	memset(status, 0, sizeof(*status));
	if (err)
		return err;
	return ta_request(ta, ta_message(ta, TASKACCT_CMD_STAT_GET, 0), &reply,
			  "status of %s", ta->family.name);
}
