// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was used within an interval, as a table for people
 */
#include <errno.h>
#include <libsmartcols.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "samples.h"
#include "sums.h"
#include "table.h"

#define PARTS 3

/* How columns are called, on the command line and above them */
static const struct {
	const char *word;
	const char *heading;
	enum unit unit;
} columns[VALUES] = {
	[VALUE_COUNT] = { "count", "COUNT", UNIT_COUNT },
	[VALUE_RUNTIME] = { "cpu", "CPU", UNIT_NS },
	[VALUE_WAIT_CPU] = { "wait-cpu", "W-CPU", UNIT_NS },
	[VALUE_WAIT_BLKIO] = { "wait-io", "W-IO", UNIT_NS },
	[VALUE_READ] = { "read", "READ", UNIT_BYTES },
	[VALUE_WRITE] = { "write", "WRITE", UNIT_BYTES },
};

/* Parts of an instance's name, UNIT::COMMAND::OUTCOME */
static const char *const parts[PARTS] = { "unit", "command", "outcome" };

/* @key: the parts that make the row, each ended by a NUL; @size: its bytes */
struct row {
	char *key;
	size_t size;
	struct used used;
};

struct rows {
	struct row *row;
	size_t nr, room;
	const struct table_wants *wants;
};

static int index_of(const char *word, const char *const *words, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return -1;
}

bool table_parse_by(struct table_wants *wants, char *text)
{
	char *word, *rest = text;
	int part;

	wants->keys = 0;
	wants->users = strcmp(text, "user") == 0;
	if (wants->users)
		return true;
	while ((word = strsep(&rest, ","))) {
		part = index_of(word, parts, PARTS);
		if (part < 0)
			return false;
		wants->keys |= 1U << part;
	}
	return true;
}

bool table_parse_sort(struct table_wants *wants, const char *text)
{
	int i;

	for (i = 0; i < VALUES; i++) {
		if (strcmp(text, columns[i].word) == 0) {
			wants->sort = i;
			return true;
		}
	}
	return false;
}

static void fail_memory(void)
{
	samples_fail("table", -ENOMEM);
}

/* The next part of a name, which is cut off; all of a name without parts is each of them. */
static const char *next_part(char **name)
{
	char *part = *name, *end = strstr(part, "::");

	if (end) {
		*end = '\0';
		*name = end + 2;
	}
	return part;
}

/* The parts of @name that are wanted, one after the other */
static char *make_key(const struct table_wants *wants, char *name, size_t *size)
{
	const char *part;
	char *key;
	FILE *stream;
	int i;

	stream = open_memstream(&key, size);
	if (!stream)
		fail_memory();
	for (i = 0; i < PARTS; i++) {
		part = next_part(&name);
		if (wants->users ? i == 0 : wants->keys & 1U << i)
			fprintf(stream, "%s%c", part, '\0');
	}
	if (fclose(stream))
		fail_memory();
	return key;
}

static bool is_any(const struct used *used)
{
	int i;

	for (i = 0; i < VALUES; i++)
		if (used->n[i])
			return true;
	return false;
}

/* A row of its own for an instance that used anything */
static void add_row(int id, const struct used *used, void *data)
{
	struct rows *rows = data;
	struct row *row;
	char *name;

	if (!is_any(used))
		return;
	if (rows->nr == rows->room) {
		rows->room = 2 * rows->room + 64;
		rows->row = reallocarray(rows->row, rows->room, sizeof(*row));
		if (!rows->row)
			fail_memory();
	}
	row = &rows->row[rows->nr++];
	name = samples_name(id);
	if (!name)
		fail_memory();
	row->key = make_key(rows->wants, name, &row->size);
	row->used = *used;
	free(name);
}

static int compare_keys(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const size_t size = x->size < y->size ? x->size : y->size;

	return memcmp(x->key, y->key, size) ?: (x->size > size) - (y->size > size);
}

static int compare_values(const void *a, const void *b, void *data)
{
	const struct row *x = a, *y = b;
	const int sort = *(const int *)data;
	const uint64_t n = x->used.n[sort], m = y->used.n[sort];

	return n == m ? compare_keys(a, b) : n < m ? 1 : -1;
}

static void add_used(struct used *sum, const struct used *used)
{
	int i;

	for (i = 0; i < VALUES; i++) {
		sum->n[i] += used->n[i];
		sum->valid[i] |= used->valid[i];
	}
}

/* One row for all with the same key */
static void merge_rows(struct rows *rows)
{
	struct row *row = rows->row;
	size_t i, nr = 0;

	qsort(row, rows->nr, sizeof(*row), compare_keys);
	for (i = 0; i < rows->nr; i++) {
		if (nr && compare_keys(&row[nr - 1], &row[i]) == 0) {
			add_used(&row[nr - 1].used, &row[i].used);
			free(row[i].key);
		} else {
			row[nr++] = row[i];
		}
	}
	rows->nr = nr;
}

static void set_cell(struct libscols_line *line, size_t column, const char *text)
{
	if (scols_line_set_data(line, column, text))
		fail_memory();
}

static void set_values(struct libscols_line *line, size_t column, const struct used *used)
{
	char text[UNITS_MAX];
	int i;

	for (i = 0; i < VALUES; i++) {
		strcpy(text, "-");
		if (used->valid[i])
			units_format(text, columns[i].unit, used->n[i]);
		set_cell(line, column + i, text);
	}
}

static struct libscols_line *new_line(struct libscols_table *table)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	if (!line)
		fail_memory();
	return line;
}

static void add_line(struct libscols_table *table, const struct row *row)
{
	struct libscols_line *line = new_line(table);
	const char *part;
	size_t column = 0;

	for (part = row->key; part < row->key + row->size; part += strlen(part) + 1)
		set_cell(line, column++, part);
	set_values(line, column, &row->used);
}

static void add_column(struct libscols_table *table, const char *heading, int flags)
{
	if (!scols_table_new_column(table, heading, 0, flags))
		fail_memory();
}

/* Return: how many columns are keys */
static size_t add_columns(struct libscols_table *table, const struct table_wants *wants)
{
	static const char *const headings[PARTS] = { "UNIT", "COMMAND", "OUTCOME" };
	size_t keys = 0;
	int i;

	for (i = 0; i < PARTS; i++) {
		if (wants->users ? i == 0 : wants->keys & 1U << i) {
			add_column(table, wants->users ? "USER" : headings[i], SCOLS_FL_TRUNC);
			keys++;
		}
	}
	for (i = 0; i < VALUES; i++)
		add_column(table, columns[i].heading, SCOLS_FL_RIGHT);
	return keys;
}

static void add_lines(struct libscols_table *table, const struct rows *rows, size_t keys)
{
	struct used sum = { 0 };
	struct libscols_line *line;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		if (!rows->wants->limit || i < rows->wants->limit)
			add_line(table, &rows->row[i]);
		add_used(&sum, &rows->row[i].used);
	}
	line = new_line(table);
	set_cell(line, 0, "(total)");
	set_values(line, keys, &sum);
}

static void print_rows(const struct rows *rows)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		fail_memory();
	add_lines(table, rows, add_columns(table, rows->wants));
	if (scols_print_table(table))
		fail_memory();
	scols_unref_table(table);
}

static void free_rows(struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		free(rows->row[i].key);
	free(rows->row);
}

void table_print(const struct table_wants *wants)
{
	struct rows rows = { .wants = wants };
	int sort = wants->sort;

	sums_each(add_row, &rows);
	merge_rows(&rows);
	qsort_r(rows.row, rows.nr, sizeof(*rows.row), compare_values, &sort);
	print_rows(&rows);
	free_rows(&rows);
}
