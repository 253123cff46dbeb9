// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets, requests, answers and exit messages.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "acct.h"
#include "sys.h"
#include "work.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

/* A request to which nothing comes for so long will get no answer; nor will one
 * to which other things have come for so long, on slow kernels for longer.
 */
#define ANSWER_MS 60000

/**
 * acct_family_name() - the family under test
 *
 * Return: the environment's TASKACCT_FAMILY, or taskacct's own.
 */
const char *acct_family_name(void)
{
	const char *name = getenv("TASKACCT_FAMILY");

	return name && *name ? name : TASKACCT_GENL_NAME;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/**
 * acct_socket() - open and bind a generic netlink socket
 * @port: port id, or 0 to be given one
 *
 * Return: the socket or a negative errno.
 */
int acct_socket(uint32_t port)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_pid = port };
	int one = 1;
	int err;
	int fd;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/**
 * acct_open() - open a socket of the family under test
 * @s: the socket to be filled in
 *
 * Return: 0 or a negative errno; -ENOENT where the family is not there.
 */
int acct_open(struct acct_sock *s)
{
	return acct_open_family(s, acct_family_name(), 0);
}

/**
 * acct_open_family() - open a socket of any family
 * @s: the socket to be filled in
 * @name: name of the family
 * @port: port id, or 0 to be given one
 *
 * Return: 0 or a negative errno.
 */
int acct_open_family(struct acct_sock *s, const char *name, uint32_t port)
{
	struct sockaddr_nl addr;
	socklen_t len = sizeof(addr);
	int id;

	memset(s, 0, sizeof(*s));
	s->kept_end = &s->kept;
	s->fd = acct_socket(port);
	if (s->fd < 0)
		return s->fd;
	getsockname(s->fd, (struct sockaddr *)&addr, &len);
	s->port = addr.nl_pid;
	id = acct_resolve(s, name);
	if (id < 0) {
		acct_close(s);
		return id;
	}
	s->family = id;
	return 0;
}

/**
 * acct_close() - close a socket and forget what it kept
 * @s: the socket; closing twice does no harm
 */
void acct_close(struct acct_sock *s)
{
	struct acct_kept *kept;

	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	while ((kept = s->kept)) {
		s->kept = kept->next;
		free(kept);
	}
	s->kept_end = &s->kept;
	free(s->taken);
	s->taken = NULL;
}

static void take_family_id(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *attr;

	attr = nlmsg_find_attr(nlh, GENL_HDRLEN, CTRL_ATTR_FAMILY_ID);
	if (attr)
		*(int *)arg = nla_get_u16(attr);
}

/**
 * acct_resolve() - ask the controller for a family's number
 * @s: any generic netlink socket
 * @name: name of the family
 *
 * Return: the number or a negative errno.
 */
int acct_resolve(struct acct_sock *s, const char *name)
{
	uint16_t family = s->family;
	struct nl_msg *msg;
	int id = -EPROTO;
	int err;

	s->family = GENL_ID_CTRL;
	msg = acct_request(s, CTRL_CMD_GETFAMILY, 0);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
	err = acct_transact(s, msg, take_family_id, &id);
	s->family = family;
	return err ? err : id;
}

/**
 * acct_request() - begin a request
 * @s: socket that it will be sent on
 * @cmd: command
 * @flags: nlmsg_flags besides NLM_F_REQUEST
 *
 * Return: the message, for acct_send() or acct_transact() to free.
 */
struct nl_msg *acct_request(struct acct_sock *s, uint8_t cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg)
		abort();
	genlmsg_put(msg, s->port, ++s->seq, s->family, 0,
		    NLM_F_REQUEST | flags, cmd, 1);
	return msg;
}

/**
 * acct_send() - send a request and free it
 * @s: the socket
 * @msg: the request
 *
 * Return: 0 or a negative errno.
 */
int acct_send(struct acct_sock *s, struct nl_msg *msg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	ssize_t n;

	n = send(s->fd, nlh, nlh->nlmsg_len, 0);
	nlmsg_free(msg);
	return n < 0 ? -errno : 0;
}

/**
 * acct_recv() - receive one datagram
 * @fd: the socket
 * @buf: where it goes
 * @size: room there
 * @timeout_ms: how long to wait
 *
 * Return: its length, -EAGAIN when the time is over, or a negative errno.
 */
