// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Exits that are read from shared memory
 *
 * <linux/taskacct_ring.h> has the protocol, and the names of the barriers that those here
 * pair with.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include "handle.h"

/*
 * struct ring_lane - a lane of a ring, and where its reader is
 * @shared: what the kernel says of it
 * @data: its bytes
 * @mask: how many, less one
 * @position: of the next entry to be read
 * @number: that it should have, those with less are passed over; 0: any
 * @next: its beginning, where @peeked
 * @peeked: @next is known
 */
struct ring_lane {
	const struct taskacct_ring_lane *shared;
	const char *data;
	uint64_t mask;
	uint64_t position;
	uint64_t number;
	struct taskacct_ring_entry next;
	bool peeked;
};

/* How the reader fared, as an attribute of a message */
struct stream {
	struct nlattr pad;
	struct nlattr attr;
	struct taskacct_stream stream;
};

/* An entry as a message: its attributes are where they are aligned as in the ring. */
struct message {
	uint32_t pad;
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	char attributes[TASKACCT_RING_SIZE_MIN + sizeof(struct stream)];
};

/**
 * struct taskacct_ring - see taskacct.h
 * @fd: the device
 * @map: the whole map
 * @header: as it was when it was opened
 * @lanes: all lanes of all rings
 * @n_lanes: how many
 * @at: the lane that was read last
 * @stream: messages tell how the reader fared
 * @in_order: entries are given in the order of their times
 * @read: entries read
 * @lost: entries lost, of each lane
 * @message: the entry that was read last
 */
struct taskacct_ring {
	int fd;
	const char *map;
	struct taskacct_ring_header header;
	struct ring_lane *lanes;
	unsigned int n_lanes;
	unsigned int at;
	bool stream;
	bool in_order;
	uint64_t read;
	uint64_t lost[TASKACCT_RING_LANES];
	struct message message;
};

