// SPDX-License-Identifier: GPL-2.0-only
/*
 * The client's side of the protocol, as short as it can be: what it costs is
 * part of what is measured.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/taskacct.h>

#include "netlink.h"
#include "util.h"

/* As large as a dump's datagrams get */
#define BUFFER_SIZE	32768

/* Those that a listener hears: there is no other */
#define CPUS		"0"

/* A request with one attribute */
struct request {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	struct nlattr attr;
	char value[GENL_NAMSIZ];
};

static char buffer[BUFFER_SIZE] __attribute__((aligned(8)));

int bench_netlink_open(int size)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		bench_die("open a netlink socket");
	return fd;
}

static void make_request(struct request *request, int family, int cmd, int attr,
			 const void *value, size_t length)
{
	*request = (struct request){
		.header = {
			.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.genl = { .cmd = cmd, .version = 1 },
		.attr = { .nla_len = NLA_HDRLEN + length, .nla_type = attr },
	};
	if (!value)
		return;
	memcpy(request->value, value, length);
	request->header.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(length);
}

static void send_request(int fd, const void *request)
{
	const struct nlmsghdr *header = request;

	if (send(fd, request, header->nlmsg_len, 0) < 0)
		bench_die("send a request");
}

/* Receives a message; its own error is that of an error or acknowledgement. */
static int receive(int fd)
{
	const struct nlmsghdr *header = (const void *)buffer;
	ssize_t length = recv(fd, buffer, sizeof(buffer), 0);
	const struct nlmsgerr *error = NLMSG_DATA(header);

	if (length < (ssize_t)sizeof(*header))
		bench_die("receive an answer");
	return header->nlmsg_type == NLMSG_ERROR ? -error->error : 0;
}

static int talk(int fd, const void *request)
{
	send_request(fd, request);
	return receive(fd);
}

static struct nlattr *first_attr(const void *message)
{
	return (struct nlattr *)((char *)message + NLMSG_LENGTH(GENL_HDRLEN));
}

static struct nlattr *next_attr(struct nlattr *attr)
{
	return (struct nlattr *)((char *)attr + NLA_ALIGN(attr->nla_len));
}

static void *attr_data(struct nlattr *attr)
{
	return (char *)attr + NLA_HDRLEN;
}

static struct nlattr *find_attr_of(const struct nlmsghdr *header, int type)
{
	const char *end = (const char *)header + header->nlmsg_len;
	struct nlattr *attr = first_attr(header);

	while ((char *)attr < end) {
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		attr = next_attr(attr);
	}
	return NULL;
}

/* Finds an attribute of the last message received. */
static struct nlattr *find_attr(int type)
{
	return find_attr_of((const void *)buffer, type);
}

int bench_netlink_family(int fd, const char *name)
{
	struct request request;
	struct nlattr *attr;
	uint16_t id = 0;

	make_request(&request, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
		     CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	if (talk(fd, &request))
		return 0;
	attr = find_attr(CTRL_ATTR_FAMILY_ID);
	if (attr)
		memcpy(&id, attr_data(attr), sizeof(id));
	return id;
}

int bench_netlink_number(const char *name)
{
	const int fd = bench_netlink_open(sizeof(buffer));
	const int id = bench_netlink_family(fd, name);

	if (!id)
		bench_die("no family %s", name);
	close(fd);
	return id;
}

void bench_netlink_register(int fd, int family)
{
	struct request request;

	make_request(&request, family, TASKSTATS_CMD_GET,
		     TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, CPUS, sizeof(CPUS));
	request.header.nlmsg_flags |= NLM_F_ACK;
	errno = talk(fd, &request);
	if (errno)
		bench_die("register a listener");
}

static void add_attr(void *message, int type, const void *value, size_t length)
{
	struct nlmsghdr *header = message;
	struct nlattr *attr = (void *)((char *)message + header->nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memset(attr + 1, 0, NLA_ALIGN(length));
	if (length)
		memcpy(attr + 1, value, length);
	header->nlmsg_len += NLA_HDRLEN + NLA_ALIGN(length);
}

void bench_netlink_subscribe(int fd, int family,
			     const struct bench_subscription *ask)
{
	const uint32_t bytes = TASKACCT_BATCH_BYTES;
	const struct nlattr flag = {
		.nla_len = NLA_HDRLEN, .nla_type = TASKACCT_FILTER_ATTR_FAILED,
	};
	char room[128] __attribute__((aligned(4)));
	struct request request;

	make_request(&request, family, TASKACCT_CMD_SUBSCRIBE,
		     TASKACCT_CMD_ATTR_CPUMASK, CPUS, sizeof(CPUS));
	request.header.nlmsg_flags |= NLM_F_ACK;
	memcpy(room, &request, request.header.nlmsg_len);
	add_attr(room, TASKACCT_CMD_ATTR_WANT, &ask->want, sizeof(ask->want));
	if (ask->batched)
		add_attr(room, TASKACCT_CMD_ATTR_BATCH_BYTES, &bytes,
			 sizeof(bytes));
	if (ask->failed)
		add_attr(room, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER, &flag,
			 sizeof(flag));
	errno = talk(fd, room);
	if (errno)
		bench_die("register a listener that asks for more");
}

/* An error would come after the exit messages that are there. */
void bench_netlink_deregister(int fd, int family)
{
	struct request request;

	make_request(&request, family, TASKSTATS_CMD_GET,
		     TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, CPUS, sizeof(CPUS));
	send_request(fd, &request);
}

static void make_query(struct request *request, int family, int attr, pid_t id)
{
	uint32_t value = id;

	make_request(request, family, TASKSTATS_CMD_GET, attr, &value,
		     sizeof(value));
}

void bench_netlink_check(int fd, int family, int attr, pid_t id)
{
	int expected = attr == TASKSTATS_CMD_ATTR_PID ? TASKSTATS_TYPE_AGGR_PID :
							TASKSTATS_TYPE_AGGR_TGID;
	struct request request;
	uint32_t answered;

	make_query(&request, family, attr, id);
	errno = talk(fd, &request);
	if (errno)
		bench_die("query task %d", id);
	if (!find_attr(expected))
		bench_die("query task %d: not the answer asked for", id);
	memcpy(&answered, (char *)attr_data(first_attr(buffer)) + NLA_HDRLEN,
	       sizeof(answered));
	if (answered != (uint32_t)id)
		bench_die("query task %d: answer for %u", id, answered);
}

uint64_t bench_netlink_query(int fd, int family, int attr, pid_t id,
			     unsigned int n)
{
	struct request request;
	uint64_t start;

	make_query(&request, family, attr, id);
	start = bench_now();
	while (n--) {
		if (talk(fd, &request))
			bench_die("query task %d", id);
	}
	return bench_now() - start;
}

uint64_t bench_netlink_many(int fd, int family, pid_t id, unsigned int n)
{
	static char room[BENCH_PER_DATAGRAM * sizeof(struct request)];
	struct request request;
	unsigned int i, length;
	uint64_t start;

	make_query(&request, family, TASKSTATS_CMD_ATTR_PID, id);
	length = request.header.nlmsg_len;
	for (i = 0; i < BENCH_PER_DATAGRAM; i++)
		memcpy(room + i * length, &request, length);
	start = bench_now();
	for (; n; n -= BENCH_PER_DATAGRAM) {
		if (send(fd, room, i * length, 0) < 0)
			bench_die("send several requests");
		for (i = 0; i < BENCH_PER_DATAGRAM; i++)
			if (receive(fd))
				bench_die("query task %d", id);
	}
	return bench_now() - start;
}

/* Returns false where it was the last datagram. */
static bool count_records(ssize_t length, unsigned int *records)
{
	const struct nlmsghdr *header = (const void *)buffer;
	int left = length;

	for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
		if (header->nlmsg_type == NLMSG_DONE)
			return false;
		if (header->nlmsg_type == NLMSG_ERROR)
			bench_die("dump of all tasks");
		++*records;
	}
	return true;
}

static uint64_t dump(int fd, struct request *request, unsigned int *records)
{
	uint64_t start;
	ssize_t length;

	request->header.nlmsg_flags |= NLM_F_DUMP;
	*records = 0;
	start = bench_now();
	send_request(fd, request);
	do {
		length = recv(fd, buffer, sizeof(buffer), 0);
		if (length < 0)
			bench_die("receive a dump");
	} while (count_records(length, records));
	return bench_now() - start;
}

uint64_t bench_netlink_dump(int fd, int family, unsigned int *tasks)
{
	uint32_t want = TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE;
	struct request request;

	make_request(&request, family, TASKACCT_CMD_TASK_GET,
		     TASKACCT_CMD_ATTR_WANT, &want, sizeof(want));
	return dump(fd, &request, tasks);
}

uint64_t bench_netlink_users(int fd, int family, unsigned int *users)
{
	struct request request;

	make_request(&request, family, TASKACCT_CMD_UID_GET, 0, NULL, 0);
	return dump(fd, &request, users);
}

uint64_t bench_netlink_empty(int fd, unsigned int n)
{
	struct nlmsghdr request = {
		.nlmsg_len = NLMSG_HDRLEN,
		.nlmsg_type = NLMSG_NOOP,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};
	uint64_t start = bench_now();

	while (n--) {
		if (talk(fd, &request))
			bench_die("an empty request");
	}
	return bench_now() - start;
}

/* Is it of a thread of ours, or of a child? */
static int is_own(const struct nlmsghdr *header)
{
	struct nlattr *nest = find_attr_of(header, TASKSTATS_TYPE_AGGR_PID);
	struct taskstats stats = {};
	struct nlattr *attr;
	size_t length;

	if (!nest)
		bench_die("an exit message without a task");
	attr = next_attr(attr_data(nest));
	length = attr->nla_len - NLA_HDRLEN;
	if (attr->nla_type != TASKSTATS_TYPE_STATS ||
	    length < offsetof(struct taskstats, ac_btime))
		bench_die("an exit message without a record");
	/* Another kernel's may be shorter or longer than ours. */
	memcpy(&stats, attr_data(attr),
	       length < sizeof(stats) ? length : sizeof(stats));
	if (stats.ac_ppid == (uint32_t)getpid())
		return 1;
	/* Before version 12 a thread is known by its parent alone. */
	return stats.version < 12 ? stats.ac_ppid == (uint32_t)getppid() :
				    stats.ac_tgid == (uint32_t)getpid();
}

static void count_exits(int family, ssize_t length, struct bench_count *count)
{
	const struct nlmsghdr *header = (const void *)buffer;
	int left = length;

	for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
		if (header->nlmsg_type != family)
			bench_die("receive an exit message");
		if (!is_own(header)) {
			count->foreign++;
			continue;
		}
		count->own++;
		count->processes += !!find_attr_of(header, TASKSTATS_TYPE_AGGR_TGID);
	}
}

void bench_netlink_drain(int fd, int family, struct bench_count *count)
{
	ssize_t length;

	for (;;) {
		length = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length < 0 && errno == ENOBUFS) {
			count->overruns++;
			continue;
		}
		if (length < 0)
			bench_die("receive exit messages");
		count_exits(family, length, count);
	}
	errno = 0;
}

