// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct audit: what tasks used, held against what others have booked
 */
#include <stdlib.h>
#include <string.h>

#include "live/live.h"
#include "out/pairs.h"
#include "options.h"
#include "stop.h"
#include "watch.h"

/* Where no other is asked for, so long */
#define USUAL "10s"

static const struct out_column for_people[] = {
	{ "book", "BOOK", UNIT_TEXT, 9 },
	{ "what", "WHAT", UNIT_TEXT, 8 },
	{ "used", "USED", UNIT_TEXT, 8 },
	{ "booked", "BOOKED", UNIT_TEXT, 8 },
	{ "residual", "OFF", UNIT_TEXT, 8 },
	{ "bound", "BOUND", UNIT_TEXT, 6 },
	{ "closes", "CLOSES", UNIT_BOOL, 6 },
	{ "of", "OF", UNIT_TEXT, 20 },
};

static const struct out_column for_programs[] = {
	{ "book", "BOOK", UNIT_TEXT, 9 },
	{ "what", "WHAT", UNIT_TEXT, 12 },
	{ "used_min", "USED-MIN", UNIT_SIGNED, 8 },
	{ "used_max", "USED-MAX", UNIT_SIGNED, 8 },
	{ "booked_min", "BOOKED-MIN", UNIT_SIGNED, 8 },
	{ "booked_max", "BOOKED-MAX", UNIT_SIGNED, 8 },
	{ "residual", "OFF", UNIT_SIGNED, 8 },
	{ "bound", "BOUND", UNIT_SIGNED, 6 },
	{ "ended", "ENDED", UNIT_COUNT, 6 },
	{ "closes", "CLOSES", UNIT_BOOL, 6 },
	{ "of", "OF", UNIT_TEXT, 7 },
	{ "name", "NAME", UNIT_TEXT, 20 },
	{ "id", "ID", UNIT_ID, 7 },
};

#define N(columns) (sizeof(columns) / sizeof(*(columns)))

/* As people read it; @prefix: nothing, or what it is more or less than */
static struct value amount(char *text, const char *prefix,
			   const struct audit_row *row, int64_t n)
{
	char number[UNITS_MAX];

	units_format(number, audit_items[row->item].unit, (uint64_t)llabs(n));
	snprintf(text, UNITS_MAX, "%s%s%.40s", prefix, n < 0 ? "-" : "",
		 number);
	return pair_text(NULL, text, NULL).value;
}

static struct value range(char *text, const struct audit_row *row,
			  const struct audit_range *range)
{
	return amount(text, range->min == range->max ? "" : "<", row,
		      range->max);
}

static void print_for_people(struct out *out, const struct audit_row *row)
{
	const int64_t bound = audit_row_bound(row);
	char text[5][UNITS_MAX];
	struct value values[N(for_people)] = {
		pair_text(NULL, row->book, NULL).value,
		pair_text(NULL, audit_items[row->item].name, NULL).value,
		range(text[0], row, &row->used),
		range(text[1], row, &row->booked),
		amount(text[2], "", row, row->residual),
		pair_text(NULL, "none", NULL).value,
		{ .n = row->closes },
		pair_text(NULL, row->name, NULL).value,
	};

	if (bound != AUDIT_UNBOUND)
		values[5] = amount(text[3], "", row, bound);
	if (row->scope >= AUDIT_OF_CPU) {
		snprintf(text[4], UNITS_MAX, "%s %u", audit_scopes[row->scope],
			 row->id);
		values[7] = pair_text(NULL, text[4], NULL).value;
	}
	out_row(out, values, NULL, row->closes ? NULL : "red");
}

static struct value number(int64_t n, bool valid)
{
	return (struct value){ .state = valid ? TASKACCT_VALID :
						TASKACCT_ABSENT,
			       .n = (uint64_t)n };
}

static void print_for_programs(struct out *out, const struct audit_row *row)
{
	const int64_t bound = audit_row_bound(row);
	const struct value values[N(for_programs)] = {
		pair_text(NULL, row->book, NULL).value,
		pair_text(NULL, audit_items[row->item].key, NULL).value,
		number(row->used.min, true),
		number(row->used.max, true),
		number(row->booked.min, true),
		number(row->booked.max, true),
		number(row->residual, true),
		number(bound, bound != AUDIT_UNBOUND),
		number(row->ended, true),
		number(row->closes, true),
		pair_text(NULL, audit_scopes[row->scope], NULL).value,
		pair_text(NULL, row->name, NULL).value,
		number(row->id, row->scope >= AUDIT_OF_CPU),
	};

	out_row(out, values, NULL, NULL);
}

static void print_rows(const struct options *opt, const struct audit_rows *rows)
{
	const bool people = opt->style.form == OUT_TABLE;
	const struct audit_row *row;
	struct out *out;

	out = out_open(stdout, "audit", &opt->style,
		       people ? for_people : for_programs,
		       people ? N(for_people) : N(for_programs));
	for (row = rows->v; row < rows->v + rows->n; row++) {
		if (!audit_row_is_reported(row))
			continue;
		if (people)
			print_for_people(out, row);
		else
			print_for_programs(out, row);
	}
	out_close(out);
}

/* A number without a unit is in seconds. */
static uint64_t interval(const struct options *opt)
{
	const char *text = opt->n ? opt->words[0] : USUAL, *why;
	char seconds[UNITS_MAX];
	uint64_t ns;

	if (opt->n > 1)
		die(STATUS_USAGE, "audit takes one time: '%s'", opt->words[1]);
	snprintf(seconds, sizeof(seconds), "%.40s%s", text,
		 text[strspn(text, "0123456789.")] ? "" : "s");
	if (!units_parse(&ns, UNIT_NS, seconds, &why))
		die(STATUS_USAGE, "audit: '%s' is %s", text, why);
	if (ns < 1000000)
		die(STATUS_USAGE, "audit: '%s' is less than 1ms", text);
	return ns;
}

enum status audit_run(struct options *opt)
{
	const uint64_t ns = interval(opt);
	struct taskacct *ta = live_open(opt->family);
	struct taskacct *listener = live_open(opt->family);
	struct audit *audit = audit_new(ta, listener);
	enum status status = STATUS_REFUSED;
	const struct audit_report *report;

	stop_catch_only();
	report = audit_watch(audit, opt->rcvbuf, ns);
	if (report) {
		print_rows(opt, &report->rows);
		audit_tell(audit);
		status = report->lost ? STATUS_LOST :
			 report->open ? STATUS_OPEN :
					STATUS_DONE;
	}
	audit_free(audit);
	taskacct_close(ta);
	taskacct_close(listener);
	return status;
}
