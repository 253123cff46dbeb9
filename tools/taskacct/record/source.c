// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source that is a listener: batches, a large buffer, extended records
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "live/live.h"
#include "source.h"

struct source {
	struct taskacct *ta;
	char *cpus;
	int buffer;
	taskacct_handler handler;
	void *arg;
	struct source_counts counts;
};

static void note_stream(struct source *s, const struct taskacct_stream *stream)
{
	struct source_counts *c = &s->counts;

	/* Batches of several CPUs overtake each other. */
	if (stream->seq > c->made)
		c->made = stream->seq;
	if (stream->lost_queue > c->lost_queue)
		c->lost_queue = stream->lost_queue;
	if (stream->lost_memory > c->lost_memory)
		c->lost_memory = stream->lost_memory;
}

static bool find_stream(const struct nlmsghdr *nlh,
			struct taskacct_stream *stream)
{
	const struct nlattr *attr;

	attr = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
			       TASKACCT_TYPE_STREAM);
	if (!attr || nla_len(attr) < (int)sizeof(*stream))
		return false;
	memcpy(stream, nla_data(attr), sizeof(*stream));
	return true;
}

static void take(const struct taskacct_event *event, void *arg)
{
	struct taskacct_stream stream;
	struct source *s = arg;
	struct taskacct_gap gap;

	if (event->type == TASKACCT_EVENT_GAP) {
		if (!taskacct_decode_gap(&gap, event->nlh))
			note_stream(s, &gap.stream);
	} else {
		s->counts.received++;
		if (find_stream(event->nlh, &stream))
			note_stream(s, &stream);
	}
	s->handler(event, s->arg);
}

int source_start(struct source *s)
{
	static const struct taskacct_batch batch;
	int err, got;

	s->cpus = taskacct_possible_cpus();
	if (!s->cpus)
		return -errno;
	taskacct_set_handler(s->ta, take, s);
	err = taskacct_set_buffer(s->ta, s->buffer, &got);
	if (err)
		return err;
	return taskacct_subscribe(s->ta, s->cpus,
				  LIVE_WANT | TASKACCT_WANT_STREAM, NULL,
				  &batch);
}

int source_open(struct source **source, const char *family, int buffer,
		taskacct_handler handler, void *arg)
{
	struct source *s = calloc(1, sizeof(*s));
	int err;

	*source = s;
	if (!s)
		return -ENOMEM;
	s->buffer = buffer;
	s->handler = handler;
	s->arg = arg;
	err = taskacct_open(&s->ta, family);
	if (err)
		return err;
	return taskacct_has_records(s->ta) ? 0 : -EOPNOTSUPP;
}

int source_fd(const struct source *source)
{
	return taskacct_fd(source->ta);
}

int source_next(struct source *source)
{
	const int got = taskacct_receive(source->ta);

	/* That the buffer was full, a gap message tells of. */
	return got == -ENOBUFS ? 1 : got;
}

void source_counts(const struct source *source, struct source_counts *counts)
{
	*counts = source->counts;
}

/* After the deregistration none is made: what is queued is all there will be. */
void source_finish(struct source *s)
{
	struct taskacct_listener listener;
	struct source_counts *c = &s->counts;

	if (taskacct_deregister(s->ta, s->cpus))
		return;
	while (source_next(s) > 0)
		;
	if (taskacct_listener(s->ta, &listener))
		return;
	c->made = listener.made;
	c->lost_queue = listener.lost_queue;
	c->lost_memory = listener.lost_memory;
	taskacct_listener_free(&listener);
}

const struct nlmsghdr *source_begin_message(const struct source *source)
{
	return taskacct_family_message(source->ta);
}

const char *source_error(const struct source *source)
{
	return source && source->ta ? taskacct_error(source->ta) :
				      "out of memory";
}

void source_close(struct source *source)
{
	if (!source)
		return;
	taskacct_close(source->ta);
	free(source->cpus);
	free(source);
}
