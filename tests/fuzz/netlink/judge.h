/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether what came is what had to come */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "model.h"

/* Errors are counted by number, those beyond with the last. */
#define ERRORS_MAX 134

/**
 * struct tally - what was done
 * @messages: sent
 * @datagrams: sent
 * @cases: gone through
 * @answers: records, statistics and listeners that came
 * @exits: exit messages that came
 * @extended: of these and of the answers, those with an extended record
 * @gaps: gap messages that came
 * @batches: datagrams with several exit messages
 * @acks: acknowledgements
 * @errors: by number
 * @silent: requests that wanted no answer and got none
 * @lost: answers lost where the receive buffer was full
 * @queries: queries that were answered for sure
 * @maybe_queries: those of which that is not known
 * @late: cases that ended with requests refused, as those before them in the
 *	datagram had taken too long
 * @failures: answers that were wrong
 */
struct tally {
	uint64_t messages;
	uint64_t datagrams;
	uint64_t cases;
	uint64_t answers;
	uint64_t exits;
	uint64_t extended;
	uint64_t gaps;
	uint64_t batches;
	uint64_t acks;
	uint64_t errors[ERRORS_MAX];
	uint64_t silent;
	uint64_t lost;
	uint64_t queries;
	uint64_t maybe_queries;
	uint64_t late;
	uint64_t failures;
};

/**
 * struct judge - the answers to one datagram
 * @rules: rules
 * @sock: where it was sent
 * @others: sockets of the same process, listeners or not
 * @n_others: how many, @sock included
 * @pid: of this process, as the initial pid namespace numbers it
 * @expected: what has to come
 * @n: how many requests
 * @received: exits that had come before
 * @took_ns: how long it took to send, and so to handle, the datagram
 * @late: a request was refused, as others had taken too long: so what the model
 *	says of the socket is not so, and what comes cannot be judged
 * @overflow: the socket reported an overflow, so that answers may be missing
 * @tally: what was done
 * @why: what is wrong, or empty
 */
struct judge {
	const struct model_rules *rules;
	struct model_sock *sock;
	const struct model_sock *others;
	unsigned int n_others;
	uint32_t pid;
	struct expected expected[EXPECTED_MAX];
	unsigned int n;
	uint64_t received;
	int64_t took_ns;
	bool late;
	bool overflow;
	struct tally *tally;
	char why[256];
};

/**
 * judge_wrong() - say what is wrong; the first counts
 * @judge: judge
 * @fmt: as for printf()
 */
void __attribute__((format(printf, 2, 3)))
judge_wrong(struct judge *judge, const char *fmt, ...);

/**
 * judge_exit() - take an exit message, or what is said of lost ones
 * @judge: judge
 * @nlh: message, complete
 */
void judge_exit(struct judge *judge, const struct nlmsghdr *nlh);

/**
 * judge_datagram() - take the whole of a datagram, after its messages
 * @judge: judge
 * @size: bytes
 * @exits: exit messages in it
 */
void judge_datagram(struct judge *judge, size_t size, uint64_t exits);

/**
 * judge_answer_task() - take the answer to a query
 * @judge: judge
 * @e: the query
 * @nlh: message, complete
 */
void judge_answer_task(struct judge *judge, struct expected *e,
		       const struct nlmsghdr *nlh);

/**
 * judge_answer_cgroup() - take the answer to a question about a cgroup
 * @judge: judge
 * @e: the question
 * @nlh: message, complete
 */
void judge_answer_cgroup(struct judge *judge, struct expected *e,
			 const struct nlmsghdr *nlh);

/**
 * judge_dumped_task() - take one of the answers about all tasks
 * @judge: judge
 * @e: the request
 * @nlh: message, complete
 */
void judge_dumped_task(struct judge *judge, struct expected *e,
		       const struct nlmsghdr *nlh);

/**
 * judge_dump_of_tasks() - all answers about all tasks have come
 * @judge: judge
 * @e: the request
 */
void judge_dump_of_tasks(struct judge *judge, const struct expected *e);

/**
 * judge_answer_status() - take the module's statistics
 * @judge: judge
 * @e: the request
 * @nlh: message, complete
 */
void judge_answer_status(struct judge *judge, struct expected *e,
			 const struct nlmsghdr *nlh);

/**
 * judge_answer_listener() - take the statistics of the socket's own registration
 * @judge: judge
 * @e: the request
 * @nlh: message, complete
 */
void judge_answer_listener(struct judge *judge, struct expected *e,
			   const struct nlmsghdr *nlh);

/**
 * judge_dumped_listener() - take the statistics of one of all listeners
 * @judge: judge
 * @e: the request
 * @nlh: message, complete
 */
void judge_dumped_listener(struct judge *judge, struct expected *e,
			   const struct nlmsghdr *nlh);

/**
 * judge_dump_of_listeners() - those of all have come
 * @judge: judge
 * @e: the request
 */
void judge_dump_of_listeners(struct judge *judge, const struct expected *e);

/**
 * judge_answer_user() - take what a user has used
 * @judge: judge
 * @e: the question
 * @nlh: message, complete
 */
void judge_answer_user(struct judge *judge, struct expected *e,
		       const struct nlmsghdr *nlh);

/**
 * judge_dumped_user() - take what one of all users has used
 * @judge: judge
 * @e: the request
 * @nlh: message, complete
 */
void judge_dumped_user(struct judge *judge, struct expected *e,
		       const struct nlmsghdr *nlh);

/**
 * judge_dump_of_users() - those of all users have come
 * @judge: judge
 * @e: the request
 */
void judge_dump_of_users(struct judge *judge, const struct expected *e);

/**
 * judge_message() - take a message that came
 * @judge: judge
 * @nlh: message, complete
 */
void judge_message(struct judge *judge, const struct nlmsghdr *nlh);

/**
 * judge_end() - nothing more comes
 * @judge: judge
 */
void judge_end(struct judge *judge);

#endif /* FUZZ_JUDGE_H */
