/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Totals of records that could not be kept one by one: by cgroup, user and command
 *
 * A table of rows, each of which has how many records it is of and, of each field that
 * can be taken together, how many of them have it and their sum, largest or smallest. In
 * a segment a row is a note with an object of JSON.
 */
#ifndef TASKACCT_CMD_SUMS_H
#define TASKACCT_CMD_SUMS_H

#include "fields/field.h"

/* Rows of a table; what would be one more is added to one row for all others. */
#define SUMS_MAX 512

/* Bytes that the paths of the cgroups of a table have at most */
#define SUMS_PATHS (256 << 10)

/* A command's name, with NUL */
#define SUMS_COMM 16

/**
 * struct sums_value - a field of the records of a row
 * @n: records that have it
 * @v: their sum, the largest or the smallest of them, by the field's @sum
 */
struct sums_value {
	uint64_t n;
	uint64_t v;
};

/**
 * struct sums_row - records that are taken together
 * @process: they count where processes do
 * @task: they count where tasks do; of a process with one thread both are set
 * @other: they are of several cgroups, users or commands, for which there was no room
 * @uid: real user
 * @comm: command
 * @cgroup: path of the cgroup v2, or NULL where that is not known
 * @from_ns: the earliest end of them, nanoseconds since 1970
 * @to_ns: the latest
 * @count: records
 * @failed: of these, those that failed
 * @values: of each field, by its number
 */
struct sums_row {
	bool process;
	bool task;
	bool other;
	uint32_t uid;
	char comm[SUMS_COMM];
	char *cgroup;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t count;
	uint64_t failed;
	struct sums_value *values;
};

/* A table; its memory is bounded. Whoever shares it has a lock of his own. */
struct sums;

/**
 * sums_new() - begin a table
 *
 * Return: an empty one.
 */
struct sums *sums_new(void);

/**
 * sums_add() - add the records of a message
 * @sums: table
 * @nlh: message
 *
 * Return: true, or false for a message without a record, which is not counted.
 */
bool sums_add(struct sums *sums, const struct nlmsghdr *nlh);

/**
 * sums_merge() - add all that another table has
 * @to: table
 * @from: other one, which stays as it is
 */
void sums_merge(struct sums *to, const struct sums *from);

/**
 * sums_messages() - how many messages were added
 * @sums: table
 *
 * Return: their number, those of merged tables included.
 */
uint64_t sums_messages(const struct sums *sums);

/**
 * sums_each() - go through the rows
 * @sums: table
 * @each: called for each row
 * @arg: for @each
 */
void sums_each(const struct sums *sums,
	       void (*each)(const struct sums_row *row, void *arg), void *arg);

/**
 * sums_free() - free a table
 * @sums: table or NULL
 */
void sums_free(struct sums *sums);

/**
 * sums_print() - write a row as an object of JSON
 * @row: row
 *
 * Return: text, to be freed.
 */
char *sums_print(const struct sums_row *row);

/**
 * sums_parse() - read a row
 * @text: what may be one
 * @length: its bytes
 *
 * Fields that are not known are passed over.
 *
 * Return: the row, to be freed, or NULL where it is none.
 */
struct sums_row *sums_parse(const char *text, size_t length);

/**
 * sums_row_free() - free a row
 * @row: row or NULL
 */
void sums_row_free(struct sums_row *row);

/**
 * sums_rec() - what all records of a row have in common, as a record
 * @row: row that is not of others
 * @rec: filled in, with names of @row: kind, user, command and cgroup
 * @end_ns: when it is to have ended, nanoseconds since 1970
 */
void sums_rec(const struct sums_row *row, struct rec *rec, uint64_t end_ns);

/**
 * sums_has_key() - whether the records of a row have a field in common
 * @name: the field's name
 *
 * Of days and hours they have where their ends are of the same.
 *
 * Return: true if so.
 */
bool sums_has_key(const char *name);

#endif /* TASKACCT_CMD_SUMS_H */
