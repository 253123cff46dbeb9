// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tables are sorted by
 */
#include <stdio.h>
#include <string.h>

#include "sort.h"

static const char *const names[] = {
	[SORT_CPU] = "cpu",	      [SORT_READ] = "read",
	[SORT_WRITE] = "write",	      [SORT_WAIT_CPU] = "wait-cpu",
	[SORT_WAIT_IO] = "wait-io",   [SORT_RSS] = "rss",
	[SORT_LIFETIME] = "lifetime", [SORT_P95] = "p95",
	[SORT_COUNT] = "count",	      [SORT_NAME] = "name",
	[SORT_PID] = "pid",
};

#define KEYS (sizeof(names) / sizeof(*names))

bool sort_parse(enum sort_key *key, const char *name)
{
	size_t i;

	for (i = SORT_NONE + 1; i < KEYS; i++) {
		if (!strcmp(name, names[i])) {
			*key = (enum sort_key)i;
			return true;
		}
	}
	return false;
}

bool sort_allowed(enum sort_key key, bool totals)
{
	if (key == SORT_P95 || key == SORT_COUNT)
		return totals;
	return key != SORT_PID || !totals;
}

bool sort_users(enum sort_key key)
{
	return key <= SORT_WAIT_IO || key == SORT_COUNT;
}

void sort_list(char *text, size_t size, bool totals)
{
	size_t i, n = 0;

	*text = '\0';
	for (i = SORT_NONE + 1; i < KEYS && n < size; i++)
		if (sort_allowed((enum sort_key)i, totals))
			n += (size_t)snprintf(text + n, size - n, "%s%s",
					      n ? ", " : "", names[i]);
}
