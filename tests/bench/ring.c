// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader of the shared memory, by the library
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskacct.h>

#include <taskacct.h>

#include "util.h"
#include "way.h"

/* Of processes, which are few */
#define PROCESSES_BUFFER	(256 << 10)

static struct taskacct_ring *ring;
static unsigned int records;

static const char *missing(void)
{
	return NULL;
}

static void open_ring(const struct bench_ask *ask)
{
	struct taskacct_ring_options options = { .want = ask->want };

	if (ask->large) {
		options.sizes.size[TASKACCT_RING_PROCESSES] = PROCESSES_BUFFER;
		options.sizes.size[TASKACCT_RING_THREADS] = BENCH_WAY_BUFFER;
	}
	records = ask->records;
	errno = -taskacct_ring_open(&ring, &options);
	if (errno)
		bench_die("open " TASKACCT_RING_DEVICE);
}

static void wait_for_records(void)
{
	const int n = taskacct_ring_wait(ring, records, -1);

	errno = n < 0 ? -n : 0;
	if (errno && errno != EINTR)
		bench_die("wait for " TASKACCT_RING_DEVICE);
}

static unsigned int count_records(const struct nlmsghdr *nlh)
{
	const char *at = (const char *)NLMSG_DATA(nlh) + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *attr;
	unsigned int n = 0;

	for (; at < end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)at;
		n += (attr->nla_type & NLA_TYPE_MASK) == TASKACCT_TYPE_RECORD;
	}
	return n;
}

static enum bench_entry entry_of(const struct taskacct_ring_exit *exit)
{
	if (exit->lane == TASKACCT_RING_THREADS)
		return BENCH_ENTRY_THREAD;
	return count_records(exit->nlh) > 1 ? BENCH_ENTRY_PROCESS : BENCH_ENTRY_SINGLE;
}

/* What stands before the attributes in a message, and in an entry */
static uint32_t bytes_of(const struct taskacct_ring_exit *exit)
{
	return exit->nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN +
	       sizeof(struct taskacct_ring_entry);
}

static void take(const struct taskacct_ring_exit *exit, struct bench_read *sum)
{
	const enum bench_entry entry = entry_of(exit);
	const uint32_t bytes = bytes_of(exit);

	sum->exits++;
	sum->processes += entry == BENCH_ENTRY_PROCESS;
	if (bytes > sum->bytes[entry])
		sum->bytes[entry] = bytes;
}

static void read_all(struct bench_read *sum)
{
	struct taskacct_ring_exit exit;
	int n;

	while ((n = taskacct_ring_next(ring, &exit)) > 0)
		take(&exit, sum);
	errno = -n;
	if (n)
		bench_die("read " TASKACCT_RING_DEVICE);
}

static void ask_lost(struct bench_read *sum)
{
	sum->told = true;
	sum->lost_processes = taskacct_ring_lost(ring, TASKACCT_RING_PROCESSES);
	sum->lost = sum->lost_processes + taskacct_ring_lost(ring, TASKACCT_RING_THREADS);
}

static void close_ring(void)
{
	taskacct_ring_close(ring);
}

const struct bench_way bench_way_ring = {
	.missing = missing,
	.open = open_ring,
	.wait = wait_for_records,
	.read = read_all,
	.lose = ask_lost,
	.close = close_ring,
};