static uint64_t load(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static uint64_t load_acquire(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Whether what was copied may not be what was written at a position */
static bool is_overwritten(const struct ring_lane *lane)
{
	/* Pairs with W1. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load(&lane->shared->begin) > lane->position;
}

static void go_to(struct ring_lane *lane, uint64_t position)
{
	lane->position = position;
	lane->peeked = false;
}

/* Finds the end of a lane, and returns the number of the entry that will be there. */
static uint64_t find_end(const struct ring_lane *lane, uint64_t *end)
{
	const struct taskacct_ring_lane *shared = lane->shared;
	uint64_t made;

	do {
		/* Pairs with W3. */
		made = load_acquire(&shared->made);
		/* Pairs with W2. */
		*end = load_acquire(&shared->end);
	} while (load(&shared->begun) != made);
	return made + 1;
}

/*
 * Finds the next entry, which may be overwritten as soon as it is found. Returns false if
 * there is none.
 */
static bool find_entry(const struct taskacct_ring *ring, struct ring_lane *lane)
{
	struct taskacct_ring_entry *entry = &lane->next;
	uint64_t offset, left;

	/* Pairs with W2. */
	while (load_acquire(&lane->shared->end) != lane->position) {
		offset = lane->position & lane->mask;
		left = lane->mask + 1 - offset;
		if (left < ring->header.entry_size) {
			go_to(lane, lane->position + left);
			continue;
		}
		memcpy(entry, lane->data + offset, sizeof(*entry));
		if (is_overwritten(lane)) {
			go_to(lane, load(&lane->shared->begin));
			continue;
		}
		if (entry->number && entry->number >= lane->number)
			return true;
		go_to(lane, lane->position + entry->length);
	}
	return false;
}

/* Those that got a number and no entry */
static void count_missed(struct taskacct_ring *ring, unsigned int i)
{
	struct ring_lane *lane = &ring->lanes[i];
	uint64_t end, number;

	if (load(&lane->shared->made) + 1 == lane->number)
		return;
	number = find_end(lane, &end);
	if (end != lane->position)
		return;
	if (lane->number)
		ring->lost[i % ring->header.lanes] += number - lane->number;
	lane->number = number;
}

/* Returns whether there is an entry, and knows its beginning then. */
static bool peek(struct taskacct_ring *ring, unsigned int i)
{
	struct ring_lane *lane = &ring->lanes[i];

	if (lane->peeked)
		return true;
	lane->peeked = find_entry(ring, lane);
	if (!lane->peeked)
		count_missed(ring, i);
	return lane->peeked;
}

/* The lane to read from; NULL: there is nothing */
static struct ring_lane *choose(struct taskacct_ring *ring)
{
	struct ring_lane *first = NULL;
	unsigned int i, n;

	for (n = 0, i = ring->at; n < ring->n_lanes; n++, i++) {
		if (i == ring->n_lanes)
			i = 0;
		if (!peek(ring, i) ||
		    (first && ring->lanes[i].next.time >= first->next.time))
			continue;
		first = &ring->lanes[i];
		ring->at = i;
		if (!ring->in_order)
			break;
	}
	return first;
}

/* Whether an entry can be copied. No module makes others. */
static bool is_sane(const struct taskacct_ring *ring, const struct ring_lane *lane)
{
	const uint64_t left = lane->mask + 1 - (lane->position & lane->mask);
	const size_t head = ring->header.entry_size;
	const size_t length = lane->next.length;

	return length >= head && length <= left &&
	       length - head <= TASKACCT_RING_SIZE_MIN;
}

/* Copies what follows the entry's beginning; false if it is overwritten meanwhile. */
static bool copy_rest(struct taskacct_ring *ring, struct ring_lane *lane)
{
	const char *from = lane->data + (lane->position & lane->mask);
	const size_t head = ring->header.entry_size;
	const size_t size = lane->next.length - head;
	struct message *message = &ring->message;

	memcpy(message->attributes, from + head, size);
	if (is_overwritten(lane)) {
		go_to(lane, load(&lane->shared->begin));
		return false;
	}
	message->nlh.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + GENL_HDRLEN + size);
	message->nlh.nlmsg_seq = (uint32_t)lane->next.number;
	go_to(lane, lane->position + lane->next.length);
	return true;
}

static void put_stream(struct taskacct_ring *ring)
{
	struct nlmsghdr *nlh = &ring->message.nlh;
	const uint64_t lost = ring->lost[TASKACCT_RING_PROCESSES] +
			      ring->lost[TASKACCT_RING_THREADS];
	const struct stream stream = {
		.pad = { sizeof(stream.pad), TASKACCT_TYPE_PAD },
		.attr = { sizeof(stream.attr) + sizeof(stream.stream),
			  TASKACCT_TYPE_STREAM },
		.stream = { .seq = ring->read + lost, .lost_queue = lost },
	};

	memcpy((char *)nlh + nlh->nlmsg_len, &stream, sizeof(stream));
	nlh->nlmsg_len += (uint32_t)sizeof(stream);
}

int taskacct_ring_next(struct taskacct_ring *ring, struct taskacct_ring_exit *exit)
{
	struct ring_lane *lane;

	do {
		lane = choose(ring);
		if (!lane)
			return 0;
		if (!is_sane(ring, lane))
			return -EBADMSG;
	} while (!copy_rest(ring, lane));
	exit->lane = ring->at % ring->header.lanes;
	exit->cpu = lane->next.cpu;
	exit->number = lane->next.number;
	exit->time_ns = lane->next.time;
	exit->lost = lane->number ? lane->next.number - lane->number : 0;
	exit->nlh = &ring->message.nlh;
	ring->lost[exit->lane] += exit->lost;
	ring->read++;
	if (ring->stream)
		put_stream(ring);
	lane->number = lane->next.number + 1;
	return 1;
}

int taskacct_ring_wait(struct taskacct_ring *ring, unsigned int records, int msecs)
{
	struct pollfd pollfd = { .fd = ring->fd, .events = POLLIN };
	__u64 at = records;
	unsigned int i;
	int n;

	for (i = 0; i < ring->n_lanes; i++)
		if (ring->lanes[i].number)
			at += ring->lanes[i].number - 1;
	if (ioctl(ring->fd, TASKACCT_RING_WAKE, &at))
		return -errno;
	n = poll(&pollfd, 1, msecs);
	return n < 0 ? -errno : n;
}

uint64_t taskacct_ring_lost(const struct taskacct_ring *ring, unsigned int lane)
{
	return lane < TASKACCT_RING_LANES ? ring->lost[lane] : 0;
}

unsigned int taskacct_ring_numbers(const struct taskacct_ring *ring, uint64_t *numbers,
				   unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && i < ring->n_lanes; i++)
		numbers[i] = ring->lanes[i].number;
	return ring->n_lanes;
}

int taskacct_ring_fd(const struct taskacct_ring *ring)
{
	return ring->fd;
}

/* All at once: a fault for each page costs who reads a quarter of the reading. */
static const void *map(const struct taskacct_ring *ring, size_t size)
{
	const void *at = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, ring->fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* First the page that tells how long it is, then all of it */
static int map_all(struct taskacct_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const void *first = map(ring, page);

	if (!first)
		return -errno;
	memcpy(&ring->header, first, sizeof(ring->header));
	munmap((void *)first, page);
	if (ring->header.compatible > TASKACCT_RING_VERSION ||
	    ring->header.header_size < sizeof(ring->header) ||
	    ring->header.entry_size < sizeof(struct taskacct_ring_entry) ||
	    ring->header.lanes != TASKACCT_RING_LANES ||
	    ring->header.map_size > SIZE_MAX)
		return -EPROTONOSUPPORT;
	ring->map = map(ring, (size_t)ring->header.map_size);
	return ring->map ? 0 : -errno;
}

static void set_up_lane(struct taskacct_ring *ring, unsigned int i, bool oldest)
{
	const struct taskacct_ring_header *header = &ring->header;
	const char *from = ring->map + header->ring_offset +
			   i / header->lanes * header->ring_stride;
	const unsigned int n = i % header->lanes;
	struct ring_lane *lane = &ring->lanes[i];

	lane->shared = (const void *)(from + n * header->lane_stride);
	lane->data = from + header->data_offset[n];
	lane->mask = header->data_size[n] - 1;
	if (oldest)
		lane->position = load(&lane->shared->begin);
	else
		lane->number = find_end(lane, &lane->position);
}

/* Where a reader stood: what it had read is still there, perhaps, and is passed over. */
static int go_on(struct taskacct_ring *ring, const struct taskacct_ring_options *options)
{
	struct ring_lane *lane;
	unsigned int i;

	if (options->n_numbers != ring->n_lanes)
		return -EINVAL;
	for (i = 0; i < ring->n_lanes; i++) {
		lane = &ring->lanes[i];
		lane->number = options->numbers[i];
		if (lane->number > load(&lane->shared->made) + 1)
			return -EINVAL;
	}
	return 0;
}

static int open_device(const struct taskacct_ring_options *options)
{
	return options->fd ? fcntl(options->fd, F_DUPFD_CLOEXEC, 0) :
			     open(TASKACCT_RING_DEVICE, O_RDONLY | O_CLOEXEC);
}

static int set_up(struct taskacct_ring *ring, const struct taskacct_ring_options *options)
{
	const bool oldest = options->oldest || options->numbers;
	const __u32 want = options->want;
	unsigned int i;
	int err;

	ring->fd = open_device(options);
	if (ring->fd < 0 ||
	    (options->sizes.size[0] &&
	     ioctl(ring->fd, TASKACCT_RING_SIZE, &options->sizes)) ||
	    ioctl(ring->fd, TASKACCT_RING_WANT, &want))
		return -errno;
	err = map_all(ring);
	if (err)
		return err;
	ring->n_lanes = ring->header.rings * ring->header.lanes;
	ring->lanes = calloc(ring->n_lanes, sizeof(*ring->lanes));
	if (!ring->lanes)
		return -ENOMEM;
	for (i = 0; i < ring->n_lanes; i++)
		set_up_lane(ring, i, oldest);
	return options->numbers ? go_on(ring, options) : 0;
}

int taskacct_ring_open(struct taskacct_ring **ring,
		       const struct taskacct_ring_options *options)
{
	static const struct taskacct_ring_options usual = { .want = TASKACCT_RING_MEMORY };
	struct taskacct_ring *r = calloc(1, sizeof(*r));
	int err;

	*ring = NULL;
	if (!r)
		return -ENOMEM;
	if (!options)
		options = &usual;
	r->fd = -1;
	r->stream = options->stream;
	r->in_order = options->in_order;
	r->message.nlh.nlmsg_type = options->family ? options->family->family.id : 0;
	r->message.genl.cmd = TASKACCT_CMD_EXIT;
	r->message.genl.version = TASKACCT_GENL_VERSION;
	err = set_up(r, options);
	if (err)
		taskacct_ring_close(r);
	else
		*ring = r;
	return err;
}

void taskacct_ring_close(struct taskacct_ring *ring)
{
	if (!ring)
		return;
	if (ring->map)
		munmap((void *)ring->map, (size_t)ring->header.map_size);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring->lanes);
	free(ring);
}