ssize_t acct_recv(int fd, void *buf, size_t size, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int64_t end = now_ms() + timeout_ms;
	ssize_t n;
	int left;

	for (;;) {
		n = recv(fd, buf, size, MSG_DONTWAIT | MSG_TRUNC);
		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		left = end - now_ms();
		if (left <= 0)
			return -EAGAIN;
		poll(&pfd, 1, left);
	}
}

static void take_extack(struct acct_sock *s, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = nlmsg_data(nlh);
	struct nlattr *msg;
	int skip = sizeof(*e);

	s->extack[0] = '\0';
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	msg = nla_find((struct nlattr *)((char *)e + skip),
		       nlmsg_datalen(nlh) - skip, NLMSGERR_ATTR_MSG);
	if (msg)
		nla_strlcpy(s->extack, msg, sizeof(s->extack));
}

/**
 * acct_error_of() - read an NLMSG_ERROR and keep its extended ack
 * @s: socket that it came on
 * @nlh: the message
 *
 * Return: the error in it, 0 for an acknowledgment.
 */
int acct_error_of(struct acct_sock *s, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = nlmsg_data(nlh);

	take_extack(s, nlh);
	return e->error;
}

static void keep_exit(struct acct_sock *s, struct nlmsghdr *nlh)
{
	struct acct_kept *kept;

	kept = calloc(1, offsetof(struct acct_kept, nlh) + nlh->nlmsg_len);
	if (!kept)
		abort();
	memcpy(&kept->nlh, nlh, nlh->nlmsg_len);
	*s->kept_end = kept;
	s->kept_end = &kept->next;
}

static bool is_exit(const struct acct_sock *s, const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_type == s->family && nlh->nlmsg_pid == 0;
}

/* 1: the exchange is over, with its result in *err. */
static int take_datagram(struct acct_sock *s, struct nlmsghdr *nlh, int len,
			 acct_answer_fn fn, void *arg, int *err)
{
	for (; nlmsg_ok(nlh, len); nlh = nlmsg_next(nlh, &len)) {
		if (is_exit(s, nlh)) {
			keep_exit(s, nlh);
			continue;
		}
		if (nlh->nlmsg_seq != s->seq)
			continue;
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			*err = acct_error_of(s, nlh);
			return 1;
		}
		if (nlh->nlmsg_type == NLMSG_DONE) {
			*err = *(int *)nlmsg_data(nlh);
			return 1;
		}
		if (fn)
			fn(nlh, arg);
	}
	return 0;
}

/**
 * acct_transact() - send a request and read up to its acknowledgment
 * @s: the socket
 * @msg: the request, freed here
 * @fn: called for each answer; may be NULL
 * @arg: for @fn
 *
 * Exit messages that come meanwhile are kept for acct_next_exit().
 *
 * Return: 0 or the negative errno that the kernel answered with.
 */
