/* SPDX-License-Identifier: GPL-2.0-only */
/* The expression of --filter */
#ifndef GETDELAYS_FILTER_H
#define GETDELAYS_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "taskacct.h"

/**
 * filter_parse() - add the conditions of an expression to a filter
 * @filter: filter; begins as zeros
 * @expr: conditions with commas between them; a backslash takes the special
 *	meaning from what follows it
 * @why: what is wrong with which of them
 * @size: of @why
 *
 * A cgroup that is named by its directory is opened, and stays open.
 *
 * Return: true, or false for what is no such expression.
 */
bool filter_parse(struct taskacct_filter *filter, const char *expr, char *why,
		  size_t size);

/**
 * filter_time() - read a time, as in 1.5s
 * @ns: where to
 * @text: number, with or without a fraction, and unit
 * @why: what is wrong with it
 * @size: of @why
 *
 * Return: true, or false for what is no such time.
 */
bool filter_time(uint64_t *ns, const char *text, char *why, size_t size);

/**
 * filter_close() - close what was opened
 * @filter: filter
 */
void filter_close(struct taskacct_filter *filter);

#endif /* GETDELAYS_FILTER_H */
