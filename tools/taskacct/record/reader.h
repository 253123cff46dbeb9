/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reader of the module's shared memory, which stays ahead of whoever takes its messages
 *
 * A thread empties the shared memory into memory of its own. So nothing is overwritten
 * there while what was taken is compressed, or while a disk is waited for. Where too much
 * waits to be taken it adds up what comes by cgroup, user and command.
 */
#ifndef TASKACCT_CMD_READER_H
#define TASKACCT_CMD_READER_H

#include "logs/place.h"
#include "logs/sums.h"

/* A reader that is open */
struct reader;

/**
 * struct reader_options - what a reader is to be
 * @family: handle of the family that messages are to be of
 * @limit: bytes of messages that may wait to be taken, about; 0: what is usual
 * @from: where to begin, or NULL: with the exits to come
 * @fd: the device, opened by who stood there; 0: it is opened
 */
struct reader_options {
	const struct taskacct *family;
	size_t limit;
	const struct place *from;
	int fd;
};

/**
 * reader_open() - read exits
 * @reader: set, or NULL on failure
 * @options: what it is to be
 *
 * While it is open the module cannot be unloaded.
 *
 * Return: 0, an errno of taskacct_ring_open(), or one of a thread that cannot be made.
 */
int reader_open(struct reader **reader, const struct reader_options *options);

/**
 * reader_device() - the device
 * @r: reader
 *
 * Return: descriptor.
 */
int reader_device(const struct reader *r);

/**
 * reader_fd() - what to wait on
 * @r: reader
 *
 * Return: descriptor that is readable when so much waits that it should be taken.
 * What is less is taken when there is time for it.
 */
int reader_fd(const struct reader *r);

/**
 * typedef reader_sums - takes totals of messages that there was no room for
 * @sums: totals; valid until it returns
 * @arg: as for the handler of messages
 */
typedef void (*reader_sums)(const struct sums *sums, void *arg);

/**
 * reader_take() - hand what waits to a handler
 * @r: reader
 * @handler: takes the messages
 * @take_sums: takes the totals of those that came behind them, if there are any
 * @arg: for both
 *
 * Return: 1 where others may wait, 0 where none does, or -EBADMSG for what no module
 * makes.
 */
int reader_take(struct reader *r, taskacct_handler handler,
		reader_sums take_sums, void *arg);

/**
 * reader_stop() - read nothing more than has ended by now
 * @r: reader; what was read is to be taken until nothing waits
 */
void reader_stop(struct reader *r);

/**
 * reader_numbers() - where those stand that reader_take() hands over
 * @r: reader
 * @n: set to how many lanes there are
 *
 * Return: the number behind them of each lane; valid until the next reader_take().
 */
const uint64_t *reader_numbers(const struct reader *r, unsigned int *n);

/**
 * reader_close() - close
 * @r: reader or NULL
 */
void reader_close(struct reader *r);

#endif /* TASKACCT_CMD_READER_H */
