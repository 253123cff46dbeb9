// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a log back, through what prints live messages
 */
#include "read.h"
#include "taskacct_log.h"

static enum exit_status report(const struct taskacct_reader *reader,
			       const char *path, const struct sink *sink)
{
	enum exit_status status = EXIT_DONE;
	struct taskacct_torn torn;

	if (taskacct_reader_torn(reader, &torn)) {
		if (torn.bytes)
			message("%s: the end is torn: %llu bytes dropped at %llu",
				path, (unsigned long long)torn.bytes,
				(unsigned long long)torn.offset);
		else
			message("%s: the end is torn at %llu", path,
				(unsigned long long)torn.offset);
		status = EXIT_LOG;
	}
	message("read: %llu messages, %llu records",
		(unsigned long long)sink->messages,
		(unsigned long long)sink->records);
	if (sink->gaps && !status)
		status = EXIT_LOST;
	if (sink->gaps)
		message("lost when it was written: %llu, in %llu gaps",
			(unsigned long long)sink->gap_lost,
			(unsigned long long)sink->gaps);
	return status;
}

static int read_all(struct taskacct_reader *reader, struct sink *sink)
{
	struct taskacct_event event;
	int got;

	while ((got = taskacct_reader_next(reader, &event)) > 0) {
		sink->view.family = taskacct_reader_family(reader);
		if (sink_event(sink, &event))
			break;
	}
	return got < 0 ? got : 0;
}

enum exit_status read_run(const struct options *opt, struct sink *sink)
{
	enum exit_status status = EXIT_LOG;
	struct taskacct_reader *reader;
	int err;

	out_stream(sink->out);
	err = taskacct_reader_open(&reader, opt->read);
	if (!err)
		err = read_all(reader, sink);
	if (err) {
		message("%s", reader ? taskacct_reader_error(reader) :
				       "out of memory");
	} else {
		sink_flush(sink);
		sink->damaged += taskacct_reader_damaged(reader);
		status = report(reader, opt->read, sink);
	}
	taskacct_reader_close(reader);
	return status;
}
