// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an exit costs, and what becomes of its messages
 */
#include <linux/taskacct.h>
#include <linux/taskacct_ring.h>
#include <stdbool.h>
#include <unistd.h>

#include "exits.h"
#include "module.h"
#include "netlink.h"
#include "peers.h"
#include "readers.h"
#include "tasks.h"
#include "util.h"

#define MAX_LISTENERS	8
#define WARM_UP		20
#define PAUSE_USECS	20000
#define LATE_LOOPS	10000000

#define AMPLE_BUFFER	(16 << 20)
#define SMALL_BUFFER	(16 << 10)

/**
 * struct state - one of the states
 * @listeners: how many there are
 * @family: of the listeners
 * @full: the one listener has a small receive buffer and does not read
 * @burst: exits in a burst are measured as well
 * @group: exits of processes with several threads are measured as well
 * @brief: one of the few that are measured where all would take too long
 * @extended: the listeners want the extended record too
 * @batched: the listeners get several messages in a datagram
 * @excluded: the listener's filter is met by none
 * @peer: what else tells of exits
 * @way: readers read by it
 * @readers: how many
 * @want: TASKACCT_RING_*, what they want
 * @what: what they do while tasks exit
 */
struct state {
	unsigned int listeners;
	enum bench_family family;
	bool full;
	bool burst;
	bool group;
	bool brief;
	bool extended;
	bool batched;
	bool excluded;
	enum bench_peer peer;
	const struct bench_way *way;
	unsigned int readers;
	uint32_t want;
	enum bench_readers_do what;
};

#define RING(n)		.way = &bench_way_ring, .readers = (n), .want = TASKACCT_RING_MEMORY
#define BPF(n)		.way = &bench_way_bpf, .readers = (n)

