/* SPDX-License-Identifier: GPL-2.0-only */
/* Logs, any number of them, read one after the other */
#ifndef TASKACCT_CMD_LOGS_H
#define TASKACCT_CMD_LOGS_H

#include "base/message.h"
#include "fields/rec.h"
#include "balance.h"
#include "sums.h"

/**
 * struct loss - records that are missing
 * @from_ns: since when, nanoseconds since 1970; 0 where that is not known
 * @to_ns: until when
 * @count: how many
 */
struct loss {
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t count;
};

/**
 * struct pause - a time of which nothing was recorded
 * @from_ns: since when, nanoseconds since 1970
 * @to_ns: until when
 * @why: why
 */
struct pause {
	uint64_t from_ns;
	uint64_t to_ns;
	enum balance_why why;
};

/**
 * enum sums_answer - what became of a row of totals
 * @SUMS_OUTSIDE: it has nothing that was asked for
 * @SUMS_COUNTED: it was taken into account
 * @SUMS_MISSING: it may have what was asked for, which totals do not tell
 */
enum sums_answer {
	SUMS_OUTSIDE,
	SUMS_COUNTED,
	SUMS_MISSING,
};

/**
 * struct books - what is known of how complete the records are
 * @records: records that were read
 * @lost: records that are missing
 * @losses: of these, when
 * @n: how many spans of time
 * @totals: records that are known from totals only, and were taken into account
 * @untold: those that were not, when
 * @n_untold: how many spans of time
 * @pauses: times of which nothing was recorded
 * @n_pauses: how many
 * @damaged: messages that could not be decoded
 * @unsure: records of a stream that does not tell of losses
 * @nameless: of these, of processes without a name: the kernel's own
 * @torn: logs that end in the midst of a record
 * @failed: logs that could not be read to their end
 * @offset_ns: from the time since boot to that since 1970
 */
struct books {
	uint64_t records;
	uint64_t lost;
	struct loss *losses;
	size_t n;
	uint64_t totals;
	struct loss *untold;
	size_t n_untold;
	struct pause *pauses;
	size_t n_pauses;
	uint64_t damaged;
	uint64_t unsure;
	uint64_t nameless;
	uint64_t torn;
	uint64_t failed;
	uint64_t offset_ns;
};

/**
 * struct taker - who takes records
 * @kinds: which records count
 * @rec: takes one; its names are valid until it returns
 * @gap: is told of records that are missing; may be NULL
 * @sums: takes a row of totals; NULL where single records are asked for
 * @arg: for all
 * @since: of segments of a record only those are read that have something of this
 *	time or later, nanoseconds since 1970
 * @until: or before this one; 0 for all
 */
struct taker {
	enum rec_kinds kinds;
	void (*rec)(const struct rec *rec, void *arg);
	void (*gap)(const struct loss *loss, void *arg);
	enum sums_answer (*sums)(const struct sums_row *row, void *arg);
	void *arg;
	uint64_t since;
	uint64_t until;
};

/**
 * logs_read() - read logs
 * @paths: files, directories of files, and "-" for standard input
 * @n: how many
 * @taker: who takes records
 * @books: how complete they are; added to
 *
 * In the order of the logs' first records. What cannot be read is reported.
 */
void logs_read(char *const *paths, size_t n, const struct taker *taker,
	       struct books *books);

/**
 * books_event() - take a message into account and pass its record on
 * @books: books
 * @event: message; an answer to a query, which logs have too, is no end and passed over
 * @taker: who takes records
 */
void books_event(struct books *books, const struct taskacct_event *event,
		 const struct taker *taker);

/**
 * books_balance() - take into account what a segment says of itself
 * @books: books, with the messages of the segment
 * @balance: its balance
 * @reported: losses that its messages reported
 */
void books_balance(struct books *books, const struct balance *balance,
		   uint64_t reported);

/**
 * books_sums() - take a row of totals into account and pass it on
 * @books: books
 * @row: row
 * @taker: who takes them, where they are of the kind that counts
 */
void books_sums(struct books *books, const struct sums_row *row,
		const struct taker *taker);

/**
 * books_tell() - say in words how complete the records are
 * @books: books
 * @since: first moment that counts, nanoseconds since 1970
 * @until: last moment
 *
 * Return: text, to be freed; "complete" where nothing is missing.
 */
char *books_tell(const struct books *books, uint64_t since, uint64_t until);

/**
 * books_status() - the exit status that they deserve
 * @books: books
 * @since: as for books_tell()
 * @until: as for books_tell()
 *
 * Return: status.
 */
enum status books_status(const struct books *books, uint64_t since,
			 uint64_t until);

#endif /* TASKACCT_CMD_LOGS_H */
