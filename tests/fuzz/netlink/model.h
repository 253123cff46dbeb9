/* SPDX-License-Identifier: GPL-2.0-only */
/* What the family has to answer to what was sent */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "filter.h"
#include "mask.h"

/* Requests of one datagram that are followed up; no more are made. */
#define EXPECTED_MAX 64

/**
 * struct model_rules - what does not change during a run
 * @family: message type
 * @strict: generic netlink checks reserved fields and flags of new commands,
 *	also of those to come; else the module does it, for reserved fields
 * @users: the module counts users
 * @mask: lists of CPUs
 */
struct model_rules {
	uint16_t family;
	bool strict;
	bool users;
	struct mask_rules mask;
};

/**
 * enum model_access - whom a user may ask about, and listen to
 * @REACH_NONE: nobody at all
 * @REACH_OWN: his own tasks
 * @REACH_ALL: all tasks of his pid namespace
 */
enum model_access {
	REACH_NONE,
	REACH_OWN,
	REACH_ALL,
};

/* Registrations of a socket that what comes may be reported by */
#define SUBS_MAX 16

/**
 * struct model_sub - what a listener asked for
 * @extended: anything at all; else its records are classic
 * @want: TASKACCT_WANT_*
 * @filter: who is meant
 * @batch_bytes: length of a datagram, 0 for one to each message
 */
struct model_sub {
	bool extended;
	uint32_t want;
	struct model_filter filter;
	uint32_t batch_bytes;
};

/**
 * struct model_stream - how a listener fared
 * @received: exit messages that came
 * @seq: number that the last one with a number had
 * @lost_queue: lost so far for want of room, as it was reported
 * @lost_memory: for want of memory
 * @reported_queue: sum of what gap messages reported, for want of room
 * @reported_memory: for want of memory
 * @unbroken: every registration of it wanted to be told
 */
struct model_stream {
	uint64_t received;
	uint64_t seq;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t reported_queue;
	uint64_t reported_memory;
	bool unbroken;
};

/**
 * struct model_sock - a socket, and what the module has to know of it
 * @fd: the socket
 * @port: its port
 * @netns: inode of its network namespace
 * @reach: whom he may ask about who sends by it
 * @users: of which users he may be told
 * @numbered: users have numbers in his user namespace
 * @cap_ack: errors do not repeat the request
 * @ext_ack: errors have words
 * @tight: its receive buffer may be full; answers may be lost
 * @listener: the module knows it
 * @mask: CPUs registered
 * @received: CPUs that ever were
 * @subs: what it asked for, the last at (@n_subs - 1) % %SUBS_MAX
 * @n_subs: how often
 * @stream: how it fared
 */
struct model_sock {
	int fd;
	uint32_t port;
	uint32_t netns;
	enum model_access reach;
	enum model_access users;
	bool numbered;
	bool cap_ack;
	bool ext_ack;
	bool tight;
	bool listener;
	uint64_t mask;
	uint64_t received;
	struct model_sub subs[SUBS_MAX];
	unsigned int n_subs;
	struct model_stream stream;
};

/**
 * enum answer - what comes before the acknowledgement
 * @ANSWER_NONE: nothing
 * @ANSWER_RECORD: a record
 * @ANSWER_CGROUP: what the tasks of a cgroup do
 * @ANSWER_STATUS: the module's statistics
 * @ANSWER_LISTENER: the socket's own statistics
 * @ANSWER_LISTENERS: those of all, up to a DONE, and no acknowledgement
 * @ANSWER_TASKS: records of all, likewise
 * @ANSWER_USER: what a user has used
 * @ANSWER_USERS: of all, likewise
 */
enum answer {
	ANSWER_NONE,
	ANSWER_RECORD,
	ANSWER_CGROUP,
	ANSWER_STATUS,
	ANSWER_LISTENER,
	ANSWER_LISTENERS,
	ANSWER_TASKS,
	ANSWER_USER,
	ANSWER_USERS,
};

