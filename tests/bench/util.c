// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock, errors, and small help
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/random.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

/* Shorter than a tick at any HZ */
#define CHECK_LOOPS	100000
#define CHECK_TRIES	9
#define CHECK_SLACK	64

#define SEED_BYTES	64

#define FIRST_PID	"5000"
#define ASIDE_PID	"6000"
#define LARGE_PID	"2000000"

#define SETTLE_USECS	100000

/* A multiple of the tick of any HZ that a kernel may have */
#define NSECS_PER_SEC	1000000000
#define ALIGN_NSECS	100000000

void bench_die(const char *format, ...)
{
	int err = errno;
	va_list args;

	fputs("bench: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fputc('\n', stderr);
	exit(BENCH_FAILED);
}

void bench_check_clock(void)
{
	uint64_t best = UINT64_MAX, start, took;
	int i;

	/* The best of several has no timer interrupt in it. */
	for (i = 0; i < CHECK_TRIES; i++) {
		start = bench_clock();
		bench_spin(CHECK_LOOPS);
		took = bench_clock() - start;
		if (took < best)
			best = took;
	}
	if (best >= 2 * CHECK_LOOPS && best <= 2 * CHECK_LOOPS + CHECK_SLACK)
		return;
	fprintf(stderr,
		"bench: void: %d instructions took %llu ticks of the clock; run it in QEMU with -icount shift=0\n",
		2 * CHECK_LOOPS, (unsigned long long)best);
	exit(BENCH_VOID);
}

void bench_seed_random(void)
{
	struct {
		int entropy_count;
		int buf_size;
		unsigned char buf[SEED_BYTES];
	} seed = { 8 * SEED_BYTES, SEED_BYTES, {} };
	int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	/* Laid out as struct rand_pool_info, whose array has no size. */
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed))
		bench_die("seed the guest's random numbers");
	close(fd);
}

void bench_settle(void)
{
	usleep(SETTLE_USECS);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	usleep(SETTLE_USECS);
}

static void set_last_pid(const char *pid)
{
	if (bench_write_file("/proc/sys/kernel/ns_last_pid", pid))
		bench_die("set kernel.ns_last_pid");
}

void bench_same_pids(void)
{
	set_last_pid(FIRST_PID);
}

void bench_pids_aside(void)
{
	set_last_pid(ASIDE_PID);
}

void bench_pids_above(void)
{
	set_last_pid(LARGE_PID);
}

void bench_room_for_tasks(void)
{
	if (bench_write_file("/proc/sys/kernel/threads-max", "50000") ||
	    bench_write_file("/proc/sys/kernel/pid_max", "65536"))
		bench_die("set kernel.threads-max and pid_max");
}

void bench_align(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec -= until.tv_nsec % ALIGN_NSECS;
	until.tv_nsec += 2 * ALIGN_NSECS;
	if (until.tv_nsec >= NSECS_PER_SEC) {
		until.tv_nsec -= NSECS_PER_SEC;
		until.tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int bench_write_file(const char *path, const char *text)
{
	ssize_t length = strlen(text), written;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	written = write(fd, text, length);
	close(fd);
	return written == length ? 0 : -1;
}

void bench_read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (!file)
		return;
	if (!fgets(line, size, file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
}
