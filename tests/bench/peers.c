// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's other ways to tell of exits
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/acct.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peers.h"
#include "util.h"

#define BUFFER		(16 << 20)

/* The VM has a tmpfs there. */
#define ACCT_FILE	"/run/bench.acct"

/**
 * struct connector_message - what goes to and comes from the connector
 * @header: netlink's
 * @cn: the connector's
 * @data: an operation, or an event
 */
struct connector_message {
	struct nlmsghdr header;
	struct cn_msg cn;
	char data[sizeof(struct proc_event)];
} __attribute__((packed, aligned(4)));

static int connector = -1;

static void connector_send(enum proc_cn_mcast_op op)
{
	struct connector_message message = {
		.header = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(op)),
			.nlmsg_type = NLMSG_DONE,
		},
		.cn = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(op) },
	};

	memcpy(message.data, &op, sizeof(op));
	if (send(connector, &message, message.header.nlmsg_len, 0) < 0)
		bench_die("send to the process connector");
}

static void connector_open(void)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = CN_IDX_PROC,
	};
	const int size = BUFFER;

	connector = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR);
	if (connector < 0 ||
	    setsockopt(connector, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    bind(connector, (const struct sockaddr *)&address, sizeof(address)))
		bench_die("open the process connector");
	connector_send(PROC_CN_MCAST_LISTEN);
}

static bool is_exit(const struct connector_message *message)
{
	struct proc_event event;

	memcpy(&event, message->data, sizeof(event));
	return event.what == PROC_EVENT_EXIT;
}

static uint64_t connector_close(void)
{
	struct connector_message message;
	uint64_t exits = 0;

	connector_send(PROC_CN_MCAST_IGNORE);
	while (recv(connector, &message, sizeof(message), MSG_DONTWAIT) > 0)
		exits += is_exit(&message);
	if (errno != EAGAIN)
		bench_die("receive from the process connector");
	errno = 0;
	close(connector);
	return exits;
}

static void acct_open(void)
{
	const int fd = open(ACCT_FILE, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || close(fd) || acct(ACCT_FILE))
		bench_die("account into " ACCT_FILE);
}

static uint64_t acct_close(void)
{
	struct stat status;

	if (acct(NULL) || stat(ACCT_FILE, &status) || unlink(ACCT_FILE))
		bench_die("end accounting into " ACCT_FILE);
	return status.st_size / sizeof(struct acct_v3);
}

void bench_peer_open(enum bench_peer peer)
{
	if (peer == BENCH_CONNECTOR)
		connector_open();
	else if (peer == BENCH_ACCT)
		acct_open();
}

uint64_t bench_peer_close(enum bench_peer peer)
{
	return peer == BENCH_ACCT ? acct_close() : connector_close();
}
