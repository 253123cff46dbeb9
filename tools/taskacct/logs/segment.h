/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A segment of a record: a log, compressed with zstd while it is written
 *
 * The file is one frame of zstd that has a log, with a balance in it as a note
 * wherever it was flushed. A closed segment has a second frame, that decompressors
 * skip: with a newline and the balance, which so is the last line of the file.
 */
#ifndef TASKACCT_CMD_SEGMENT_H
#define TASKACCT_CMD_SEGMENT_H

#include "taskacct.h"

/* What a frame that is skipped begins with, and how long the last one may be */
#define SEGMENT_MAGIC UINT32_C(0x184d2a5b)
#define SEGMENT_TRAILER 1024

/* Bytes that wait for a full disk, before messages are refused */
#define SEGMENT_PENDING (1 << 20)

/* A segment that is being written */
struct segment;

/**
 * segment_open() - begin a segment
 * @segment: set, or NULL on failure
 * @dir: directory
 * @name: file in it, which is not there yet
 * @begin: message that explains those to come, or NULL where none do
 *
 * The file is locked while it is written, and its name is on the disk.
 *
 * Return: 0 or a negative errno.
 */
int segment_open(struct segment **segment, int dir, const char *name,
		 const struct nlmsghdr *begin);

/**
 * segment_add() - add a message
 * @segment: segment
 * @event: message
 *
 * Return: 0, or -ENOSPC where what waits for the disk is as much as may be.
 */
int segment_add(struct segment *segment, const struct taskacct_event *event);

/**
 * segment_has_room() - whether it takes more
 * @segment: segment
 *
 * Return: false where what waits for the disk is as much as may be.
 */
bool segment_has_room(struct segment *segment);

/**
 * segment_note() - add a text, which messages' readers pass over
 * @segment: segment; who adds much asks segment_has_room() before
 * @text: text
 */
void segment_note(struct segment *segment, const char *text);

/**
 * segment_flush() - write all that was added, to the disk
 * @segment: segment
 * @place: where the reader of the shared memory stands, as text, or NULL
 * @balance: balance up to now, as text
 *
 * Return: 0; -EIO where the disk has taken it and lost it, so that the segment
 * cannot be gone on with; or another errno, with which it can be tried again.
 */
int segment_flush(struct segment *segment, const char *place,
		  const char *balance);

/**
 * segment_end() - end the frame, add the balance, close
 * @segment: segment; freed
 * @balance: balance as text, or NULL to leave the end as it is
 *
 * Return: 0, or a negative errno with which the end is torn.
 */
int segment_end(struct segment *segment, const char *balance);

/**
 * segment_is_full() - whether it is as long as it may be
 * @segment: segment
 * @limit: bytes, with those that wait
 *
 * What the compressor has in it is taken from there where that may make the difference.
 *
 * Return: true if so.
 */
bool segment_is_full(struct segment *segment, uint64_t limit);

/**
 * segment_is_gone() - whether somebody removed the file
 * @segment: segment
 *
 * Return: true if it has no name any more.
 */
bool segment_is_gone(const struct segment *segment);

#endif /* TASKACCT_CMD_SEGMENT_H */
