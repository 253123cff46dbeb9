/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages with records: taken apart, and whether they are right in themselves */
#ifndef FUZZ_NEWS_H
#define FUZZ_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>
#include <linux/taskacct.h>

#include "filter.h"
#include "model.h"

/**
 * struct piece - one record, of one kind or both
 * @id: number in the classic part, where there is one, else in the record
 * @has_classic: it has a classic part
 * @has_record: it has an extended record
 * @uid: real uid
 * @record: the extended record
 */
struct piece {
	uint32_t id;
	bool has_classic;
	bool has_record;
	uint32_t uid;
	struct taskacct_record record;
};

/**
 * struct news - a message
 * @kinds: TASKACCT_KIND_*, those that it has
 * @task: of the task
 * @process: of the process
 * @has_stream: it says how the listener fared
 * @stream: how
 * @names: TASKACCT_WANT_*, the names that it has
 */
struct news {
	uint32_t kinds;
	struct piece task;
	struct piece process;
	bool has_stream;
	struct taskacct_stream stream;
	uint32_t names;
};

/**
 * news_take() - take a message apart
 * @news: receives what it has
 * @nlh: message, complete
 *
 * Return: NULL, or what is wrong with it.
 */
const char *news_take(struct news *news, const struct nlmsghdr *nlh);

/**
 * news_has() - whether a message has what was wanted, and no more
 * @news: message
 * @want: TASKACCT_WANT_*
 *
 * Return: true if it does. Names may be missing.
 */
bool news_has(const struct news *news, uint32_t want);

/**
 * news_check_record() - whether a record is right in itself
 * @record: record
 * @waits: those behind it
 *
 * Return: NULL, or what is wrong with it.
 */
const char *news_check_record(const struct taskacct_record *record,
			      const struct taskacct_wait *waits);

/**
 * news_take_waits() - take the waits of a record apart
 * @waits: receives them
 * @nest: the attribute behind the record
 * @left: bytes from there on
 *
 * Return: false if they are not all there, each in its place.
 */
bool news_take_waits(struct taskacct_wait waits[TASKACCT_WAITS],
		     const struct nlattr *nest, size_t left);

/**
 * news_facts() - what a record says of its task or process
 * @piece: record
 *
 * Return: that.
 */
struct facts news_facts(const struct piece *piece);

/**
 * news_may_reach() - whether a user may receive a record
 * @piece: record
 * @reach: whom he may ask about
 *
 * Return: false if it is another user's, and he may ask about his own only.
 */
bool news_may_reach(const struct piece *piece, enum model_access reach);

#endif /* FUZZ_NEWS_H */
