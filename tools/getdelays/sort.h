/* SPDX-License-Identifier: GPL-2.0-only */
/* What tables are sorted by */
#ifndef GETDELAYS_SORT_H
#define GETDELAYS_SORT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum sort_key - what a table is sorted by
 * @SORT_NONE: nothing was asked
 * @SORT_CPU: CPU time
 * @SORT_READ: bytes read from storage
 * @SORT_WRITE: bytes written to storage
 * @SORT_WAIT_CPU: time waited for a CPU
 * @SORT_WAIT_IO: time waited for block I/O
 * @SORT_RSS: resident memory
 * @SORT_LIFETIME: lifetime; of several the median
 * @SORT_P95: 95th percentile of several lifetimes; of totals only
 * @SORT_COUNT: how many there were; of totals only
 * @SORT_NAME: the name, ascending, as no other is
 * @SORT_PID: the number, ascending; of tasks only
 */
enum sort_key {
	SORT_NONE,
	SORT_CPU,
	SORT_READ,
	SORT_WRITE,
	SORT_WAIT_CPU,
	SORT_WAIT_IO,
	SORT_RSS,
	SORT_LIFETIME,
	SORT_P95,
	SORT_COUNT,
	SORT_NAME,
	SORT_PID,
};

/**
 * sort_parse() - look up a key
 * @key: set if there is one
 * @name: its name
 *
 * Return: true if there is such a key.
 */
bool sort_parse(enum sort_key *key, const char *name);

/**
 * sort_allowed() - whether a table can be sorted by a key
 * @key: key
 * @totals: it is one of totals and not of tasks
 *
 * Return: true if it can.
 */
bool sort_allowed(enum sort_key key, bool totals);

/**
 * sort_users() - whether users can be sorted by a key
 * @key: key
 *
 * Return: true if they can.
 */
bool sort_users(enum sort_key key);

/**
 * sort_list() - name the keys that a table can be sorted by
 * @text: where to
 * @size: of @text
 * @totals: it is one of totals and not of tasks
 */
void sort_list(char *text, size_t size, bool totals);

#endif /* GETDELAYS_SORT_H */
