// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where messages end up: a message is looked into only if somebody wants to
 * see what is in it
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sink.h"

static enum exit_status open_log(struct sink *sink, const char *path)
{
	struct taskacct_torn torn;
	int err;

	err = taskacct_log_open(&sink->log, path, &torn);
	if (err) {
		sink->err = err;
		message("%s", sink->log ? taskacct_log_error(sink->log) :
					  "out of memory");
		return EXIT_LOG;
	}
	if (torn.bytes)
		message("%s: the end was torn: %llu bytes cut off at %llu",
			path, (unsigned long long)torn.bytes,
			(unsigned long long)torn.offset);
	return EXIT_DONE;
}

enum exit_status sink_open(struct sink *sink, const struct options *opt)
{
	memset(sink, 0, sizeof(*sink));
	pthread_mutex_init(&sink->lock, NULL);
	sink->out = out_open(opt->form);
	sink->view.sections = opt->sections;
	sink->view.family = opt->family;
	sink->view.delay_accounting = opt->read ? -1 : view_delay_accounting();
	if (opt->summary)
		sink->summary = summary_new();
	/* Whoever logs, or sums up, need not see it all go by. */
	sink->print = (!opt->log && !opt->summary) || opt->sections ||
		      (opt->form != OUT_TABLE && !opt->summary);
	return opt->log ? open_log(sink, opt->log) : EXIT_DONE;
}

static int note_failure(struct sink *sink, int err, const char *story)
{
	if (err && !sink->err) {
		sink->err = err;
		message("%s", story);
	}
	return err;
}

static void note_output(struct sink *sink)
{
	int err = out_failed(sink->out);

	/* Whoever reads what is printed has had enough: an end, no failure. */
	if (err == -EPIPE && !sink->err)
		sink->err = err;
	else
		note_failure(sink, err, "standard output: cannot be written");
}

int sink_begin(struct sink *sink, const struct taskacct *ta)
{
	int err;

	sink->counts = taskacct_counts_losses(ta);
	if (!sink->log)
		return 0;
	err = taskacct_log_begin(sink->log, taskacct_family_message(ta));
	return note_failure(sink, err, taskacct_log_error(sink->log));
}

static void look_into(struct sink *sink, const struct taskacct_event *event)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	int i, n;

	n = taskacct_records(event->nlh, records);
	sink->view.time_ns = event->time_ns;
	for (i = 0; i < n; i++) {
		sink->records++;
		if (sink->print)
			view_record(sink->out, &sink->view, &records[i]);
		if (sink->summary)
			summary_add(sink->summary, &records[i], sink->counts);
	}
}

int sink_event(struct sink *sink, const struct taskacct_event *event)
{
	int err;

	pthread_mutex_lock(&sink->lock);
	sink->messages++;
	if (sink->log)
		note_failure(sink,
			     taskacct_log_message(sink->log, event->nlh,
						  event->time_ns),
			     taskacct_log_error(sink->log));
	if (sink->print || sink->summary)
		look_into(sink, event);
	note_output(sink);
	err = sink->err;
	pthread_mutex_unlock(&sink->lock);
	return err;
}

void sink_answer(const struct taskacct_event *answer, void *arg)
{
	struct sink *sink = arg;

	sink->view.time_ns = answer->time_ns;
	if (sink->log)
		note_failure(sink,
			     taskacct_log_message(sink->log, answer->nlh,
						  answer->time_ns),
			     taskacct_log_error(sink->log));
}

int sink_flush(struct sink *sink)
{
	int err;

	pthread_mutex_lock(&sink->lock);
	out_flush(sink->out);
	note_output(sink);
	if (sink->log)
		note_failure(sink, taskacct_log_flush(sink->log),
			     taskacct_log_error(sink->log));
	err = sink->err;
	pthread_mutex_unlock(&sink->lock);
	return err;
}

int sink_sync(struct sink *sink)
{
	uint64_t written;
	int fd, err;

	err = sink_flush(sink);
	if (err || !sink->log)
		return err;
	pthread_mutex_lock(&sink->lock);
	fd = taskacct_log_fd(sink->log);
	written = taskacct_log_written(sink->log);
	pthread_mutex_unlock(&sink->lock);
	if (fd < 0)
		return 0;

	err = fdatasync(fd) ? -errno : 0;
	pthread_mutex_lock(&sink->lock);
	note_failure(sink, taskacct_log_synced(sink->log, written, err),
		     taskacct_log_error(sink->log));
	err = sink->err;
	pthread_mutex_unlock(&sink->lock);
	return err;
}

uint64_t sink_written(const struct sink *sink)
{
	return taskacct_log_written(sink->log);
}

void sink_summarize(struct sink *sink)
{
	if (sink->summary)
		summary_print(sink->summary, sink->out);
}

int sink_close(struct sink *sink)
{
	int err = sink_sync(sink);

	if (err == -EPIPE && out_failed(sink->out) == -EPIPE)
		err = 0;
	out_close(sink->out);
	taskacct_log_close(sink->log);
	summary_free(sink->summary);
	return err;
}
