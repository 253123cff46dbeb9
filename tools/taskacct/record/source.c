// SPDX-License-Identifier: GPL-2.0-only
/*
 * A source: a reader of the shared memory, or a listener with batches, a large buffer and
 * extended records
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "live/live.h"
#include "reader.h"
#include "source.h"

/* Some 50,000 exits in batches: the kernel takes it twice, and charges it. */
#define RCVBUF (32 << 20)

/**
 * struct source - see source.h
 * @options: what it is to be
 * @ta: the family
 * @way: what it is
 * @reader: of the shared memory, or NULL
 * @why_not: why there is none
 * @cpus: on which a listener hears of exits
 * @counts: of messages that were received; of a listener all of its counts
 */
struct source {
	struct source_options options;
	struct taskacct *ta;
	enum balance_source way;
	struct reader *reader;
	int why_not;
	char *cpus;
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
	s->options.handler(event, s->options.arg);
}

static void take_read(const struct taskacct_event *event, void *arg)
{
	struct source *s = arg;

	s->counts.received++;
	s->options.handler(event, s->options.arg);
}

static void take_sums(const struct sums *sums, void *arg)
{
	struct source *s = arg;

	s->counts.received += sums_messages(sums);
	s->options.take_sums(sums, s->options.arg);
}

static int subscribe(struct source *s)
{
	const int buffer = s->options.buffer ? s->options.buffer : RCVBUF;
	static const struct taskacct_batch batch;
	int err, got;

	s->cpus = taskacct_possible_cpus();
	if (!s->cpus)
		return -errno;
	taskacct_set_handler(s->ta, take, s);
	err = taskacct_set_buffer(s->ta, buffer, &got);
	if (err)
		return err;
	return taskacct_subscribe(s->ta, s->cpus,
				  LIVE_WANT | TASKACCT_WANT_STREAM, NULL,
				  &batch);
}

int source_start(struct source *s)
{
	if (!s->options.netlink)
		s->why_not = reader_open(&s->reader, s->ta,
					 (size_t)s->options.buffer);
	s->way = s->reader ? BALANCE_RING : BALANCE_NETLINK;
	return s->reader ? 0 : subscribe(s);
}

int source_open(struct source **source, const struct source_options *options)
{
	struct source *s = calloc(1, sizeof(*s));
	int err;

	*source = s;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	err = taskacct_open(&s->ta, options->family);
	if (err)
		return err;
	return taskacct_has_records(s->ta) ? 0 : -EOPNOTSUPP;
}

enum balance_source source_way(const struct source *source)
{
	return source->way;
}

int source_why_not(const struct source *source)
{
	return source->why_not;
}

int source_fd(const struct source *source)
{
	return source->reader ? reader_fd(source->reader) :
				taskacct_fd(source->ta);
}

int source_next(struct source *source)
{
	int got;

	if (source->reader)
		return reader_take(source->reader, take_read, take_sums,
				   source);
	got = taskacct_receive(source->ta);
	/* That the buffer was full, a gap message tells of. */
	return got == -ENOBUFS ? 1 : got;
}

void source_counts(const struct source *source, struct source_counts *counts)
{
	*counts = source->counts;
	if (!source->reader)
		return;
	/* What was read and not handed over is counted when it is. */
	counts->lost_ring = reader_lost(source->reader);
	counts->made = counts->received + counts->lost_ring;
}

/* After the deregistration none is made: what is queued is all there will be. */
static void deregister(struct source *s)
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

void source_finish(struct source *s)
{
	if (!s->reader) {
		deregister(s);
		return;
	}
	reader_stop(s->reader);
	while (source_next(s) > 0)
		;
}

const struct nlmsghdr *source_begin_message(const struct source *source)
{
	return taskacct_family_message(source->ta);
}

const char *source_error(const struct source *source)
{
	if (source && source->reader)
		return TASKACCT_RING_DEVICE ": entries that no module makes";
	return source && source->ta ? taskacct_error(source->ta) :
				      "out of memory";
}

void source_close(struct source *source)
{
	if (!source)
		return;
	reader_close(source->reader);
	taskacct_close(source->ta);
	free(source->cpus);
	free(source);
}
