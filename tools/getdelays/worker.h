/* SPDX-License-Identifier: GPL-2.0-only */
/* A listener: one socket and the thread that empties it */
#ifndef GETDELAYS_WORKER_H
#define GETDELAYS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "losses.h"
#include "sink.h"
#include "taskacct.h"

/**
 * struct worker - a listener
 * @ta: its socket
 * @cpus: list of CPUs that it hears
 * @cpu: CPU that it runs on, or negative for any
 * @sink: where its messages go
 * @losses: who is told of losses
 * @limit: messages after which it ends, or 0
 * @stop_fd: readable when it is to end
 * @done_fd: an eventfd that it writes to when it ends by itself
 * @stop: set when it is to end, for when it never gets to wait
 * @thread: its thread
 * @received: messages received
 * @lost: messages known to be lost
 * @gaps: of these, seen as gaps in sequence numbers
 * @overflows: times that the kernel told of an overflow
 * @ask: figures are to be asked for, for there was an overflow
 * @asked_ns: when that was last done, by the monotonic clock
 * @figures: the kernel's figures at the end
 * @exact: @figures are there
 * @err: why it ended by itself, or 0
 */
struct worker {
	struct taskacct *ta;
	char *cpus;
	int cpu;
	struct sink *sink;
	struct losses *losses;
	uint64_t limit;
	int stop_fd;
	int done_fd;
	atomic_bool stop;
	pthread_t thread;
	uint64_t received;
	uint64_t lost;
	uint64_t gaps;
	uint64_t overflows;
	bool ask;
	uint64_t asked_ns;
	struct taskacct_listener figures;
	bool exact;
	int err;
};

/**
 * worker_open() - register a listener
 * @worker: @ta, @cpus, @cpu, @sink, @losses, @limit and the descriptors set
 * @rcvbuf: bytes of receive buffer as for SO_RCVBUF
 * @got: receive buffer that the system gave
 *
 * Return: 0 or a negative errno.
 */
int worker_open(struct worker *worker, int rcvbuf, int *got);

/**
 * worker_start() - start its thread
 * @worker: worker
 *
 * Return: 0 or a negative errno.
 */
int worker_start(struct worker *worker);

/**
 * worker_join() - wait for its thread
 * @worker: worker that was told to stop
 */
void worker_join(struct worker *worker);

/**
 * worker_close() - close its socket
 * @worker: worker
 */
void worker_close(struct worker *worker);

#endif /* GETDELAYS_WORKER_H */
