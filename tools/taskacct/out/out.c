// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output
 *
 * Tables and arrays of JSON are libsmartcols', which has all rows before it
 * prints them. Streams are tables of one row at a time, with widths that are
 * kept.
 */
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "out.h"

struct out {
	FILE *file;
	struct out_style style;
	const struct out_column *columns;
	size_t n;
	struct libscols_table *table;
	uint64_t until_headings;
	/* texts are cut to the columns' usual widths */
	bool clip;
};

static struct winsize terminal;

void out_find_terminal(void)
{
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal))
		memset(&terminal, 0, sizeof(terminal));
}

unsigned int out_terminal_columns(void)
{
	return terminal.ws_col;
}

/* Lines of a screen less the headings, or 0 where it does not scroll */
static unsigned int lines_of_screen(FILE *file)
{
	return isatty(fileno(file)) && terminal.ws_row >= 4 ?
		       terminal.ws_row - 1u :
		       0;
}

bool out_wants_color(const char *when)
{
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(when, "auto"))
		return !strcmp(when, "always");
	return isatty(STDOUT_FILENO) && (!no_color || !*no_color);
}

void out_flush(FILE *file)
{
	const char *name = file == stderr ? "standard error" :
			   file == stdout ? "standard output" :
					    "output";

	errno = 0;
	if (fflush(file) || ferror(file))
		die_output(name, errno ? errno : EIO);
}

static int column_flags(const struct out *out, size_t i)
{
	const enum unit unit = out->columns[i].unit;
	int flags = units_is_text(unit) || unit == UNIT_DATE ||
				    unit == UNIT_EPOCH ?
			    0 :
			    SCOLS_FL_RIGHT;

	if (out->style.tree == (int)i)
		flags |= SCOLS_FL_TREE;
	if (out->style.stream)
		flags |= SCOLS_FL_STRICTWIDTH;
	/* A terminal has no room for a long text, all else has. */
	if (units_is_text(unit) && i + 1 == out->n)
		flags |= out->style.wrap ? SCOLS_FL_WRAP : SCOLS_FL_TRUNC;
	else if (units_is_text(unit) && !out->clip &&
		 !units_is_text(out->columns[out->n - 1].unit))
		flags |= SCOLS_FL_TRUNC;
	return flags;
}

static void add_column(struct out *out, size_t i)
{
	const struct out_column *column = &out->columns[i];
	const bool json = out->style.form == OUT_JSON_ARRAY;
	struct libscols_column *c;

	c = scols_table_new_column(out->table,
				   json ? column->name : column->head,
				   out->style.stream ? column->width : 0,
				   json ? 0 : column_flags(out, i));
	if (!c)
		die(STATUS_REFUSED, "out of memory");
	/* Words are put into lines here, not by libsmartcols. */
	if (out->style.wrap && i + 1 == out->n && !json) {
		scols_column_set_safechars(c, "\n");
		scols_column_set_wrapfunc(c, scols_wrapnl_chunksize,
					  scols_wrapnl_nextchunk, NULL);
	}
	if (json && !out->style.exact && !units_is_text(column->unit) &&
	    column->unit != UNIT_DATE)
		scols_column_set_json_type(c, SCOLS_JSON_NUMBER);
}

static void open_table(struct out *out, const char *name)
{
	size_t i;

	scols_init_debug(0);
	out->table = scols_new_table();
	if (!out->table)
		die(STATUS_REFUSED, "out of memory");
	scols_table_set_stream(out->table, out->file);
	scols_table_set_name(out->table, name);
	scols_table_enable_json(out->table, out->style.form == OUT_JSON_ARRAY);
	scols_table_enable_noheadings(out->table, out->style.no_headings);
	scols_table_enable_colors(out->table, out->style.color);
	if (out->file == stdout && terminal.ws_col) {
		scols_table_set_termforce(out->table, SCOLS_TERMFORCE_ALWAYS);
		scols_table_set_termwidth(out->table, terminal.ws_col);
	}
	for (i = 0; i < out->n; i++)
		add_column(out, i);
}

static void print_csv_head(struct out *out)
{
	size_t i;

	for (i = 0; i < out->n; i++) {
		if (i)
			fputc(',', out->file);
		text_csv(out->file, out->columns[i].name,
			 strlen(out->columns[i].name));
	}
	fputs("\r\n", out->file);
}

struct out *out_open(FILE *file, const char *name,
		     const struct out_style *style,
		     const struct out_column *columns, size_t n)
{
	struct out *out = alloc(1, sizeof(*out));

	out->file = file;
	out->style = *style;
	out->columns = columns;
	out->n = n;
	/* Rows that come one by one cannot be fitted to each other. */
	out->clip = style->stream && file == stdout && terminal.ws_col;
	if (style->form == OUT_TABLE || style->form == OUT_JSON_ARRAY)
		open_table(out, name);
	if (style->form == OUT_CSV && !style->no_headings)
		print_csv_head(out);
	return out;
}

