// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the shared memory
 *
 * Whoever has the lock reads: the thread when some exits have gathered, the taker when it
 * comes by. Where too many wait to be taken the thread adds up those to come, in a table
 * whose memory is bounded. What it does not come to read in time the shared memory
 * overwrites, and their numbers tell how many were lost.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "live/live.h"
#include "reader.h"

/*
 * Exits that may gather before the thread wakes up. The usual size of the shared memory
 * holds 160 processes of each CPU, with names.
 */
#define WAKE 32

/* Exits that the thread reads in one go, so that the taker comes to its turn */
#define BURST 512

/* Bytes of messages with which the taker is told, and more than which wait at most */
#define TELL (256 << 10)
#define LIMIT (4 << 20)

/* The first memory for messages; it is doubled where that is needed. */
#define ROOM_MIN (2 * TASKACCT_RING_SIZE_MIN)

/* Messages one behind the other, as they are aligned */
struct queue {
	char *data;
	size_t used;
	size_t room;
};

/**
 * struct reader - see reader.h
 * @ring: the shared memory
 * @lock: protects all below up to @err but for @numbers, and the reading of @ring
 * @queue: messages that wait
 * @limit: bytes with which they are too many
 * @sums: totals of messages that came while they were
 * @numbers: where it had read up to when it was last taken from; of the taker
 * @n: how many there are
 * @stopped_ns: what ended later than this, since boot, is not asked for; 0: all is
 * @stop: the thread is to end
 * @done: an exit was read that ended after @stopped_ns
 * @err: why reading failed, or 0
 * @tell_fd: tells the taker of @TELL bytes
 * @stop_fd: tells the thread to end
 * @thread: empties the shared memory
 * @runs: there is a thread
 */
struct reader {
	struct taskacct_ring *ring;
	pthread_mutex_t lock;
	struct queue queue;
	size_t limit;
	struct sums *sums;
	uint64_t *numbers;
	unsigned int n;
	uint64_t stopped_ns;
	bool stop;
	bool done;
	int err;
	int tell_fd;
	int stop_fd;
	pthread_t thread;
	bool runs;
};

static void tell(int fd)
{
	const uint64_t one = 1;

	/* An eventfd whose count is full is readable all the same. */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

/* Nothing more is to be reported; that may not have been done. */
static void hush(int fd)
{
	uint64_t times;

	if (read(fd, &times, sizeof(times)) < 0)
		return;
}

/* Whether the largest of messages can be added; without memory it is as if it were full. */
static bool have_room(struct reader *r)
{
	struct queue *q = &r->queue;
	size_t room = q->room ? q->room : ROOM_MIN;
	char *data;

	if (q->used >= r->limit)
		return false;
	while (room - q->used < ROOM_MIN)
		room *= 2;
	if (room == q->room)
		return true;
	data = realloc(q->data, room);
	if (!data)
		return false;
	q->data = data;
	q->room = room;
	return true;
}

static void add(struct queue *q, const struct nlmsghdr *nlh)
{
	memcpy(q->data + q->used, nlh, nlh->nlmsg_len);
	q->used += NLMSG_ALIGN(nlh->nlmsg_len);
}

/* Whole where there is room, else as a part of totals. Returns 0 or -EBADMSG */
static int put(struct reader *r, const struct nlmsghdr *nlh)
{
	if (have_room(r))
		add(&r->queue, nlh);
	else if (!sums_add(r->sums, nlh))
		return -EBADMSG;
	return 0;
}

/* Under the lock: reads what there is; with @all, whether there is room or not */
static void fill(struct reader *r, bool all)
{
	struct taskacct_ring_exit exit;
	int got = 0, n;

	for (n = 0; !r->done && (all ? n < BURST : have_room(r)); n++) {
		got = taskacct_ring_next(r->ring, &exit);
		if (got == 1)
			got = put(r, exit.nlh) ?: 1;
		if (got != 1)
			break;
		r->done = r->stopped_ns && exit.time_ns > r->stopped_ns;
	}
	if (got < 0)
		r->err = got;
	if (r->queue.used >= TELL || r->err)
		tell(r->tell_fd);
}

/* Returns false when it is to end; else what it sleeps for is set. */
static bool read_some(struct reader *r)
{
	bool stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	if (!stop) {
		fill(r, true);
		stop = r->err;
		taskacct_ring_wait(r->ring, WAKE, 0);
	}
	pthread_mutex_unlock(&r->lock);
	return !stop;
}

static void *run(void *arg)
{
	struct reader *r = arg;
	struct pollfd fds[] = {
		{ .fd = taskacct_ring_fd(r->ring), .events = POLLIN },
		{ .fd = r->stop_fd, .events = POLLIN },
	};

	while (read_some(r))
		poll(fds, 2, -1);
	return NULL;
}

static int start(struct reader *r)
{
	int err;

	r->tell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->tell_fd < 0 || r->stop_fd < 0)
		return -errno;
	err = pthread_create(&r->thread, NULL, run, r);
	r->runs = !err;
	return -err;
}

