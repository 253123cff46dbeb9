// SPDX-License-Identifier: GPL-2.0-only
/*
 * All tasks or processes that there are
 *
 * They come in the order of their numbers. Where another order is asked for,
 * all are kept until the last has come.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/netlink.h>

#include "all.h"
#include "extended.h"
#include "handle.h"

/* An answer that is kept, and what it is sorted by */
struct row {
	struct nlmsghdr *nlh;
	uint64_t time_ns;
	size_t place;
	uint64_t key;
	char name[sizeof(((struct taskacct_record *)NULL)->comm)];
};

/* Answers, in the order in which they came or in another */
struct rows {
	enum sort_key sort;
	struct sink *sink;
	struct row *v;
	size_t n;
	size_t room;
};

static uint64_t valid_value(const struct taskacct_extended *record,
			    enum taskacct_member member)
{
	return taskacct_validity(record, member) == TASKACCT_VALID ?
		       taskacct_value(record, member) :
		       0;
}

static uint64_t key_of(enum sort_key sort,
		       const struct taskacct_extended *record)
{
	uint64_t rss;
	bool valid;

	switch (sort) {
	case SORT_CPU:
		return valid_value(record, TASKACCT_R_UTIME) +
		       valid_value(record, TASKACCT_R_STIME);
	case SORT_READ:
		return valid_value(record, TASKACCT_R_READ_BYTES);
	case SORT_WRITE:
		return valid_value(record, TASKACCT_R_WRITE_BYTES);
	case SORT_WAIT_CPU:
		return valid_value(record, TASKACCT_R_WAIT_CPU_TOTAL);
	case SORT_WAIT_IO:
		return valid_value(record, TASKACCT_R_WAIT_BLKIO_TOTAL);
	case SORT_RSS:
		rss = extended_rss(record, &valid);
		return valid ? rss : 0;
	case SORT_LIFETIME:
		return record->r.end - record->r.start;
	default: /* as they came, which is by number */
		return 0;
	}
}

/* The largest first, names in their order, equals as they came */
static int compare(const void *a, const void *b)
{
	const struct row *left = a, *right = b;
	int names = strcmp(left->name, right->name);

	if (names)
		return names;
	if (left->key != right->key)
		return left->key < right->key ? 1 : -1;
	return left->place < right->place ? -1 : 1;
}

static void make_room(struct rows *rows)
{
	if (rows->n < rows->room)
		return;
	rows->room = rows->room ? 2 * rows->room : 256;
	rows->v = reallocarray(rows->v, rows->room, sizeof(*rows->v));
	if (!rows->v)
		message_die(EXIT_REFUSED, "out of memory");
}

static void keep(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	struct rows *rows = arg;
	struct row *row;

	if (taskacct_decode_message(&message, event->nlh)) {
		rows->sink->damaged++;
		return;
	}
	if (!message.n_records)
		return;
	make_room(rows);
	row = &rows->v[rows->n];
	row->nlh = malloc(event->nlh->nlmsg_len);
	if (!row->nlh)
		message_die(EXIT_REFUSED, "out of memory");
	memcpy(row->nlh, event->nlh, event->nlh->nlmsg_len);
	row->time_ns = event->time_ns;
	row->place = rows->n++;
	row->key = key_of(rows->sort, &message.records[0]);
	row->name[0] = '\0';
	if (rows->sort == SORT_NAME)
		strcpy(row->name, message.records[0].r.comm);
}

static void pass_on(const struct taskacct_event *event, void *arg)
{
	const struct rows *rows = arg;

	sink_event(rows->sink, event);
}

static void show_kept(struct rows *rows)
{
	struct taskacct_event event = { .type = TASKACCT_EVENT_RECORDS };
	struct row *row;

	if (!rows->n)
		return;
	qsort(rows->v, rows->n, sizeof(*rows->v), compare);
	for (row = rows->v; row < rows->v + rows->n; row++) {
		event.nlh = row->nlh;
		event.time_ns = row->time_ns;
		sink_event(rows->sink, &event);
		free(row->nlh);
	}
	free(rows->v);
}

/* Totals are of processes, if nothing else is asked for. */
static struct taskacct_filter make_filter(const struct options *opt)
{
	struct taskacct_filter filter = opt->filter;

	if (opt->summary && !filter.kinds) {
		filter.has |= 1 << TASKACCT_FILTER_ATTR_KINDS;
		filter.kinds = TASKACCT_KIND_PROCESS;
	}
	return filter;
}

static int dump(const struct options *opt, struct taskacct *ta,
		struct sink *sink)
{
	const struct taskacct_filter filter = make_filter(opt);
	/* Totals are sorted when they are made. */
	const bool sorted = opt->sort && !opt->summary;
	struct rows rows = { .sort = opt->sort, .sink = sink };
	bool changed;
	int err;

	out_stream(sink->out);
	err = taskacct_dump(ta, options_want(opt, false), &filter,
			    sorted ? keep : pass_on, &rows, &changed);
	show_kept(&rows);
	if (changed)
		message("tasks came or went meanwhile");
	return err;
}

enum exit_status all_run(const struct options *opt, struct sink *sink)
{
	enum exit_status status = EXIT_LOG;
	struct taskacct *ta;
	int err;

	ta = handle_open(opt->family);
	if (!ta)
		return EXIT_REFUSED;
	if (!sink_begin(sink, ta)) {
		status = EXIT_DONE;
		err = dump(opt, ta, sink);
		if (err) {
			message_failed(err, taskacct_error(ta));
			status = EXIT_REFUSED;
		}
	}
	taskacct_close(ta);
	return status;
}
