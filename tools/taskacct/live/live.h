/* SPDX-License-Identifier: GPL-2.0-only */
/* The module: opened, and listened to */
#ifndef TASKACCT_CMD_LIVE_H
#define TASKACCT_CMD_LIVE_H

#include "base/message.h"
#include "fields/rec.h"

/* What is asked for with each record */
#define LIVE_WANT                                            \
	(TASKACCT_WANT_RECORD | TASKACCT_WANT_EXE_PATH |     \
	 TASKACCT_WANT_CGROUP_PATH | TASKACCT_WANT_CMDLINE | \
	 TASKACCT_WANT_BARE)

/* The same of each exit in shared memory */
#define LIVE_RING_WANT                                            \
	(TASKACCT_RING_MEMORY | TASKACCT_RING_WAITS |             \
	 TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH |     \
	 TASKACCT_WANT_CMDLINE)

/**
 * live_open() - open a handle, or end the program and say what to do
 * @family: family's name
 *
 * Return: a handle that has extended records.
 */
struct taskacct *live_open(const char *family);

/**
 * live_die() - say why a call failed and what to do, and end the program
 * @ta: handle
 * @err: negative errno
 */
void live_die(struct taskacct *ta, int err) __attribute__((noreturn));

/**
 * live_say() - say what the module refused, and the cure where there is one
 * @err: negative errno
 * @story: the library's words
 */
void live_say(int err, const char *story);

/**
 * live_subscribe() - begin to hear of exits on all CPUs, or end the program
 * @ta: handle
 * @rcvbuf: bytes of the receive buffer, 0 for a burst of 10,000 exits
 * @filter: which
 * @want: what is wanted of each, TASKACCT_WANT_*
 *
 * Again, it takes the place of what was wanted before, without a gap.
 */
void live_subscribe(struct taskacct *ta, int rcvbuf,
		    const struct taskacct_filter *filter, uint32_t want);

/**
 * live_kinds() - a filter that asks for the records of a kind
 * @kinds: which records count
 *
 * Return: the filter.
 */
struct taskacct_filter live_kinds(enum rec_kinds kinds);

/**
 * live_receive() - take what waits
 * @ta: handle; its handler is called
 *
 * Ends the program where the module is gone.
 */
void live_receive(struct taskacct *ta);

#endif /* TASKACCT_CMD_LIVE_H */
