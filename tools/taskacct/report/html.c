// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page with the statistics of a report: timelines and bars by gnuplot, in SVG
 *
 * What a process used is known when it has ended, and is drawn as if it had
 * been used evenly over its life.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "html.h"

#define NS_PER_S 1e9

/* Steps of a timeline, lines in it and bars in a figure */
#define STEPS 120
#define SERIES 7
#define BARS 12

/* Characters of a name in a figure */
#define LABEL_MAX 24

/* CPU time by step and group, the last for all others; exits and failures */
struct timeline {
	uint64_t from;
	double step;
	double cpu[SERIES][STEPS];
	unsigned int ended[STEPS];
	unsigned int failed[STEPS];
	const char *names[SERIES];
	size_t n;
};

static const char *const style[] = {
	"body{font:15px/1.5 sans-serif;margin:2em auto;max-width:64em;padding:0 1em;color:#222;background:#fff}",
	"h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}",
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}",
	"th,td{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:right}",
	"th{white-space:nowrap}",
	"th:first-child,td:first-child{text-align:left}",
	"td:first-child{overflow-wrap:anywhere;min-width:9em}",
	".box{overflow-x:auto}.bad{color:#b00;font-weight:bold}",
	/* Letters in a figure are no smaller than can be read: it is scrolled instead. */
	"svg{width:100%;min-width:44em;height:auto;display:block}",
};

static void put(FILE *file, const char *text)
{
	text_html(file, text, strlen(text));
}

/* Run gnuplot on a script, and put its picture into the page */
static void plot(FILE *page, const char *script, size_t size)
{
	int fd = memfd_create("plot", 0);
	char command[64], line[4096];
	bool inside = false;
	FILE *picture;

	if (fd < 0 || write(fd, script, size) != (ssize_t)size)
		die(STATUS_REFUSED, "memfd: %s", strerror(errno));
	lseek(fd, 0, SEEK_SET);
	snprintf(command, sizeof(command), "gnuplot /dev/fd/%d", fd);
	fflush(page);
	picture = popen(command, "re");
	if (!picture)
		die(STATUS_REFUSED, "gnuplot: %s", strerror(errno));
	/* A page has no place for the first lines of a document of its own. */
	fputs("<div class=box>\n", page);
	while (fgets(line, sizeof(line), picture)) {
		inside |= !strncmp(line, "<svg", 4);
		if (inside)
			fputs(line, page);
	}
	fputs("</div>\n", page);
	if (pclose(picture) || !inside)
		die(STATUS_REFUSED,
		    "gnuplot has drawn nothing: apt-get install gnuplot-nox");
	close(fd);
}

static FILE *begin_plot(char **script, size_t *size, int height)
{
	FILE *file = open_memstream(script, size);

	if (!file)
		die(STATUS_REFUSED, "out of memory");
	fprintf(file,
		"set terminal svg size 900,%d dynamic noenhanced font 'sans-serif,13'\n"
		"set border 3 lc rgb '#888888'\nset tics nomirror\n"
		"set grid y lc rgb '#dddddd'\nset style fill solid 1.0 noborder\n",
		height);
	return file;
}

static void end_plot(FILE *page, FILE *file, char **script, const size_t *size)
{
	if (fclose(file))
		die(STATUS_REFUSED, "out of memory");
	plot(page, *script, *size);
	free(*script);
}

/* gnuplot's strings in double quotes; a long one would leave no room to draw */
static void put_quoted(FILE *file, const char *text)
{
	char *clean = text_clean(text, strlen(text));
	const bool is_long = text_columns(clean) > LABEL_MAX;
	const char *c;

	if (is_long)
		text_clip(clean, LABEL_MAX - 1);

	fputc('"', file);
	for (c = clean; *c; c++) {
		if (strchr("\"\\", *c))
			fputc('\\', file);
		fputc(*c, file);
	}
	fputs(is_long ? "\u2026\"" : "\"", file);
	free(clean);
}

