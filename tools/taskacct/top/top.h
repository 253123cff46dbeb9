/* SPDX-License-Identifier: GPL-2.0-only */
/* A live screen: what it knows, and how it is drawn */
#ifndef TASKACCT_CMD_TOP_H
#define TASKACCT_CMD_TOP_H

#include "live/live.h"
#include "logs/logs.h"
#include "out/columns.h"
#include "options.h"

/**
 * struct top_row - a line of the screen
 * @key: what makes it one line
 * @parent: line that it is part of, in a tree
 * @depth: how many are above it
 * @number: how many were found before it
 * @live: live processes
 * @ended: processes that ended since the last look
 * @n: a number for each column: what was used since then, or what is held
 * @known: the column's value is known
 * @text: a text for each column that has texts; "*" for different ones
 * @room: for short texts, a part for each column
 * @shown: it was put on the screen, in a tree
 */
struct top_row {
	char *key;
	struct top_row *parent;
	unsigned int depth;
	size_t number;
	uint64_t live;
	uint64_t ended;
	uint64_t *n;
	bool *known;
	char **text;
	char *room;
	bool shown;
};

/**
 * struct top_set - lines that belong together
 * @rows: lines
 * @n: how many
 * @buckets: the same by their keys
 * @size: how many of these
 * @total: all of them together
 */
struct top_set {
	struct top_row **rows;
	size_t n;
	struct top_row **buckets;
	size_t size;
	struct top_row *total;
};

/* What processes had used at the last look */
struct top_memory;

/**
 * struct top - the state of the screen
 * @opt: options
 * @columns: columns
 * @rates: of each column, whether it is a rate
 * @by: fields to take processes together by; none for each by itself
 * @by_name: the same as the user wrote it, or NULL
 * @tree: cgroups as a tree
 * @sort: number of the column that lines are sorted by
 * @reverse: the smallest first
 * @filter: filter, or NULL
 * @asks: handle that asks for live processes
 * @hears: handle that hears of exits
 * @books: losses
 * @memory: what processes had used
 * @shown: what was found at the last look
 * @next: what is being found
 * @looked_ns: when it last looked, since boot
 * @interval_ns: how long ago it looked before that
 * @cost_ns: CPU time of this program in that interval
 */
struct top {
	const struct options *opt;
	struct columns columns;
	bool *rates;
	struct columns by;
	const char *by_name;
	bool tree;
	size_t sort;
	bool reverse;
	struct filter *filter;
	struct taskacct *asks;
	struct taskacct *hears;
	struct books books;
	struct top_memory *memory;
	struct top_set shown;
	struct top_set next;
	uint64_t looked_ns;
	uint64_t interval_ns;
	uint64_t cost_ns;
};

/**
 * top_open() - open the module, take a first look
 * @top: with @opt and @columns
 */
void top_open(struct top *top);

/**
 * top_drop_columns() - forget the columns, and what was found of them
 * @top: state, with which nothing but top_take_columns() can be done then
 */
void top_drop_columns(struct top *top);

/**
 * top_take_columns() - go on with other columns, and take a first look
 * @top: with @columns and @sort
 */
void top_take_columns(struct top *top);

/**
 * top_look() - find what was used since the last look
 * @top: state; its rows are made anew
 */
void top_look(struct top *top);

/**
 * top_group() - take processes together in another way, from the next look on
 * @top: state
 * @by: fields, or NULL for each by itself
 */
void top_group(struct top *top, const char *by);

/**
 * top_restart() - forget what ended since the last look
 * @top: state; what it has so far is not what is wanted now
 */
void top_restart(struct top *top);

/**
 * top_sort() - put the lines in order
 * @top: state
 */
void top_sort(struct top *top);

/**
 * top_close() - free
 * @top: state
 */
void top_close(struct top *top);

/**
 * top_is_rate() - whether a column is of what is used in some time
 * @column: column
 *
 * Return: true for a rate, false for what is held or is a text.
 */
bool top_is_rate(const struct column *column);

/**
 * top_has_column() - whether a column is there
 * @top: state
 * @i: its number
 *
 * Return: false for what says nothing of several processes, unless it was asked
 * for.
 */
bool top_has_column(const struct top *top, size_t i);

/* Lines that a screen begins with */
#define TOP_HEAD 3

/**
 * top_head() - write one of the lines that a screen begins with
 * @top: state
 * @i: which, below %TOP_HEAD
 *
 * Return: text, to be freed.
 */
char *top_head(const struct top *top, int i);

/**
 * top_headings() - write the line of headings
 * @top: state
 * @from: set to where the heading of the sorting column begins, in columns
 * @length: set to how long it is
 *
 * Return: text, to be freed.
 */
char *top_headings(const struct top *top, int *from, int *length);

/**
 * top_line() - write a line
 * @top: state
 * @row: which, or @top->total
 *
 * Return: text, to be freed.
 */
char *top_line(const struct top *top, const struct top_row *row);

#endif /* TASKACCT_CMD_TOP_H */
