/* SPDX-License-Identifier: GPL-2.0-only */
/* Records one by one */
#ifndef TASKACCT_CMD_LISTING_H
#define TASKACCT_CMD_LISTING_H

#include "options.h"

/* Records one by one, in order */
struct listing;

/**
 * listing_open() - begin
 * @opt: options
 *
 * Return: the list, empty.
 */
struct listing *listing_open(const struct options *opt, const char *usual,
			     const char *sort);

/**
 * listing_add() - add a record
 * @list: list
 * @rec: record
 */
void listing_add(struct listing *list, const struct rec *rec);

/**
 * listing_close() - print, free
 * @list: list
 * @name: what the rows are
 */
void listing_close(struct listing *list, const char *name);

#endif /* TASKACCT_CMD_LISTING_H */
