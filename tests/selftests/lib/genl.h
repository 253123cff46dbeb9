/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family as a test talks to it: a raw netlink socket, so that a test sees
 * every datagram and every socket error, with libnl for what is in them.
 */
#ifndef SELFTESTS_GENL_H
#define SELFTESTS_GENL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <netlink/msg.h>
#include <linux/taskacct.h>

/* More than any message of the family takes. */
#define GENL_BUF 32768

/**
 * struct genl_exit - an exit message, decoded
 * @seq: nlmsg_seq
 * @has_pid: it has the record of a task
 * @has_tgid: it has the record of a process
 * @pid: number in the PID attribute
 * @tgid: number in the TGID attribute
 * @task: record of the task
 * @group: record of the process
 */
struct genl_exit {
	uint32_t seq;
	bool has_pid;
	bool has_tgid;
	uint32_t pid;
	uint32_t tgid;
	struct taskstats task;
	struct taskstats group;
};

/**
 * struct genl_kept - an exit message that was read past
 * @next: the one that came after it
 * @exit: what was in it
 */
struct genl_kept {
	struct genl_kept *next;
	struct genl_exit exit;
};

/**
 * struct genl_sock - a socket of the family
 * @fd: the socket
 * @port: its port id
 * @family: number of the family
 * @seq: nlmsg_seq of the last request
 * @enobufs: times that ENOBUFS was seen while an answer was awaited
 * @extack: text of the kernel's last extended ack; empty without one
 * @kept: exit messages that came while an answer was awaited, oldest first
 * @kept_end: where the next of them goes
 */
struct genl_sock {
	int fd;
	uint32_t port;
	uint16_t family;
	uint32_t seq;
	unsigned int enobufs;
	char extack[160];
	struct genl_kept *kept;
	struct genl_kept **kept_end;
};

/**
 * struct genl_listener - answer to TASKACCT_CMD_LISTENER_GET
 * @seen: bit per attribute that was there, counted from 16
 * @portid: port id of the socket
 * @netns: inode of its network namespace
 * @pid: who registered
 * @comm: name of that process
 * @cpumask: CPUs heard
 * @made: messages made for it
 * @delivered: put into its queue
 * @filtered: refused by its own socket filter
 * @lost_queue: lost for want of room
 * @lost_memory: lost for want of memory
 */
struct genl_listener {
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
};

/**
 * struct genl_stat - answer to TASKACCT_CMD_STAT_GET
 * @seen: bit per attribute that was there, counted from 16
 * @hook: what tells the module of exits
 * @listeners: sockets that are listeners now
 * @groups: processes whose dead threads are kept now
 * @threads: dead threads told apart from live ones now
 * @exits: exits that needed any work
 * @made: messages made
 * @delivered: put into a queue
 * @filtered: refused by a socket filter
 * @lost_queue: lost for want of room
 * @lost_memory: lost for want of memory
 * @group_nomem: dead threads that could not be kept
 * @queries: queries answered
 */
struct genl_stat {
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
};

typedef void (*genl_answer_fn)(struct nlmsghdr *nlh, void *arg);

const char *genl_family_name(void);
int genl_socket(uint32_t port);
int genl_open(struct genl_sock *s);
int genl_open_family(struct genl_sock *s, const char *name, uint32_t port);
void genl_close(struct genl_sock *s);
int genl_resolve(struct genl_sock *s, const char *name);

struct nl_msg *genl_request(struct genl_sock *s, uint8_t cmd, int flags);
int genl_send(struct genl_sock *s, struct nl_msg *msg);
ssize_t genl_recv(int fd, void *buf, size_t size, int timeout_ms);
int genl_error_of(struct genl_sock *s, const struct nlmsghdr *nlh);
int genl_transact(struct genl_sock *s, struct nl_msg *msg,
		  genl_answer_fn fn, void *arg);

int genl_query(struct genl_sock *s, int attr, uint32_t id,
	       struct taskstats *stats);
int genl_query_pid(struct genl_sock *s, pid_t pid, struct taskstats *stats);
int genl_query_tgid(struct genl_sock *s, pid_t tgid, struct taskstats *stats);
int genl_register(struct genl_sock *s, const char *mask);
int genl_deregister(struct genl_sock *s, const char *mask);
int genl_listen(struct genl_sock *s, const char *mask, int rcvbuf);

int genl_parse_exit(struct nlmsghdr *nlh, struct genl_exit *e);
int genl_next_exit(struct genl_sock *s, struct genl_exit *e, int timeout_ms);
int genl_wait_exit(struct genl_sock *s, pid_t pid, struct genl_exit *e);

int genl_stat_get(struct genl_sock *s, struct genl_stat *st);
int genl_listener_get(struct genl_sock *s, struct genl_listener *l);
int genl_listener_dump(struct genl_sock *s, struct genl_listener *l, int max);
int genl_listener_of(struct genl_sock *s, uint32_t port,
		     struct genl_listener *l);

#endif /* SELFTESTS_GENL_H */
