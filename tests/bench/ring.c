// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers of the shared memory: each a process that sleeps
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/taskacct_ring.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring.h"
#include "util.h"

/* It has slept for so long when it sleeps. */
#define ASLEEP_USECS	1000

static pid_t readers[BENCH_RING_MAX];
static unsigned int n_readers;
static const struct taskacct_ring_header *header;
static int ring = -1;

static const struct taskacct_ring_header *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		bench_die("map " TASKACCT_RING_DEVICE);
	return at;
}

static int open_ring(void)
{
	const int fd = open(TASKACCT_RING_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		bench_die("open " TASKACCT_RING_DEVICE);
	return fd;
}

static uint64_t made(void)
{
	const char *lanes = (const char *)header + header->ring_offset;
	const struct taskacct_ring_lane *lane;
	uint64_t sum = 0;
	unsigned int i;

	/* There is one CPU. */
	for (i = 0; i < header->lanes; i++) {
		lane = (const void *)(lanes + i * header->lane_stride);
		sum += __atomic_load_n(&lane->made, __ATOMIC_RELAXED);
	}
	return sum;
}

__attribute__((noreturn)) static void sleep_in_poll(int tell)
{
	struct pollfd pollfd = { .fd = open_ring(), .events = POLLIN };
	const uint64_t far = UINT64_C(1) << 40;

	map(pollfd.fd, header->map_size);
	if (ioctl(pollfd.fd, TASKACCT_RING_WAKE, &far) || write(tell, "", 1) != 1)
		_exit(1);
	poll(&pollfd, 1, -1);
	_exit(1);
}

static void start_reader(pid_t *pid)
{
	int fds[2];
	char byte;

	if (pipe2(fds, O_CLOEXEC))
		bench_die("make a pipe");
	*pid = fork();
	if (*pid < 0)
		bench_die("start a reader");
	if (!*pid)
		sleep_in_poll(fds[1]);
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		bench_die("a reader of " TASKACCT_RING_DEVICE " failed");
	close(fds[0]);
}

void bench_ring_open(unsigned int n, uint32_t want)
{
	const size_t page = (size_t)getpagesize();
	const struct taskacct_ring_header *first;

	ring = open_ring();
	if (ioctl(ring, TASKACCT_RING_WANT, &want))
		bench_die("say what is wanted");
	first = map(ring, page);
	header = map(ring, first->map_size);
	munmap((void *)first, page);
	for (n_readers = 0; n_readers < n; n_readers++)
		start_reader(&readers[n_readers]);
	usleep(ASLEEP_USECS);
}

uint64_t bench_ring_close(void)
{
	const uint64_t written = made();

	while (n_readers--) {
		kill(readers[n_readers], SIGKILL);
		waitpid(readers[n_readers], NULL, 0);
	}
	munmap((void *)header, header->map_size);
	close(ring);
	return written;
}
