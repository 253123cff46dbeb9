/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of records, and their total */
#ifndef TASKACCT_CMD_TOTALS_H
#define TASKACCT_CMD_TOTALS_H

#include "group.h"
#include "options.h"

/**
 * struct totals - groups of records, and how they are to be shown
 * @opt: options
 * @keys: what --by says
 * @columns: what -o says, and a last one that --sort says and -o does not
 * @shown: how many of @columns are shown
 * @sort: number of the column that counts, or -1 for the keys
 * @groups: the groups
 */
struct totals {
	const struct options *opt;
	struct columns keys;
	struct columns columns;
	size_t shown;
	int sort;
	struct groups *groups;
};

/**
 * totals_open() - begin
 * @t: filled in
 * @opt: options
 * @by: what to group by where --by is not given
 * @usual: usual columns
 */
void totals_open(struct totals *t, const struct options *opt, const char *by,
		 const char *usual);

/**
 * totals_print() - print the groups, and their total
 * @t: totals
 * @file: where to
 */
void totals_print(struct totals *t, FILE *file);

/**
 * totals_close() - free
 * @t: totals
 */
void totals_close(struct totals *t);

#endif /* TASKACCT_CMD_TOTALS_H */
