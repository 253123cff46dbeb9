/* SPDX-License-Identifier: GPL-2.0-only */
/* Where messages end up, whoever brings them */
#ifndef GETDELAYS_SINK_H
#define GETDELAYS_SINK_H

#include <pthread.h>
#include <stdint.h>

#include "message.h"
#include "options.h"
#include "out.h"
#include "taskacct_log.h"
#include "view.h"

/* Which columns a row of CSV has */
#define SINK_CLASSIC 1
#define SINK_EXTENDED 2

/**
 * struct sink - log and output, and what went there
 * @lock: protects all of it; taken last
 * @out: output
 * @view: what is shown
 * @log: log, or NULL
 * @print: exit messages are printed
 * @extended: extended records are looked at, where there are any
 * @kinds: kinds of records that are looked at, TASKACCT_KIND_*; 0 for all
 * @meant: which of them are, or NULL for all
 * @csv: rows are CSV, so that all have the same columns
 * @columns: %SINK_CLASSIC or %SINK_EXTENDED, once a row was printed
 * @left_out: rows that had others
 * @messages: exit messages that came
 * @records: records that they had; 0 where nobody looks into them
 * @gaps: times that it was told of losses
 * @gap_lost: messages that were lost by that
 * @damaged: messages that nothing could be made of
 * @err: first failure to write output or log; negative errno
 */
struct sink {
	pthread_mutex_t lock;
	struct out *out;
	struct view view;
	struct taskacct_log *log;
	bool print;
	bool extended;
	uint32_t kinds;
	const struct filter *meant;
	bool csv;
	uint32_t columns;
	uint64_t left_out;
	uint64_t messages;
	uint64_t records;
	uint64_t gaps;
	uint64_t gap_lost;
	uint64_t damaged;
	int err;
};

/**
 * sink_open() - make ready
 * @sink: sink
 * @opt: command line
 *
 * Return: how it went; what could not be opened has been said.
 */
enum exit_status sink_open(struct sink *sink, const struct options *opt);

/**
 * sink_begin() - whose messages are to come
 * @sink: sink
 * @ta: the family that they come from
 *
 * Return: 0 or the errno with which a write failed.
 */
int sink_begin(struct sink *sink, const struct taskacct *ta);

/**
 * sink_event() - take an exit message, or one that tells of a gap
 * @sink: sink
 * @event: message
 *
 * Return: 0 or the errno with which an earlier write failed.
 */
int sink_event(struct sink *sink, const struct taskacct_event *event);

/**
 * sink_means() - whether an exit message has a record that is meant
 * @sink: sink
 * @event: message
 *
 * Return: true if it has, and for one that cannot be decoded.
 */
bool sink_means(struct sink *sink, const struct taskacct_event *event);

/**
 * sink_answer() - take the answer to a query, before it is shown
 * @answer: message
 * @sink: sink
 *
 * It goes to the log; and the record's time is now.
 */
void sink_answer(const struct taskacct_event *answer, void *sink);

/**
 * sink_show() - take the answer to a query, and show it
 * @answer: message
 * @sink: sink
 */
void sink_show(const struct taskacct_event *answer, void *sink);

/**
 * sink_flush() - write what has gathered
 * @sink: sink
 *
 * Return: 0 or the errno with which this or an earlier write failed.
 */
int sink_flush(struct sink *sink);

/**
 * sink_sync() - see to it that the log is on the disk
 * @sink: sink
 *
 * May take long, and lets messages come in meanwhile.
 *
 * Return: as sink_flush().
 */
int sink_sync(struct sink *sink);

/**
 * sink_written() - how many messages were logged
 * @sink: sink
 *
 * Return: messages that are in the file, whole.
 */
uint64_t sink_written(const struct sink *sink);

/**
 * sink_judge() - tell whether messages were damaged
 * @sink: sink that gets no more messages
 * @from: who sent them, or the log that they were in
 *
 * Return: how it went.
 */
enum exit_status sink_judge(const struct sink *sink, const char *from);

/**
 * sink_tell_left_out() - say of how many records no row was printed
 * @sink: sink that gets no more messages
 */
void sink_tell_left_out(const struct sink *sink);

/**
 * sink_close() - flush and close
 * @sink: sink
 *
 * Return: as sink_flush(), but 0 where a reader of standard output went away.
 */
int sink_close(struct sink *sink);

#endif /* GETDELAYS_SINK_H */
