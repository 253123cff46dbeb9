/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family as a test talks to it: a raw netlink socket, so that a test sees
 * every datagram and every socket error, with libnl for what is in them.
 */
#ifndef SELFTESTS_ACCT_H
#define SELFTESTS_ACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <netlink/msg.h>
#include <linux/taskacct.h>

#include "record.h"

/* More than any message takes: an error repeats the whole of the request. */
#define ACCT_BUF (128 << 10)

/**
 * struct acct_exit - an exit message, decoded
 * @seq: nlmsg_seq
 * @has_pid: it has the record of a task
 * @has_tgid: it has the record of a process
 * @pid: number in the PID attribute
 * @tgid: number in the TGID attribute
 * @task: record of the task
 * @group: record of the process
 * @task_tail: what a kernel newer than our headers adds to the first
 * @group_tail: to the second; both are 0 where there is nothing
 */
struct acct_exit {
	uint32_t seq;
	bool has_pid;
	bool has_tgid;
	uint32_t pid;
	uint32_t tgid;
	struct taskstats task;
	struct taskstats group;
	struct record_tail task_tail;
	struct record_tail group_tail;
};

/**
 * struct acct_kept - a message that nobody had asked for at that time
 * @next: the one that came after it
 * @nlh: the message, as long as it says
 */
struct acct_kept {
	struct acct_kept *next;
	struct nlmsghdr nlh;
};

/**
 * struct acct_sock - a socket of the family
 * @fd: the socket
 * @port: its port id
 * @family: number of the family
 * @seq: nlmsg_seq of the last request
 * @answer_ms: how long to wait for something to come to a request; 0: a minute
 * @enobufs: times that ENOBUFS was seen while an answer was awaited
 * @extack: text of the kernel's last extended ack; empty without one
 * @kept: exit messages that were received and not taken yet, oldest first
 * @kept_end: where the next of them goes
 * @taken: the one that was taken last
 */
struct acct_sock {
	int fd;
	uint32_t port;
	uint16_t family;
	uint32_t seq;
	int answer_ms;
	unsigned int enobufs;
	char extack[160];
	struct acct_kept *kept;
	struct acct_kept **kept_end;
	struct acct_kept *taken;
};

/**
 * struct acct_listener - answer to TASKACCT_CMD_LISTENER_GET
 * @seen: bit per attribute that was there, counted from 16
 * @portid: port id of the socket
 * @netns: inode of its network namespace
 * @pid: who registered
 * @comm: name of that process
 * @cpumask: CPUs that it listens to
 * @made: messages made for it
 * @delivered: put into its queue
 * @filtered: refused by its own socket filter
 * @lost_queue: lost for want of room
 * @lost_memory: lost for want of memory
 * @waiting: wait for a datagram to be full
 */
struct acct_listener {
	uint32_t seen;
	uint32_t portid;
	uint32_t netns;
	uint32_t pid;
	char comm[32];
	char cpumask[256];
	uint64_t made;
	uint64_t delivered;
	uint64_t filtered;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t waiting;
};

/**
 * struct acct_stat - answer to TASKACCT_CMD_STAT_GET
 * @seen: bit per attribute that was there, counted from 16
 * @hook: what tells the module of exits
 * @listeners: sockets that are listeners now
 * @groups: processes whose dead threads are kept now
 * @threads: dead threads kept apart from live ones now
 * @exits: exits that needed any work
 * @made: messages made
 * @delivered: put into a queue
 * @filtered: refused by a socket filter
 * @lost_queue: lost for want of room
 * @lost_memory: lost for want of memory
 * @group_nomem: dead threads that could not be kept
 * @queries: queries answered
 * @uids: users that are kept apart now
 * @uid_tasks: tasks of which it is kept what was counted
 * @uid_rest: tasks counted for the rest
 * @uid_nomem: tasks of which it could not be kept
 * @uid_hook: what tells of a task that changes its user id
 * @fsync_hook: what tells of calls of fsync()
 * @end_hook: what tells of tasks at their end
 * @exits_missed: exits that the hook was not called for
 */
struct acct_stat {
	uint32_t seen;
	char hook[64];
	uint32_t listeners;
	uint32_t groups;
	uint32_t threads;
	uint64_t exits;
	uint64_t made;
	uint64_t delivered;
	uint64_t filtered;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t group_nomem;
	uint64_t queries;
	uint32_t uids;
	uint32_t uid_tasks;
	uint64_t uid_rest;
	uint64_t uid_nomem;
	char uid_hook[64];
	char fsync_hook[64];
	char end_hook[64];
	uint64_t exits_missed;
};

typedef void (*acct_answer_fn)(struct nlmsghdr *nlh, void *arg);

const char *acct_family_name(void);
int acct_socket(uint32_t port);
int acct_open(struct acct_sock *s);
int acct_open_family(struct acct_sock *s, const char *name, uint32_t port);
void acct_close(struct acct_sock *s);
int acct_resolve(struct acct_sock *s, const char *name);

struct nl_msg *acct_request(struct acct_sock *s, uint8_t cmd, int flags);
int acct_send(struct acct_sock *s, struct nl_msg *msg);
ssize_t acct_recv(int fd, void *buf, size_t size, int timeout_ms);
int acct_error_of(struct acct_sock *s, const struct nlmsghdr *nlh);
int acct_transact(struct acct_sock *s, struct nl_msg *msg,
		  acct_answer_fn fn, void *arg);

int acct_query(struct acct_sock *s, int attr, uint32_t id,
	       struct taskstats *stats);
int acct_query_pid(struct acct_sock *s, pid_t pid, struct taskstats *stats);
int acct_query_tgid(struct acct_sock *s, pid_t tgid, struct taskstats *stats);
int acct_register(struct acct_sock *s, const char *mask);
int acct_deregister(struct acct_sock *s, const char *mask);
int acct_listen(struct acct_sock *s, const char *mask, int rcvbuf);
int acct_listen_all(struct acct_sock *s, int rcvbuf);

struct nlmsghdr *acct_next_message(struct acct_sock *s, int timeout_ms,
				   int *err);
int acct_parse_exit(struct nlmsghdr *nlh, struct acct_exit *e);
int acct_next_exit(struct acct_sock *s, struct acct_exit *e, int timeout_ms);
int acct_wait_exit(struct acct_sock *s, pid_t pid, struct acct_exit *e);

int acct_wait_process(struct acct_sock *s, pid_t pid);
pid_t acct_exit_pair(void);
int acct_stat_get(struct acct_sock *s, struct acct_stat *st);
int acct_wait_listeners(struct acct_sock *s, unsigned int n);
int acct_wait_freed(struct acct_sock *s, struct acct_stat *st);
int acct_listener_get(struct acct_sock *s, struct acct_listener *l);
int acct_listener_dump(struct acct_sock *s, struct acct_listener *l, int max);
int acct_listener_of(struct acct_sock *s, uint32_t port,
		     struct acct_listener *l);

#endif /* SELFTESTS_ACCT_H */
