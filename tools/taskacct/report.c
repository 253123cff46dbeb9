// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct report: what logs say
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

/* Where records are kept, if there is a keeper */
#define KEPT "/var/log/taskacct"

#define USUAL \
	"count,cpu,wait_cpu,wait_io,read,write,peak,lifetime:p50,lifetime:p95"
#define USUAL_LIST "time,pid,user,exit,lifetime,cpu,args"

struct report {
	const struct options *opt;
	struct totals totals;
	struct listing *list;
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
}

static void read_logs(struct report *r)
{
	const struct taker taker = { r->opt->kinds, take, NULL, r };
	char *kept[] = { (char *)KEPT };

	if (r->opt->n)
		logs_read(r->opt->words, r->opt->n, &taker, &r->books);
	else if (!access(KEPT, F_OK))
		logs_read(kept, 1, &taker, &r->books);
	else
		die(STATUS_USAGE,
		    "which log? " KEPT " is not there, and none is named");
}

/* The last line: whether the figures above are of all that there was */
static void tell_completeness(const struct report *r)
{
	const struct options *opt = r->opt;
	char *words = books_tell(&r->books, opt->since, opt->until);

	if (opt->style.form == OUT_TABLE && !r->n)
		puts("no records");
	if (opt->style.form == OUT_TABLE)
		printf("%s\n", words);
	else if (strcmp(words, "complete"))
		message("%s", words);
	free(words);
}

enum status report_run(struct options *opt)
{
	struct report r = { .opt = opt };

	if (opt->list)
		r.list = listing_open(opt, USUAL_LIST, "time");
	else
		totals_open(&r.totals, opt, "comm", USUAL);
	read_logs(&r);
	if (r.list) {
		listing_close(r.list, "records");
	} else {
		totals_print(&r.totals, stdout);
		totals_close(&r.totals);
	}
	tell_completeness(&r);
	return books_status(&r.books, opt->since, opt->until);
}
