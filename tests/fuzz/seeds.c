// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds DIR: what the fuzzers begin with, well-formed inputs of every kind,
 * into DIR/TARGET/.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "taskacct_log.h"

#define FAMILY 31

/* Where datagrams of receive_fuzz.c are made */
static uint8_t out[65536];
static size_t out_len;

static const size_t lengths[] = { 328, 344, 352, 368, 400, 416, 432, 560, 688 };
static const uint16_t versions[] = { 8, 9, 10, 11, 12, 13, 14, 16, 17 };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void save(const char *dir, const char *target, const char *name,
		 const void *data, size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, target, name);
	file = fopen(path, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		die(path);
}

static struct nl_msg *generic(int type, uint8_t cmd)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };
	struct nl_msg *msg = nlmsg_alloc_size(8192);

	nlmsg_put(msg, 0, 0, type, 0, 0);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	return msg;
}

static struct nl_msg *record(unsigned int v, bool process)
{
	struct nl_msg *msg = generic(FAMILY, TASKSTATS_CMD_NEW);
	uint8_t data[688] = { 0 };
	struct nlattr *nest;

	memcpy(data, &versions[v], sizeof(versions[v]));
	memcpy(data + 80, "sleep", 5);
	nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_PID);
	nla_put_u32(msg, TASKSTATS_TYPE_PID, 42);
	nla_put(msg, TASKSTATS_TYPE_STATS, (int)lengths[v], data);
	nla_nest_end(msg, nest);
	if (process) {
		nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_TGID);
		nla_put_u32(msg, TASKSTATS_TYPE_TGID, 40);
		nla_put(msg, TASKSTATS_TYPE_STATS, (int)lengths[v], data);
		nla_nest_end(msg, nest);
	}
	return msg;
}

/* What is asked for beyond that, behind a classic record */
static struct nl_msg *extended(void)
{
	struct taskacct_record r = { .version = TASKACCT_RECORD_VERSION,
				     .kind = TASKACCT_KIND_PROCESS };
	const struct taskacct_stream stream = { .seq = 1 };
	struct nl_msg *msg = record(5, false);

	nla_put(msg, TASKACCT_TYPE_RECORD, sizeof(r), &r);
	nla_put(msg, TASKACCT_TYPE_STREAM, sizeof(stream), &stream);
	nla_put_string(msg, TASKACCT_TYPE_EXE_PATH, "/bin/sleep");
	nla_put(msg, TASKACCT_TYPE_CMDLINE, 8, "sleep\0001");
	return msg;
}

static struct nl_msg *gap(void)
{
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_GAP);

	nla_put_u64(msg, TASKACCT_GAP_ATTR_QUEUE, 3);
	nla_put_string(msg, TASKACCT_GAP_ATTR_CPUMASK, "0");
	return msg;
}

static struct nl_msg *cgroup(void)
{
	struct taskacct_record r = { .version = TASKACCT_RECORD_VERSION,
				     .kind = TASKACCT_KIND_CGROUP };
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_TASK_GET);
	const struct cgroupstats stats = { .nr_running = 1 };

	nla_put(msg, TASKACCT_TYPE_RECORD, sizeof(r), &r);
	nla_put(msg, TASKACCT_TYPE_CGROUP_STATS, sizeof(stats), &stats);
	return msg;
}

static struct nl_msg *family(void)
{
	struct nl_msg *msg = generic(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	struct nlattr *ops, *op;

	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAMILY);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, "TASKACCT");
	ops = nla_nest_start(msg, CTRL_ATTR_OPS);
	op = nla_nest_start(msg, 1);
	nla_put_u32(msg, CTRL_ATTR_OP_ID, TASKACCT_CMD_LISTENER_GET);
	nla_nest_end(msg, op);
	nla_nest_end(msg, ops);
	return msg;
}

static struct nl_msg *listener(void)
{
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_LISTENER_GET);
	struct nlattr *nest;

	nla_put_u32(msg, TASKACCT_LISTENER_ATTR_PORTID, 4711);
	nla_put_string(msg, TASKACCT_LISTENER_ATTR_COMM, "getdelays");
	nla_put_string(msg, TASKACCT_LISTENER_ATTR_CPUMASK, "0-1");
	nla_put_u64(msg, TASKACCT_LISTENER_ATTR_MADE, 3);
	nla_put_u64(msg, TASKACCT_LISTENER_ATTR_DELIVERED, 3);
	nla_put_u32(msg, TASKACCT_LISTENER_ATTR_WANT, 3);
	nest = nla_nest_start(msg, TASKACCT_LISTENER_ATTR_FILTER);
	nla_put_u32(msg, TASKACCT_FILTER_ATTR_KINDS, 2);
	nla_nest_end(msg, nest);
	return msg;
}

static struct nl_msg *status(void)
{
	struct nl_msg *msg = generic(FAMILY, TASKACCT_CMD_STAT_GET);

	nla_put_string(msg, TASKACCT_STAT_ATTR_HOOK, "ftrace:taskstats_exit");
	nla_put_u32(msg, TASKACCT_STAT_ATTR_LISTENERS, 1);
	nla_put_u64(msg, TASKACCT_STAT_ATTR_QUERIES, 9);
	return msg;
}

