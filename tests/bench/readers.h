/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_READERS_H
#define BENCH_READERS_H

#include "way.h"

#define BENCH_READERS_MAX 64

/* What readers do while tasks exit */
enum bench_readers_do {
	BENCH_SLEEP,		/* sleep until they are woken, which is far */
	BENCH_STOP,		/* the same, and are stopped by a signal */
	BENCH_LET,		/* read when they are let, and do not wait for exits */
	BENCH_FOLLOW,		/* read when they are woken, and say so */
};

/**
 * bench_readers_start() - have processes that read exits
 * @way: how
 * @ask: what they ask for
 * @n: how many, at most BENCH_READERS_MAX
 * @what: what they do
 */
void bench_readers_start(const struct bench_way *way, const struct bench_ask *ask,
			 unsigned int n, enum bench_readers_do what);

/**
 * bench_readers_let() - let readers of BENCH_LET read all that is there
 *
 * It does not wait for them.
 */
void bench_readers_let(void);

/**
 * bench_readers_expect() - begin to count what readers of BENCH_FOLLOW read
 */
void bench_readers_expect(void);

/**
 * bench_readers_await() - wait until each has read as many records as it asked to be woken at
 */
void bench_readers_await(void);

/**
 * bench_readers_stop() - end them; each reads all that is there before
 * @sum: receives what one has read that has read the least
 */
void bench_readers_stop(struct bench_read *sum);

#endif /* BENCH_READERS_H */
