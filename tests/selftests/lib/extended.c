// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages beyond the classic: requests for them and what is in them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "extended.h"
#include "sys.h"

/* A message that does not come for so long will not come. */
#define ANSWER_MS (60000 * sys_slow())

static void take_record(struct ext_message *m, struct nlattr *attr)
{
	struct taskacct_record record = { 0 };

	nla_memcpy(&record, attr, sizeof(record));
	m->record_size = nla_len(attr);
	if (record.kind == TASKACCT_KIND_TASK) {
		m->has_task = true;
		m->task = record;
	} else {
		m->has_process = true;
		m->process = record;
	}
}

/* Those of the record that they follow; that of the task comes first. */
static void take_waits(struct ext_message *m, struct nlattr *nest)
{
	struct taskacct_wait *waits = m->has_process ? m->process_waits :
						       m->task_waits;
	struct nlattr *attr;
	int kind, left;

	nla_for_each_nested(attr, nest, left) {
		kind = nla_type(attr) - TASKACCT_WAITS_ATTR_CPU;
		if (kind >= 0 && kind < TASKACCT_WAITS)
			nla_memcpy(&waits[kind], attr, sizeof(waits[kind]));
	}
}

static void take_type(struct ext_message *m, struct nlattr *attr)
{
	switch (nla_type(attr)) {
	case TASKACCT_TYPE_RECORD:
		take_record(m, attr);
		break;
	case TASKACCT_TYPE_WAITS:
		take_waits(m, attr);
		break;
	case TASKACCT_TYPE_STREAM:
		m->has_stream = true;
		nla_memcpy(&m->stream, attr, sizeof(m->stream));
		break;
	case TASKACCT_TYPE_EXE_PATH:
		nla_strlcpy(m->exe, attr, sizeof(m->exe));
		break;
	case TASKACCT_TYPE_CGROUP_PATH:
		nla_strlcpy(m->cgroup, attr, sizeof(m->cgroup));
		break;
	case TASKACCT_TYPE_CMDLINE:
		m->cmdline_len = nla_memcpy(m->cmdline, attr,
					    sizeof(m->cmdline));
		break;
	}
}

static void take_gap(struct ext_gap *gap, struct nlattr *attr)
{
	switch (nla_type(attr)) {
	case TASKACCT_GAP_ATTR_QUEUE:
		gap->queue = nla_get_u64(attr);
		break;
	case TASKACCT_GAP_ATTR_MEMORY:
		gap->memory = nla_get_u64(attr);
		break;
	case TASKACCT_GAP_ATTR_SINCE:
		gap->since = nla_get_u64(attr);
		break;
	case TASKACCT_GAP_ATTR_CPUMASK:
		nla_strlcpy(gap->cpumask, attr, sizeof(gap->cpumask));
		break;
	case TASKACCT_GAP_ATTR_STREAM:
		nla_memcpy(&gap->stream, attr, sizeof(gap->stream));
		break;
	}
}

/* The classic records are padded with their own type. */
static bool is_padding(int type)
{
	return type == TASKSTATS_TYPE_NULL || type == TASKACCT_TYPE_PAD;
}

/**
 * ext_parse() - decode a message
 * @nlh: the message
 * @m: filled in
 */
void ext_parse(struct nlmsghdr *nlh, struct ext_message *m)
{
	const struct genlmsghdr *genl = nlmsg_data(nlh);
	struct nlattr *attr = nlmsg_attrdata(nlh, GENL_HDRLEN);
	int left = nlmsg_attrlen(nlh, GENL_HDRLEN);

	memset(m, 0, sizeof(*m));
	m->cmd = genl->cmd;
	m->flags = nlh->nlmsg_flags;
	m->seq = nlh->nlmsg_seq;
	acct_parse_exit(nlh, &m->classic);
	for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
		if (is_padding(nla_type(attr)))
			continue;
		if (m->n < EXT_ATTRS)
			m->types[m->n] = nla_type(attr);
		m->n++;
		if (m->cmd == TASKACCT_CMD_GAP)
			take_gap(&m->gap, attr);
		else
			take_type(m, attr);
	}
}