/* An acknowledgement, or an error with words */
static struct nl_msg *error(int err, const char *words)
{
	struct nlmsgerr e = { .error = err, .msg.nlmsg_len = NLMSG_HDRLEN };
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, 0, 0, NLMSG_ERROR, 0,
		  words ? NLM_F_CAPPED | NLM_F_ACK_TLVS : NLM_F_CAPPED);
	nlmsg_append(msg, &e, sizeof(e), NLMSG_ALIGNTO);
	if (words)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, words);
	return msg;
}

static struct nl_msg *done(void)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = 0;

	nlmsg_put(msg, 0, 0, NLMSG_DONE, 0, NLM_F_MULTI);
	nlmsg_append(msg, &err, sizeof(err), NLMSG_ALIGNTO);
	return msg;
}

/* A datagram, with the flags of receive_fuzz.c; frees the message */
static void datagram(uint8_t flags, struct nl_msg *msg)
{
	const uint16_t n = (uint16_t)nlmsg_hdr(msg)->nlmsg_len;

	out[out_len++] = flags;
	memcpy(out + out_len, &n, sizeof(n));
	memcpy(out + out_len + sizeof(n), nlmsg_hdr(msg), n);
	out_len += sizeof(n) + n;
	nlmsg_free(msg);
}

static void begin(uint8_t what)
{
	out[0] = what;
	out_len = 1;
}

static void receive_seeds(const char *dir)
{
	begin(0); /* a query, an exit in between */
	datagram(0, record(5, true));
	datagram(1, record(5, false));
	datagram(1, error(0, NULL));
	save(dir, "receive", "query", out, out_len);
	begin(1); /* a registration that is refused */
	datagram(1, error(-1, "needs CAP_NET_ADMIN"));
	save(dir, "receive", "register", out, out_len);
	begin(3);
	datagram(1, listener());
	save(dir, "receive", "listener", out, out_len);
	begin(4); /* a dump in two datagrams, an overflow between them */
	datagram(1, listener());
	out[out_len++] = 16;
	datagram(1, listener());
	datagram(1, done());
	save(dir, "receive", "listeners", out, out_len);
	begin(5);
	datagram(1, status());
	save(dir, "receive", "status", out, out_len);
	begin(6);
	datagram(0, record(8, true));
	datagram(4, record(8, false));
	save(dir, "receive", "listen", out, out_len);
	begin(7);
	datagram(1, family());
	save(dir, "receive", "open", out, out_len);
	begin(8);
	datagram(1, extended());
	save(dir, "receive", "extended", out, out_len);
	begin(9); /* a dump, an exit and a gap in between */
	datagram(1, extended());
	datagram(0, extended());
	datagram(0, gap());
	datagram(1, done());
	save(dir, "receive", "all", out, out_len);
	begin(10);
	datagram(1, error(0, NULL));
	datagram(0, gap());
	save(dir, "receive", "subscribe", out, out_len);
	begin(11);
	datagram(1, cgroup());
	save(dir, "receive", "cgroup", out, out_len);
}

/* What no kernel sends, and what the library once made too much of */
static void receive_faults(const char *dir)
{
	struct nlmsgerr e = { .error = -1, .msg.nlmsg_len = INT_MAX };
	struct nl_msg *msg = nlmsg_alloc();

	begin(1); /* errors that are none */
	datagram(1, error(INT_MIN, NULL));
	save(dir, "receive", "error-least", out, out_len);
	begin(1);
	datagram(1, error(1, NULL));
	save(dir, "receive", "error-positive", out, out_len);
	begin(0); /* an end without an answer */
	datagram(1, error(0, NULL));
	save(dir, "receive", "no-answer", out, out_len);
	begin(1); /* an error that repeats a request of 2 GiB */
	nlmsg_put(msg, 0, 0, NLMSG_ERROR, 0, NLM_F_ACK_TLVS);
	nlmsg_append(msg, &e, sizeof(e), NLMSG_ALIGNTO);
	datagram(1, msg);
	save(dir, "receive", "error-repeats", out, out_len);
	begin(3); /* a list without an end */
	msg = generic(FAMILY, TASKACCT_CMD_LISTENER_GET);
	nla_put(msg, TASKACCT_LISTENER_ATTR_CPUMASK, 4, "0-31");
	datagram(1, msg);
	save(dir, "receive", "no-end", out, out_len);
}

static void decode_seeds(const char *dir)
{
	const struct nlmsghdr *nlh;
	struct nl_msg *msg;
	char name[32];
	unsigned int v;

	for (v = 0; v < sizeof(versions) / sizeof(*versions); v++) {
		msg = record(v, v % 2);
		nlh = nlmsg_hdr(msg);
		out[0] = 1;
		memcpy(out + 1, nlh, nlh->nlmsg_len);
		snprintf(name, sizeof(name), "message-%u", versions[v]);
		save(dir, "decode", name, out, 1 + nlh->nlmsg_len);
		memset(out, 0, 1024);
		memcpy(out + 4, &versions[v], sizeof(versions[v]));
		snprintf(name, sizeof(name), "struct-%u", versions[v]);
		save(dir, "decode", name, out, 4 + lengths[v]);
		nlmsg_free(msg);
	}
}

