/* SPDX-License-Identifier: GPL-2.0-only */
/* What a segment says of itself */
#ifndef TASKACCT_CMD_KEPT_H
#define TASKACCT_CMD_KEPT_H

#include "balance.h"
#include "place.h"

/* Where records are kept, if nobody says otherwise */
#define KEPT_DIR "/var/log/taskacct"

/**
 * kept_is_segment() - whether a file is called as segments are
 * @path: file
 *
 * Return: true if so.
 */
bool kept_is_segment(const char *path);

/**
 * kept_closed() - the balance of a segment that was closed
 * @path: file
 * @balance: filled in
 *
 * Return: true if it is one.
 */
bool kept_closed(const char *path, struct balance *balance);

/**
 * kept_last() - the last balance in a segment that was not closed
 * @path: file, which is read as far as it can be
 * @balance: filled in
 *
 * Return: true if it has one.
 */
bool kept_last(const char *path, struct balance *balance);

/**
 * struct standing - how far a recorder had come, as its last segment tells
 * @place: behind all that is in the segment; no lanes: it did not read the shared memory
 * @made: messages up to there that are in no balance and not in the segment
 * @lost: these, and those that were waiting: they cannot be had any more
 */
struct standing {
	struct place place;
	uint64_t made;
	uint64_t lost;
};

/**
 * kept_standing() - how far the recorder of a segment had come
 * @path: file, which is read as far as it can be
 * @standing: filled in; its place is to be freed
 *
 * Return: true if anything could be read.
 */
bool kept_standing(const char *path, struct standing *standing);

/**
 * kept_is_written() - whether somebody is writing a segment
 * @path: file
 *
 * Return: true if so.
 */
bool kept_is_written(const char *path);

#endif /* TASKACCT_CMD_KEPT_H */
