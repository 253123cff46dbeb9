/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns that are fields of records, as -o names them */
#ifndef TASKACCT_CMD_COLUMNS_H
#define TASKACCT_CMD_COLUMNS_H

#include "out.h"

/**
 * enum column_stat - what is reported of several records
 * @STAT_PLAIN: their sum, largest or smallest, by the field
 * @STAT_SUM: their sum
 * @STAT_MAX: the largest
 * @STAT_MIN: the smallest
 * @STAT_AVG: their mean
 * @STAT_PERCENTILE: a percentile
 * @STAT_COUNT: how many there are; of no field
 * @STAT_FAILED: how many of them failed; of no field
 * @STAT_SHARE: part of the sum over all groups
 * @STAT_VALID: how many of them have the value
 */
enum column_stat {
	STAT_PLAIN,
	STAT_SUM,
	STAT_MAX,
	STAT_MIN,
	STAT_AVG,
	STAT_PERCENTILE,
	STAT_COUNT,
	STAT_FAILED,
	STAT_SHARE,
	STAT_VALID,
};

/**
 * struct column - a column
 * @field: field, NULL for %STAT_COUNT and %STAT_FAILED
 * @stat: what is reported of several records
 * @percentile: of %STAT_PERCENTILE, in hundredths of a percent
 * @out: how it is printed
 */
struct column {
	const struct field *field;
	enum column_stat stat;
	unsigned int percentile;
	struct out_column out;
};

/**
 * struct columns - columns
 * @v: array
 * @n: how many
 */
struct columns {
	struct column *v;
	size_t n;
};

/**
 * columns_parse() - understand what -o says, or end the program
 * @columns: filled in
 * @text: names with commas between them; a + before the first adds them to
 *	the usual ones. NULL for the usual ones
 * @usual: the usual ones
 * @grouped: statistics such as cpu:p95 can be there
 */
void columns_parse(struct columns *columns, const char *text, const char *usual,
		   bool grouped);

/**
 * columns_parse_one() - understand one column, or end the program
 * @column: filled in
 * @text: its name, a part of @whole
 * @length: its length
 * @whole: what the user wrote
 * @grouped: statistics can be there
 */
void columns_parse_one(struct column *column, const char *text, size_t length,
		       const char *whole, bool grouped);

/**
 * columns_out() - columns as an output wants them
 * @columns: columns
 *
 * Return: an array.
 */
struct out_column *columns_out(const struct columns *columns);

#endif /* TASKACCT_CMD_COLUMNS_H */
