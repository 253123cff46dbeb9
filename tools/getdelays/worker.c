// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener: one socket and the thread that empties it
 *
 * It receives as long as messages wait, and only when none does it flushes
 * what it wrote and sleeps. What losses there are others find out.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "worker.h"

static void wake(int fd)
{
	const uint64_t one = 1;

	/* An eventfd takes eight bytes, unless its count is full anyway. */
	if (write(fd, &one, sizeof(one)) != sizeof(one))
		message("eventfd: %s", strerror(errno));
}

static void take(const struct taskacct_event *event, void *arg)
{
	struct worker *worker = arg;

	if (worker->limit && worker->received == worker->limit)
		return;
	if (event->type == TASKACCT_EVENT_RECORDS)
		worker->received++;
	if (sink_event(worker->sink, event))
		worker->stop = true;
}

int worker_open(struct worker *worker, int rcvbuf, int *got)
{
	int err;

	taskacct_set_handler(worker->ta, take, worker);
	err = taskacct_set_buffer(worker->ta, rcvbuf, got);
	if (err)
		return err;
	if (worker->want || worker->filter->has || worker->batch)
		err = taskacct_subscribe(worker->ta, worker->cpus, worker->want,
					 worker->filter, worker->batch);
	else
		err = taskacct_register(worker->ta, worker->cpus);
	if (!err)
		message_verbose("registered for CPUs %s", worker->cpus);
	return err;
}

/* A CPU that is offline has nothing to run on, but may come. */
static void pin(const struct worker *worker)
{
	size_t size = CPU_ALLOC_SIZE((size_t)worker->cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)worker->cpu + 1);
	int err = ENOMEM;

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)worker->cpu, size, set);
		err = pthread_setaffinity_np(pthread_self(), size, set);
		CPU_FREE(set);
	}
	if (err)
		message("listener for CPU %d does not run on it: %s",
			worker->cpu, strerror(err));
}

/*
 * Receives what waits: all of it, or until told to stop. False when there is
 * no point in going on.
 */
static bool drain(struct worker *worker, bool all)
{
	int n;

	do {
		n = taskacct_receive(worker->ta);
		if (n == -ENOBUFS) {
			worker->overflows++;
			wake(worker->lost_fd);
		}
		if (worker->limit && worker->received == worker->limit)
			return false;
	} while ((n > 0 && (all || !worker->stop)) || n == -ENOBUFS);
	if (n < 0)
		worker->err = n;
	return n >= 0;
}

/* Returns false when it is to end */
static bool rest(struct worker *worker)
{
	struct pollfd fds[] = {
		{ .fd = taskacct_fd(worker->ta), .events = POLLIN },
		{ .fd = worker->stop_fd, .events = POLLIN },
	};

	if (sink_flush(worker->sink))
		return false;
	if (poll(fds, 2, -1) < 0 && errno != EINTR) {
		worker->err = -errno;
		return false;
	}
	return !worker->stop;
}

/*
 * In this order: after the deregistration no message is made, so what is
 * received until the queue is empty is all there will be, and the statistics
 * are final.
 */
static void finish(struct worker *worker)
{
	if (worker->err)
		return;
	worker->err = taskacct_deregister(worker->ta, worker->cpus);
	if (worker->err)
		return;
	drain(worker, true);
	if (!taskacct_counts_losses(worker->ta))
		return;
	worker->exact = !taskacct_listener(worker->ta, &worker->figures);
	drain(worker, true);
}

static void *run(void *arg)
{
	struct worker *worker = arg;

	if (worker->cpu >= 0)
		pin(worker);
	while (drain(worker, false) && rest(worker))
		;
	finish(worker);
	wake(worker->done_fd);
	return NULL;
}

int worker_start(struct worker *worker)
{
	return -pthread_create(&worker->thread, NULL, run, worker);
}

void worker_join(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
}

void worker_close(struct worker *worker)
{
	taskacct_close(worker->ta);
	taskacct_listener_free(&worker->figures);
	free(worker->cpus);
}
