/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record, wherever it is from and of whichever kind. All that this command
 * takes from libtaskacct's records goes through here.
 */
#ifndef TASKACCT_COMMON_REC_H
#define TASKACCT_COMMON_REC_H

#include <stdbool.h>
#include <stdint.h>

#include "taskacct.h"

/**
 * struct rec - a record
 * @classic: it is one of struct taskstats: @c, else @x
 * @x: extended record
 * @c: classic record
 * @exe: path of the executable, where it is known
 * @cgroup: path of the cgroup v2, likewise
 * @cmdline: arguments, each ended by NUL, likewise
 * @time_ns: when it was received, nanoseconds since 1970
 */
struct rec {
	bool classic;
	union {
		struct taskacct_extended x;
		struct taskacct_classic c;
	};
	struct taskacct_name exe;
	struct taskacct_name cgroup;
	struct taskacct_name cmdline;
	uint64_t time_ns;
};

/**
 * enum rec_kinds - which records count
 * @REC_PROCESSES: one of each process, when its last thread has ended
 * @REC_TASKS: one of each task
 */
enum rec_kinds {
	REC_PROCESSES,
	REC_TASKS,
};

/**
 * rec_take() - take the record of a kind out of a message
 * @rec: filled in; its names point into the message
 * @event: the message, of records
 * @kinds: which count
 *
 * Of a message with classic and extended records, the extended one.
 *
 * Return: 1, 0 where it has none of the kind, -EBADMSG for a damaged one.
 */
int rec_take(struct rec *rec, const struct taskacct_event *event,
	     enum rec_kinds kinds);

/**
 * rec_choose() - the record of a kind in a decoded message
 * @rec: filled in; its names point into the message
 * @message: the message
 * @kinds: which count
 * @time_ns: when it was received, nanoseconds since 1970
 *
 * Return: true, or false where it has none of the kind.
 */
bool rec_choose(struct rec *rec, const struct taskacct_message *message,
		enum rec_kinds kinds, uint64_t time_ns);

/**
 * rec_member() - a value of a record
 * @rec: record
 * @member: which value
 * @value: set to it
 *
 * Return: %TASKACCT_VALID, or why it cannot be relied on.
 */
enum taskacct_validity rec_member(const struct rec *rec,
				  enum taskacct_member member, uint64_t *value);

/**
 * rec_comm() - its name
 * @rec: record
 *
 * Return: the name.
 */
const char *rec_comm(const struct rec *rec);

/**
 * rec_is_process() - whether it is a process's
 * @rec: record
 *
 * Return: true for a process, false for a task.
 */
bool rec_is_process(const struct rec *rec);

/**
 * rec_flags() - what happened to it
 * @rec: record
 *
 * Return: TASKACCT_RECORD_*; of classic ones those that they have.
 */
uint32_t rec_flags(const struct rec *rec);

/**
 * rec_has_failed() - whether it ended with another status than 0, or by a signal
 * @rec: record
 *
 * Return: true if that is known.
 */
bool rec_has_failed(const struct rec *rec);

/**
 * rec_lifetime() - how long it lived
 * @rec: record
 *
 * Return: nanoseconds.
 */
uint64_t rec_lifetime(const struct rec *rec);

/**
 * rec_end() - when it ended or, alive, was asked about
 * @rec: record
 *
 * Return: nanoseconds since 1970.
 */
uint64_t rec_end(const struct rec *rec);

#endif /* TASKACCT_COMMON_REC_H */
