// SPDX-License-Identifier: GPL-2.0-only
/*
 * A load that the kernel's ticks do not see: it burns most of the time between
 * two ticks, and sleeps when they come.
 */
#include <time.h>

#include "evade.h"
#include "sys.h"

/* Parts of a tick, in hundredths: sleeps from the one to the other of the next */
#define UNTIL	86
#define FROM	6

static int64_t coarse_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int64_t tick_length(void)
{
	struct timespec length;

	/* This clock goes on at ticks only. */
	clock_getres(CLOCK_MONOTONIC_COARSE, &length);
	return length.tv_nsec;
}

/* When a tick came, as precisely as can be had: the earliest of a few */
static int64_t find_tick(int64_t tick)
{
	int64_t before, now, late, least = tick, found = 0;
	int i;

	for (i = 0; i < 20; i++) {
		before = coarse_ns();
		while (coarse_ns() == before)
			;
		now = sys_now_ns();
		late = now % tick - found % tick;
		late += late < 0 ? tick : 0;
		if (!found || late > tick / 2 || late < least) {
			found = now;
			least = late;
		}
	}
	return found;
}

/* A kernel has high-resolution timers a second or so after its start only, and
 * ticks of another phase from then on. Where it has none at all the phase stays.
 */
static void await_last_phase(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct timespec least;
	int tries;

	for (tries = 0; tries < 500; tries++) {
		clock_getres(CLOCK_MONOTONIC, &least);
		if (least.tv_nsec == 1)
			return;
		nanosleep(&pause, NULL);
	}
}

static void sleep_until(int64_t ns)
{
	const struct timespec when = {
		.tv_sec = ns / 1000000000,
		.tv_nsec = ns % 1000000000,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/**
 * evade_find_ticks() - learn when ticks come
 * @d: receives it
 *
 * Takes some twenty ticks, which are not evaded, and on a kernel that has just
 * booted a second before.
 */
void evade_find_ticks(struct evade *d)
{
	await_last_phase();
	d->length = tick_length();
	d->next = find_tick(d->length) + d->length;
}

/**
 * evade_ticks() - burn four fifths of a CPU between its ticks
 * @d: what is known of them
 * @ns: for so long
 *
 * On a virtual machine whose host has other things to do ticks are late, and
 * find it.
 */
void evade_ticks(struct evade *d, int64_t ns)
{
	const int64_t end = sys_now_ns() + ns;
	int64_t now;

	while ((now = sys_now_ns()) < end) {
		while (d->next <= now)
			d->next += d->length;
		if (now >= d->next - d->length * (100 - UNTIL) / 100)
			sleep_until(d->next + d->length * FROM / 100);
	}
}