static const char *const colors[SERIES] = { "#4477aa", "#ee6677", "#228833",
					    "#ccbb44", "#66ccee", "#aa3377",
					    "#bbbbbb" };

static void name_series(struct totals *t, struct timeline *line)
{
	struct group **v;
	size_t n, i;

	v = groups_sort(t->groups, t->sort, false, &n);
	line->n = n < SERIES ? n : SERIES - 1;
	for (i = 0; i < line->n; i++)
		line->names[i] = v[i]->keys[0].s ? v[i]->keys[0].s : "-";
	if (n > line->n)
		line->names[line->n++] = "others";
}

static size_t series_of(const struct timeline *line, const char *lane)
{
	size_t i;

	for (i = 0; i + 1 < line->n; i++)
		if (!strcmp(line->names[i], lane))
			return i;
	return i;
}

static size_t step_of(const struct timeline *line, uint64_t time)
{
	double at = ((double)time - (double)line->from) / line->step;

	return at < 0 ? 0 : at >= STEPS ? STEPS - 1 : (size_t)at;
}

static void add_span(struct timeline *line, const struct span *span)
{
	const size_t series = series_of(line, span->lane);
	size_t first = step_of(line, span->start), i;
	const size_t last = step_of(line, span->end);
	const double life = (double)(span->end - span->start);
	double from, to;

	line->ended[last]++;
	line->failed[last] += span->failed;
	for (i = first; i <= last; i++) {
		from = (double)line->from + line->step * (double)i;
		to = from + line->step;
		if (from < (double)span->start)
			from = (double)span->start;
		if (to > (double)span->end)
			to = (double)span->end;
		line->cpu[series][i] +=
			first == last ? (double)span->cpu :
			to > from     ? (double)span->cpu * (to - from) / life :
					0;
	}
}

static void fill(struct timeline *line, struct totals *t, struct spans *spans)
{
	uint64_t until = 0;
	size_t i;

	spans_sort(spans);
	name_series(t, line);
	line->from = spans->v[0].start;
	for (i = 0; i < spans->n; i++)
		if (spans->v[i].end > until)
			until = spans->v[i].end;
	line->step = (double)(until - line->from + 1) / STEPS;
	for (i = 0; i < spans->n; i++)
		add_span(line, &spans->v[i]);
}

/* gnuplot knows no time zones: it is told of local time as if it were UTC. */
static double local_time(const struct timeline *line, size_t step)
{
	const double s =
		((double)line->from + line->step * (double)step) / NS_PER_S;
	const time_t when = (time_t)s;
	struct tm tm = { .tm_gmtoff = 0 };

	localtime_r(&when, &tm);
	return s + (double)tm.tm_gmtoff;
}

static void begin_times(FILE *file, const struct timeline *line)
{
	const double seconds = line->step * STEPS / NS_PER_S;
	const char *format = seconds > 2 * 86400 ? "%m-%d\\n%H:%M" :
			     seconds > 600	 ? "%H:%M" :
						   "%H:%M:%S";

	fprintf(file,
		"set xdata time\nset timefmt '%%s'\nset format x '%s'\n"
		"set key outside right top vertical\n",
		format);
}

static void plot_cpu(FILE *page, const struct timeline *line)
{
	double sum[SERIES] = { 0 };
	size_t size, i, j;
	char *script;
	FILE *file = begin_plot(&script, &size, 320);

	begin_times(file, line);
	fputs("set ylabel 'CPUs in use'\n$d << E\n", file);
	for (i = 0; i < STEPS; i++) {
		fprintf(file, "%.3f", local_time(line, i));
		for (j = 0; j < line->n; j++) {
			sum[j] = line->cpu[j][i] / line->step +
				 (j ? sum[j - 1] : 0);
			fprintf(file, " %.6f", sum[j]);
		}
		fputc('\n', file);
	}
	/* From the back to the front: each covers what is below it. */
	fputs("E\nplot ", file);
	for (j = line->n; j-- > 0;) {
		fprintf(file,
			"$d using 1:%zu with filledcurves x1 lc rgb '%s' title ",
			j + 2, colors[j]);
		put_quoted(file, line->names[j]);
		fputs(j ? ", " : "\n", file);
	}
	end_plot(page, file, &script, &size);
}