int acct_transact(struct acct_sock *s, struct nl_msg *msg,
		  acct_answer_fn fn, void *arg)
{
	char buf[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	const int wait_ms = s->answer_ms ? s->answer_ms : ANSWER_MS;
	int64_t end, left;
	ssize_t n;
	int err;

	s->extack[0] = '\0';
	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_ACK;
	err = acct_send(s, msg);
	if (err)
		return err;
	end = now_ms() + wait_ms * sys_slow();
	for (;;) {
		left = end - now_ms();
		n = left < 0 ? -EAGAIN :
			       acct_recv(s->fd, buf, sizeof(buf),
					 left < wait_ms ? left : wait_ms);
		if (n == -ENOBUFS) {
			s->enobufs++;
			continue;
		}
		if (n < 0)
			return n;
		if (take_datagram(s, (struct nlmsghdr *)buf, n, fn, arg, &err))
			return err;
	}
}

static void copy_stats(struct taskstats *to, struct record_tail *tail,
		       const struct nlattr *attr)
{
	size_t len = nla_len(attr);
	size_t more = len > RECORD_TAIL_AT ? len - RECORD_TAIL_AT : 0;

	memset(to, 0, sizeof(*to));
	nla_memcpy(to, attr, sizeof(*to));
	memset(tail, 0, sizeof(*tail));
	memcpy(tail, (char *)nla_data(attr) + len - more,
	       more < sizeof(*tail) ? more : sizeof(*tail));
}

static bool take_nest(struct nlattr *nest, int id_type, uint32_t *id,
		      struct taskstats *stats, struct record_tail *tail)
{
	struct nlattr *attr;

	if (!nest)
		return false;
	attr = nla_find(nla_data(nest), nla_len(nest), id_type);
	if (!attr)
		return false;
	*id = nla_get_u32(attr);
	attr = nla_find(nla_data(nest), nla_len(nest), TASKSTATS_TYPE_STATS);
	if (!attr)
		return false;
	copy_stats(stats, tail, attr);
	return true;
}

/**
 * acct_parse_exit() - decode the message of an exit, or an answer
 * @nlh: the message
 * @e: filled in
 *
 * Return: 0, or -EPROTO where it has no record at all.
 */
int acct_parse_exit(struct nlmsghdr *nlh, struct acct_exit *e)
{
	struct nlattr *nest;

	memset(e, 0, sizeof(*e));
	e->seq = nlh->nlmsg_seq;
	nest = nlmsg_find_attr(nlh, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_PID);
	e->has_pid = take_nest(nest, TASKSTATS_TYPE_PID, &e->pid, &e->task,
			       &e->task_tail);
	nest = nlmsg_find_attr(nlh, GENL_HDRLEN, TASKSTATS_TYPE_AGGR_TGID);
	e->has_tgid = take_nest(nest, TASKSTATS_TYPE_TGID, &e->tgid, &e->group,
				&e->group_tail);
	return e->has_pid || e->has_tgid ? 0 : -EPROTO;
}

static void take_answer(struct nlmsghdr *nlh, void *arg)
{
	acct_parse_exit(nlh, arg);
}

/**
 * acct_query() - ask for one record
 * @s: the socket
 * @attr: TASKSTATS_CMD_ATTR_PID or TASKSTATS_CMD_ATTR_TGID
 * @id: task or process
 * @stats: filled in
 *
 * Return: 0 or the kernel's negative errno; -EPROTO where the answer is about
 * something else than was asked for.
 */
int acct_query(struct acct_sock *s, int attr, uint32_t id,
	       struct taskstats *stats)
{
	bool pid = attr == TASKSTATS_CMD_ATTR_PID;
	struct acct_exit e = { 0 };
	struct nl_msg *msg;
	int err;

	msg = acct_request(s, TASKSTATS_CMD_GET, 0);
	nla_put_u32(msg, attr, id);
	err = acct_transact(s, msg, take_answer, &e);
	if (err)
		return err;
	if (e.has_pid != pid || e.has_tgid == pid)
		return -EPROTO;
	if ((pid ? e.pid : e.tgid) != id)
		return -EPROTO;
	*stats = pid ? e.task : e.group;
	return 0;
}

/**
 * acct_query_pid() - ask for the record of one task
 * @s: the socket
 * @pid: the task
 * @stats: filled in
 *
 * Return: as acct_query().
 */
int acct_query_pid(struct acct_sock *s, pid_t pid, struct taskstats *stats)
{
	return acct_query(s, TASKSTATS_CMD_ATTR_PID, pid, stats);
}

/**
 * acct_query_tgid() - ask for the record of a process
 * @s: the socket
 * @tgid: the process
 * @stats: filled in
 *
 * Return: as acct_query().
 */
int acct_query_tgid(struct acct_sock *s, pid_t tgid, struct taskstats *stats)
{
	return acct_query(s, TASKSTATS_CMD_ATTR_TGID, tgid, stats);
}

static int send_mask(struct acct_sock *s, int attr, const char *mask)
{
	struct nl_msg *msg = acct_request(s, TASKSTATS_CMD_GET, 0);

	nla_put_string(msg, attr, mask);
	return acct_transact(s, msg, NULL, NULL);
}

/**
 * acct_register() - register a mask of CPUs
 * @s: the socket
 * @mask: list of ranges
 *
 * Return: 0 or the kernel's negative errno.
 */
int acct_register(struct acct_sock *s, const char *mask)
{
	return send_mask(s, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, mask);
}

/**
 * acct_deregister() - deregister a mask of CPUs
 * @s: the socket
 * @mask: list of ranges
 *
 * Return: 0 or the kernel's negative errno.
 */
int acct_deregister(struct acct_sock *s, const char *mask)
{
	return send_mask(s, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, mask);
}

/**
 * acct_listen() - open a socket and register it
 * @s: the socket to be filled in
 * @mask: list of ranges
 * @rcvbuf: size of its receive buffer, 0 for what it is born with
 *
 * Return: 0 or a negative errno.
 */
int acct_listen(struct acct_sock *s, const char *mask, int rcvbuf)
{
	int err = acct_open(s);

	if (err)
		return err;
	if (rcvbuf && setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &rcvbuf,
				 sizeof(rcvbuf)) < 0)
		err = -errno;
	if (!err)
		err = acct_register(s, mask);
	if (err)
		acct_close(s);
	return err;
}