static void extended_seeds(const char *dir)
{
	const struct taskacct_record r = { .version = TASKACCT_RECORD_VERSION,
					   .kind = TASKACCT_KIND_TASK };
	struct nl_msg *const messages[] = { extended(), gap() };
	const struct nlmsghdr *nlh;
	char name[32];
	unsigned int i;

	out[0] = 0;
	memcpy(out + 1, &r, sizeof(r));
	save(dir, "extended", "record", out, 1 + sizeof(r));
	out[0] = 1;
	for (i = 0; i < 2; i++) {
		nlh = nlmsg_hdr(messages[i]);
		memcpy(out + 1, nlh, nlh->nlmsg_len);
		snprintf(name, sizeof(name), "message-%u", i);
		save(dir, "extended", name, out, 1 + nlh->nlmsg_len);
		nlmsg_free(messages[i]);
	}
	/* To be encoded: enough for two records and their names */
	for (i = 0; i < 2048; i++)
		out[i] = (uint8_t)(i * 37);
	for (i = 2; i < 6; i++) {
		out[0] = (uint8_t)i;
		snprintf(name, sizeof(name), "values-%u", i);
		save(dir, "extended", name, out, 2048);
	}
}

static void units_seeds(const char *dir)
{
	static const char *const times[] = { "1.5h", "213503d", "0.000000001ns" };
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++) {
		snprintf(name, sizeof(name), "time-%zu", i);
		save(dir, "units", name, times[i], strlen(times[i]));
	}
}

static void log_seeds(const char *dir)
{
	struct nl_msg *of = family(), *msg = record(0, false);
	struct nl_msg *more = extended(), *lost = gap();
	struct taskacct_torn torn;
	struct taskacct_log *log;
	char path[512];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/log.pcap", dir);
	if (taskacct_log_open(&log, path, &torn) ||
	    taskacct_log_begin(log, nlmsg_hdr(of)) ||
	    taskacct_log_message(log, nlmsg_hdr(msg), 17) ||
	    taskacct_log_message(log, nlmsg_hdr(lost), 18) ||
	    taskacct_log_note(log, "a note") ||
	    taskacct_log_message(log, nlmsg_hdr(more), 19) ||
	    taskacct_log_close(log))
		die(path);
	file = fopen(path, "rb");
	n = file ? fread(out + 2, 1, sizeof(out) - 2, file) : 0;
	if (!n || fclose(file) || remove(path))
		die(path);
	memset(out, 7, 2); /* where it is cut */
	save(dir, "log", "whole", out, n + 2);
	save(dir, "log", "torn", out, n - 20);
	out[2] = 0xd4; /* microseconds */
	out[3] = 0xc3;
	save(dir, "log", "other", out, n - 20);
	memcpy(out + 2, "\0\0\0\0not zeros", 13); /* somebody's text */
	save(dir, "log", "short", out, 15);
	nlmsg_free(of);
	nlmsg_free(msg);
	nlmsg_free(more);
	nlmsg_free(lost);
}

/* As Wireshark writes one: two headers, a packet, and what is none */
static void pcapng_seed(const char *dir)
{
	static const uint32_t blocks[] = {
		0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28,
		1, 20, 253, 0x40000, 20,
		6, 64, 0, 0, 0, 32, 32,
		0x38030000, 0, 0, 0x10000000, 16, 16, 0, 0, 64,
		5, 24, 0, 0, 0, 24,
	};

	memcpy(out + 2, blocks, sizeof(blocks));
	save(dir, "log", "pcapng", out, sizeof(blocks) + 2);
}

static void text_seeds(const char *dir)
{
	static const char *const cpus[] = { "0", "0-3,5", "65535", "1,2,4-9" };
	static const char options[] =
		"-d\0-p\0001\0--tgid=2\0--json\0-v\0-r\00012M\0-ccmd";
	static const char listening[] =
		"-l\0-m\0000-3\0--per-cpu\0-w\0log\0--processes";
	char name[16];
	size_t i;

	for (i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		snprintf(name, sizeof(name), "list-%zu", i);
		save(dir, "cpus", name, cpus[i], strlen(cpus[i]));
	}
	save(dir, "options", "query", options, sizeof(options));
	save(dir, "options", "listen", listening, sizeof(listening));
	save(dir, "options", "read", "-R\0log\0--csv\0-q", 16);
	save(dir, "options", "filter", "-l\0--filter\0uid=0-9 and cpu>1.5s\0--one-in\0003",
	     42);
	save(dir, "options", "threads", "-l\0--threads\0--family\0NAME", 26);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 1;
	}
	mkdir(argv[1], 0777);
	decode_seeds(argv[1]);
	extended_seeds(argv[1]);
	units_seeds(argv[1]);
	receive_seeds(argv[1]);
	receive_faults(argv[1]);
	log_seeds(argv[1]);
	pcapng_seed(argv[1]);
	text_seeds(argv[1]);
	return 0;
}
