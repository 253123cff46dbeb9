/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logs made without a kernel, and read by the library
 */
#ifndef SELFTESTS_LOGS_H
#define SELFTESTS_LOGS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "taskacct_log.h"

#define FAMILY 31
#define TIME UINT64_C(1700000000123456789)

/* Header of the file, of a packet, and netlink's cooked one */
#define FILE_HEADER 24
#define PACKET_HEADER 32

static inline struct nl_msg *log_generic(int type, int cmd)
{
	struct genlmsghdr genl = { .cmd = (uint8_t)cmd };
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, 0, 0, type, 0, 0);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	return msg;
}

static inline struct nl_msg *log_family(const char *name, uint16_t id)
{
	struct nl_msg *msg = log_generic(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);

	nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, id);
	nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, name);
	return msg;
}

static inline struct nl_msg *log_exit(uint16_t family, uint32_t pid)
{
	struct nl_msg *msg = log_generic(family, TASKSTATS_CMD_NEW);
	struct taskstats stats = { .version = 13 };
	struct nlattr *nest;

	nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_PID);
	nla_put_u32(msg, TASKSTATS_TYPE_PID, pid);
	nla_put(msg, TASKSTATS_TYPE_STATS, 416, &stats);
	nla_nest_end(msg, nest);
	return msg;
}

static inline int log_begin(struct taskacct_log *log, const char *name,
			    uint16_t id)
{
	struct nl_msg *msg = log_family(name, id);
	int err = taskacct_log_begin(log, nlmsg_hdr(msg));

	nlmsg_free(msg);
	return err;
}

/* Logs messages that tell of the pids from one number to another */
static inline int log_put(struct taskacct_log *log, uint16_t id, uint32_t from,
			  uint32_t to)
{
	struct nl_msg *msg;
	int err = 0;

	for (; from < to && !err; from++) {
		msg = log_exit(id, from);
		err = taskacct_log_message(log, nlmsg_hdr(msg), TIME + from);
		nlmsg_free(msg);
	}
	return err;
}

/* What reading a log gave */
struct log_content {
	int err;
	uint32_t n;
	bool in_order;
	bool torn;
	struct taskacct_torn end;
	uint64_t damaged;
	char family[16];
};

/* Messages are to tell of the pids from 0 on. */
static inline struct log_content log_read(const char *path)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct log_content result = { .in_order = true };
	struct taskacct_reader *reader;
	struct taskacct_event event;
	int got;

	result.err = taskacct_reader_open(&reader, path);
	while (!result.err) {
		got = taskacct_reader_next(reader, &event);
		if (got <= 0) {
			result.err = got;
			break;
		}
		if (taskacct_records(event.nlh, records) != 1 ||
		    records[0].id != result.n ||
		    event.time_ns != TIME + result.n)
			result.in_order = false;
		result.n++;
		strcpy(result.family, taskacct_reader_family(reader));
	}
	result.torn = taskacct_reader_torn(reader, &result.end);
	result.damaged = taskacct_reader_damaged(reader);
	taskacct_reader_close(reader);
	return result;
}

static inline off_t log_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : st.st_size;
}

static inline void log_append(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (write(fd, data, n) != (ssize_t)n)
		abort();
	close(fd);
}

#endif /* SELFTESTS_LOGS_H */
