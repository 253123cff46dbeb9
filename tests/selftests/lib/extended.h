/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What taskacct has beyond the kernel's own taskstats: extended records, wants,
 * filters, streams with gaps, dumps.
 */
#ifndef SELFTESTS_EXTENDED_H
#define SELFTESTS_EXTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "acct.h"

/* All names of a task */
#define EXT_NAMES (TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH | \
		   TASKACCT_WANT_CMDLINE)

/* The usual listener of this kind */
#define EXT_BARE (TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE)
#define EXT_STREAM (EXT_BARE | TASKACCT_WANT_STREAM)

/* A bit of ext_filter.has */
#define EXT_HAS(what) (1U << TASKACCT_FILTER_ATTR_##what)

/**
 * struct ext_filter - a filter as a test writes it
 * @has: which conditions there are, EXT_HAS()
 * @kinds: TASKACCT_KIND_*
 * @uid_min: lowest uid
 * @uid_max: highest uid
 * @cgroup_id: id of a cgroup
 * @cgroup_fd: directory of a cgroup
 * @min_lifetime: in ns
 * @min_cpu_time: in ns
 * @one_in: of how many one
 */
struct ext_filter {
	uint32_t has;
	uint32_t kinds;
	uint32_t uid_min;
	uint32_t uid_max;
	uint64_t cgroup_id;
	uint32_t cgroup_fd;
	uint64_t min_lifetime;
	uint64_t min_cpu_time;
	uint32_t one_in;
};

/**
 * struct ext_gap - what a message says of losses
 * @queue: lost for want of room
 * @memory: lost for want of memory
 * @since: when the first was lost, in ns since boot
 * @cpumask: where
 * @stream: the state after them
 */
struct ext_gap {
	uint64_t queue;
	uint64_t memory;
	uint64_t since;
	char cpumask[128];
	struct taskacct_stream stream;
};

/* Most attributes of a message whose order is kept */
#define EXT_ATTRS 16

/**
 * struct ext_message - a message, decoded
 * @cmd: TASKACCT_CMD_EXIT, TASKACCT_CMD_TASK_GET or TASKACCT_CMD_GAP; of who
 *	registered by GET, TASKACCT_CMD_NEW
 * @flags: nlmsg_flags
 * @seq: nlmsg_seq
 * @n: how many attributes it has, without padding
 * @types: of these, in their order
 * @classic: the classic records, where there are
 * @has_task: there is an extended record of a task
 * @has_process: there is one of a process
 * @has_stream: there is the state of the stream
 * @task: the record of the task; bytes that the message does not have are 0
 * @process: the record of the process
 * @task_waits: what the task waited for, by kind; kinds that are not there are 0
 * @process_waits: what the process waited for
 * @record_size: size of the last record's attribute
 * @stream: the state of the stream
 * @exe: path of the executable, empty where it is not there
 * @cgroup: path of the cgroup, likewise
 * @cmdline: arguments
 * @cmdline_len: how many bytes of them, 0 where they are not there
 * @gap: of TASKACCT_CMD_GAP
 */
struct ext_message {
	uint8_t cmd;
	uint16_t flags;
	uint32_t seq;
	unsigned int n;
	uint16_t types[EXT_ATTRS];
	struct acct_exit classic;
	bool has_task;
	bool has_process;
	bool has_stream;
	struct taskacct_record task;
	struct taskacct_record process;
	struct taskacct_wait task_waits[TASKACCT_WAITS];
	struct taskacct_wait process_waits[TASKACCT_WAITS];
	int record_size;
	struct taskacct_stream stream;
	char exe[4200];
	char cgroup[4200];
	char cmdline[4200];
	int cmdline_len;
	struct ext_gap gap;
};

typedef void (*ext_answer_fn)(const struct ext_message *m, void *arg);

void ext_parse(struct nlmsghdr *nlh, struct ext_message *m);
void ext_put_filter(struct nl_msg *msg, const struct ext_filter *filter);
int ext_register(struct acct_sock *s, const char *mask, uint32_t want,
		 const struct ext_filter *filter);
int ext_register_batched(struct acct_sock *s, const char *mask, uint32_t want,
			 uint32_t bytes, uint32_t msecs);
int ext_listen(struct acct_sock *s, uint32_t want,
	       const struct ext_filter *filter, int rcvbuf);
int ext_listen_both(struct acct_sock *s, uint32_t want);
int ext_next(struct acct_sock *s, struct ext_message *m, int timeout_ms);
int ext_wait_task(struct acct_sock *s, pid_t tid, struct ext_message *m);
int ext_wait_process(struct acct_sock *s, pid_t pid, struct ext_message *m);
int ext_query(struct acct_sock *s, int attr, uint32_t id, uint32_t want,
	      struct ext_message *m);
int ext_query_task(struct acct_sock *s, pid_t tid, struct taskacct_record *r);
int ext_query_process(struct acct_sock *s, pid_t pid,
		      struct taskacct_record *r);
int ext_await_end(struct acct_sock *s, pid_t pid);
int ext_listener_get(struct acct_sock *s, uint32_t *want,
		     struct ext_filter *filter);
int ext_dump(struct acct_sock *s, uint32_t want,
	     const struct ext_filter *filter, ext_answer_fn fn, void *arg);

#endif /* SELFTESTS_EXTENDED_H */
