/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a record comes from: all exits, with what was lost of them counted
 *
 * It is the module's shared memory where that can be had, and else a listener of its
 * family. What takes records uses these calls only, and need not know which.
 */
#ifndef TASKACCT_CMD_SOURCE_H
#define TASKACCT_CMD_SOURCE_H

#include "logs/balance.h"
#include "logs/place.h"
#include "logs/sums.h"

/* A source that is open */
struct source;

/**
 * struct source_options - what a source is to be
 * @family: generic netlink family
 * @netlink: a listener, though the shared memory could be had
 * @buffer: bytes that may wait to be taken; 0: what is usual
 * @from: where a recorder stood whose device is still open, or NULL
 * @fd: that device
 * @handler: takes messages: records, and gaps, which tell of losses
 * @take_sums: takes totals of messages that there was no room for
 * @arg: for both
 */
struct source_options {
	const char *family;
	bool netlink;
	int buffer;
	const struct place *from;
	int fd;
	taskacct_handler handler;
	void (*take_sums)(const struct sums *sums, void *arg);
	void *arg;
};

/**
 * struct source_counts - what a source knows of its messages, since it was opened
 * @made: made for it, as their numbers tell, and those of the messages behind the one
 *	that the handler has at hand are not in it yet
 * @received: handed over, whole or in totals
 * @lost_queue: lost for want of room in the receive buffer
 * @lost_memory: lost for want of memory
 * @lost_ring: overwritten in the shared memory before they were read
 */
struct source_counts {
	uint64_t made;
	uint64_t received;
	uint64_t lost_queue;
	uint64_t lost_memory;
	uint64_t lost_ring;
};

/**
 * source_open() - find where exits are reported
 * @source: set even on failure, unless for -ENOMEM. Close it in any case
 * @options: what it is to be, copied
 *
 * No message comes before source_start().
 *
 * Return: 0, -ENOENT where there is no such family, -EOPNOTSUPP for one without
 * extended records, or another errno.
 */
int source_open(struct source **source, const struct source_options *options);

/**
 * source_start() - begin to hear of all exits
 * @source: source; the handler may be called before it returns
 *
 * Return: 0, -EPERM where that is not allowed, or another errno.
 */
int source_start(struct source *source);

/**
 * source_way() - what a source that was started is
 * @source: source
 *
 * Return: %BALANCE_RING or %BALANCE_NETLINK.
 */
enum balance_source source_way(const struct source *source);

/**
 * source_why_not() - why a source is a listener
 * @source: source
 *
 * Return: a negative errno of the shared memory; 0 where it was not asked for.
 */
int source_why_not(const struct source *source);

/**
 * source_goes_on() - whether a source that was started goes on from where one stood
 * @source: source
 *
 * Return: true if so; else it began with the exits to come.
 */
bool source_goes_on(const struct source *source);

/**
 * source_place() - where it stands in the shared memory
 * @source: source that was started
 *
 * Return: place behind the last message that the handler has taken, or NULL for a
 * listener.
 */
const struct place *source_place(const struct source *source);

/**
 * source_device() - the shared memory's device
 * @source: source that has a place
 *
 * Return: descriptor.
 */
int source_device(const struct source *source);

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
