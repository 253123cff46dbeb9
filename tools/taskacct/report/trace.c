// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lives in the trace format of Chrome, which Perfetto reads too
 *
 * Each lane (a unit, say) is a "process" of the trace, and has as many
 * "threads" as lives overlapped there: a row is used again when it is free.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spans.h"

/* A row of a lane, and until when it is taken */
struct row {
	const char *lane;
	unsigned int number;
	uint64_t until;
};

struct trace {
	FILE *file;
	const char **lanes;
	size_t n_lanes;
	struct row *rows;
	size_t n_rows;
	uint64_t from;
	bool any;
};

static void next(struct trace *t)
{
	fputs(t->any ? ",\n" : "\n", t->file);
	t->any = true;
}

/* Its number from 1 on; a new one is reported. */
static size_t lane_number(struct trace *t, const char *lane)
{
	size_t i;

	for (i = 0; i < t->n_lanes; i++)
		if (t->lanes[i] == lane)
			return i + 1;
	t->lanes = grow(t->lanes, t->n_lanes, sizeof(*t->lanes));
	t->lanes[t->n_lanes++] = lane;
	next(t);
	fprintf(t->file,
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%zu,\"tid\":0,\"args\":{\"name\":",
		t->n_lanes);
	text_json(t->file, lane, strlen(lane));
	fputs("}}", t->file);
	return t->n_lanes;
}

static unsigned int row_number(struct trace *t, const struct span *span)
{
	unsigned int used = 0;
	size_t i;

	for (i = 0; i < t->n_rows; i++) {
		if (t->rows[i].lane != span->lane)
			continue;
		if (t->rows[i].until <= span->start) {
			t->rows[i].until = span->end;
			return t->rows[i].number;
		}
		used++;
	}
	t->rows = grow(t->rows, t->n_rows, sizeof(*t->rows));
	t->rows[t->n_rows++] = (struct row){ span->lane, used + 1, span->end };
	return used + 1;
}

static void put_us(struct trace *t, const char *name, uint64_t ns)
{
	fprintf(t->file, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000,
		(unsigned int)(ns % 1000));
}

static void put_ms(struct trace *t, const char *name, uint64_t ns)
{
	fprintf(t->file, ",\"%s\":%.3f", name, (double)ns / 1e6);
}

static void put_span(struct trace *t, const struct span *span)
{
	const size_t lane = lane_number(t, span->lane);

	next(t);
	fputs("{\"ph\":\"X\",\"name\":", t->file);
	text_json(t->file, span->comm, strlen(span->comm));
	fprintf(t->file, ",\"pid\":%zu,\"tid\":%u", lane, row_number(t, span));
	put_us(t, "ts", span->start - t->from);
	put_us(t, "dur", span->end - span->start);
	if (span->failed)
		fputs(",\"cname\":\"terrible\"", t->file);
	fprintf(t->file, ",\"args\":{\"pid\":%u", span->pid);
	put_ms(t, "cpu_ms", span->cpu);
	put_ms(t, "wait_cpu_ms", span->wait_cpu);
	put_ms(t, "wait_io_ms", span->wait_io);
	fprintf(t->file, ",\"peak_rss\":%" PRIu64 ",\"exit\":", span->peak);
	text_json(t->file, span->exit, strlen(span->exit));
	fputs("}}", t->file);
}

void trace_write(const char *path, struct spans *spans)
{
	struct trace t = { .file = fopen(path, "we") };
	char from[UNITS_MAX];
	size_t i;

	if (!t.file)
		die(STATUS_OUTPUT, "%s: %s", path, strerror(errno));
	spans_sort(spans);
	t.from = spans->n ? spans->v[0].start : 0;
	units_format_raw(from, UNIT_DATE, t.from);
	fprintf(t.file,
		"{\"displayTimeUnit\":\"ms\",\"otherData\":{\"from\":\"%s\"},\"traceEvents\":[",
		from);
	for (i = 0; i < spans->n; i++)
		put_span(&t, &spans->v[i]);
	fputs("\n]}\n", t.file);
	if (fflush(t.file) || ferror(t.file) || fclose(t.file))
		die_output(path, errno);
	free(t.lanes);
	free(t.rows);
}
