/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output: rows of the same columns, as a table, as JSON or as CSV
 */
#ifndef TASKACCT_CMD_OUT_H
#define TASKACCT_CMD_OUT_H

#include <stdio.h>

#include "fields/field.h"

/**
 * enum out_form - what rows look like
 * @OUT_TABLE: a table for people
 * @OUT_JSON: an object a line
 * @OUT_JSON_ARRAY: one object with an array of objects
 * @OUT_CSV: as in RFC 4180, with a line of headings
 */
enum out_form {
	OUT_TABLE,
	OUT_JSON,
	OUT_JSON_ARRAY,
	OUT_CSV,
};

/**
 * struct out_column - a column
 * @name: for programs
 * @head: for people
 * @unit: what its values are
 * @width: usual width
 */
struct out_column {
	const char *name;
	const char *head;
	enum unit unit;
	int width;
};

/**
 * struct out_style - how it shall look
 * @form: form
 * @exact: numbers in JSON are strings, for readers that would round them
 * @no_headings: a table or CSV without its first line
 * @color: escape sequences for colours are wanted
 * @stream: rows are printed as they come, so widths are the usual ones
 * @wrap: columns of a terminal that others take than the last, whose texts go
 *	on in further lines then; or 0
 * @tree: number of the column that shows what is part of what, or -1
 */
struct out_style {
	enum out_form form;
	bool exact;
	bool no_headings;
	bool color;
	bool stream;
	int wrap;
	int tree;
};

/* An output */
struct out;

/**
 * out_open() - begin an output
 * @file: where to
 * @name: what the rows are, such as "exits"
 * @style: how it shall look
 * @columns: columns
 * @n: how many
 *
 * Return: the output; out_close() it.
 */
struct out *out_open(FILE *file, const char *name,
		     const struct out_style *style,
		     const struct out_column *columns, size_t n);

/**
 * out_row() - add a row
 * @out: output
 * @values: a value for each column
 * @parent: row that this one is part of, or NULL
 * @color: such as "red", or NULL
 *
 * Return: the row, as @parent of others; NULL where that has no meaning.
 */
void *out_row(struct out *out, const struct value *values, void *parent,
	      const char *color);

/**
 * out_close() - print what is not printed yet, free
 * @out: output
 *
 * Ends the program where that could not be written.
 */
void out_close(struct out *out);

/**
 * out_flush() - pass on what was printed, or end the program
 * @file: where to
 */
void out_flush(FILE *file);

/**
 * out_find_terminal() - learn how large the terminal of standard output is
 *
 * Before a pager comes in between.
 */
void out_find_terminal(void);

/**
 * out_terminal_columns() - how wide it is
 *
 * Return: columns, or 0 where it is no terminal.
 */
unsigned int out_terminal_columns(void);

/**
 * out_wants_color() - whether to use colours
 * @when: "auto", "always" or "never"
 *
 * Return: true if so; NO_COLOR and what is no terminal are against it.
 */
bool out_wants_color(const char *when);

/**
 * out_json_value() - write a value as JSON
 * @file: where to
 * @unit: what it is
 * @value: value
 * @exact: numbers are strings
 */
void out_json_value(FILE *file, enum unit unit, const struct value *value,
		    bool exact);

#endif /* TASKACCT_CMD_OUT_H */
