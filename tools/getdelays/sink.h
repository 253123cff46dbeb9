/* SPDX-License-Identifier: GPL-2.0-only */
/* Where messages end up, whoever brings them */
#ifndef GETDELAYS_SINK_H
#define GETDELAYS_SINK_H

#include <pthread.h>
#include <stdint.h>

#include "options.h"
#include "out.h"
#include "view.h"

/**
 * struct sink - log, output and totals, and what went there
 * @lock: protects all of it; taken last
 * @out: output
 * @view: what is shown
 * @print: exit messages are printed
 * @messages: exit messages that came
 * @records: records that they had; 0 where nobody looks into them
 * @err: first failure to write output or log; negative errno
 */
struct sink {
	pthread_mutex_t lock;
	struct out *out;
	struct view view;
	bool print;
	uint64_t messages;
	uint64_t records;
	int err;
};

/**
 * sink_open() - make ready
 * @sink: sink
 * @opt: command line
 */
void sink_open(struct sink *sink, const struct options *opt);

/**
 * sink_event() - take an exit message
 * @sink: sink
 * @event: message
 *
 * Return: 0 or the errno with which an earlier write failed.
 */
int sink_event(struct sink *sink, const struct taskacct_event *event);

/**
 * sink_answer() - take the answer to a query, before it is shown
 * @answer: message
 * @sink: sink
 *
 * It goes to the log; and the record's time is now.
 */
void sink_answer(const struct taskacct_event *answer, void *sink);

/**
 * sink_flush() - write what has gathered
 * @sink: sink
 *
 * Return: 0 or the errno with which this or an earlier write failed.
 */
int sink_flush(struct sink *sink);

/**
 * sink_close() - flush and close
 * @sink: sink
 *
 * Return: as sink_flush().
 */
int sink_close(struct sink *sink);

#endif /* GETDELAYS_SINK_H */