/**
 * struct expected - what has to come of one request
 * @nlh: the request, in the datagram
 * @answer: of a success
 * @ack: a success is acknowledged
 * @error: the error that it has to be, or 0
 * @or_error: an error that it may be as well, or 0
 * @or_denied: it may be EPERM as well
 * @any_mask_error: @error stands for any of the parser's
 * @words: the error has words of the module's own
 * @dump: it is for a dump, which another may be in the way of
 * @process: @id is a process's
 * @id: the task or user that the record has to be of
 * @cgroup: the cgroup that the answer has to be of
 * @want: what the answer has to have
 * @filter: whom it has to be about
 * @mask: what the listener hears at that point
 * @sub: what it asked for at that point
 * @listener: it is one at that point
 * @answers: answers that came
 * @seen: of a dump's, those of this process, a bit each
 * @last: of a dump's, the number of the last, with its kind; of users, the
 *	next that there may be
 * @done: nothing more comes
 * @failed: it was an error
 */
struct expected {
	const struct nlmsghdr *nlh;
	enum answer answer;
	bool ack;
	int error;
	int or_error;
	bool or_denied;
	bool any_mask_error;
	bool words;
	bool dump;
	bool process;
	uint32_t id;
	uint64_t cgroup;
	uint32_t want;
	struct model_filter filter;
	uint64_t mask;
	struct model_sub sub;
	bool listener;
	unsigned int answers;
	uint32_t seen;
	uint64_t last;
	bool done;
	bool failed;
};

/**
 * struct model_cgroups - cgroups of version 2 that are known; 0: there are none
 * @root: id of the one at the top
 * @own: id of the one that all of this program's processes are in, below @root
 */
struct model_cgroups {
	uint64_t root;
	uint64_t own;
};

extern struct model_cgroups model_cgroups;

/* What a descriptor is of */
enum model_cgroup_kind {
	CGROUP_V1 = 1,
	CGROUP_V2,
};

/**
 * model_cgroup() - what a descriptor is of
 * @fd: descriptor of the sender
 * @id: receives a cgroup's number
 *
 * Return: enum model_cgroup_kind if it is a cgroup's open directory, -EBADF if it
 * is not open, or -EINVAL.
 */
int model_cgroup(int fd, uint64_t *id);

/**
 * model_has_cgroup() - whether there is a cgroup of version 2
 * @id: its number
 *
 * Return: true if there is.
 */
bool model_has_cgroup(uint64_t id);

/**
 * struct model_known - a task or process that is there as long as the case
 * @id: its number
 * @kinds: TASKACCT_KIND_*, a task or a process or both
 * @tgid: number of its process
 * @ended: it is a zombie, which has not failed
 * @init_pid: its number in the initial pid namespace, if known; else 0
 */
struct model_known {
	uint32_t id;
	uint32_t kinds;
	uint32_t tgid;
	bool ended;
	uint32_t init_pid;
};

#define KNOWN_MAX 3

/**
 * model_known() - tasks of whom more is known than of others
 * @i: which, less than %KNOWN_MAX
 * @facts: receives what is
 *
 * Return: the task.
 */
const struct model_known *model_known(unsigned int i, struct facts *facts);

/**
 * model_tasks() - what tasks there are
 * @id: number
 * @process: of a process, not of any task
 *
 * Return: 1 if it is there for sure, 0 if it is not, negative if nobody knows.
 */
int model_tasks(uint32_t id, bool process);

/**
 * model_own() - whose a task is that there is
 * @id: number
 *
 * Return: 1 if it is for sure one that this process may ask about without
 * privilege, 0 if it is for sure none, negative if nobody knows.
 */
int model_own(uint32_t id);

/**
 * model_sub() - what a listener asked for
 * @sock: its socket
 * @ago: in which registration: 0 for the last
 *
 * Return: the subscription, or NULL if that is too long ago.
 */
const struct model_sub *model_sub(const struct model_sock *sock,
				  unsigned int ago);

/**
 * model_predict() - what has to come of a datagram
 * @rules: rules
 * @sock: where it is sent, with its state after it
 * @data: datagram, aligned
 * @size: bytes
 * @expected: of each request in order
 *
 * Return: how many requests there are.
 */
unsigned int model_predict(const struct model_rules *rules,
			   struct model_sock *sock, const void *data,
			   size_t size,
			   struct expected expected[EXPECTED_MAX]);

#endif /* FUZZ_MODEL_H */
