// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output for people: tables below 80 columns
 *
 * A stream's records are lines of one table, and the headings come again when
 * the screen has scrolled. Otherwise a record is a block: a title, then
 * groups of rows, each under its own headings.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "base/units.h"
#include "out_forms.h"

#define BOLD "\033[1m"
#define RED "\033[31m"
#define PLAIN "\033[m"

/* Lines until headings are due again: a screen less themselves, or never */
static long lines_of_screen(const struct out *out)
{
	struct winsize size;

	if (!isatty(fileno(out->file)) ||
	    ioctl(fileno(out->file), TIOCGWINSZ, &size) || size.ws_row < 4)
		return -1;
	return size.ws_row - 1;
}

static long count_lines(const char *s)
{
	long n = 0;

	for (; s && *s; s++)
		n += *s == '\n';
	return n;
}

/* Width is that of what is seen, not of bytes and not of colours. */
static void put(struct out_text *text, const char *s, int width,
		const char *color)
{
	int pad = abs(width) - text_columns(s);

	if (text->len && text->s[text->len - 1] != '\n')
		out_append(text, " ");
	if (pad > 0 && width > 0)
		out_append(text, "%*s", pad, "");
	if (color)
		out_append(text, "%s%s" PLAIN, color, s);
	else
		out_append(text, "%s", s);
	if (pad > 0 && width < 0)
		out_append(text, "%*s", pad, "");
}

static void trim(struct out_text *text)
{
	while (text->len && text->s[text->len - 1] == ' ')
		text->s[--text->len] = '\0';
}

static void end_row(struct out *out)
{
	struct out_text *heads = out->stream ? &out->heads : &out->body;

	if (!out->in_row)
		return;
	trim(&out->head);
	trim(&out->line);
	if (out->group_fresh && out->head.len)
		out_append(heads, "%s%s%s\n", out->color ? BOLD : "",
			   out->head.s, out->color ? PLAIN : "");
	if (out->line.len)
		out_append(&out->body, "%s\n", out->line.s);
	out->group_fresh = false;
	out->in_row = false;
}

static void table_begin(struct out *out, const char *kind, const char *title)
{
	(void)kind;
	out_reset(&out->heads);
	out_reset(&out->body);
	if (out->any && !out->stream)
		out_append(&out->body, "\n");
	if (title && !out->stream)
		out_append(&out->body, "%s%s%s\n", out->color ? BOLD : "",
			   title, out->color ? PLAIN : "");
}

static void table_group(struct out *out, const char *head, int width)
{
	end_row(out);
	out->group = head;
	out->group_width = width;
	out->group_fresh = true;
}

static void table_row(struct out *out, const char *name)
{
	end_row(out);
	out_reset(&out->head);
	out_reset(&out->line);
	out->in_row = true;
	if (!out->group)
		return;
	put(&out->head, out->group, -out->group_width, NULL);
	put(&out->line, name ? name : "", -out->group_width, NULL);
}

/* The library's unit, and how many of the commands' unit it is */
static const struct {
	enum unit unit;
	uint64_t factor;
} units[] = {
	[TASKACCT_UNIT_NUMBER] = { UNIT_ID, 1 },
	[TASKACCT_UNIT_SIGNED] = { UNIT_SIGNED, 1 },
	[TASKACCT_UNIT_COUNT] = { UNIT_COUNT, 1 },
	[TASKACCT_UNIT_NS] = { UNIT_NS, 1 },
	[TASKACCT_UNIT_US] = { UNIT_NS, 1000 },
	[TASKACCT_UNIT_EPOCH] = { UNIT_DATE, 1000000000 },
	[TASKACCT_UNIT_EPOCH_NS] = { UNIT_DATE, 1 },
	[TASKACCT_UNIT_BYTES] = { UNIT_BYTES, 1 },
	[TASKACCT_UNIT_KIB] = { UNIT_BYTES, 1024 },
	[TASKACCT_UNIT_MIB_US] = { UNIT_KIB_US, 1024 },
	[TASKACCT_UNIT_KIB_US] = { UNIT_KIB_US, 1 },
	[TASKACCT_UNIT_BOOT_NS] = { UNIT_BOOT, 1 },
};

/* For people, to be freed */
static char *cell_text(const struct out_cell *cell)
{
	char number[UNITS_MAX] = "-";

	if (cell->valid && cell->unit == TASKACCT_UNIT_TEXT)
		return out_cell_text(cell, text_clean);
	if (cell->valid)
		units_format(number, units[cell->unit].unit,
			     cell->value * units[cell->unit].factor);
	return copy(number);
}

static void table_cell(struct out *out, const struct out_cell *cell)
{
	char *text;

	if (!cell->head)
		return;
	text = cell_text(cell);
	put(&out->head, cell->head, cell->width, NULL);
	put(&out->line, text, cell->width,
	    cell->alarm && out->color ? RED : NULL);
	free(text);
}

static void table_end(struct out *out)
{
	end_row(out);
	if (out->stream && (out->fresh || !out->until_head)) {
		if (out->fresh && out->any)
			out_puts(out, "\n");
		out_puts(out, out->heads.s);
		out->until_head = lines_of_screen(out);
		if (out->until_head > 0)
			out->until_head -= count_lines(out->heads.s);
	}
	out_puts(out, out->body.s);
	if (out->until_head > 0) {
		out->until_head -= count_lines(out->body.s);
		if (out->until_head < 0)
			out->until_head = 0;
	}
}

const struct out_ops out_table_ops = {
	.begin = table_begin,
	.group = table_group,
	.row = table_row,
	.cell = table_cell,
	.end = table_end,
};
