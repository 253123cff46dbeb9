// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of the screen: in order, and as text
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "top.h"

#define NS_PER_S UINT64_C(1000000000)
#define KEY_WIDTH 20
#define COUNT_WIDTH 6

/* qsort_r() of the C library has no other way to say by what. */
static int compare(const void *left, const void *right, void *arg)
{
	const struct top_row *a = *(struct top_row *const *)left;
	const struct top_row *b = *(struct top_row *const *)right;
	const struct top *top = arg;
	const size_t i = top->sort;
	int order = 0;

	if (units_is_text(top->columns.v[i].out.unit))
		order = strcmp(a->text[i] ? a->text[i] : "",
			       b->text[i] ? b->text[i] : "");
	else if (a->n[i] != b->n[i])
		order = a->n[i] < b->n[i] ? 1 : -1;
	if (top->reverse)
		order = -order;
	if (order)
		return order;
	/* Processes come in the order of their numbers. */
	if (!top->by.n)
		return a->number < b->number ? -1 : 1;
	return strcmp(a->key, b->key);
}

/* What is part of a line comes below it. */
static void put_below(struct top *top, struct top_row **to, size_t *n,
		      const struct top_row *parent)
{
	struct top_row *row;
	size_t i;

	for (i = 0; i < top->shown.n; i++) {
		row = top->shown.rows[i];
		if (row->parent != parent || row->shown)
			continue;
		row->shown = true;
		to[(*n)++] = row;
		put_below(top, to, n, row);
	}
}

/*
 * Most processes did nothing, and are in the order of their numbers already: these go
 * to the end as they are. How many are left to sort.
 */
static size_t put_idle_last(const struct top *top, struct top_set *set)
{
	struct top_row **idle = alloc(set->n, sizeof(*idle));
	size_t n = 0, n_idle = 0, i;
	bool in_order = true;

	for (i = 0; i < set->n && in_order; i++) {
		if (set->rows[i]->n[top->sort])
			continue;
		in_order = !n_idle ||
			   idle[n_idle - 1]->number < set->rows[i]->number;
		idle[n_idle++] = set->rows[i];
	}
	for (i = 0; i < set->n && in_order; i++)
		if (set->rows[i]->n[top->sort])
			set->rows[n++] = set->rows[i];
	if (in_order)
		memcpy(set->rows + n, idle, n_idle * sizeof(*idle));
	free(idle);
	return in_order ? n : set->n;
}

void top_sort(struct top *top)
{
	const bool text = units_is_text(top->columns.v[top->sort].out.unit);
	struct top_set *set = &top->shown;
	size_t to_sort = set->n, n = 0, i;
	struct top_row **rows;

	if (!set->n)
		return;
	if (!text && !top->reverse && !top->by.n)
		to_sort = put_idle_last(top, set);
	qsort_r(set->rows, to_sort, sizeof(*set->rows), compare, top);
	if (!top->tree)
		return;
	rows = alloc(set->n, sizeof(*rows));
	for (i = 0; i < set->n; i++)
		set->rows[i]->shown = false;
	put_below(top, rows, &n, NULL);
	memcpy(set->rows, rows, n * sizeof(*rows));
	free(rows);
}

static uint64_t per_second(const struct top *top, uint64_t n)
{
	return (uint64_t)((double)n * 1e9 / (double)top->interval_ns);
}

static void format_number(const struct top *top, const struct column *column,
			  uint64_t n, char *text)
{
	if (!top_is_rate(column))
		units_format(text, column->out.unit, n);
	else if (column->out.unit == UNIT_NS)
		units_format(text, UNIT_PERCENT, per_second(top, n) / 10000);
	else
		units_format(text, column->out.unit, per_second(top, n));
}

static void format_cell(const struct top *top, const struct top_row *row,
			size_t i, char *text)
{
	const bool missing = !row->known[i] || (row->n[i] == UINT64_MAX);

	/* All together have no number, and do not lack it. */
	if (missing)
		snprintf(text, UNITS_MAX, row == top->shown.total ? "" : "-");
	else
		format_number(top, &top->columns.v[i], row->n[i], text);
}

/* A text in so many columns; 0 for as many as it takes */
static void put_text(FILE *file, const char *text, int width, bool right)
{
	char *clean = text_clean(text, strlen(text));
	int pad = width ? width - text_clip(clean, width) : 0;

	fprintf(file, "%*s%s%*s", right ? pad : 0, "", clean, right ? 0 : pad,
		"");
	free(clean);
}

bool top_has_column(const struct top *top, size_t i)
{
	return !top->by.n || top->opt->columns ||
	       top->columns.v[i].field->sum != SUM_NONE;
}

static const char *heading(const struct column *column, char *text)
{
	if (!top_is_rate(column))
		return column->out.head;
	snprintf(text, UNITS_MAX, column->out.unit == UNIT_NS ? "%%%s" : "%s/s",
		 column->out.head);
	return text;
}

static int width_of(const struct top *top, size_t i)
{
	const struct column *column = &top->columns.v[i];
	int width = column->out.width, least;
	char text[UNITS_MAX];

	if (i + 1 == top->columns.n && units_is_text(column->out.unit))
		return 0;
	least = (int)strlen(heading(column, text));
	if (least < 6)
		least = 6;
	return width < least ? least : width;
}