/**
 * acct_listen_all() - open a socket and register it for all possible CPUs
 * @s: the socket to be filled in
 * @rcvbuf: as for acct_listen()
 *
 * Return: 0 or a negative errno.
 */
int acct_listen_all(struct acct_sock *s, int rcvbuf)
{
	char all[32];

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	return acct_listen(s, all, rcvbuf);
}

static struct nlmsghdr *take_kept(struct acct_sock *s)
{
	struct acct_kept *kept = s->kept;

	if (!kept)
		return NULL;
	s->kept = kept->next;
	if (!s->kept)
		s->kept_end = &s->kept;
	free(s->taken);
	s->taken = kept;
	return &kept->nlh;
}

/* A datagram may have several. */
static void keep_exits(struct acct_sock *s, struct nlmsghdr *nlh, int len)
{
	for (; nlmsg_ok(nlh, len); nlh = nlmsg_next(nlh, &len))
		if (is_exit(s, nlh))
			keep_exit(s, nlh);
}

/**
 * acct_next_message() - the next message that a listener is sent
 * @s: the socket
 * @timeout_ms: how long to wait for it
 * @err: -EAGAIN where none came, or another negative errno, such as -ENOBUFS
 *
 * Return: the message, until the next is taken, or NULL.
 */
struct nlmsghdr *acct_next_message(struct acct_sock *s, int timeout_ms,
				   int *err)
{
	char buf[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t n;

	while (!s->kept) {
		n = acct_recv(s->fd, buf, sizeof(buf), timeout_ms);
		if (n < 0) {
			*err = n;
			return NULL;
		}
		keep_exits(s, (struct nlmsghdr *)buf, n);
	}
	*err = 0;
	return take_kept(s);
}

/**
 * acct_next_exit() - the next exit message of a listener
 * @s: the socket
 * @e: filled in
 * @timeout_ms: how long to wait for it
 *
 * Return: 0, -EAGAIN where none came, or a negative errno, such as -ENOBUFS.
 */
int acct_next_exit(struct acct_sock *s, struct acct_exit *e, int timeout_ms)
{
	struct nlmsghdr *nlh;
	int err;

	nlh = acct_next_message(s, timeout_ms, &err);
	return nlh ? acct_parse_exit(nlh, e) : err;
}

/**
 * acct_wait_exit() - read on until the exit of one task
 * @s: the socket
 * @pid: the task
 * @e: filled in
 *
 * Return: 0, -EAGAIN where it did not come, or a negative errno.
 */
int acct_wait_exit(struct acct_sock *s, pid_t pid, struct acct_exit *e)
{
	int err;

	do {
		err = acct_next_exit(s, e, ANSWER_MS);
	} while (!err && !(e->has_pid && e->pid == (uint32_t)pid));
	return err;
}

/**
 * acct_wait_process() - read on until the record of one process of several threads
 * @s: the socket
 * @pid: the process
 *
 * All who registered before @s have it then, too.
 *
 * Return: as acct_wait_exit().
 */
int acct_wait_process(struct acct_sock *s, pid_t pid)
{
	struct acct_exit e;
	int err;

	do {
		err = acct_next_exit(s, &e, ANSWER_MS);
	} while (!err && !(e.has_tgid && e.tgid == (uint32_t)pid));
	return err;
}

/**
 * acct_exit_pair() - a process with two threads comes and goes, and is reported
 *
 * Its records may come after it was waited for.
 *
 * Return: its pid, or a negative errno.
 */
pid_t acct_exit_pair(void)
{
	struct acct_sock s;
	char all[32];
	pid_t pair;
	int err;

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	err = acct_listen(&s, all, 0);
	if (err)
		return err;
	pair = work_exit_pair();
	err = acct_wait_process(&s, pair);
	acct_close(&s);
	return err ?: pair;
}

/* Where a number goes; a text that is its own case has none */
static void put_number(struct acct_stat *st, struct nlattr *attr)
{
	uint64_t *u64s[] = {
		[TASKACCT_STAT_ATTR_EXITS] = &st->exits,
		[TASKACCT_STAT_ATTR_MADE] = &st->made,
		[TASKACCT_STAT_ATTR_DELIVERED] = &st->delivered,
		[TASKACCT_STAT_ATTR_FILTERED] = &st->filtered,
		[TASKACCT_STAT_ATTR_LOST_QUEUE] = &st->lost_queue,
		[TASKACCT_STAT_ATTR_LOST_MEMORY] = &st->lost_memory,
		[TASKACCT_STAT_ATTR_GROUP_NOMEM] = &st->group_nomem,
		[TASKACCT_STAT_ATTR_QUERIES] = &st->queries,
		[TASKACCT_STAT_ATTR_UID_REST] = &st->uid_rest,
		[TASKACCT_STAT_ATTR_UID_NOMEM] = &st->uid_nomem,
		[TASKACCT_STAT_ATTR_EXITS_MISSED] = &st->exits_missed,
		[TASKACCT_STAT_ATTR_MAX + 1] = NULL,
	};
	uint32_t *u32s[] = {
		[TASKACCT_STAT_ATTR_LISTENERS] = &st->listeners,
		[TASKACCT_STAT_ATTR_GROUPS] = &st->groups,
		[TASKACCT_STAT_ATTR_THREADS] = &st->threads,
		[TASKACCT_STAT_ATTR_UIDS] = &st->uids,
		[TASKACCT_STAT_ATTR_UID_TASKS] = &st->uid_tasks,
		[TASKACCT_STAT_ATTR_MAX + 1] = NULL,
	};
	int type = nla_type(attr);

	if (u64s[type])
		*u64s[type] = nla_get_u64(attr);
	else if (u32s[type])
		*u32s[type] = nla_get_u32(attr);
}

static void take_stat(struct nlmsghdr *nlh, void *arg)
{
	struct acct_stat *st = arg;
	struct nlattr *attr;
	int left;
	int type;

	attr = nlmsg_attrdata(nlh, GENL_HDRLEN);
	left = nlmsg_attrlen(nlh, GENL_HDRLEN);
	for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
		type = nla_type(attr);
		if (type < 16 || type > TASKACCT_STAT_ATTR_MAX)
			continue;
		st->seen |= 1U << (type - 16);
		if (type == TASKACCT_STAT_ATTR_HOOK)
			nla_strlcpy(st->hook, attr, sizeof(st->hook));
		else if (type == TASKACCT_STAT_ATTR_UID_HOOK)
			nla_strlcpy(st->uid_hook, attr, sizeof(st->uid_hook));
		else if (type == TASKACCT_STAT_ATTR_FSYNC_HOOK)
			nla_strlcpy(st->fsync_hook, attr,
				    sizeof(st->fsync_hook));
		else if (type == TASKACCT_STAT_ATTR_END_HOOK)
			nla_strlcpy(st->end_hook, attr, sizeof(st->end_hook));
		else
			put_number(st, attr);
	}
}

