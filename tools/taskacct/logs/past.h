/* SPDX-License-Identifier: GPL-2.0-only */
/* Which segments a record has had, also where the last one was moved away */
#ifndef TASKACCT_CMD_PAST_H
#define TASKACCT_CMD_PAST_H

#include "store.h"

/**
 * past_note() - note how a segment ends, before it does
 * @dir: directory
 * @place: where the reader of the shared memory stands, as text, or NULL
 * @balance: balance of the segment, as text
 *
 * What was noted before goes. Where this cannot be written nothing is noted.
 */
void past_note(int dir, const char *place, const char *balance);

/**
 * past_list() - list segments, with what was noted of one that is not there
 * @path: directory
 * @entries: as for store_list(); kept_closed(), kept_last() and kept_standing() read each
 *
 * Return: as store_list().
 */
int past_list(const char *path, struct store_entry **entries);

#endif /* TASKACCT_CMD_PAST_H */
