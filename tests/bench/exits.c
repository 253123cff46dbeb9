// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an exit costs, and what becomes of its messages
 */
#include <linux/taskacct.h>
#include <stdbool.h>
#include <unistd.h>

#include "exits.h"
#include "module.h"
#include "netlink.h"
#include "tasks.h"
#include "util.h"

#define MAX_LISTENERS	8
#define WARM_UP		20
#define LATE_LOOPS	10000000
#define PAUSE_USECS	20000

#define AMPLE_BUFFER	(16 << 20)
#define SMALL_BUFFER	(16 << 10)

/**
 * struct state - one of the states
 * @listeners: how many there are
 * @family: of the listeners
 * @small: the one listener has a small receive buffer
 * @whole: what exits cause later is measured as well
 */
struct state {
	unsigned int listeners;
	enum bench_family family;
	bool small;
	bool whole;
};

static const struct state states[BENCH_STATES] = {
	[BENCH_OFF] = { .whole = true },
	[BENCH_IDLE] = { .whole = true },
	[BENCH_OFF_AGAIN] = { .whole = true },
	[BENCH_INTREE_1] = { 1, BENCH_TASKSTATS, .whole = true },
	[BENCH_INTREE_2] = { 2, BENCH_TASKSTATS },
	[BENCH_INTREE_8] = { 8, BENCH_TASKSTATS },
	[BENCH_TASKACCT_1] = { 1, BENCH_TASKACCT, .whole = true },
	[BENCH_TASKACCT_2] = { 2, BENCH_TASKACCT },
	[BENCH_TASKACCT_8] = { 8, BENCH_TASKACCT },
	[BENCH_TASKACCT_FULL] = { 1, BENCH_TASKACCT, .small = true },
};

static void (*const run[BENCH_KINDS])(void) = {
	[BENCH_PROCESS] = bench_tasks_process,
	[BENCH_THREAD] = bench_tasks_thread,
	[BENCH_GROUP] = bench_tasks_group,
};

static const unsigned int tasks_of[BENCH_KINDS] = {
	[BENCH_PROCESS] = 1,
	[BENCH_THREAD] = 1,
	[BENCH_GROUP] = BENCH_GROUP_THREADS,
};

/**
 * struct listener - a socket, registered or not
 * @fd: the socket
 * @before: taskacct's figures for it so far
 */
struct listener {
	int fd;
	struct bench_figures before;
};

static struct listener ample[BENCH_FAMILIES][MAX_LISTENERS];
static struct listener small;
static int family[BENCH_FAMILIES];

void bench_exits_init(void)
{
	unsigned int i, j;

	for (i = 0; i < BENCH_FAMILIES; i++)
		for (j = 0; j < MAX_LISTENERS; j++)
			ample[i][j].fd = bench_netlink_open(AMPLE_BUFFER);
	small.fd = bench_netlink_open(SMALL_BUFFER);
	family[BENCH_TASKSTATS] = bench_netlink_family(small.fd, "TASKSTATS");
	if (!family[BENCH_TASKSTATS])
		bench_die("no family TASKSTATS");
}

static struct listener *listener_of(const struct state *state, unsigned int i)
{
	return state->small ? &small : &ample[state->family][i];
}

static void listen(const struct state *state)
{
	unsigned int i;

	for (i = 0; i < state->listeners; i++)
		bench_netlink_register(listener_of(state, i)->fd,
					family[state->family]);
}

/* In-tree taskstats does not say how many it lost: none may be. */
static uint64_t reported_lost(const struct state *state, struct listener *l,
			      const struct bench_count *count)
{
	struct bench_figures now, *before = &l->before;
	uint64_t lost;

	if (state->family == BENCH_TASKSTATS)
		return 0;
	bench_netlink_figures(l->fd, family[state->family], &now);
	lost = now.lost - before->lost;
	if (now.delivered - before->delivered != count->own + count->foreign ||
	    now.made - before->made != count->own + count->foreign + lost)
		bench_die("taskacct's own figures do not add up");
	if (!!lost != !!count->overruns)
		bench_die("losses without ENOBUFS, or the other way round");
	*before = now;
	return lost;
}