static uint64_t statistic(int type)
{
	struct nlattr *attr = find_attr(type);
	uint64_t value;

	if (!attr)
		bench_die("a listener's figures lack attribute %d", type);
	memcpy(&value, attr_data(attr), sizeof(value));
	return value;
}

void bench_netlink_statistics(int fd, int family, struct bench_statistics *statistics)
{
	struct request request;

	make_request(&request, family, TASKACCT_CMD_LISTENER_GET, 0, NULL, 0);
	errno = talk(fd, &request);
	if (errno)
		bench_die("ask for a listener's figures");
	statistics->made = statistic(TASKACCT_LISTENER_ATTR_MADE);
	statistics->delivered = statistic(TASKACCT_LISTENER_ATTR_DELIVERED);
	statistics->lost = statistic(TASKACCT_LISTENER_ATTR_LOST_QUEUE) +
			   statistic(TASKACCT_LISTENER_ATTR_LOST_MEMORY);
}

static uint32_t small_figure(int type)
{
	struct nlattr *attr = find_attr(type);
	uint32_t value;

	if (!attr)
		bench_die("the module's figures lack attribute %d", type);
	memcpy(&value, attr_data(attr), sizeof(value));
	return value;
}

void bench_netlink_kept(int fd, int family, unsigned int *groups,
			unsigned int *threads)
{
	struct request request;

	make_request(&request, family, TASKACCT_CMD_STAT_GET, 0, NULL, 0);
	errno = talk(fd, &request);
	if (errno)
		bench_die("ask for the module's figures");
	*groups = small_figure(TASKACCT_STAT_ATTR_GROUPS);
	*threads = small_figure(TASKACCT_STAT_ATTR_THREADS);
}

void bench_netlink_orphan(int fd)
{
	ssize_t length = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);

	if (length >= 0 || errno != ENODEV)
		bench_die("no end of a listener when the module went");
	errno = 0;
}
