/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process of very many threads that sleep, and what disturbs who adds it up:
 * children that come and go, and threads that do.
 */
#ifndef SELFTESTS_THRONG_H
#define SELFTESTS_THRONG_H

#include <stdint.h>

/* Bytes that a thread of the process reads before it exits, and in how many calls */
#define THRONG_READS	3
#define THRONG_BYTES	16

/**
 * struct throng - such a process, in memory that it shares with the test
 * @threads: how many sleep, besides those that disturb
 * @stop: those that disturb shall end
 * @children: how many were waited for
 * @exits: how many threads came and went
 * @begun: reads that may have been done by now
 * @done: reads that have been done for certain
 * @exit_ns: how long the last exit took that was asked for
 */
struct throng {
	unsigned int threads;
	int stop;
	unsigned long children;
	unsigned long exits;
	unsigned long begun;
	unsigned long done;
	int64_t exit_ns;
};

/*
 * Orders to throng_lead(), each answered by '.':
 *
 * 'v'	a thread has one child after the other and waits for it
 * 'c'	a thread starts others that read and exit, one after the other
 * 'x'	one of those that sleep reads and exits; exit_ns is how long that took
 * 's'	those that disturb end
 */
int throng_lead(int fd, void *arg);
struct throng *throng_new(unsigned int threads);
int throng_make_room(unsigned int threads);

#endif /* SELFTESTS_THRONG_H */