static void check_listener(const struct state *state, struct listener *l,
			   uint64_t sent, struct bench_losses *losses)
{
	struct bench_count count;
	uint64_t lost;

	bench_netlink_drain(l->fd, family[state->family], &count);
	lost = reported_lost(state, l, &count);
	if (count.own + lost != sent)
		bench_die("%llu exits: %llu messages received and %llu reported lost",
			  (unsigned long long)sent,
			  (unsigned long long)count.own,
			  (unsigned long long)lost);
	losses->sent += sent;
	losses->received += count.own;
	losses->lost += lost;
}

static void listen_no_more(const struct state *state, uint64_t sent,
			   struct bench_losses *losses)
{
	unsigned int i;

	for (i = 0; i < state->listeners; i++)
		bench_netlink_deregister(listener_of(state, i)->fd,
					family[state->family]);
	for (i = 0; i < state->listeners; i++)
		check_listener(state, listener_of(state, i), sent, losses);
}

/*
 * Each exit finds the kernel at rest, since what the one before has put off is
 * done in the pause; so nearly all of them take the same instructions, and the
 * median leaves out those that a timer interrupted.
 */
static double paced_exits(enum bench_kind kind, unsigned int n)
{
	double took[BENCH_MAX_EXITS];
	uint64_t start;
	unsigned int i;

	for (i = 0; i < n; i++) {
		usleep(PAUSE_USECS);
		start = bench_now();
		run[kind]();
		took[i] = bench_now() - start;
	}
	return bench_median(took, n);
}

/*
 * Busy after the exit, for so long that what was put off is done within: the
 * clock counts it, which it does not while the CPU is idle. It begins at the
 * same distance from a timer tick each time, so that each has as many of them.
 */
static double whole_exit(enum bench_kind kind)
{
	uint64_t start;

	bench_align();
	start = bench_now();
	run[kind]();
	bench_spin(LATE_LOOPS);
	return bench_now() - start - 2 * LATE_LOOPS;
}

static void measure(struct bench_results *results, unsigned int round,
		    enum bench_state at, enum bench_kind kind)
{
	const struct state *state = &states[at];
	unsigned int i, n = results->exits;
	unsigned int exits = n + WARM_UP;

	listen(state);
	bench_settle();
	for (i = 0; i < WARM_UP; i++)
		run[kind]();
	results->exit[at][kind][round] = paced_exits(kind, n);
	if (state->whole) {
		results->whole[at][kind][round] = whole_exit(kind);
		exits++;
	}
	listen_no_more(state, exits * tasks_of[kind],
		       &results->losses[state->family]);
}

static void measure_states(struct bench_results *results, unsigned int round,
			   enum bench_state first, enum bench_state last)
{
	enum bench_state at;
	enum bench_kind kind;

	for (at = first; at <= last; at++)
		for (kind = 0; kind < BENCH_KINDS; kind++)
			measure(results, round, at, kind);
}

static void load(const char *module)
{
	unsigned int i;

	bench_module_load(module);
	family[BENCH_TASKACCT] = bench_netlink_family(small.fd, "TASKACCT");
	if (!family[BENCH_TASKACCT])
		bench_die("no family TASKACCT");
	for (i = 0; i < MAX_LISTENERS; i++)
		ample[BENCH_TASKACCT][i].before = (struct bench_figures){};
	small.before = (struct bench_figures){};
}

static void unload(void)
{
	unsigned int i;

	bench_module_unload();
	for (i = 0; i < MAX_LISTENERS; i++)
		bench_netlink_orphan(ample[BENCH_TASKACCT][i].fd);
	bench_netlink_orphan(small.fd);
}

void bench_exits_round(struct bench_results *results, unsigned int round,
		       const char *module)
{
	measure_states(results, round, BENCH_OFF, BENCH_INTREE_8);
	load(module);
	measure_states(results, round, BENCH_IDLE, BENCH_IDLE_AGAIN);
	unload();
	measure_states(results, round, BENCH_OFF_AGAIN, BENCH_OFF_AGAIN);
}