/**
 * acct_stat_get() - the module's statistics
 * @s: the socket
 * @st: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int acct_stat_get(struct acct_sock *s, struct acct_stat *st)
{
	memset(st, 0, sizeof(*st));
	return acct_transact(s, acct_request(s, TASKACCT_CMD_STAT_GET, 0),
			     take_stat, st);
}

/**
 * acct_wait_listeners() - wait until there are so many listeners
 * @s: the socket
 * @n: how many
 *
 * Return: 0, or -ETIMEDOUT where they do not come or go, or the kernel's
 * negative errno.
 */
int acct_wait_listeners(struct acct_sock *s, unsigned int n)
{
	struct acct_stat st;
	int err;
	int i;

	for (i = 0; i < 6000; i++) {
		err = acct_stat_get(s, &st);
		if (err || st.listeners == n)
			return err;
		usleep(10000);
	}
	return -ETIMEDOUT;
}

/**
 * acct_wait_freed() - wait until nothing is kept of any process or thread
 * @s: the socket
 * @st: filled in with the last statistics
 *
 * Tasks are freed a while after they are reaped.
 *
 * Return: 0, or -ETIMEDOUT where something stays, or the kernel's negative
 * errno.
 */
int acct_wait_freed(struct acct_sock *s, struct acct_stat *st)
{
	int err;
	int i;

	for (i = 0; i < 600 * sys_slow(); i++) {
		err = acct_stat_get(s, st);
		if (err || (!st->groups && !st->threads))
			return err;
		usleep(100000);
	}
	return -ETIMEDOUT;
}