static void plot_exits(FILE *page, const struct timeline *line)
{
	size_t size, i;
	char *script;
	FILE *file = begin_plot(&script, &size, 220);

	begin_times(file, line);
	fputs("set ylabel 'ended'\nset yrange [0:*]\n$d << E\n", file);
	for (i = 0; i < STEPS; i++)
		fprintf(file, "%.3f %u %u\n", local_time(line, i),
			line->ended[i], line->failed[i]);
	fputs("E\nplot $d using 1:2 with boxes lc rgb '#4477aa' title 'ended', ",
	      file);
	fputs("$d using 1:3 with boxes lc rgb '#ee6677' title 'of these failed'\n",
	      file);
	end_plot(page, file, &script, &size);
}

/* What an axis counts in, where the longest bar is at least so long */
struct scale {
	double least;
	double one;
	const char *name;
};

static const struct scale *scale_of(enum unit unit, uint64_t longest)
{
	static const struct scale times[] = {
		{ 2 * 3600e9, 3600e9, "hours" },
		{ 2 * 60e9, 60e9, "minutes" },
		{ 0, 1e9, "seconds" },
	};
	static const struct scale sizes[] = {
		{ 2.0 * (1 << 30), 1 << 30, "GiB" },
		{ 0, 1 << 20, "MiB" },
	};
	const struct scale *scale = unit == UNIT_NS ? times : sizes;

	while ((double)longest < scale->least)
		scale++;
	return scale;
}

/* What is nothing, or not known, has no bar. */
static size_t count_bars(struct totals *t, struct group **v, size_t n,
			 size_t column)
{
	struct value value;
	size_t i;

	for (i = 0; i < n && i < BARS; i++) {
		groups_value(t->groups, v[i], column, &value);
		if (value.state != TASKACCT_VALID || !value.n)
			break;
	}
	return i;
}

/* The largest of a column, from the top down */
static void plot_bars(FILE *page, struct totals *t, size_t column)
{
	const struct out_column *c = &t->columns.v[column].out;
	const struct scale *scale;
	struct group **v;
	struct value value;
	size_t size, n, i;
	char *script;
	FILE *file;

	v = groups_sort(t->groups, (int)column, false, &n);
	n = count_bars(t, v, n, column);
	groups_value(t->groups, v[0], column, &value);
	scale = scale_of(c->unit, value.n);
	file = begin_plot(&script, &size, 70 + 24 * (int)n);
	fprintf(file,
		"set yrange [%zu.5:-0.5]\nset grid x noy lc rgb '#dddddd'\n"
		"unset key\nset xrange [0:*]\nset xlabel '%s'\nset style fill solid\n$d << E\n",
		n - 1, scale->name);
	for (i = 0; i < n; i++) {
		groups_value(t->groups, v[i], column, &value);
		fprintf(file, "%zu %.6f ", i, (double)value.n / scale->one);
		put_quoted(file, v[i]->keys[0].s ? v[i]->keys[0].s : "-");
		fputc('\n', file);
	}
	fputs("E\nplot $d using ($2/2):1:($2/2):(0.38):ytic(3) with boxxyerror lc rgb '#4477aa'\n",
	      file);
	end_plot(page, file, &script, &size);
}

static void put_cell(FILE *page, const char *tag, const char *text)
{
	fprintf(page, "<%s>", tag);
	put(page, text);
	fprintf(page, "</%s>", tag);
}

static void put_row(FILE *page, struct totals *t, struct group *group)
{
	struct value value;
	char text[UNITS_MAX];
	size_t i;

	fputs("<tr>", page);
	for (i = 0; i < t->keys.n; i++)
		put_cell(page, "td",
			 group == groups_total(t->groups) ? (i ? "" : "all") :
			 group->keys[i].s		  ? group->keys[i].s :
							    "-");
	for (i = 0; i < t->shown; i++) {
		groups_value(t->groups, group, i, &value);
		if (value.state != TASKACCT_VALID)
			snprintf(text, sizeof(text), "-");
		else if (units_is_text(t->columns.v[i].out.unit))
			snprintf(text, sizeof(text), "%.*s", (int)value.length,
				 value.s ? value.s : "");
		else
			units_format(text, t->columns.v[i].out.unit, value.n);
		put_cell(page, "td", text);
	}
	fputs("</tr>\n", page);
}

