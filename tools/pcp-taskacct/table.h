/* SPDX-License-Identifier: GPL-2.0-only */
/* What was used within an interval, as a table for people */
#ifndef PCP_TASKACCT_TABLE_H
#define PCP_TASKACCT_TABLE_H

#include <stdbool.h>

/**
 * struct table_wants - what somebody wants to see
 * @keys: which parts of an instance's name make a row: bits of 0, 1 and 2
 * @users: whether rows are users
 * @sort: value by which rows are sorted, the largest first; an enum value
 * @limit: how many rows, 0 for all
 */
struct table_wants {
	unsigned int keys;
	bool users;
	int sort;
	unsigned int limit;
};

/**
 * table_parse_by() - read by what rows are made
 * @wants: set to it
 * @text: such as "unit" or "unit,command"
 *
 * Return: false where a word is unknown.
 */
bool table_parse_by(struct table_wants *wants, char *text);

/**
 * table_parse_sort() - read by what rows are sorted
 * @wants: set to it
 * @text: such as "cpu"
 *
 * Return: false where the word is unknown.
 */
bool table_parse_sort(struct table_wants *wants, const char *text);

/**
 * table_print() - print what was used since sums_clear()
 * @wants: what of it
 *
 * Reports an error and ends the program where it cannot.
 */
void table_print(const struct table_wants *wants);

#endif /* PCP_TASKACCT_TABLE_H */
