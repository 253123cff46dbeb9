/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The handle, between the files of the library */
#ifndef TASKACCT_HANDLE_H
#define TASKACCT_HANDLE_H

#include <sys/socket.h>
#include <sys/types.h>

#include <linux/netlink.h>
#include <netlink/msg.h>

#include "taskacct.h"

#define TA_ERROR_MAX 512
#define TA_FAMILY_MAX 16

/* Where datagrams are received, several to a system call */
struct ta_rx;

/**
 * struct ta_family - what the controller says of a family
 * @name: its name
 * @id: its message type
 * @counts: it has the extensions of taskacct
 * @has_records: extended records among them
 */
struct ta_family {
	char name[TA_FAMILY_MAX];
	uint16_t id;
	bool counts;
	bool has_records;
};

/**
 * struct taskacct - see taskacct.h
 * @sk: libnl's socket
 * @fd: its descriptor
 * @portid: its netlink port
 * @netns: inode of the network namespace in which that is unique, or 0
 * @seq: of the last request
 * @family: what the controller says of it
 * @family_message: the controller's description of it
 * @handler: takes exit messages
 * @arg: for @handler
 * @overflow: an ENOBUFS came while a request waited, and is to be passed on
 * @rx: receive buffers
 * @error: last failure in words
 */
struct taskacct {
	struct nl_sock *sk;
	int fd;
	uint32_t portid;
	ino_t netns;
	uint32_t seq;
	struct ta_family family;
	struct nlmsghdr *family_message;
	taskacct_handler handler;
	void *arg;
	bool overflow;
	struct ta_rx *rx;
	char error[TA_ERROR_MAX];
};

/**
 * struct ta_reply - the answer to a request, while it is awaited
 * @each: called for each message of the answer; its result ends the request
 *	if negative. NULL if only the acknowledgment matters
 * @arg: for @each
 * @seq: of the request
 * @wait: further messages belong to it
 * @dump: it is a dump, which is not asked for again: part of it was reported
 * @changed: what is dumped changed meanwhile
 * @done: it is complete
 * @err: how it ended
 * @words: the kernel's own, or empty
 */
struct ta_reply {
	int (*each)(const struct nlmsghdr *nlh, void *arg);
	void *arg;
	uint32_t seq;
	bool wait;
	bool dump;
	bool changed;
	bool done;
	int err;
	char words[256];
};

/**
 * ta_fail() - note a failure in words
 * @error: where to
 * @size: of @error
 * @err: negative errno
 * @words: the kernel's own, or NULL for the errno's
 * @fmt: what was tried
 *
 * Return: @err.
 */
int ta_fail(char *error, size_t size, int err, const char *words,
	    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/**
 * ta_message() - begin a request to the family
 * @ta: handle
 * @cmd: command
 * @flags: NLM_F_ACK, NLM_F_DUMP or 0
 *
 * Return: the message, or NULL if there is no memory.
 */
struct nl_msg *ta_message(struct taskacct *ta, int cmd, int flags);

/**
 * ta_request() - send a request and wait for its answer
 * @ta: handle
 * @msg: the request, or NULL where there was no memory for it; freed
 * @reply: @each and @arg set
 * @fmt: what is tried, for the story
 *
 * Exit messages that come in between go to the handler. A request whose
 * answer an overflow swallowed is repeated, unless it is a dump.
 *
 * Return: 0 or a negative errno.
 */
int ta_request(struct taskacct *ta, struct nl_msg *msg, struct ta_reply *reply,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/**
 * ta_rx_alloc() - make room to receive
 *
 * Return: the room, or NULL if there is no memory.
 */
struct ta_rx *ta_rx_alloc(void);

/**
 * ta_rx() - take what waits on the socket
 * @ta: handle
 * @reply: the answer awaited, or NULL
 *
 * Return: number of datagrams, 0 if none waited, or a negative errno.
 */
int ta_rx(struct taskacct *ta, struct ta_reply *reply);

/**
 * ta_now_ns() - what time it is
 *
 * Return: nanoseconds since 1970.
 */
uint64_t ta_now_ns(void);

/**
 * ta_family_parse() - what the controller says of a family
 * @family: where to; untouched where @nlh is something else
 * @nlh: its message
 *
 * Return: true if it is such a message.
 */
bool ta_family_parse(struct ta_family *family, const struct nlmsghdr *nlh);

/**
 * ta_event_type() - what a message of the family is
 * @nlh: message
 * @type: set if it is for the handler
 *
 * Return: true if it has records, or tells of a gap.
 */
bool ta_event_type(const struct nlmsghdr *nlh, enum taskacct_event_type *type);

/**
 * ta_filter_parse() - read a filter back
 * @filter: where to
 * @nest: the kernel's nest of conditions
 */
void ta_filter_parse(struct taskacct_filter *filter, const struct nlattr *nest);

#endif /* TASKACCT_HANDLE_H */
