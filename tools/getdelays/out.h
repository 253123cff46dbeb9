/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output: one interface, three forms
 *
 * A record is printed by one sequence of calls, whatever the form. Each value
 * has a key, under which JSON and CSV have it, and a heading, under which the
 * table has it; without the one or the other it is not there.
 */
#ifndef GETDELAYS_OUT_H
#define GETDELAYS_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "taskacct.h"

/**
 * enum out_form - what the output is for
 * @OUT_TABLE: people
 * @OUT_JSON: programs; an object a record and line
 * @OUT_CSV: spreadsheets
 */
enum out_form {
	OUT_TABLE,
	OUT_JSON,
	OUT_CSV,
};

/**
 * struct out_cell - a value
 * @key: name for programs, or NULL
 * @head: heading for people, or NULL
 * @width: columns; negative aligns to the left
 * @unit: what it is; %TASKACCT_UNIT_TEXT takes @text, others @value
 * @valid: there is a value
 * @flag: true and false, for programs
 * @alarm: is worth a look
 * @value: value
 * @text: value
 * @list: value, in the place of @text: texts, each ended by NUL
 * @list_length: bytes of all of them
 */
struct out_cell {
	const char *key;
	const char *head;
	int width;
	enum taskacct_unit unit;
	bool valid;
	bool flag;
	bool alarm;
	uint64_t value;
	const char *text;
	const char *list;
	size_t list_length;
};

/* An output */
struct out;

/**
 * out_open() - begin to print on standard output
 * @form: table, JSON or CSV
 *
 * Return: the output; there is no failure to handle, for it ends the program.
 */
struct out *out_open(enum out_form form);

/**
 * out_close() - flush and free
 * @out: output
 *
 * Return: 0 or the negative errno of the first write that failed.
 */
int out_close(struct out *out);

/**
 * out_flush() - write what has gathered
 * @out: output
 *
 * Return: 0 or the negative errno of the first write that failed.
 */
int out_flush(struct out *out);

/**
 * out_failed() - whether a write failed
 * @out: output
 *
 * Return: 0 or the negative errno of the first write that failed.
 */
int out_failed(const struct out *out);

/**
 * out_is_stream() - whether records are lines of one table
 * @out: output
 *
 * Return: true after out_stream().
 */
bool out_is_stream(const struct out *out);

/**
 * out_if_stream() - a heading that only lines of one table have
 * @out: output
 * @head: heading
 *
 * Return: @head or NULL.
 */
static inline const char *out_if_stream(const struct out *out, const char *head)
{
	return out_is_stream(out) ? head : NULL;
}

/**
 * out_if_block() - a heading that only blocks have
 * @out: output
 * @head: heading
 *
 * Return: @head or NULL.
 */
static inline const char *out_if_block(const struct out *out, const char *head)
{
	return out_is_stream(out) ? NULL : head;
}

/**
 * out_stream() - records are lines of one table from now on
 * @out: output
 */
void out_stream(struct out *out);

/**
 * out_begin() - begin a record
 * @out: output
 * @kind: what it is, JSON's "kind"
 * @table: records of the same table have the same columns
 * @title: line above the block, or NULL
 */
void out_begin(struct out *out, const char *kind, const char *table,
	       const char *title);

/**
 * out_group() - begin rows with headings in common
 * @out: output
 * @head: heading of the rows' names, or NULL where rows have none
 * @width: columns of the rows' names
 */
void out_group(struct out *out, const char *head, int width);

/**
 * out_row() - begin a row
 * @out: output
 * @name: its name, or NULL
 */
void out_row(struct out *out, const char *name);

/**
 * out_cell() - print a value
 * @out: output
 * @cell: value
 */
void out_cell(struct out *out, const struct out_cell *cell);

/**
 * out_end() - end a record
 * @out: output
 */
void out_end(struct out *out);

/**
 * out_u64() - print a number
 * @out: output
 * @key: name for programs
 * @head: heading for people
 * @width: columns
 * @unit: what it is
 * @value: number
 */
void out_u64(struct out *out, const char *key, const char *head, int width,
	     enum taskacct_unit unit, uint64_t value);

/**
 * out_text() - print a text
 * @out: output
 * @key: name for programs
 * @head: heading for people
 * @width: columns; negative aligns to the left
 * @text: text, or NULL where there is none
 */
void out_text(struct out *out, const char *key, const char *head, int width,
	      const char *text);

/**
 * out_list() - print several texts
 * @out: output
 * @key: name for programs
 * @head: heading for people
 * @list: texts, each ended by NUL, or NULL where there are none to be had
 * @length: bytes of all of them
 */
void out_list(struct out *out, const char *key, const char *head,
	      const char *list, size_t length);

/**
 * out_member() - print a value of an extended record
 * @out: output
 * @record: record
 * @member: value; its key is its name
 * @head: heading for people, or NULL
 * @width: columns
 */
void out_member(struct out *out, const struct taskacct_extended *record,
		enum taskacct_member member, const char *head, int width);

/**
 * out_field() - print a field of a record
 * @out: output
 * @stats: record
 * @field: field; its key is its name
 * @head: heading for people, or NULL
 * @width: columns
 */
void out_field(struct out *out, const struct taskacct_stats *stats,
	       enum taskacct_field field, const char *head, int width);

#endif /* GETDELAYS_OUT_H */
