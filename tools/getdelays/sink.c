// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where messages end up: a message is looked into only if somebody wants to
 * see what is in it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/netlink.h>

#include "base/text.h"
#include "extended.h"
#include "sink.h"

/* A list of CPUs, as far as a message has room for it */

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
	sink->view.reasons = opt->verbose;
	sink->extended = opt->extended;
	sink->kinds = opt->filter.kinds;
	sink->meant = opt->meant;
	sink->csv = opt->form == OUT_CSV;
	/* Whoever logs need not see it all go by. */
	sink->print = !opt->log || opt->sections || opt->form != OUT_TABLE;
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
	if (err && err != -EPIPE && !sink->err)
		message("standard output: %s", strerror(-err));
	if (err && !sink->err)
		sink->err = err;
}

int sink_begin(struct sink *sink, const struct taskacct *ta)
{
	int err;

	if (!sink->log)
		return 0;
	err = taskacct_log_begin(sink->log, taskacct_family_message(ta));
	return note_failure(sink, err, taskacct_log_error(sink->log));
}

/*
 * A classic record is decided by the extended one that came with it, which knows all
 * that filters can ask for.
 */
static bool is_meant(const struct sink *sink, const struct taskacct_message *message,
		     uint32_t kind)
{
	struct rec rec;

	if (sink->kinds && !(sink->kinds & kind))
		return false;
	if (!sink->meant)
		return true;
	return rec_choose(&rec, message,
			  kind == TASKACCT_KIND_TASK ? REC_TASKS : REC_PROCESSES,
			  sink->view.time_ns) &&
	       filter_match(sink->meant, &rec);
}

static bool has_meant(struct sink *sink, const struct taskacct_event *event)
{
	struct taskacct_message message;

	if (!sink->meant || event->type != TASKACCT_EVENT_RECORDS ||
	    taskacct_decode_message(&message, event->nlh))
		return true;
	sink->view.time_ns = event->time_ns;
	return is_meant(sink, &message, TASKACCT_KIND_TASK) ||
	       is_meant(sink, &message, TASKACCT_KIND_PROCESS);
}

bool sink_means(struct sink *sink, const struct taskacct_event *event)
{
	bool means;

	pthread_mutex_lock(&sink->lock);
	means = has_meant(sink, event);
	pthread_mutex_unlock(&sink->lock);
	return means;
}

/* CSV has lines of one width: what has other columns than the first is left out. */
static bool is_printed(struct sink *sink, uint32_t columns)
{
	if (!sink->print)
		return false;
	if (!sink->csv || !sink->columns)
		sink->columns = columns;
	sink->left_out += sink->columns != columns;
	return sink->columns == columns;
}

static void take_classic(struct sink *sink,
			 const struct taskacct_message *message,
			 const struct taskacct_classic *record)
{
	const bool task = record->kind == TASKACCT_PID;

	sink->records++;
	if (!is_meant(sink, message,
		      task ? TASKACCT_KIND_TASK : TASKACCT_KIND_PROCESS))
		return;
	if (is_printed(sink, SINK_CLASSIC))
		view_record(sink->out, &sink->view, record);
}

static void take_extended(struct sink *sink,
			  const struct taskacct_message *message,
			  const struct taskacct_extended *record)
{
	sink->records++;
	if (!is_meant(sink, message, record->r.kind))
		return;
	if (is_printed(sink, SINK_EXTENDED))
		extended_print(sink->out, &sink->view, message, record);
}

/* Of a message with both kinds of records one kind is looked at. */
static void look_into(struct sink *sink, const struct taskacct_event *event)
{
	struct taskacct_message message;
	int i;

	sink->view.time_ns = event->time_ns;
	if (taskacct_decode_message(&message, event->nlh)) {
		sink->damaged++;
		return;
	}
	if (message.n_records && (sink->extended || !message.n_classic)) {
		for (i = 0; i < message.n_records; i++)
			take_extended(sink, &message, &message.records[i]);
		return;
	}
	for (i = 0; i < message.n_classic; i++)
		take_classic(sink, &message, &message.classic[i]);
}

static void take_gap(struct sink *sink, const struct taskacct_event *event)
{
	struct taskacct_gap gap;
	char *cpus;

	sink->gaps++;
	if (taskacct_decode_gap(&gap, event->nlh)) {
		sink->damaged++;
		return;
	}
	sink->gap_lost += gap.queue + gap.memory;
	cpus = text_clean(gap.cpus.text, gap.cpus.length);
	message("lost: %llu (queue %llu, memory %llu) on CPUs %s",
		(unsigned long long)(gap.queue + gap.memory),
		(unsigned long long)gap.queue, (unsigned long long)gap.memory,
		cpus);
	free(cpus);
	sink->view.time_ns = event->time_ns;
	if (sink->print && !sink->csv && !out_is_stream(sink->out))
		extended_gap(sink->out, &sink->view, &gap);
}

static void take_log(struct sink *sink, const struct taskacct_event *event)
{
	if (sink->log)
		note_failure(sink,
			     taskacct_log_message(sink->log, event->nlh,
						  event->time_ns),
			     taskacct_log_error(sink->log));
}

int sink_event(struct sink *sink, const struct taskacct_event *event)
{
	bool means;
	int err;

	pthread_mutex_lock(&sink->lock);
	means = has_meant(sink, event);
	if (means)
		take_log(sink, event);
	if (event->type == TASKACCT_EVENT_GAP)
		take_gap(sink, event);
	else
		sink->messages++;
	if (event->type == TASKACCT_EVENT_RECORDS && sink->print && means)
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
	take_log(sink, answer);
}

void sink_show(const struct taskacct_event *answer, void *arg)
{
	struct taskacct_message message;
	struct sink *sink = arg;
	int i;

	sink_answer(answer, sink);
	if (taskacct_decode_message(&message, answer->nlh)) {
		sink->damaged++;
		return;
	}
	for (i = 0; i < message.n_records; i++)
		extended_print(sink->out, &sink->view, &message,
			       &message.records[i]);
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

enum exit_status sink_judge(const struct sink *sink, const char *from)
{
	if (!sink->damaged)
		return EXIT_DONE;
	message("%s: %llu damaged records skipped", from,
		(unsigned long long)sink->damaged);
	return EXIT_LOG;
}

void sink_tell_left_out(const struct sink *sink)
{
	if (sink->left_out)
		message("%llu records of other columns are left out: %s --extended has them",
			(unsigned long long)sink->left_out,
			sink->extended ? "without" : "with");
}

int sink_close(struct sink *sink)
{
	int err = sink_sync(sink);

	if (err == -EPIPE && out_failed(sink->out) == -EPIPE)
		err = 0;
	out_close(sink->out);
	taskacct_log_close(sink->log);
	return err;
}
