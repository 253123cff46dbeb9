/* SPDX-License-Identifier: GPL-2.0-only */
/* What the family has to answer to what was sent */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "mask.h"

/* Requests of one datagram that are followed up; no more are made. */
#define EXPECTED_MAX 64

/**
 * struct model_rules - what does not change during a run
 * @family: message type
 * @strict: reserved fields and flags of new commands are checked
 * @mask: lists of CPUs
 */
struct model_rules {
	uint16_t family;
	bool strict;
	struct mask_rules mask;
};

/**
 * struct model_sock - a socket, and what the module has to know of it
 * @fd: the socket
 * @port: its port
 * @netns: inode of its network namespace
 * @allowed: it has the privilege, as has whoever sends
 * @may_register: and the right pid namespace
 * @cap_ack: errors do not repeat the request
 * @ext_ack: errors have words
 * @tight: its receive buffer may be full; answers may be lost
 * @listener: the module knows it
 * @mask: CPUs registered
 * @received: exit messages that came
 */
struct model_sock {
	int fd;
	uint32_t port;
	uint32_t netns;
	bool allowed;
	bool may_register;
	bool cap_ack;
	bool ext_ack;
	bool tight;
	bool listener;
	uint64_t mask;
	uint64_t received;
};

/**
 * enum answer - what comes before the acknowledgement
 * @ANSWER_NONE: nothing
 * @ANSWER_RECORD: a record
 * @ANSWER_STATUS: the module's figures
 * @ANSWER_LISTENER: the socket's own figures
 * @ANSWER_DUMP: those of all, up to a DONE, and no acknowledgement
 */
enum answer {
	ANSWER_NONE,
	ANSWER_RECORD,
	ANSWER_STATUS,
	ANSWER_LISTENER,
	ANSWER_DUMP,
};

/**
 * struct expected - what has to come of one request
 * @nlh: the request, in the datagram
 * @answer: of a success
 * @ack: a success is acknowledged
 * @error: the error that it has to be, or 0
 * @or_error: an error that it may be as well, or 0
 * @any_mask_error: @error stands for any of the parser's
 * @words: the error has words of the module's own
 * @dump: it is for a dump, which another may be in the way of
 * @process: @id is a process's
 * @id: the task that the record has to be of
 * @mask: what the listener hears at that point
 * @listener: it is one at that point
 * @answers: answers that came
 * @done: nothing more comes
 * @failed: it was an error
 */
struct expected {
	const struct nlmsghdr *nlh;
	enum answer answer;
	bool ack;
	int error;
	int or_error;
	bool any_mask_error;
	bool words;
	bool dump;
	bool process;
	uint32_t id;
	uint64_t mask;
	bool listener;
	unsigned int answers;
	bool done;
	bool failed;
};

/**
 * model_tasks() - what tasks there are
 * @id: number
 * @process: of a process, not of any task
 *
 * Return: 1 if it is there for sure, 0 if it is not, negative if nobody knows.
 */
int model_tasks(uint32_t id, bool process);

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
