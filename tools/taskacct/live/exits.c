// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct exits: a line for each that ends, or has ended
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "logs/kept.h"
#include "logs/logs.h"
#include "out/columns.h"
#include "keyed.h"
#include "live.h"
#include "options.h"

#define USUAL "time,pid,user,unit,exit,lifetime,cpu,args"

/* A terminal of 80 columns has no room for all of these. */
#define NARROW "time,pid,user,exit,lifetime,cpu,args"
#define WIDE_COLUMNS 100

struct exits {
	const struct options *opt;
	struct columns columns;
	struct value *values;
	struct out *out;
	struct books books;
	struct taker taker;
};

static const char *color_of(const struct rec *rec)
{
	uint64_t code;

	if (rec_member(rec, TASKACCT_R_EXIT_CODE, &code) != TASKACCT_VALID)
		return NULL;
	return code & 0x7f ? "red" : code & 0xffff ? "yellow" : NULL;
}

/* A text is valid until the next call only where it was made for it. */
static void take(const struct rec *rec, void *arg)
{
	struct exits *e = arg;
	uint64_t end = rec_end(rec);
	size_t i;

	if (end < e->opt->since || end >= e->opt->until ||
	    !filter_match(e->opt->filter, rec))
		return;
	for (i = 0; i < e->columns.n; i++)
		field_get(e->columns.v[i].field, rec, &e->values[i]);
	out_row(e->out, e->values, NULL, color_of(rec));
}

static void take_gap(const struct loss *loss, void *arg)
{
	char from[UNITS_MAX], to[UNITS_MAX];
	struct exits *e = arg;

	if (e->opt->style.form == OUT_JSON) {
		printf("{\"gap\":{\"lost\":%" PRIu64 ",\"from\":%" PRIu64
		       ",\"to\":%" PRIu64 "}}\n",
		       loss->count, loss->from_ns, loss->to_ns);
		return;
	}
	units_format(from, UNIT_DATE, loss->from_ns);
	units_format(to, UNIT_DATE, loss->to_ns);
	message("%" PRIu64 " records lost between %s and %s", loss->count, from,
		to);
}

static void handle(const struct taskacct_event *event, void *arg)
{
	struct exits *e = arg;

	books_event(&e->books, event, &e->taker);
}

static void listen_until_signal(struct exits *e)
{
	struct taskacct_filter filter = live_kinds(e->opt->kinds);
	struct taskacct *ta = live_open(e->opt->family);
	struct pollfd fds[] = {
		{ .fd = taskacct_fd(ta), .events = POLLIN },
		{ .fd = signals_catch(0), .events = POLLIN },
	};

	filter_kernel(e->opt->filter, &filter);
	taskacct_set_handler(ta, handle, e);
	live_subscribe(ta, e->opt->rcvbuf, &filter, LIVE_WANT);
	while (!fds[1].revents) {
		live_receive(ta);
		out_flush(stdout);
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			die(STATUS_REFUSED, "poll: %s", strerror(errno));
	}
	live_receive(ta);
	taskacct_close(ta);
}

static enum status finish(struct exits *e)
{
	const struct options *opt = e->opt;
	struct books rest = e->books;
	enum status status;
	char *words;

	out_close(e->out);
	status = books_status(&e->books, opt->since, opt->until);
	/* Losses were reported where they happened. */
	rest.n = 0;
	words = books_tell(&rest, opt->since, opt->until);
	if (strcmp(words, "complete"))
		message("%s", words);
	free(words);
	return status;
}

static bool is_narrow(const struct options *opt)
{
	const unsigned int columns = out_terminal_columns();

	return opt->style.form == OUT_TABLE && columns &&
	       columns < WIDE_COLUMNS;
}

/* Who names a time asks for what has ended, where a record of it is kept. */
static bool is_of_the_past(const struct options *opt)
{
	return (opt->since || opt->until != UINT64_MAX) &&
	       !access(KEPT_DIR, F_OK);
}

enum status exits_run(struct options *opt)
{
	char *kept[] = { (char *)(opt->dir ? opt->dir : KEPT_DIR) };
	struct exits e = { .opt = opt };
	struct out_column *columns;

	e.taker = (struct taker){
		.kinds = opt->kinds,
		.rec = take,
		.gap = take_gap,
		.arg = &e,
		.since = opt->since,
		.until = opt->until,
	};
	columns_parse(&e.columns, opt->columns, is_narrow(opt) ? NARROW : USUAL,
		      false);
	e.values = alloc(e.columns.n, sizeof(*e.values));
	if (opt->keyed)
		return keyed_run(opt, &e.columns);
	opt->style.stream = opt->style.form == OUT_TABLE;
	columns = columns_out(&e.columns);
	e.out = out_open(stdout, "exits", &opt->style, columns, e.columns.n);
	if (opt->n)
		logs_read(opt->words, opt->n, &e.taker, &e.books);
	else if (opt->dir || is_of_the_past(opt))
		logs_read(kept, 1, &e.taker, &e.books);
	else
		listen_until_signal(&e);
	free(e.values);
	return finish(&e);
}
