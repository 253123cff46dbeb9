/* SPDX-License-Identifier: GPL-2.0-only */
/* Output: what the forms have in common */
#ifndef GETDELAYS_OUT_FORMS_H
#define GETDELAYS_OUT_FORMS_H

#include "out.h"

struct json_object;

/**
 * struct out_text - a text that grows
 * @s: text, terminated, or NULL
 * @len: its length
 * @size: room
 */
struct out_text {
	char *s;
	size_t len;
	size_t size;
};

/**
 * struct out_ops - a form
 * @begin: see out_begin()
 * @group: see out_group(); may be NULL
 * @row: see out_row(); may be NULL
 * @cell: see out_cell()
 * @end: see out_end()
 */
struct out_ops {
	void (*begin)(struct out *out, const char *kind, const char *title);
	void (*group)(struct out *out, const char *head, int width);
	void (*row)(struct out *out, const char *name);
	void (*cell)(struct out *out, const struct out_cell *cell);
	void (*end)(struct out *out);
};

/**
 * struct out - see out.h
 * @ops: the form
 * @file: where to
 * @err: first error
 * @stream: records are lines of one table
 * @color: the terminal may be told of colours
 * @table: table of the record before
 * @fresh: this record is the first of its table
 * @any: there was a record before
 * @json: record in the making
 * @head: line of headings, or of CSV's keys
 * @line: line of values
 * @heads: headings of all groups, of a stream
 * @body: lines of the record
 * @group: heading of the rows' names
 * @group_width: their columns
 * @group_fresh: the group's headings were not printed yet
 * @in_row: there is a row in the making
 * @until_head: lines until a stream's headings are due again
 */
struct out {
	const struct out_ops *ops;
	FILE *file;
	int err;
	bool stream;
	bool color;
	const char *table;
	bool fresh;
	bool any;
	struct json_object *json;
	struct out_text head;
	struct out_text line;
	struct out_text heads;
	struct out_text body;
	const char *group;
	int group_width;
	bool group_fresh;
	bool in_row;
	long until_head;
};

extern const struct out_ops out_table_ops;
extern const struct out_ops out_json_ops;
extern const struct out_ops out_csv_ops;

/**
 * out_append() - append to a text
 * @text: text
 * @fmt: what
 */
void out_append(struct out_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * out_reset() - empty a text
 * @text: text
 */
void out_reset(struct out_text *text);

/**
 * out_cell_text() - copy a cell's text
 * @cell: cell of a text, or of a list, which gets blanks between its texts
 * @clean: text_clean() for people, text_valid() for programs
 *
 * Return: the copy, to be freed.
 */
char *out_cell_text(const struct out_cell *cell,
		    char *(*clean)(const char *s, size_t length));

/**
 * out_puts() - write a text to the output
 * @out: output
 * @s: text
 */
void out_puts(struct out *out, const char *s);

#endif /* GETDELAYS_OUT_FORMS_H */