void out_json_value(FILE *file, enum unit unit, const struct value *value,
		    bool exact)
{
	char text[UNITS_MAX];
	bool number;

	if (value->state != TASKACCT_VALID) {
		fputs("null", file);
	} else if (units_is_text(unit)) {
		text_json(file, value->s ? value->s : "", value->length);
	} else {
		number = units_format_raw(text, unit, value->n);
		fprintf(file,
			number && (!exact || unit == UNIT_BOOL) ? "%s" :
								  "\"%s\"",
			text);
	}
}

static void print_json(struct out *out, const struct value *values)
{
	size_t i;

	fputc('{', out->file);
	for (i = 0; i < out->n; i++) {
		fprintf(out->file, "%s\"%s\":", i ? "," : "",
			out->columns[i].name);
		out_json_value(out->file, out->columns[i].unit, &values[i],
			       out->style.exact);
	}
	fputs("}\n", out->file);
}

static void print_csv(struct out *out, const struct value *values)
{
	char text[UNITS_MAX];
	size_t i;

	for (i = 0; i < out->n; i++) {
		if (i)
			fputc(',', out->file);
		if (values[i].state != TASKACCT_VALID)
			continue;
		if (units_is_text(out->columns[i].unit)) {
			text_csv(out->file, values[i].s ? values[i].s : "",
				 values[i].length);
			continue;
		}
		units_format_raw(text, out->columns[i].unit, values[i].n);
		fputs(text, out->file);
	}
	fputs("\r\n", out->file);
}

/* Break a text into lines at its blanks */
static void wrap_words(char *text, int width)
{
	char *line = text, *blank = NULL, *at;

	for (at = text; *at; at++) {
		if (*at == ' ')
			blank = at;
		if (at - line < width || !blank || blank < line)
			continue;
		*blank = '\n';
		line = blank + 1;
	}
}

/* A cell's text, to be freed, or NULL for JSON's null */
static char *cell_text(const struct out *out, size_t i,
		       const struct value *value)
{
	const bool json = out->style.form == OUT_JSON_ARRAY;
	const enum unit unit = out->columns[i].unit;
	char text[UNITS_MAX], *clean;

	if (value->state != TASKACCT_VALID)
		return json ? NULL : copy("-");
	if (units_is_text(unit)) {
		clean = text_clean(value->s ? value->s : "", value->length);
		if (out->clip && i + 1 < out->n)
			text_clip(clean, out->columns[i].width);
		if (out->style.wrap && i + 1 == out->n && terminal.ws_col)
			wrap_words(clean, terminal.ws_col - out->style.wrap);
		return clean;
	}
	if (json)
		units_format_raw(text, unit, value->n);
	else
		units_format(text, unit, value->n);
	return copy(text);
}

/*
 * A number below its heading. libsmartcols gives some columns the width that they are said
 * to have, and others that of the line at hand, where lines are printed one by one.
 */
static char *streamed_number(const struct out *out, size_t i, char *text)
{
	const struct out_column *column = &out->columns[i];
	const int least = (int)strlen(column->head);
	char *wider;

	if (asprintf(&wider, "%*s", least > column->width ? least : column->width,
		     text) < 0)
		die(STATUS_REFUSED, "out of memory");
	free(text);
	return wider;
}

/* Headings come again when those before have left the screen. */
static void print_streamed(struct out *out)
{
	const bool headings = !out->style.no_headings && !out->until_headings;

	scols_table_enable_noheadings(out->table, !headings);
	scols_print_table(out->table);
	scols_table_remove_lines(out->table);
	if (headings)
		out->until_headings = lines_of_screen(out->file);
	if (headings && !out->until_headings)
		out->until_headings = UINT64_MAX;
	out->until_headings--;
}

static void *add_line(struct out *out, const struct value *values, void *parent,
		      const char *color)
{
	struct libscols_line *line = scols_table_new_line(out->table, parent);
	size_t i;
	char *text;

	if (!line)
		die(STATUS_REFUSED, "out of memory");
	for (i = 0; i < out->n; i++) {
		text = cell_text(out, i, &values[i]);
		if (text && out->style.stream && out->style.form == OUT_TABLE &&
		    column_flags(out, i) & SCOLS_FL_RIGHT)
			text = streamed_number(out, i, text);
		if (text && scols_line_refer_data(line, i, text))
			die(STATUS_REFUSED, "out of memory");
	}
	if (color && out->style.color)
		scols_line_set_color(line, color);
	if (!out->style.stream || out->style.form != OUT_TABLE)
		return line;
	print_streamed(out);
	return NULL;
}

void *out_row(struct out *out, const struct value *values, void *parent,
	      const char *color)
{
	switch (out->style.form) {
	case OUT_JSON:
		print_json(out, values);
		return NULL;
	case OUT_CSV:
		print_csv(out, values);
		return NULL;
	default:
		return add_line(out, values, parent, color);
	}
}

void out_close(struct out *out)
{
	if (out->table && !(out->style.stream && out->style.form == OUT_TABLE))
		scols_print_table(out->table);
	if (out->table)
		scols_unref_table(out->table);
	out_flush(out->file);
	free(out);
}
