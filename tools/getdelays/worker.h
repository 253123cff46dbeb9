/* SPDX-License-Identifier: GPL-2.0-only */
/* A listener: one socket and the thread that empties it */
#ifndef GETDELAYS_WORKER_H
#define GETDELAYS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "sink.h"
#include "taskacct.h"

/**
 * struct worker - a listener
 * @ta: its socket
 * @cpus: list of CPUs that it hears
 * @cpu: CPU that it runs on, or negative for any
 * @sink: where its messages go
 * @limit: messages after which it ends, or 0
 * @want: what messages shall have, TASKACCT_WANT_*
 * @filter: which tasks are meant; with no condition and no @want as the
 *	kernel's own has it
 * @batch: how long messages may wait, or NULL
 * @use_ring: whether it reads shared memory, and not a socket
 * @ring: that, where it does
 * @stop_fd: readable when it is to end
 * @lost_fd: an eventfd that it writes to when something was lost
 * @done_fd: an eventfd that it writes to when it ends by itself
 * @stop: set when it is to end, for when it never gets to wait
 * @stopped_ns: when it was told so, in ns since boot; 0 where it ends by itself
 * @thread: its thread
 * @received: messages received
 * @overflows: times that the kernel reported an overflow
 * @statistics: the kernel's statistics at the end
 * @exact: @statistics are there
 * @err: why it ended by itself, or 0
 */
struct worker {
	struct taskacct *ta;
	char *cpus;
	int cpu;
	struct sink *sink;
	uint64_t limit;
	uint32_t want;
	const struct taskacct_filter *filter;
	const struct taskacct_batch *batch;
	enum options_ring use_ring;
	struct taskacct_ring *ring;
	int stop_fd;
	int lost_fd;
	int done_fd;
	atomic_bool stop;
	atomic_ullong stopped_ns;
	pthread_t thread;
	uint64_t received;
	atomic_ullong overflows;
	struct taskacct_listener statistics;
	bool exact;
	int err;
};

/**
 * worker_open() - register a listener
 * @worker: @ta, @cpus, @cpu, @sink, @limit, @want, @filter, @batch, @use_ring and the
 *	descriptors set
 * @rcvbuf: bytes of receive buffer as for SO_RCVBUF
 * @got: receive buffer that the system gave
 *
 * Return: 0 or a negative errno. Why is said here.
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
 * worker_stop() - tell it to end, before @stop_fd is written to
 * @worker: worker that was started
 */
void worker_stop(struct worker *worker);

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
