// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lives of processes, gathered from records
 */
#include <stdlib.h>
#include <string.h>

#include "fields/names.h"
#include "spans.h"

static const char *text_of(const struct field *field, const struct rec *rec)
{
	char digits[UNITS_MAX];
	struct value value;

	field_get(field, rec, &value);
	if (value.s)
		return names_intern(value.s, value.length);
	if (value.state != TASKACCT_VALID || units_is_text(field->unit))
		return names_intern("-", 1);
	units_format(digits, field->unit, value.n);
	return names_intern(digits, strlen(digits));
}

static uint64_t number_of(const char *name, const struct rec *rec)
{
	struct value value;

	field_get(field_find(name, strlen(name)), rec, &value);
	return value.state == TASKACCT_VALID ? value.n : 0;
}

void spans_add(struct spans *spans, const struct rec *rec,
	       const struct field *lane)
{
	struct span *span;

	spans->v = grow(spans->v, spans->n, sizeof(*spans->v));
	span = &spans->v[spans->n++];
	*span = (struct span){
		.start = rec_end(rec) - rec_lifetime(rec),
		.end = rec_end(rec),
		.cpu = number_of("cpu", rec),
		.wait_cpu = number_of("wait_cpu", rec),
		.wait_io = number_of("wait_io", rec),
		.peak = number_of("peak", rec),
		.pid = (uint32_t)number_of("pid", rec),
		.comm = text_of(field_find("comm", 4), rec),
		.exit = text_of(field_find("exit", 4), rec),
		.lane = text_of(lane, rec),
	};
	span->failed = strcmp(span->exit, "0") && strcmp(span->exit, "-");
}

static int compare(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

void spans_sort(struct spans *spans)
{
	if (spans->n)
		qsort(spans->v, spans->n, sizeof(*spans->v), compare);
}
