// SPDX-License-Identifier: GPL-2.0-only
/*
 * SIGINT and SIGTERM as an end, for what goes on until interrupted
 */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "stop.h"

/* Time to get rid of what is being printed */
#define GRACE_S 1

#define SECOND 1000000000

static volatile sig_atomic_t stopped;
static unsigned int grace;

static void on_signal(int number)
{
	if (number == SIGALRM)
		_exit(0);
	stopped = 1;
	alarm(grace);
}

static void catch_signals(void)
{
	/* A write that waits for a reader goes on, and is whole. */
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void stop_catch(void)
{
	grace = GRACE_S;
	catch_signals();
}

void stop_catch_only(void)
{
	catch_signals();
}

bool stop_reported(void)
{
	return stopped;
}

/* What is left until then; false if that has passed */
static bool time_left(const struct timespec *due, struct timespec *left)
{
	clock_gettime(CLOCK_MONOTONIC, left);
	left->tv_sec = due->tv_sec - left->tv_sec;
	left->tv_nsec = due->tv_nsec - left->tv_nsec;
	if (left->tv_nsec < 0) {
		left->tv_sec--;
		left->tv_nsec += SECOND;
	}
	return left->tv_sec >= 0;
}

bool stop_sleep(struct timespec *due, uint64_t ns)
{
	struct timespec left;
	sigset_t set, old;

	due->tv_sec += (time_t)(ns / SECOND);
	due->tv_nsec += (long)(ns % SECOND);
	due->tv_sec += due->tv_nsec / SECOND;
	due->tv_nsec %= SECOND;
	/* They come in while it sleeps, and not just before. */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	while (!stopped && time_left(due, &left))
		ppoll(NULL, 0, &left, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return stopped;
}