static const struct state states[BENCH_STATES] = {
	[BENCH_OFF] = { .burst = true, .group = true, .brief = true },
	[BENCH_INTREE_1] = { 1, BENCH_TASKSTATS, .burst = true, .group = true,
			     .brief = true },
	[BENCH_INTREE_2] = { 2, BENCH_TASKSTATS },
	[BENCH_INTREE_8] = { 8, BENCH_TASKSTATS, .burst = true },
	[BENCH_BPF_1] = { BPF(1), .burst = true, .group = true },
	[BENCH_BPF_8] = { BPF(8) },
	[BENCH_CONNECTOR_1] = { .peer = BENCH_CONNECTOR, .burst = true, .group = true },
	[BENCH_ACCT_FILE] = { .peer = BENCH_ACCT, .burst = true, .group = true },
	[BENCH_IDLE] = { .burst = true, .group = true, .brief = true },
	[BENCH_TASKACCT_1] = { 1, BENCH_TASKACCT, .burst = true, .group = true,
			       .brief = true },
	[BENCH_TASKACCT_2] = { 2, BENCH_TASKACCT, .brief = true },
	[BENCH_TASKACCT_8] = { 8, BENCH_TASKACCT, .burst = true },
	[BENCH_TASKACCT_FULL] = { 1, BENCH_TASKACCT, .full = true },
	[BENCH_EXCLUDED] = { 1, BENCH_TASKACCT, .excluded = true },
	[BENCH_EXTENDED_1] = { 1, BENCH_TASKACCT, .extended = true },
	[BENCH_EXTENDED_8] = { 8, BENCH_TASKACCT, .extended = true },
	[BENCH_BATCHED_1] = { 1, BENCH_TASKACCT, .extended = true,
			      .batched = true, .burst = true },
	[BENCH_BATCHED_8] = { 8, BENCH_TASKACCT, .extended = true,
			      .batched = true, .burst = true },
	[BENCH_RING_BARE] = { .way = &bench_way_ring, .readers = 1, .group = true,
			      .brief = true },
	[BENCH_RING_1] = { RING(1), .burst = true, .group = true, .brief = true },
	[BENCH_RING_2] = { RING(2) },
	[BENCH_RING_8] = { RING(8) },
	[BENCH_RING_64] = { RING(64) },
	[BENCH_AWAKE_1] = { RING(1), .what = BENCH_LET },
	[BENCH_AWAKE_2] = { RING(2), .what = BENCH_LET },
	[BENCH_AWAKE_8] = { RING(8), .what = BENCH_LET },
	[BENCH_AWAKE_64] = { RING(64), .what = BENCH_LET },
	[BENCH_STOPPED_1] = { RING(1), .what = BENCH_STOP },
	[BENCH_STOPPED_2] = { RING(2), .what = BENCH_STOP },
	[BENCH_STOPPED_8] = { RING(8), .what = BENCH_STOP },
	[BENCH_STOPPED_64] = { RING(64), .what = BENCH_STOP },
	[BENCH_UID] = { .burst = true, .group = true, .brief = true },
	[BENCH_OFF_AGAIN] = { .burst = true, .group = true, .brief = true },
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
 * @count: what was read from it since it was registered
 * @before: taskacct's statistics for it up to then
 * @known: taskacct has had it, and tells it when it goes
 */
struct listener {
	int fd;
	bool known;
	struct bench_count count;
	struct bench_statistics before;
};

static struct listener ample[BENCH_FAMILIES][MAX_LISTENERS];
static struct listener extended[MAX_LISTENERS];
static struct listener excluded;
static struct listener small;
static int family[BENCH_FAMILIES];

void bench_exits_init(void)
{
	unsigned int i, j;

	/* Whose id is one that a node of the kernel's tree stays for, whoever else is there */
	bench_same_pids();
	bench_tasks_park(1, 0);
	for (i = 0; i < BENCH_FAMILIES; i++)
		for (j = 0; j < MAX_LISTENERS; j++)
			ample[i][j].fd = bench_netlink_open(AMPLE_BUFFER);
	for (j = 0; j < MAX_LISTENERS; j++)
		extended[j].fd = bench_netlink_open(AMPLE_BUFFER);
	excluded.fd = bench_netlink_open(AMPLE_BUFFER);
	small.fd = bench_netlink_open(SMALL_BUFFER);
	family[BENCH_TASKSTATS] = bench_netlink_family(small.fd, "TASKSTATS");
	if (!family[BENCH_TASKSTATS])
		bench_die("no family TASKSTATS");
}

static struct listener *listener_of(const struct state *state, unsigned int i)
{
	if (state->full)
		return &small;
	if (state->excluded)
		return &excluded;
	return state->extended ? &extended[i] : &ample[state->family][i];
}

static void listen(const struct state *state)
{
	const struct bench_subscription ask = {
		.want = TASKACCT_WANT_RECORD,
		.failed = state->excluded,
		.batched = state->batched,
	};
	struct listener *listener;
	unsigned int i;

	for (i = 0; i < state->listeners; i++) {
		listener = listener_of(state, i);
		listener->count = (struct bench_count){};
		listener->known = state->family == BENCH_TASKACCT;
		if (state->extended || state->excluded)
			bench_netlink_subscribe(listener->fd,
						family[state->family], &ask);
		else
			bench_netlink_register(listener->fd,
					       family[state->family]);
	}
}

static void read_all(const struct state *state)
{
	struct listener *listener;
	unsigned int i;

	for (i = 0; i < state->listeners; i++) {
		listener = listener_of(state, i);
		bench_netlink_drain(listener->fd, family[state->family],
				    &listener->count);
	}
}

/* In-tree taskstats does not say how many it lost: none may be. */
static uint64_t reported_lost(const struct state *state,
			      struct listener *listener)
{
	uint64_t received = listener->count.own + listener->count.foreign;
	struct bench_statistics now, *before = &listener->before;
	uint64_t lost;

	if (state->family == BENCH_TASKSTATS)
		return 0;
	bench_netlink_statistics(listener->fd, family[state->family], &now);
	lost = now.lost - before->lost;
	if (now.delivered - before->delivered != received ||
	    now.made - before->made != received + lost)
		bench_die("taskacct's own figures do not add up");
	if (!lost != !listener->count.overruns)
		bench_die("losses without ENOBUFS, or the other way round");
	*before = now;
	return lost;
}

static void check(const struct state *state, struct listener *listener,
		  uint64_t sent, struct bench_messages *messages)
{
	uint64_t lost = reported_lost(state, listener);

	if (listener->count.own + lost != sent)
		bench_die("%llu exits: %llu messages received, %llu of others, and %llu reported lost",
			  (unsigned long long)sent,
			  (unsigned long long)listener->count.own,
			  (unsigned long long)listener->count.foreign,
			  (unsigned long long)lost);
	messages->sent += sent;
	messages->received += listener->count.own;
	messages->lost += lost;
}

static void listen_no_more(const struct state *state, uint64_t sent,
			   struct bench_messages *messages)
{
	unsigned int i;

	for (i = 0; i < state->listeners; i++)
		bench_netlink_deregister(listener_of(state, i)->fd,
					 family[state->family]);
	read_all(state);
	for (i = 0; i < state->listeners; i++)
		check(state, listener_of(state, i), sent, messages);
}

/*
 * Each exit finds the kernel at rest and the listeners' queues empty, since
 * what the one before has put off is done in the pause; so nearly all of them
 * take the same instructions, and the median leaves out those that a timer
 * interrupted.
 */
static double one_by_one(const struct state *state, enum bench_kind kind,
			 unsigned int n, void (*set_pids)(void))
{
	double took[BENCH_MAX_EXITS];
	uint64_t start;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!state->full)
			read_all(state);
		if (state->what == BENCH_LET)
			bench_readers_let();
		set_pids();
		usleep(PAUSE_USECS);
		start = bench_now();
		run[kind]();
		took[i] = bench_now() - start;
	}
	return bench_median(took, n);
}

static void run_all(enum bench_kind kind, unsigned int n)
{
	while (n--)
		run[kind]();
}

/*
 * One after the other, nobody reading, and then busy for so long that what was
 * put off is done within: the clock counts it, which it does not while the CPU
 * is idle. It begins at the same distance from a timer tick each time, so that
 * each has as many of them; and after another burst, which leaves memory in
 * the state that a burst leaves it in.
 */