static void put_keys(FILE *file, const struct top *top,
		     const struct top_row *row)
{
	const char *at = row->key, *slash;
	char *part;
	size_t n;

	for (n = 0; n < top->by.n; n++) {
		part = strndup(at, strcspn(at, "\t"));
		slash = top->tree && part[1] ? strrchr(part, '/') : NULL;
		fprintf(file, "%*s", top->tree ? (int)row->depth : 0, "");
		put_text(file,
			 row == top->shown.total && !n ? "(all)" :
			 slash			       ? slash + 1 :
							 part,
			 KEY_WIDTH - (top->tree && row->depth < KEY_WIDTH - 4 ?
					      (int)row->depth :
					      0),
			 false);
		fputc(' ', file);
		at += strlen(part) + !!at[strlen(part)];
		free(part);
	}
	fprintf(file, "%*" PRIu64 " %*" PRIu64 " ", COUNT_WIDTH, row->live,
		COUNT_WIDTH, row->ended);
}

/* Lines of ended processes have no number, and say how many they were. */
static void put_text_cell(FILE *file, const struct top *top,
			  const struct top_row *row, size_t i)
{
	const char *text = row->text[i] ? row->text[i] : "-";
	const bool last = i + 1 == top->columns.n;
	char *longer = NULL;

	if (row == top->shown.total)
		text = last && !top->by.n ? "(all)" : "";
	if (last && row != top->shown.total && row->ended && !top->by.n &&
	    asprintf(&longer, "%s \u00d7%" PRIu64,
		     strcmp(text, "*") ? text : row->key, row->ended) < 0)
		die(STATUS_REFUSED, "out of memory");
	put_text(file, longer ? longer : text, width_of(top, i), false);
	free(longer);
}

static FILE *begin(char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);

	if (!file)
		die(STATUS_REFUSED, "out of memory");
	return file;
}

static char *end(FILE *file, char **text)
{
	if (fclose(file))
		die(STATUS_REFUSED, "out of memory");
	return *text;
}

char *top_line(const struct top *top, const struct top_row *row)
{
	char *text, cell[UNITS_MAX];
	unsigned int any = 0;
	size_t size, i;
	FILE *file = begin(&text, &size);

	if (top->by.n)
		put_keys(file, top, row);
	for (i = 0; i < top->columns.n; i++) {
		if (!top_has_column(top, i))
			continue;
		if (any++)
			fputc(' ', file);
		if (units_is_text(top->columns.v[i].out.unit)) {
			put_text_cell(file, top, row, i);
			continue;
		}
		format_cell(top, row, i, cell);
		put_text(file, cell, width_of(top, i), true);
	}
	return end(file, &text);
}

char *top_headings(const struct top *top, int *from, int *length)
{
	char *text, head[UNITS_MAX];
	size_t size, i;
	FILE *file = begin(&text, &size);
	unsigned int any = 0;
	int at = 0;

	for (i = 0; i < top->by.n; i++) {
		put_text(file, top->by.v[i].out.head, KEY_WIDTH, false);
		fputc(' ', file);
		at += KEY_WIDTH + 1;
	}
	if (top->by.n) {
		fprintf(file, "%*s %*s ", COUNT_WIDTH, "LIVE", COUNT_WIDTH,
			"ENDED");
		at += 2 * (COUNT_WIDTH + 1);
	}
	for (i = 0; i < top->columns.n; i++) {
		const struct column *column = &top->columns.v[i];
		const char *name = heading(column, head);
		const int width = width_of(top, i);

		if (!top_has_column(top, i))
			continue;
		if (any++)
			fputc(' ', file);
		if (i == top->sort) {
			*from = at;
			*length = width ? width : (int)strlen(name);
		}
		put_text(file, name, width, !units_is_text(column->out.unit));
		at += width + 1;
	}
	return end(file, &text);
}

static void put_clock(FILE *file, const struct top *top)
{
	const time_t now = (time_t)(units_now() / NS_PER_S);
	char clock[32], delay[UNITS_MAX];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	units_format(delay, UNIT_NS, top->opt->delay_ns);
	fprintf(file,
		"taskacct %s, every %s: %" PRIu64 " live, %" PRIu64
		" ended; this costs %.1f %% of a CPU",
		clock, delay, top->shown.total->live, top->shown.total->ended,
		(double)top->cost_ns * 100 / (double)top->interval_ns);
}

static void put_losses(FILE *file, const struct top *top)
{
	if (top->books.lost)
		fprintf(file,
			"%" PRIu64
			" records lost since this began: what those used is missing",
			top->books.lost);
	else
		fputs("no records lost", file);
	if (filter_undecided())
		fprintf(file,
			"; the regular expression takes too long for %" PRIu64,
			filter_undecided());
	if (top->by_name)
		fprintf(file, "; by %s", top->by_name);
}

char *top_head(const struct top *top, int i)
{
	char *text;
	size_t size;
	FILE *file = begin(&text, &size);

	if (i == 0) {
		put_clock(file, top);
		return end(file, &text);
	}
	if (i == 1) {
		put_losses(file, top);
		return end(file, &text);
	}
	fclose(file);
	free(text);
	return top_line(top, top->shown.total);
}