static void put_u32(struct nl_msg *msg, const struct ext_filter *filter,
		    int attr, uint32_t value)
{
	if (filter->has & (1U << attr))
		nla_put_u32(msg, attr, value);
}

static void put_u64(struct nl_msg *msg, const struct ext_filter *filter,
		    int attr, uint64_t value)
{
	if (filter->has & (1U << attr))
		nla_put_u64(msg, attr, value);
}

/**
 * ext_put_filter() - write a filter into a request
 * @msg: the request
 * @filter: the filter; NULL for none
 */
void ext_put_filter(struct nl_msg *msg, const struct ext_filter *filter)
{
	struct nlattr *nest;

	if (!filter)
		return;
	nest = nla_nest_start(msg, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER);
	put_u32(msg, filter, TASKACCT_FILTER_ATTR_KINDS, filter->kinds);
	put_u32(msg, filter, TASKACCT_FILTER_ATTR_UID_MIN, filter->uid_min);
	put_u32(msg, filter, TASKACCT_FILTER_ATTR_UID_MAX, filter->uid_max);
	put_u64(msg, filter, TASKACCT_FILTER_ATTR_CGROUP_ID,
		filter->cgroup_id);
	put_u32(msg, filter, TASKACCT_FILTER_ATTR_CGROUP_FD,
		filter->cgroup_fd);
	put_u64(msg, filter, TASKACCT_FILTER_ATTR_MIN_LIFETIME,
		filter->min_lifetime);
	put_u64(msg, filter, TASKACCT_FILTER_ATTR_MIN_CPU_TIME,
		filter->min_cpu_time);
	if (filter->has & EXT_HAS(FAILED))
		nla_put_flag(msg, TASKACCT_FILTER_ATTR_FAILED);
	put_u32(msg, filter, TASKACCT_FILTER_ATTR_ONE_IN, filter->one_in);
	/* An empty filter is one as well; nla_nest_end() would drop it. */
	nla_nest_end_keep_empty(msg, nest);
}

/**
 * ext_register() - register CPUs, with what is asked for
 * @s: the socket
 * @mask: list of ranges; NULL for all possible CPUs
 * @want: TASKACCT_WANT_*
 * @filter: which tasks; NULL for no filter
 *
 * Return: 0 or the kernel's negative errno.
 */
int ext_register(struct acct_sock *s, const char *mask, uint32_t want,
		 const struct ext_filter *filter)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_SUBSCRIBE, 0);

	if (mask)
		nla_put_string(msg, TASKACCT_CMD_ATTR_CPUMASK, mask);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want);
	ext_put_filter(msg, filter);
	return acct_transact(s, msg, NULL, NULL);
}

/**
 * ext_register_batched() - ask for messages of exits, several to a datagram
 * @s: the socket
 * @mask: list of CPUs
 * @want: TASKACCT_WANT_*
 * @bytes: length of a datagram at most
 * @msecs: how long the first in it waits at most
 *
 * Return: 0 or the kernel's negative errno.
 */
int ext_register_batched(struct acct_sock *s, const char *mask, uint32_t want,
			 uint32_t bytes, uint32_t msecs)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_SUBSCRIBE, 0);

	nla_put_string(msg, TASKACCT_CMD_ATTR_CPUMASK, mask);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_BATCH_BYTES, bytes);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_BATCH_MSECS, msecs);
	return acct_transact(s, msg, NULL, NULL);
}

/**
 * ext_listen() - open a socket and register it for all CPUs
 * @s: the socket to be filled in
 * @want: TASKACCT_WANT_*
 * @filter: which tasks; NULL for no filter
 * @rcvbuf: size of its receive buffer, 0 for what it is born with
 *
 * Return: 0 or a negative errno.
 */
int ext_listen(struct acct_sock *s, uint32_t want,
	       const struct ext_filter *filter, int rcvbuf)
{
	int err = acct_open(s);

	if (err)
		return err;
	if (rcvbuf && setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf,
				 sizeof(rcvbuf)) < 0)
		err = -errno;
	if (!err)
		err = ext_register(s, NULL, want, filter);
	if (err)
		acct_close(s);
	return err;
}

