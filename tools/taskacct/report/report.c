// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct report: what logs say
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "logs/kept.h"
#include "logs/logs.h"
#include "html.h"
#include "listing.h"
#include "spans.h"
#include "totals.h"

#define USUAL \
	"count,cpu,wait_cpu,wait_io,read,write,peak,lifetime:p50,lifetime:p95"
#define USUAL_LIST "time,pid,user,exit,lifetime,cpu,args"

struct report {
	const struct options *opt;
	struct totals totals;
	struct listing *list;
	struct spans spans;
	struct books books;
	uint64_t n;
};

static void take(const struct rec *rec, void *arg)
{
	const uint64_t end = rec_end(rec);
	struct report *r = arg;

	if (end < r->opt->since || end >= r->opt->until ||
	    !filter_match(r->opt->filter, rec))
		return;
	r->n++;
	if (r->list)
		listing_add(r->list, rec);
	else
		groups_add(r->totals.groups, rec);
	if (r->opt->html || r->opt->trace)
		spans_add(&r->spans, rec, r->totals.keys.v[0].field);
}

/* A row's tasks ended at any time from its first moment to its last. */
static bool is_between(const struct options *opt, const struct sums_row *row)
{
	return row->from_ns >= opt->since && row->to_ns < opt->until;
}

static enum sums_answer take_sums(const struct sums_row *row, void *arg)
{
	struct report *r = arg;
	const struct options *opt = r->opt;
	struct rec rec;

	if (row->to_ns < opt->since || row->from_ns >= opt->until)
		return SUMS_OUTSIDE;
	if (!is_between(opt, row) || r->list || opt->trace ||
	    !filter_uses_only(opt->filter, sums_has_key))
		return SUMS_MISSING;
	if (opt->filter && row->other)
		return SUMS_MISSING;
	sums_rec(row, &rec, row->to_ns);
	if (!filter_match(opt->filter, &rec))
		return SUMS_OUTSIDE;
	if (!groups_add_sums(r->totals.groups, row))
		return SUMS_MISSING;
	r->n += row->count;
	return SUMS_COUNTED;
}

static void read_logs(struct report *r)
{
	const struct options *opt = r->opt;
	const struct taker taker = {
		.kinds = opt->kinds,
		.rec = take,
		.sums = take_sums,
		.arg = r,
		.since = opt->since,
		.until = opt->until,
	};
	char *kept[] = { (char *)(opt->dir ? opt->dir : KEPT_DIR) };

	if (opt->n)
		logs_read(opt->words, opt->n, &taker, &r->books);
	else if (opt->dir || !access(KEPT_DIR, F_OK))
		logs_read(kept, 1, &taker, &r->books);
	else
		die(STATUS_USAGE, "which log? " KEPT_DIR
				  " is not there, and none is named");
}

/* The last line: whether the statistics above are of all that there was */
static void tell_completeness(const struct report *r, const char *words)
{
	const bool table = r->opt->style.form == OUT_TABLE && !r->opt->html &&
			   !r->opt->trace;

	if (table && !r->n)
		puts("no records");
	if (table)
		printf("%s\n", words);
	else if (strcmp(words, "complete"))
		message("%s", words);
}

static void print_all(struct report *r, const char *words)
{
	if (r->list)
		listing_close(r->list, "records");
	else if (r->opt->html)
		html_write(r->opt->html, &r->totals, &r->spans, words);
	else if (r->opt->trace)
		trace_write(r->opt->trace, &r->spans);
	else
		totals_print(&r->totals, stdout);
	if (!r->list)
		totals_close(&r->totals);
	free(r->spans.v);
}

enum status report_run(struct options *opt)
{
	struct report r = { .opt = opt };
	char *words;

	if (opt->list)
		r.list = listing_open(opt, USUAL_LIST, "time");
	else
		totals_open(&r.totals, opt, opt->trace ? "unit" : "comm",
			    USUAL);
	read_logs(&r);
	words = books_tell(&r.books, opt->since, opt->until);
	print_all(&r, words);
	tell_completeness(&r, words);
	free(words);
	return books_status(&r.books, opt->since, opt->until);
}
