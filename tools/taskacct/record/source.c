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
 * @place: where @reader stands
 * @begun: place_sum() where it began
 * @goes_on: that is where another one stood
 */
struct source {
	struct source_options options;
	struct taskacct *ta;
	enum balance_source way;
	struct reader *reader;
	int why_not;
	char *cpus;
	struct source_counts counts;
	struct place place;
	uint64_t begun;
	bool goes_on;
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

	s->options.handler(event, s->options.arg);
	if (event->type == TASKACCT_EVENT_GAP) {
		if (!taskacct_decode_gap(&gap, event->nlh))
			note_stream(s, &gap.stream);
	} else {
		s->counts.received++;
		if (find_stream(event->nlh, &stream))
			note_stream(s, &stream);
	}
}

static void take_read(const struct taskacct_event *event, void *arg)
{
	struct source *s = arg;

	s->options.handler(event, s->options.arg);
	s->counts.received++;
	place_pass(&s->place, event->nlh);
}

/* What was overwritten behind the last message, or added up, is in no message. */
static void note_numbers(struct source *s)
{
	unsigned int n;
	const uint64_t *numbers = reader_numbers(s->reader, &n);

	memcpy(s->place.numbers, numbers, n * sizeof(*numbers));
}

static void take_sums(const struct sums *sums, void *arg)
{
	struct source *s = arg;

	s->counts.received += sums_messages(sums);
	note_numbers(s);
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

static void begin_place(struct source *s)
{
	unsigned int n;

	reader_numbers(s->reader, &n);
	place_begin(&s->place, n);
	place_name(s->place.ring);
	note_numbers(s);
}

/* From where another one stood, if that can be */
static int open_reader(struct source *s)
{
	struct reader_options options = {
		.family = s->ta,
		.limit = (size_t)s->options.buffer,
		.from = s->options.from,
		.fd = s->options.fd,
	};
	int err = -ENOENT;

	if (options.from)
		err = reader_open(&s->reader, &options);
	s->goes_on = !err;
	if (s->goes_on) {
		place_copy(&s->place, options.from);
	} else {
		options.from = NULL;
		options.fd = 0;
		err = reader_open(&s->reader, &options);
		if (err)
			return err;
		begin_place(s);
	}
	s->begun = place_sum(&s->place);
	return 0;
}

int source_start(struct source *s)
{
	if (!s->options.netlink)
		s->why_not = open_reader(s);
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

bool source_goes_on(const struct source *source)
{
	return source->goes_on;
}

const struct place *source_place(const struct source *source)
{
	return source->reader ? &source->place : NULL;
}

int source_device(const struct source *source)
{
	return reader_device(source->reader);
}

int source_fd(const struct source *source)
{
	return source->reader ? reader_fd(source->reader) :
				taskacct_fd(source->ta);
}

int source_next(struct source *source)
{
	int got;

	if (source->reader) {
		got = reader_take(source->reader, take_read, take_sums, source);
		note_numbers(source);
		return got;
	}
	got = taskacct_receive(source->ta);
	/* That the buffer was full, a gap message tells of. */
	return got == -ENOBUFS ? 1 : got;
}

void source_counts(const struct source *source, struct source_counts *counts)
{
	*counts = source->counts;
	if (!source->reader)
		return;
	counts->made = place_sum(&source->place) - source->begun;
	counts->lost_ring = counts->made - counts->received;
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
	place_free(&source->place);
	taskacct_close(source->ta);
	free(source->cpus);
	free(source);
}