static void put_table(FILE *page, struct totals *t)
{
	struct group **v;
	size_t n, i;

	fputs("<h2>All of it</h2>\n<div class=box><table>\n<tr>", page);
	for (i = 0; i < t->keys.n; i++)
		put_cell(page, "th", t->keys.v[i].out.head);
	for (i = 0; i < t->shown; i++)
		put_cell(page, "th", t->columns.v[i].out.head);
	fputs("</tr>\n", page);
	v = groups_sort(t->groups, t->sort, t->opt->reverse, &n);
	for (i = 0; i < n && (!t->opt->limit || i < t->opt->limit); i++)
		put_row(page, t, v[i]);
	put_row(page, t, groups_total(t->groups));
	fputs("</table></div>\n", page);
}

static void put_head(FILE *page, struct totals *t, const struct spans *spans,
		     const char *words)
{
	const bool complete = !strcmp(words, "complete");
	char from[UNITS_MAX], to[UNITS_MAX];
	uint64_t until = 0;
	size_t i;

	for (i = 0; i < spans->n; i++)
		if (spans->v[i].end > until)
			until = spans->v[i].end;
	units_format(from, UNIT_DATE, spans->v[0].start);
	units_format(to, UNIT_DATE, until);
	fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n",
	      page);
	fputs("<meta name=viewport content='width=device-width'>\n", page);
	fprintf(page, "<title>taskacct: %s to %s</title>\n<style>\n", from, to);
	for (i = 0; i < sizeof(style) / sizeof(*style); i++)
		fprintf(page, "%s\n", style[i]);
	fprintf(page,
		"</style></head><body>\n<h1>What %llu processes used</h1>\n",
		(unsigned long long)groups_total(t->groups)->count);
	fprintf(page, "<p>From %s to %s, by %s. ", from, to,
		t->keys.v[0].out.name);
	fprintf(page, "<span%s>", complete ? "" : " class=bad");
	put(page, complete ? "No record is missing." : words);
	fputs("</span></p>\n", page);
}

static void put_bars(FILE *page, struct totals *t)
{
	const struct column *c;
	struct value value;
	size_t i;

	for (i = 0; i < t->shown; i++) {
		c = &t->columns.v[i];
		groups_value(t->groups, groups_total(t->groups), i, &value);
		if (!c->field || value.state != TASKACCT_VALID || !value.n ||
		    (c->out.unit != UNIT_NS && c->out.unit != UNIT_BYTES))
			continue;
		fputs("<h2>", page);
		put(page, c->field->doc);
		if (c->stat != STAT_PLAIN)
			fprintf(page, " (%s)", c->out.name);
		fputs("</h2>\n", page);
		plot_bars(page, t, i);
	}
}

void html_write(const char *path, struct totals *t, struct spans *spans,
		const char *words)
{
	struct timeline *line = alloc(1, sizeof(*line));
	FILE *page;

	if (!spans->n)
		die(STATUS_USAGE, "no records: there is nothing to draw");
	page = fopen(path, "we");
	if (!page)
		die(STATUS_OUTPUT, "%s: %s", path, strerror(errno));
	fill(line, t, spans);
	put_head(page, t, spans, words);
	fputs("<h2>CPUs in use</h2>\n", page);
	plot_cpu(page, line);
	fputs("<h2>Processes that ended</h2>\n", page);
	plot_exits(page, line);
	put_table(page, t);
	put_bars(page, t);
	fputs("</body></html>\n", page);
	if (fflush(page) || ferror(page) || fclose(page))
		die_output(path, errno);
	free(line);
}
