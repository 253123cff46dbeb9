/* SPDX-License-Identifier: GPL-2.0-only */
/* Records taken together: by the values of some fields, or by cgroups */
#ifndef TASKACCT_CMD_GROUP_H
#define TASKACCT_CMD_GROUP_H

#include "logs/sums.h"
#include "out/columns.h"

/* Fields that records can be grouped by at once */
#define GROUP_KEYS_MAX 6

/**
 * struct tally - one column's values of a group
 * @n: records that have the value
 * @sum: their sum
 * @max: the largest
 * @min: the smallest
 * @text: the text, while it is the same in all
 * @length: its length
 * @mixed: there are different ones
 * @values: each, where a percentile is wanted
 * @sorted: these are in order
 */
struct tally {
	uint64_t n;
	uint64_t sum;
	uint64_t max;
	uint64_t min;
	const char *text;
	size_t length;
	bool mixed;
	uint64_t *values;
	bool sorted;
};

/**
 * struct group - records that are taken together
 * @next: in the same bucket
 * @keys: values of the fields that they are grouped by
 * @parent: of a tree
 * @row: of an output with a tree
 * @count: records
 * @failed: of these, those that failed
 * @tallies: a tally for each column
 */
struct group {
	struct group *next;
	struct value keys[GROUP_KEYS_MAX];
	struct group *parent;
	void *row;
	uint64_t count;
	uint64_t failed;
	struct tally *tallies;
};

/* Groups of records */
struct groups;

/**
 * groups_new() - begin
 * @keys: columns of fields to group by
 * @columns: columns that are reported of each group
 *
 * Return: groups, none so far.
 */
struct groups *groups_new(const struct columns *keys,
			  const struct columns *columns);

/**
 * groups_add() - add a record
 * @groups: groups
 * @rec: record
 *
 * Return: the group that it is in.
 */
struct group *groups_add(struct groups *groups, const struct rec *rec);

/**
 * groups_add_sums() - add a row of totals
 * @groups: groups
 * @row: row
 *
 * Columns that it does not tell of stay as they are, so that they are of fewer records
 * than the group. A row of others makes a group "(other)".
 *
 * Return: false where its records may belong to different groups, and nothing was added.
 */
bool groups_add_sums(struct groups *groups, const struct sums_row *row);

/**
 * groups_roll_up() - add to each cgroup what is below it
 * @groups: groups by cgroup alone
 */
void groups_roll_up(struct groups *groups);

/**
 * groups_sort() - put groups in order
 * @groups: groups
 * @column: number of the column that counts, or -1 for the keys
 * @reverse: the other way round; the usual one is the largest number or the
 *	first of the alphabet first
 * @n: set to how many groups there are
 *
 * Return: array of groups, valid until the next call for these.
 */
struct group **groups_sort(struct groups *groups, int column, bool reverse,
			   size_t *n);

/**
 * groups_value() - a column's value
 * @groups: groups
 * @group: one of them, or groups_total()
 * @i: number of the column
 * @value: set
 */
void groups_value(struct groups *groups, struct group *group, size_t i,
		  struct value *value);

/**
 * groups_total() - all records together
 * @groups: groups
 *
 * Return: their group.
 */
struct group *groups_total(struct groups *groups);

/**
 * groups_free() - free
 * @groups: groups or NULL
 */
void groups_free(struct groups *groups);

#endif /* TASKACCT_CMD_GROUP_H */