static double burst(enum bench_kind kind, unsigned int n)
{
	uint64_t start;

	run_all(kind, n);
	bench_settle();
	bench_same_pids();
	bench_align();
	start = bench_now();
	run_all(kind, n);
	bench_spin(LATE_LOOPS);
	return (double)(bench_now() - start - 2 * LATE_LOOPS) / n;
}

static void start_others(const struct state *state)
{
	const struct bench_ask ask = { .want = state->want, .records = BENCH_FAR };

	if (state->way)
		bench_readers_start(state->way, &ask, state->readers, state->what);
	if (state->peer)
		bench_peer_open(state->peer);
}

static void note_bytes(struct bench_results *results, const struct bench_read *sum)
{
	struct bench_series *series;
	enum bench_entry entry;

	for (entry = 0; entry < BENCH_ENTRIES; entry++) {
		series = &results->series[BENCH_BYTES(entry)];
		if (!sum->bytes[entry])
			continue;
		if (!series->n)
			bench_add(results, BENCH_BYTES(entry), 0);
		if (sum->bytes[entry] > series->at[0])
			series->at[0] = sum->bytes[entry];
	}
}

/*
 * Each has to know of all exits, and may know of those of the kernel's own threads. acct(2)
 * does not tell of a thread.
 */
static void end_others(struct bench_results *results, const struct state *state,
		       enum bench_kind kind, uint64_t exits)
{
	struct bench_read sum = { .exits = exits };

	if (state->way)
		bench_readers_stop(&sum);
	if (state->peer)
		sum.exits = bench_peer_close(state->peer);
	if (state->peer == BENCH_ACCT)
		exits = kind == BENCH_THREAD ? 0 : exits / tasks_of[kind];
	if (sum.exits + sum.lost < exits)
		bench_die("%llu exits, %llu told of and %llu lost", (unsigned long long)exits,
			  (unsigned long long)sum.exits, (unsigned long long)sum.lost);
	note_bytes(results, &sum);
}

static void measure(struct bench_results *results, enum bench_state at,
		    enum bench_kind kind)
{
	const struct state *state = &states[at];
	unsigned int n = results->exits, exits = n + WARM_UP;

	listen(state);
	start_others(state);
	bench_settle();
	bench_same_pids();
	run_all(kind, WARM_UP);
	bench_add(results, BENCH_EXIT(at, kind), one_by_one(state, kind, n,
							     bench_same_pids));
	if (state->burst && !results->brief) {
		read_all(state);
		bench_add(results, BENCH_BURST(at, kind), burst(kind, n));
		exits += 2 * n;
	}
	/* The last one may not have come to its end, where its message is made. */
	bench_settle();
	end_others(results, state, kind, exits * tasks_of[kind]);
	listen_no_more(state, state->excluded ? 0 : exits * tasks_of[kind],
		       &results->messages[state->family]);
}

double bench_exits_unlistened(enum bench_kind kind, unsigned int n)
{
	static const struct state unlistened;

	bench_settle();
	bench_pids_above();
	run_all(kind, WARM_UP);
	return one_by_one(&unlistened, kind, n, bench_pids_above);
}

static void measure_states(struct bench_results *results,
			   enum bench_state first, enum bench_state last)
{
	enum bench_state at;

	for (at = first; at <= last; at++) {
		if ((states[at].way && states[at].way->missing()) ||
		    (results->brief && !states[at].brief))
			continue;
		measure(results, at, BENCH_PROCESS);
		measure(results, at, BENCH_THREAD);
		if (states[at].group && !results->brief)
			measure(results, at, BENCH_GROUP);
	}
}

static void load(const char *module)
{
	unsigned int i;

	bench_module_load(module, "");
	family[BENCH_TASKACCT] = bench_netlink_family(small.fd,
						      TASKACCT_GENL_NAME);
	if (!family[BENCH_TASKACCT])
		bench_die("no family " TASKACCT_GENL_NAME);
	for (i = 0; i < MAX_LISTENERS; i++) {
		ample[BENCH_TASKACCT][i].before = (struct bench_statistics){};
		extended[i].before = (struct bench_statistics){};
	}
	excluded.before = (struct bench_statistics){};
	small.before = (struct bench_statistics){};
}

static void orphan(struct listener *listener)
{
	if (listener->known)
		bench_netlink_orphan(listener->fd);
	listener->known = false;
}

static void unload(void)
{
	unsigned int i;

	bench_module_unload();
	for (i = 0; i < MAX_LISTENERS; i++) {
		orphan(&ample[BENCH_TASKACCT][i]);
		orphan(&extended[i]);
	}
	orphan(&excluded);
	orphan(&small);
}

void bench_exits_round(struct bench_results *results, const char *module)
{
	measure_states(results, BENCH_OFF, BENCH_ACCT_FILE);
	load(module);
	measure_states(results, BENCH_IDLE, BENCH_STOPPED_64);
	unload();
	bench_module_load(module, "uid=1");
	measure_states(results, BENCH_UID, BENCH_UID);
	bench_module_unload();
	measure_states(results, BENCH_OFF_AGAIN, BENCH_OFF_AGAIN);
}