static int open_ring(struct reader *r, const struct reader_options *options)
{
	const struct place *from = options->from;
	const struct taskacct_ring_options ring = {
		.want = LIVE_RING_WANT,
		.in_order = true,
		.family = options->family,
		.numbers = from ? from->numbers : NULL,
		.n_numbers = from ? from->n : 0,
		.fd = options->fd,
	};
	const int err = taskacct_ring_open(&r->ring, &ring);

	if (err)
		return err;
	r->n = taskacct_ring_numbers(r->ring, NULL, 0);
	r->numbers = calloc(r->n, sizeof(*r->numbers));
	if (!r->numbers)
		return -ENOMEM;
	taskacct_ring_numbers(r->ring, r->numbers, r->n);
	return 0;
}

int reader_open(struct reader **reader, const struct reader_options *options)
{
	struct reader *r = calloc(1, sizeof(*r));
	int err;

	*reader = NULL;
	if (!r)
		return -ENOMEM;
	r->limit = options->limit ? options->limit : LIMIT;
	r->tell_fd = -1;
	r->stop_fd = -1;
	pthread_mutex_init(&r->lock, NULL);
	r->sums = sums_new();
	err = open_ring(r, options);
	if (!err)
		err = start(r);
	if (err)
		reader_close(r);
	else
		*reader = r;
	return err;
}

int reader_fd(const struct reader *r)
{
	return r->tell_fd;
}

int reader_device(const struct reader *r)
{
	return taskacct_ring_fd(r->ring);
}

const uint64_t *reader_numbers(const struct reader *r, unsigned int *n)
{
	*n = r->n;
	return r->numbers;
}

static void hand_over(const struct queue *q, taskacct_handler handler, void *arg)
{
	struct taskacct_event event = { .type = TASKACCT_EVENT_RECORDS };
	struct timespec now;
	size_t at;

	clock_gettime(CLOCK_REALTIME, &now);
	event.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	for (at = 0; at < q->used; at += NLMSG_ALIGN(event.nlh->nlmsg_len)) {
		event.nlh = (const struct nlmsghdr *)(q->data + at);
		handler(&event, arg);
	}
}

/* Under the lock: the totals, if there are any, and an empty table in their place */
static struct sums *take_table(struct reader *r)
{
	struct sums *sums = r->sums;

	if (!sums_messages(sums))
		return NULL;
	r->sums = sums_new();
	return sums;
}

int reader_take(struct reader *r, taskacct_handler handler,
		reader_sums take_sums, void *arg)
{
	struct queue queue;
	struct sums *sums;
	bool more;
	int err;

	pthread_mutex_lock(&r->lock);
	fill(r, false);
	queue = r->queue;
	sums = take_table(r);
	taskacct_ring_numbers(r->ring, r->numbers, r->n);
	more = queue.used >= r->limit;
	err = r->err;
	memset(&r->queue, 0, sizeof(r->queue));
	hush(r->tell_fd);
	pthread_mutex_unlock(&r->lock);
	hand_over(&queue, handler, arg);
	if (sums)
		take_sums(sums, arg);
	sums_free(sums);
	free(queue.data);
	return err ? err : more;
}

static void end_thread(struct reader *r)
{
	if (!r->runs)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_mutex_unlock(&r->lock);
	tell(r->stop_fd);
	pthread_join(r->thread, NULL);
	r->runs = false;
}

void reader_stop(struct reader *r)
{
	struct timespec now;

	end_thread(r);
	clock_gettime(CLOCK_BOOTTIME, &now);
	r->stopped_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	end_thread(r);
	taskacct_ring_close(r->ring);
	if (r->tell_fd >= 0)
		close(r->tell_fd);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	pthread_mutex_destroy(&r->lock);
	sums_free(r->sums);
	free(r->numbers);
	free(r->queue.data);
	free(r);
}
