// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener of a netlink family, as a way to read
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "netlink.h"
#include "util.h"
#include "way.h"

static int fd, family;
static bool tells;

static const char *missing(void)
{
	return NULL;
}

/* The kernel doubles what is asked for. */
static void open_listener(const struct bench_ask *ask)
{
	fd = bench_netlink_open(BENCH_WAY_BUFFER / 2);
	family = ask->family;
	tells = ask->tells;
	bench_netlink_register(fd, family);
}

static void wait_for_message(void)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	if (poll(&pollfd, 1, -1) < 0 && errno != EINTR)
		bench_die("wait for exit messages");
}

static void read_all(struct bench_read *sum)
{
	struct bench_count count = {};

	bench_netlink_drain(fd, family, &count);
	sum->exits += count.own + count.foreign;
	sum->processes += count.processes;
}

static void ask_lost(struct bench_read *sum)
{
	struct bench_statistics statistics = {};

	sum->told = tells;
	if (tells)
		bench_netlink_statistics(fd, family, &statistics);
	sum->lost = statistics.lost;
}

static void close_listener(void)
{
	close(fd);
}

const struct bench_way bench_way_netlink = {
	.missing = missing,
	.open = open_listener,
	.wait = wait_for_message,
	.read = read_all,
	.lose = ask_lost,
	.close = close_listener,
};