/**
 * ext_listen_both() - listen to exits of tasks and of processes, with room for many
 * @s: initialised, for acct_close()
 * @want: EXT_* and TASKACCT_WANT_*
 *
 * Return: 0 or a negative errno.
 */
int ext_listen_both(struct acct_sock *s, uint32_t want)
{
	const struct ext_filter both = {
		.has = EXT_HAS(KINDS),
		.kinds = TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS,
	};

	return ext_listen(s, want, &both, 4 << 20);
}

/**
 * ext_next() - the next message of a listener
 * @s: the socket
 * @m: filled in
 * @timeout_ms: how long to wait for it
 *
 * Return: 0, -EAGAIN where none came, or a negative errno, such as -ENOBUFS.
 */
int ext_next(struct acct_sock *s, struct ext_message *m, int timeout_ms)
{
	struct nlmsghdr *nlh;
	int err;

	nlh = acct_next_message(s, timeout_ms, &err);
	if (nlh)
		ext_parse(nlh, m);
	return err;
}

/**
 * ext_wait_task() - read on until the record of a task
 * @s: the socket
 * @tid: the task
 * @m: filled in
 *
 * Return: 0, -EAGAIN where it did not come, or a negative errno.
 */
int ext_wait_task(struct acct_sock *s, pid_t tid, struct ext_message *m)
{
	int err;

	do {
		err = ext_next(s, m, ANSWER_MS);
	} while (!err && !(m->has_task && m->task.pid == (uint32_t)tid));
	return err;
}

/**
 * ext_wait_process() - read on until the record of a process
 * @s: the socket
 * @pid: the process
 * @m: filled in
 *
 * Return: 0, -EAGAIN where it did not come, or a negative errno.
 */
int ext_wait_process(struct acct_sock *s, pid_t pid, struct ext_message *m)
{
	int err;

	do {
		err = ext_next(s, m, ANSWER_MS);
	} while (!err && !(m->has_process && m->process.pid == (uint32_t)pid));
	return err;
}

static void take_answer(struct nlmsghdr *nlh, void *arg)
{
	ext_parse(nlh, arg);
}

/**
 * ext_query() - ask for what is known of a task or a process
 * @s: the socket
 * @attr: TASKSTATS_CMD_ATTR_PID or TASKSTATS_CMD_ATTR_TGID
 * @id: its number
 * @want: TASKACCT_WANT_*
 * @m: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int ext_query(struct acct_sock *s, int attr, uint32_t id, uint32_t want,
	      struct ext_message *m)
{
	struct nl_msg *msg = acct_request(s, TASKACCT_CMD_TASK_GET, 0);

	memset(m, 0, sizeof(*m));
	nla_put_u32(msg,
		    attr == TASKSTATS_CMD_ATTR_PID ? TASKACCT_CMD_ATTR_PID :
						     TASKACCT_CMD_ATTR_TGID,
		    id);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want);
	return acct_transact(s, msg, take_answer, m);
}

/**
 * ext_query_task() - ask for the extended record of a task
 * @s: the socket
 * @tid: the task
 * @r: filled in
 *
 * Return: 0, -EPROTO where the answer has none, or the kernel's negative errno.
 */
int ext_query_task(struct acct_sock *s, pid_t tid, struct taskacct_record *r)
{
	struct ext_message m;
	int err = ext_query(s, TASKSTATS_CMD_ATTR_PID, tid, EXT_BARE, &m);

	*r = m.task;
	return err || m.has_task ? err : -EPROTO;
}

/**
 * ext_query_process() - ask for the extended record of a process
 * @s: the socket
 * @pid: the process
 * @r: filled in
 *
 * Return: 0, -EPROTO where the answer has none, or the kernel's negative errno.
 */
int ext_query_process(struct acct_sock *s, pid_t pid, struct taskacct_record *r)
{
	struct ext_message m;
	int err = ext_query(s, TASKSTATS_CMD_ATTR_TGID, pid, EXT_BARE, &m);

	*r = m.process;
	return err || m.has_process ? err : -EPROTO;
}

/**
 * ext_await_end() - wait until a child has ended and is reported
 * @s: a socket
 * @pid: the child; it is not reaped
 *
 * Who is told by wait() that it has ended may be so before its message is made.
 *
 * Return: 0, or a negative errno; -ETIMEDOUT: it does not come to its end.
 */