static void take_listener_attr(struct acct_listener *l, struct nlattr *attr)
{
	uint64_t *u64s[] = { &l->made, &l->delivered, &l->filtered,
			     &l->lost_queue, &l->lost_memory };
	uint32_t *u32s[] = { &l->portid, &l->netns, &l->pid };
	int type = nla_type(attr);

	if (type < 16 || type > TASKACCT_LISTENER_ATTR_MAX)
		return;
	l->seen |= 1U << (type - 16);
	if (type == TASKACCT_LISTENER_ATTR_COMM)
		nla_strlcpy(l->comm, attr, sizeof(l->comm));
	else if (type == TASKACCT_LISTENER_ATTR_CPUMASK)
		nla_strlcpy(l->cpumask, attr, sizeof(l->cpumask));
	else if (type == TASKACCT_LISTENER_ATTR_WAITING)
		l->waiting = nla_get_u64(attr);
	else if (type >= TASKACCT_LISTENER_ATTR_MADE &&
		 type <= TASKACCT_LISTENER_ATTR_LOST_MEMORY)
		*u64s[type - TASKACCT_LISTENER_ATTR_MADE] = nla_get_u64(attr);
	else if (type >= TASKACCT_LISTENER_ATTR_PORTID &&
		 type <= TASKACCT_LISTENER_ATTR_PID)
		*u32s[type - TASKACCT_LISTENER_ATTR_PORTID] =
			nla_get_u32(attr);
}

static void take_listener(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *attr;
	int left;

	memset(arg, 0, sizeof(struct acct_listener));
	attr = nlmsg_attrdata(nlh, GENL_HDRLEN);
	left = nlmsg_attrlen(nlh, GENL_HDRLEN);
	for (; nla_ok(attr, left); attr = nla_next(attr, &left))
		take_listener_attr(arg, attr);
}

/**
 * acct_listener_get() - statistics of the socket's own registration
 * @s: the socket
 * @l: filled in
 *
 * Return: 0 or the kernel's negative errno.
 */
int acct_listener_get(struct acct_sock *s, struct acct_listener *l)
{
	memset(l, 0, sizeof(*l));
	return acct_transact(s, acct_request(s, TASKACCT_CMD_LISTENER_GET, 0),
			     take_listener, l);
}

struct dump {
	struct acct_listener *l;
	int max;
	int n;
};

static void take_dumped(struct nlmsghdr *nlh, void *arg)
{
	struct dump *d = arg;

	if (d->n < d->max)
		take_listener(nlh, &d->l[d->n]);
	d->n++;
}

/**
 * acct_listener_dump() - statistics of all listeners
 * @s: the socket
 * @l: filled in
 * @max: room there
 *
 * Return: how many there are, or the kernel's negative errno.
 */
int acct_listener_dump(struct acct_sock *s, struct acct_listener *l, int max)
{
	struct dump d = { .l = l, .max = max };
	struct nl_msg *msg;
	int err;

	msg = acct_request(s, TASKACCT_CMD_LISTENER_GET, NLM_F_DUMP);
	err = acct_transact(s, msg, take_dumped, &d);
	return err ? err : d.n;
}

/**
 * acct_listener_of() - statistics of another socket's registration
 * @s: the socket to ask with, so that the other's queue stays as it is
 * @port: port id of the other
 * @l: filled in
 *
 * Return: 0, -ENOENT where that port is not a listener, or the kernel's
 * negative errno.
 */
int acct_listener_of(struct acct_sock *s, uint32_t port,
		     struct acct_listener *l)
{
	static struct acct_listener all[64];
	int n = acct_listener_dump(s, all, 64);
	int i;

	for (i = 0; i < n && i < 64; i++) {
		if (all[i].portid == port) {
			*l = all[i];
			return 0;
		}
	}
	return n < 0 ? n : -ENOENT;
}
