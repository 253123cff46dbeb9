// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints how fast this machine's time stamp counter is, in kHz: what it counts while a
 * twentieth of a second goes by. A moment is taken when reading both clocks took least, so
 * that it does not matter how busy the machine is.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES 100

struct moment {
	uint64_t tsc;
	int64_t ns;
};

static struct moment now(void)
{
	uint64_t before, took, least = UINT64_MAX;
	struct moment m = { 0 };
	struct timespec ts;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
		took = __rdtsc() - before;
		if (took >= least)
			continue;
		least = took;
		m.tsc = before + took / 2;
		m.ns = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	}
	return m;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct moment first = now();
	struct moment last;

	nanosleep(&pause, NULL);
	last = now();
	printf("%" PRIu64 "\n", (last.tsc - first.tsc) * 1000000 / (uint64_t)(last.ns - first.ns));
	return 0;
}