int ext_await_end(struct acct_sock *s, pid_t pid)
{
	struct taskacct_record r = { 0 };
	siginfo_t info;
	int err, i;

	while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		if (errno != EINTR)
			return -errno;
	for (i = 0; i < 10000; i++) {
		err = ext_query_process(s, pid, &r);
		if (err || !(r.flags & TASKACCT_RECORD_ENDING))
			return err;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

/* What a listener asked for, as the kernel tells it */
struct subscription {
	uint32_t want;
	struct ext_filter filter;
};

static uint64_t number_in(struct nlattr *nest, int type, uint32_t *has)
{
	struct nlattr *attr = nla_find(nla_data(nest), nla_len(nest), type);

	if (!attr)
		return 0;
	*has |= 1U << type;
	if (nla_len(attr) == sizeof(uint64_t))
		return nla_get_u64(attr);
	return nla_len(attr) == sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static void take_filter(struct nlattr *nest, struct ext_filter *f)
{
	uint32_t *has = &f->has;

	f->kinds = number_in(nest, TASKACCT_FILTER_ATTR_KINDS, has);
	f->uid_min = number_in(nest, TASKACCT_FILTER_ATTR_UID_MIN, has);
	f->uid_max = number_in(nest, TASKACCT_FILTER_ATTR_UID_MAX, has);
	f->cgroup_id = number_in(nest, TASKACCT_FILTER_ATTR_CGROUP_ID, has);
	f->cgroup_fd = number_in(nest, TASKACCT_FILTER_ATTR_CGROUP_FD, has);
	f->min_lifetime = number_in(nest, TASKACCT_FILTER_ATTR_MIN_LIFETIME,
				    has);
	f->min_cpu_time = number_in(nest, TASKACCT_FILTER_ATTR_MIN_CPU_TIME,
				    has);
	number_in(nest, TASKACCT_FILTER_ATTR_FAILED, has);
	f->one_in = number_in(nest, TASKACCT_FILTER_ATTR_ONE_IN, has);
}

static void take_subscription(struct nlmsghdr *nlh, void *arg)
{
	struct subscription *sub = arg;
	struct nlattr *attr;

	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, TASKACCT_LISTENER_ATTR_WANT);
	if (attr)
		sub->want = nla_get_u32(attr);
	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, TASKACCT_LISTENER_ATTR_FILTER);
	if (attr)
		take_filter(attr, &sub->filter);
}

/**
 * ext_listener_get() - what the socket itself is registered for
 * @s: the socket
 * @want: filled in; UINT32_MAX where it asked for nothing
 * @filter: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int ext_listener_get(struct acct_sock *s, uint32_t *want,
		     struct ext_filter *filter)
{
	struct subscription sub = { .want = UINT32_MAX };
	int err;

	err = acct_transact(s, acct_request(s, TASKACCT_CMD_LISTENER_GET, 0),
			    take_subscription, &sub);
	*want = sub.want;
	*filter = sub.filter;
	return err;
}

struct dump {
	ext_answer_fn fn;
	void *arg;
};

static void take_dumped(struct nlmsghdr *nlh, void *arg)
{
	const struct dump *d = arg;
	struct ext_message m;

	ext_parse(nlh, &m);
	d->fn(&m, d->arg);
}

/**
 * ext_dump() - ask for all tasks or all processes
 * @s: the socket
 * @want: TASKACCT_WANT_*; 0 leaves the attribute out
 * @filter: which; NULL for no filter
 * @fn: called for each answer
 * @arg: for @fn
 *
 * Return: 0 or the kernel's negative errno.
 */
int ext_dump(struct acct_sock *s, uint32_t want,
	     const struct ext_filter *filter, ext_answer_fn fn, void *arg)
{
	struct dump d = { .fn = fn, .arg = arg };
	struct nl_msg *msg;

	msg = acct_request(s, TASKACCT_CMD_TASK_GET, NLM_F_DUMP);
	if (want)
		nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, want);
	ext_put_filter(msg, filter);
	return acct_transact(s, msg, take_dumped, &d);
}
