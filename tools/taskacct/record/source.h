/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a record comes from: all exits, with what was lost of them counted
 *
 * Now it is a listener of the module's family. What takes records uses these calls
 * only, so that another source can take its place.
 */
#ifndef TASKACCT_CMD_SOURCE_H
#define TASKACCT_CMD_SOURCE_H

#include "taskacct.h"

/* A source that is open */
struct source;

/**
 * struct source_counts - what a source knows of its messages, since it was opened
 * @made: made for it, as their numbers tell
 * @received: handed to its handler
 * @lost_queue: lost for want of room in the receive buffer
 * @lost_memory: lost for want of memory
 */
struct source_counts {
	uint64_t made;
	uint64_t received;
	uint64_t lost_queue;
	uint64_t lost_memory;
};

/**
 * source_open() - find where exits are told of
 * @source: set even on failure, unless for -ENOMEM. Close it in any case
 * @family: generic netlink family
 * @buffer: bytes that may wait to be taken
 * @handler: takes messages: records, and gaps, which tell of losses
 * @arg: for @handler
 *
 * No message comes before source_start().
 *
 * Return: 0, -ENOENT where there is no such family, -EOPNOTSUPP for one without
 * extended records, or another errno.
 */
int source_open(struct source **source, const char *family, int buffer,
		taskacct_handler handler, void *arg);

/**
 * source_start() - begin to hear of all exits
 * @source: source; the handler may be called before it returns
 *
 * Return: 0, -EPERM where that is not allowed, or another errno.
 */
int source_start(struct source *source);

/**
 * source_fd() - what to wait on
 * @source: source
 *
 * Return: descriptor that is readable when source_next() has something to do.
 */
int source_fd(const struct source *source);

/**
 * source_next() - hand some messages to the handler, without waiting
 * @source: source
 *
 * Return: more than 0 where others may wait, 0 where none does, -ENODEV where the
 * module was unloaded, or another errno.
 */
int source_next(struct source *source);

/**
 * source_counts() - what there was, up to now
 * @source: source
 * @counts: filled in
 */
void source_counts(const struct source *source, struct source_counts *counts);

/**
 * source_finish() - hear of no more exits, and take what is on its way
 * @source: source; its counts are final then
 */
void source_finish(struct source *source);

/**
 * source_begin_message() - what the messages of a source are explained by
 * @source: source
 *
 * Return: the message with which a log of them begins.
 */
const struct nlmsghdr *source_begin_message(const struct source *source);

/**
 * source_error() - the last failure in words
 * @source: source or NULL
 *
 * Return: text.
 */
const char *source_error(const struct source *source);

/**
 * source_close() - close
 * @source: source or NULL
 */
void source_close(struct source *source);

#endif /* TASKACCT_CMD_SOURCE_H */
