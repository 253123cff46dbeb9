/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses, told when they happen and at most once a second */
#ifndef GETDELAYS_LOSSES_H
#define GETDELAYS_LOSSES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Time between two messages on losses */
#define LOSSES_PERIOD_NS UINT64_C(1000000000)

/**
 * struct losses - what is to be told
 * @lock: protects the rest
 * @lost: messages lost and not told of yet
 * @overflows: overflows not told of yet
 * @counts: losses are counted; else only overflows are known. Set before any
 *	is told
 * @told_ns: when something was last told, by the monotonic clock
 */
struct losses {
	pthread_mutex_t lock;
	uint64_t lost;
	uint64_t overflows;
	bool counts;
	uint64_t told_ns;
};

/**
 * losses_clock() - what time it is
 *
 * Return: nanoseconds of the monotonic clock.
 */
uint64_t losses_clock(void);

/**
 * losses_open() - nothing was lost yet
 * @losses: losses
 */
void losses_open(struct losses *losses);

/**
 * losses_note() - something was lost
 * @losses: losses
 * @lost: messages
 * @overflows: overflows
 */
void losses_note(struct losses *losses, uint64_t lost, uint64_t overflows);

/**
 * losses_tell() - tell of it, unless that was done less than a second ago
 * @losses: losses
 *
 * Return: milliseconds until there is something to be told, or -1.
 */
int losses_tell(struct losses *losses);

#endif /* GETDELAYS_LOSSES_H */
