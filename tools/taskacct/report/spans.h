/* SPDX-License-Identifier: GPL-2.0-only */
/* Lifetimes of processes that have ended, for pictures */
#ifndef TASKACCT_CMD_SPANS_H
#define TASKACCT_CMD_SPANS_H

#include "fields/field.h"
#include "options.h"

/**
 * struct span - a process's life
 * @start: when it started, nanoseconds since 1970
 * @end: when it ended
 * @cpu: CPU time
 * @wait_cpu: time spent waiting for a CPU
 * @wait_io: for block I/O
 * @peak: most memory resident
 * @pid: its number
 * @comm: its name
 * @exit: how it ended
 * @lane: value of the field that it is put together with others by
 * @failed: it failed
 */
struct span {
	uint64_t start;
	uint64_t end;
	uint64_t cpu;
	uint64_t wait_cpu;
	uint64_t wait_io;
	uint64_t peak;
	uint32_t pid;
	const char *comm;
	const char *exit;
	const char *lane;
	bool failed;
};

/**
 * struct spans - lives
 * @v: array
 * @n: how many
 */
struct spans {
	struct span *v;
	size_t n;
};

/**
 * spans_add() - add a life
 * @spans: lives
 * @rec: record of it
 * @lane: field that it is put together with others by
 */
void spans_add(struct spans *spans, const struct rec *rec,
	       const struct field *lane);

/**
 * spans_sort() - put them in the order of their starts
 * @spans: lives
 */
void spans_sort(struct spans *spans);

/**
 * trace_write() - write them in Chrome's trace format
 * @path: file
 * @spans: lives; they are sorted
 */
void trace_write(const char *path, struct spans *spans);

#endif /* TASKACCT_CMD_SPANS_H */
