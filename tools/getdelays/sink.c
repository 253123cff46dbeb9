// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where messages end up: a message is looked into only if somebody wants to
 * see what is in it
 */
#include <errno.h>
#include <string.h>

#include "message.h"
#include "sink.h"

void sink_open(struct sink *sink, const struct options *opt)
{
	memset(sink, 0, sizeof(*sink));
	pthread_mutex_init(&sink->lock, NULL);
	sink->out = out_open(opt->form);
	sink->view.sections = opt->sections;
	sink->view.family = opt->family;
	sink->print = true;
}

static void show(struct sink *sink, const struct taskacct_event *event)
{
	struct taskacct_record records[TASKACCT_RECORDS_MAX];
	int i, n;

	n = taskacct_records(event->nlh, records);
	sink->view.time_ns = event->time_ns;
	for (i = 0; i < n; i++) {
		sink->records++;
		if (sink->print)
			view_record(sink->out, &sink->view, &records[i]);
	}
}

int sink_event(struct sink *sink, const struct taskacct_event *event)
{
	int err;

	pthread_mutex_lock(&sink->lock);
	sink->messages++;
	if (sink->print)
		show(sink, event);
	err = sink->err;
	pthread_mutex_unlock(&sink->lock);
	return err;
}

void sink_answer(const struct taskacct_event *answer, void *arg)
{
	struct sink *sink = arg;

	sink->view.time_ns = answer->time_ns;
}

int sink_flush(struct sink *sink)
{
	int err;

	pthread_mutex_lock(&sink->lock);
	err = out_flush(sink->out);
	if (err && !sink->err) {
		sink->err = err;
		if (err != -EPIPE)
			message("standard output: %s", strerror(-err));
	}
	err = sink->err;
	pthread_mutex_unlock(&sink->lock);
	return err;
}

int sink_close(struct sink *sink)
{
	int err = sink_flush(sink);

	out_close(sink->out);
	return err;
}
