/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses, reported when they happen and at most once a second */
#ifndef GETDELAYS_LOSSES_H
#define GETDELAYS_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

/**
 * struct losses - what is known and was reported
 * @workers: listeners
 * @n: how many
 * @ta: asks for statistics; a listener that overflows would lose the answer too
 * @counts: there are statistics; else only overflows are known
 * @quiet: the kernel tells of gaps by itself
 * @due: there was an overflow that was not reported
 * @reported_ns: when something was last reported, by the monotonic clock, or 0
 * @queue: messages that were reported, lost for want of room
 * @memory: messages that were reported, lost for want of memory
 * @overflows: overflows that were reported
 */
struct losses {
	const struct worker *workers;
	int n;
	struct taskacct *ta;
	bool counts;
	bool quiet;
	bool due;
	uint64_t reported_ns;
	uint64_t queue;
	uint64_t memory;
	uint64_t overflows;
};

/**
 * losses_open() - nothing was lost yet
 * @losses: losses
 * @workers: listeners, registered
 * @n: how many
 * @family: their family
 *
 * Return: 0 or a negative errno, and why has been said.
 */
int losses_open(struct losses *losses, const struct worker *workers, int n,
		const char *family);

/**
 * losses_close() - free what was opened
 * @losses: losses, or zeros
 */
void losses_close(struct losses *losses);

/**
 * losses_note() - there was an overflow
 * @losses: losses
 */
void losses_note(struct losses *losses);

/**
 * losses_tell() - tell of losses, unless there was none, or it is too soon
 * @losses: losses
 * @last: it is never too soon, for there is no later
 *
 * Return: milliseconds until it is time, or -1 if there is nothing to tell.
 */
int losses_tell(struct losses *losses, bool last);

#endif /* GETDELAYS_LOSSES_H */
