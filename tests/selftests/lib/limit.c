// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long a test may take: a test that waits for what never comes is ended
 * after a minute, and one that works may take longer, for that depends on the
 * machine. They are told apart by the time in which all CPUs together are
 * busy: less than half a second in each of sixty is still. Not so who loads the
 * module again and again, which is to wait for RCU, also where that is refused. Seconds are those
 * in which this process was woken, so a VM that gets no time loses none.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limit.h"
#include "sys.h"

/* The classes of time in the first line of /proc/stat, and those of no work */
#define CLASSES 8
#define IDLE 3
#define IOWAIT 4

static struct {
	unsigned int left;
	unsigned int still;
	unsigned int still_limit;
	uint64_t busy;
	int64_t seen;
	unsigned int steps;
} now;

/* Shared with the test, which runs in a child of whoever ends it */
static unsigned int *steps;

__attribute__((constructor)) static void share_steps(void)
{
	steps = mmap(NULL, sizeof(*steps), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (steps == MAP_FAILED)
		abort();
}

/* In ns; called by a signal's handler. 0 where it cannot be read. */
static uint64_t busy_ns(void)
{
	char text[256] = "", *rest = text + 3;
	uint64_t ticks, sum = 0;
	int fd, i;

	fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 3)
		for (i = 0; i < CLASSES; i++) {
			ticks = strtoull(rest, &rest, 10);
			sum += i == IDLE || i == IOWAIT ? 0 : ticks;
		}
	close(fd);
	return sum * 1000000000ULL / sysconf(_SC_CLK_TCK);
}

/**
 * limit_start() - begin to measure the time of a test
 * @seconds: what it may take, before that is stretched for the kernel. More than
 *	LIMIT_WORKING is for a test that may stand still for long, too.
 */
void limit_start(unsigned int seconds)
{
	const unsigned int still = seconds > LIMIT_WORKING ? seconds :
							     LIMIT_STILL;

	now.left = seconds * sys_slow();
	now.still = 0;
	now.still_limit = still * sys_slow();
	now.busy = busy_ns();
	now.seen = sys_now_ns();
}

/**
 * limit_goes_on() - something was done that takes long and keeps no CPU busy
 */
void limit_goes_on(void)
{
	__atomic_add_fetch(steps, 1, __ATOMIC_RELAXED);
}

/**
 * limit_reached() - to be called once in a second, in a signal's handler as well
 *
 * Return: whether the test is to be ended.
 */
bool limit_reached(void)
{
	const uint64_t busy = busy_ns();
	const int64_t seen = sys_now_ns();
	const unsigned int done = __atomic_load_n(steps, __ATOMIC_RELAXED);

	if (done == now.steps &&
	    (busy - now.busy) * 2 < (uint64_t)(seen - now.seen))
		now.still++;
	else
		now.still = 0;
	now.steps = done;
	now.busy = busy;
	now.seen = seen;
	if (now.left)
		now.left--;
	return !now.left || now.still >= now.still_limit;
}
