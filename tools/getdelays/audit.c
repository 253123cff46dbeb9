// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays --audit
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "audit_watch.h"
#include "handle.h"
#include "stop.h"
#include "units.h"

static void print_key(struct out *out, const char *key, int64_t value)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .unit = TASKACCT_UNIT_SIGNED,
					  .valid = true,
					  .value = (uint64_t)value });
}

/* @prefix: nothing, or what it is more or less than */
static void print_amount(struct out *out, const char *head, const char *prefix,
			 enum taskacct_unit unit, int64_t value)
{
	char number[UNITS_MAX], text[UNITS_MAX + 2];

	units_format(number, unit, (uint64_t)llabs(value), 8);
	snprintf(text, sizeof(text), "%s%s%s", prefix, value < 0 ? "-" : "",
		 number);
	out_text(out, NULL, head, 9, text);
}

static void print_range(struct out *out, const char *head,
			enum taskacct_unit unit,
			const struct audit_range *range)
{
	print_amount(out, head, range->min == range->max ? "" : "<", unit,
		     range->max);
}

static void print_bound(struct out *out, const struct audit_row *row)
{
	const int64_t bound = audit_row_bound(row);
	char text[UNITS_MAX];

	units_format(text, audit_items[row->item].unit, (uint64_t)bound, 8);
	out_cell(out, &(struct out_cell){ .key = "bound",
					  .unit = TASKACCT_UNIT_SIGNED,
					  .valid = bound != AUDIT_UNBOUND,
					  .value = (uint64_t)bound });
	out_text(out, NULL, "BOUND", 8,
		 bound == AUDIT_UNBOUND ? "none" : text);
}

/* As wide as there is room: the end of a path tells more than its beginning. */
#define NAME_WIDTH 23

static void print_name(struct out *out, const struct audit_row *row)
{
	const size_t length = row->name ? strlen(row->name) : 0;
	const size_t cut = length > NAME_WIDTH ? length - NAME_WIDTH : 0;
	char text[UNITS_MAX];

	snprintf(text, sizeof(text), "%s %" PRIu32, audit_scopes[row->scope], row->id);
	out_text(out, "of", NULL, 0, audit_scopes[row->scope]);
	out_text(out, "name", NULL, 0, row->name);
	out_cell(out, &(struct out_cell){ .key = "id",
					  .unit = TASKACCT_UNIT_NUMBER,
					  .valid = row->scope >= AUDIT_OF_USER,
					  .value = row->id });
	if (row->scope >= AUDIT_OF_USER)
		out_text(out, NULL, "OF", -1, text);
	else
		out_text(out, NULL, "OF", -1, row->name + cut);
}

static void print_row(struct out *out, const struct audit_row *row)
{
	const enum taskacct_unit unit = audit_items[row->item].unit;

	out_begin(out, "audit", "audit", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "book", "BOOK", -9, row->book);
	out_text(out, "what", NULL, 0, audit_items[row->item].key);
	out_text(out, NULL, "WHAT", -8, audit_items[row->item].name);
	print_key(out, "used_min", row->used.min);
	print_key(out, "used_max", row->used.max);
	print_key(out, "booked_min", row->booked.min);
	print_key(out, "booked_max", row->booked.max);
	print_key(out, "residual", row->residual);
	print_range(out, "USED", unit, &row->used);
	print_range(out, "BOOKED", unit, &row->booked);
	print_amount(out, "OFF", "", unit, row->residual);
	print_bound(out, row);
	out_u64(out, "ended", NULL, 0, TASKACCT_UNIT_COUNT,
		(uint64_t)row->ended);
	out_cell(out, &(struct out_cell){ .key = "closes",
					  .unit = TASKACCT_UNIT_NUMBER,
					  .valid = true,
					  .flag = true,
					  .value = row->closes });
	out_text(out, NULL, "", -1, row->closes ? " " : "!");
	print_name(out, row);
	out_end(out);
}

static enum exit_status print_report(const struct audit_report *report,
				     struct out *out)
{
	size_t i;

	for (i = 0; i < report->rows.n; i++)
		if (audit_row_is_reported(&report->rows.v[i]))
			print_row(out, &report->rows.v[i]);
	out_flush(out);
	if (report->lost)
		return EXIT_LOST;
	return report->open ? EXIT_OPEN : EXIT_DONE;
}

static enum exit_status watch(const struct options *opt, struct out *out,
			      struct taskacct *ta, struct taskacct *listener)
{
	enum exit_status status = EXIT_REFUSED;
	const struct audit_report *report;
	struct audit *audit = audit_new(ta, listener);

	stop_catch_only();
	out_stream(out);
	report = audit_watch(audit, opt->rcvbuf, opt->interval_ns);
	if (report) {
		status = print_report(report, out);
		audit_tell(audit);
	}
	audit_free(audit);
	return status;
}

enum exit_status audit_run(const struct options *opt, struct out *out)
{
	enum exit_status status = EXIT_REFUSED;
	struct taskacct *ta = handle_open(opt->family);
	struct taskacct *listener = ta ? handle_open(opt->family) : NULL;

	if (listener)
		status = watch(opt, out, ta, listener);
	taskacct_close(ta);
	taskacct_close(listener);
	return status;
}
