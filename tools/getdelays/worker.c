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
#include <time.h>
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
	/* What is left out here is not what was waited for. */
	if (worker->limit && !sink_means(worker->sink, event))
		return;
	if (event->type == TASKACCT_EVENT_RECORDS)
		worker->received++;
	if (sink_event(worker->sink, event))
		worker->stop = true;
}

static int open_ring(struct worker *worker)
{
	const uint32_t names = TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH |
			       TASKACCT_WANT_CMDLINE;
	const struct taskacct_ring_options options = {
		.want = (worker->want & names) | TASKACCT_RING_MEMORY |
			TASKACCT_RING_WAITS,
		.stream = true,
		.in_order = true,
		.family = worker->ta,
	};
	const int err = taskacct_ring_open(&worker->ring, &options);

	if (!err)
		message_verbose("reading " TASKACCT_RING_DEVICE);
	else if (worker->use_ring == OPTIONS_RING_ONLY)
		message("%s: %s%s", TASKACCT_RING_DEVICE, strerror(-err),
			err == -EACCES ? " (needs root, or ring_group=)" : "");
	else
		message_verbose("%s: %s", TASKACCT_RING_DEVICE, strerror(-err));
	return err;
}

static int open_socket(struct worker *worker, int rcvbuf, int *got)
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

int worker_open(struct worker *worker, int rcvbuf, int *got)
{
	int err;

	if (worker->use_ring != OPTIONS_RING_NOT) {
		err = open_ring(worker);
		if (!err || worker->use_ring == OPTIONS_RING_ONLY)
			return err;
	}
	err = open_socket(worker, rcvbuf, got);
	if (err)
		message_failed(err, taskacct_error(worker->ta));
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
 * As drain(), of shared memory. All of it is what there was when it was told to
 * stop: of tasks that end without a pause there is always one more.
 */
static bool drain_ring(struct worker *worker, bool all)
{
	struct taskacct_ring_exit exit;
	struct taskacct_event event = { .type = TASKACCT_EVENT_RECORDS };
	struct timespec now;
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	event.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	do {
		n = taskacct_ring_next(worker->ring, &exit);
		if (n == 1 && all && exit.time_ns > worker->stopped_ns)
			return true;
		event.nlh = exit.nlh;
		if (n == 1)
			take(&event, worker);
	} while (n == 1 && (all || !worker->stop));
	worker->err = n < 0 ? n : 0;
	return n >= 0;
}

/*
 * Receives what waits: all of it, or until told to stop. False when there is
 * no point in going on.
 */
static bool drain(struct worker *worker, bool all)
{
	int n;

	if (worker->ring)
		return drain_ring(worker, all);
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

/* What there is to wait for; of shared memory, the next exit */
static int fd_of(const struct worker *worker)
{
	if (!worker->ring)
		return taskacct_fd(worker->ta);
	taskacct_ring_wait(worker->ring, 1, 0);
	return taskacct_ring_fd(worker->ring);
}

/* Returns false when it is to end */
static bool rest(struct worker *worker)
{
	struct pollfd fds[] = {
		{ .fd = fd_of(worker), .events = POLLIN },
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

static void finish_ring(struct worker *worker)
{
	drain_ring(worker, true);
	worker->statistics.delivered = worker->received;
	worker->statistics.lost_queue =
		taskacct_ring_lost(worker->ring, TASKACCT_RING_PROCESSES) +
		taskacct_ring_lost(worker->ring, TASKACCT_RING_THREADS);
	worker->exact = true;
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
	if (worker->ring) {
		finish_ring(worker);
		return;
	}
	worker->err = taskacct_deregister(worker->ta, worker->cpus);
	if (worker->err)
		return;
	drain(worker, true);
	if (!taskacct_counts_losses(worker->ta))
		return;
	worker->exact = !taskacct_listener(worker->ta, &worker->statistics);
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

void worker_stop(struct worker *worker)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	worker->stopped_ns =
		(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	worker->stop = true;
}

void worker_join(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
}

void worker_close(struct worker *worker)
{
	taskacct_ring_close(worker->ring);
	taskacct_close(worker->ta);
	taskacct_listener_free(&worker->statistics);
	free(worker->cpus);
}
