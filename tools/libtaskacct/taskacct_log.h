/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TASKACCT_LOG_LIBRARY_H
#define TASKACCT_LOG_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "taskacct.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * DOC: taskacct_log_open - write a log
 *
 * A log is a pcap file of netlink messages. This is libtaskacct-log, which needs libpcap;
 * rules for threads and compatibility are those of libtaskacct. A log and a reader are
 * handles.
 */

/* A log that is being written */
struct taskacct_log;

/**
 * struct taskacct_torn - what a log's end was like
 * @offset: length of what is whole
 * @bytes: bytes behind it that are no whole record; 0 if the log is whole, or
 *	torn and read from a pipe, which has no length
 * @reserved: room
 */
struct taskacct_torn {
	uint64_t offset;
	uint64_t bytes;
	uint64_t reserved[2];
};

/**
 * taskacct_log_open() - begin a log, or go on with one
 * @log: set even on failure; NULL only for -ENOMEM. Close it in any case
 * @path: file, or "-" for standard output
 * @torn: what was cut off, for a log that had a torn end
 *
 * A file that is anything but such a log is refused and left as it is. A log
 * has one writer at a time.
 *
 * Return: 0, -EBADMSG for what is no such log, -EBUSY for one that is being
 * written, or another errno.
 */
int taskacct_log_open(struct taskacct_log **log, const char *path,
		      struct taskacct_torn *torn);

/**
 * taskacct_log_open_stream() - begin a log that is written to a stream
 * @log: set even on failure; NULL only for -ENOMEM. Close it in any case
 * @file: stream that takes it, such as of fopencookie(); it is closed with the
 *	log, and on failure
 * @name: what it is called in taskacct_log_error()
 *
 * Return: 0, or a negative errno.
 */
int taskacct_log_open_stream(struct taskacct_log **log, FILE *file,
			     const char *name);

/**
 * taskacct_log_begin() - begin a session
 * @log: log
 * @family: taskacct_family_message() of whose messages are to come; without
 *	it nobody knows what they are
 *
 * Return: as taskacct_log_flush().
 */
int taskacct_log_begin(struct taskacct_log *log, const struct nlmsghdr *family);

/**
 * taskacct_log_message() - log a message
 * @log: log with a session
 * @nlh: the message
 * @time_ns: when it was received, nanoseconds since 1970
 *
 * It reaches the file at taskacct_log_flush() at the latest.
 *
 * Return: 0, or the errno with which an earlier write failed.
 */
int taskacct_log_message(struct taskacct_log *log, const struct nlmsghdr *nlh,
			 uint64_t time_ns);

/**
 * taskacct_log_note() - log a text of who writes it
 * @log: log
 * @text: text; readers that do not ask for notes pass over it
 *
 * Return: 0, or the errno with which this or an earlier write failed.
 */
int taskacct_log_note(struct taskacct_log *log, const char *text);

/**
 * taskacct_log_flush() - write what has gathered
 * @log: log
 *
 * After a failure the file ends with its last whole record, where the file
 * system allows that, and takes no more.
 *
 * Return: 0, or the errno with which this or an earlier write failed.
 */
int taskacct_log_flush(struct taskacct_log *log);

/**
 * taskacct_log_written() - how many messages are in the file
 * @log: log
 *
 * Return: messages that were written, whole, since taskacct_log_open(); what
 * begins a session is not counted. After a failed taskacct_log_synced() those
 * that had reached the disk.
 */
uint64_t taskacct_log_written(const struct taskacct_log *log);

/**
 * taskacct_log_fd() - the file, to fdatasync()
 * @log: log
 *
 * The kernel takes what is written into its cache, and that the disk is gone
 * it tells at fdatasync() only. That may take long; another thread may write
 * messages meanwhile.
 *
 * Return: file descriptor, negative for what is no regular file.
 */
int taskacct_log_fd(const struct taskacct_log *log);

/**
 * taskacct_log_synced() - tell how fdatasync() went
 * @log: log
 * @written: what taskacct_log_written() said before it
 * @err: 0 or negative errno
 *
 * Return: 0, or the errno of the first failure.
 */
int taskacct_log_synced(struct taskacct_log *log, uint64_t written, int err);

/**
 * taskacct_log_error() - the last failure in words
 * @log: log
 *
 * Return: what was tried and why it failed.
 */
const char *taskacct_log_error(const struct taskacct_log *log);

/**
 * taskacct_log_close() - flush and close
 * @log: log or NULL
 *
 * Return: as taskacct_log_flush().
 */
int taskacct_log_close(struct taskacct_log *log);

/**
 * DOC: taskacct_reader_open - read a log
 */

/* A log that is being read */
struct taskacct_reader;

/**
 * taskacct_reader_open() - open a log
 * @reader: set even on failure; NULL only for -ENOMEM. Close it in any case
 * @path: file, or "-" for standard input
 *
 * Return: 0, -EBADMSG for what is no log, or another errno.
 */
int taskacct_reader_open(struct taskacct_reader **reader, const char *path);

/**
 * typedef taskacct_note - takes a note that who wrote a log has left in it
 * @text: its text, which may be anything; valid until it returns
 * @arg: as given to taskacct_reader_set_note()
 */
typedef void (*taskacct_note)(const struct taskacct_name *text, void *arg);

/**
 * taskacct_reader_set_note() - say who takes notes
 * @reader: reader
 * @note: called from taskacct_reader_next()
 * @arg: for @note
 */
void taskacct_reader_set_note(struct taskacct_reader *reader,
			      taskacct_note note, void *arg);

/**
 * taskacct_reader_next() - the next message
 * @reader: reader
 * @event: the message; valid until the next call
 *
 * Return: 1, 0 at the end, or a negative errno.
 */
int taskacct_reader_next(struct taskacct_reader *reader,
			 struct taskacct_event *event);

/**
 * taskacct_reader_counts_losses() - as taskacct_counts_losses()
 * @reader: reader that has returned a message
 *
 * Return: whether the session at hand was taskacct's.
 */
bool taskacct_reader_counts_losses(const struct taskacct_reader *reader);

/**
 * taskacct_reader_family() - the family of the session at hand
 * @reader: reader that has returned a message
 *
 * Return: its name.
 */
const char *taskacct_reader_family(const struct taskacct_reader *reader);

/**
 * taskacct_reader_torn() - what the end was like
 * @reader: reader; what it has not come to the end of is not torn
 * @torn: filled in
 *
 * Return: true if the end was torn, and nobody was writing there, when the
 * reader came to it.
 */
bool taskacct_reader_torn(const struct taskacct_reader *reader,
			  struct taskacct_torn *torn);

/**
 * taskacct_reader_damaged() - records that were skipped
 * @reader: reader
 *
 * Return: how many records before the last whole one are no messages. Where
 * lengths are damaged, all up to the next whole one counts as one.
 */
uint64_t taskacct_reader_damaged(const struct taskacct_reader *reader);

/**
 * taskacct_reader_error() - the last failure in words
 * @reader: reader
 *
 * Return: what was tried and why it failed.
 */
const char *taskacct_reader_error(const struct taskacct_reader *reader);

/**
 * taskacct_reader_close() - close
 * @reader: reader or NULL
 */
void taskacct_reader_close(struct taskacct_reader *reader);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* TASKACCT_LOG_LIBRARY_H */
