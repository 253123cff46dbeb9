/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tasks of a user have used, in columns and in pairs */
#ifndef TASKACCT_CMD_USER_H
#define TASKACCT_CMD_USER_H

#include "out/pairs.h"
#include "taskacct.h"

/**
 * user_columns() - the columns of a user
 * @columns: set to them, to be freed
 * @people: sums for people; else all values, in the foreground and in the background
 *
 * Return: how many.
 */
size_t user_columns(struct out_column **columns, bool people);

/**
 * user_row() - the values of these columns
 * @row: where to
 * @user: user
 * @now_ns: when it was asked, nanoseconds since 1970
 * @people: as for user_columns()
 */
void user_row(struct value *row, const struct taskacct_user *user,
	      uint64_t now_ns, bool people);

/**
 * user_pairs() - all values of a user with their names
 * @pairs: set to them, to be freed
 * @user: user
 * @people: sums alone, with what they are
 *
 * Return: how many.
 */
size_t user_pairs(struct pair **pairs, const struct taskacct_user *user,
		  bool people);

/**
 * user_key() - the column for people that has a name
 * @name: such as "cpu"
 *
 * Return: its number, or -1 where there is none.
 */
int user_key(const char *name);

/**
 * user_sum() - a value by which users are sorted
 * @user: user
 * @key: number of a column for people; its number for the first
 *
 * Return: the value, in the foreground and in the background.
 */
uint64_t user_sum(const struct taskacct_user *user, int key);

/**
 * user_subtract() - leave what was used since
 * @now: user
 * @before: the same user, before
 *
 * Return: true if anything was used, or ended.
 */
bool user_subtract(struct taskacct_user *now,
		   const struct taskacct_user *before);

#endif /* TASKACCT_CMD_USER_H */
