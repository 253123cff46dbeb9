// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is lost when many threads end together, and nobody reads meanwhile
 *
 * They are those of several processes, which are killed at once. Each way may keep as many
 * bytes of unread exits as the others.
 */
#include <linux/taskacct.h>
#include <linux/taskacct_ring.h>
#include <signal.h>

#include "module.h"
#include "netlink.h"
#include "storm.h"
#include "tasks.h"
#include "util.h"
#include "way.h"

#define PROCESSES	10

static const unsigned int storms[BENCH_STORMS] = {
	[BENCH_STORM_1000] = 1000,
	[BENCH_STORM_3000] = 3000,
	[BENCH_STORM_10000] = 10000,
	[BENCH_STORM_30000] = 30000,
};

static void park_all(unsigned int threads, pid_t pids[PROCESSES])
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		pids[i] = bench_tasks_park(threads / PROCESSES, 0);
	bench_settle();
}

/* All are told to end before one is waited for. */
static void end_all(const pid_t pids[PROCESSES])
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < PROCESSES; i++)
		bench_tasks_unpark(pids[i]);
	bench_settle();
}

static uint64_t lost_of(uint64_t all, uint64_t seen)
{
	return all > seen ? all - seen : 0;
}

/* Who is told what was lost has to have been told all of it. */
static void check(const struct bench_read *sum, uint64_t threads)
{
	if (sum->told && sum->exits + sum->lost < threads)
		bench_die("%llu exits, %llu read and %llu lost", (unsigned long long)threads,
			  (unsigned long long)sum->exits, (unsigned long long)sum->lost);
}

static void note(struct bench_results *results, enum bench_reader reader, enum bench_storm storm,
		 const struct bench_read *sum)
{
	const uint64_t lost = lost_of(storms[storm], sum->exits);

	bench_add(results, BENCH_LOSS(BENCH_LOST_THREADS, storm, reader),
		  100.0 * lost / storms[storm]);
	/* The eBPF program does not tell a process from its last thread. */
	if (reader != BENCH_READER_BPF)
		bench_add(results, BENCH_LOSS(BENCH_LOST_PROCESSES, storm, reader),
			  lost_of(PROCESSES, sum->processes));
}

static struct bench_read read_storm(const struct bench_way *way, const struct bench_ask *ask,
				    unsigned int threads)
{
	struct bench_read sum = {};
	pid_t pids[PROCESSES];

	park_all(threads, pids);
	way->open(ask);
	end_all(pids);
	way->read(&sum);
	way->lose(&sum);
	way->close();
	return sum;
}

static void measure(struct bench_results *results, enum bench_reader reader,
		    const struct bench_way *way)
{
	const bool ours = reader == BENCH_READER_NETLINK;
	struct bench_ask ask = { .records = BENCH_FAR, .large = true };
	enum bench_storm storm;
	struct bench_read sum;

	if (way->missing())
		return;
	ask.family = bench_netlink_number(ours ? TASKACCT_GENL_NAME : "TASKSTATS");
	ask.tells = ours;
	for (storm = 0; storm < BENCH_STORMS; storm++) {
		sum = read_storm(way, &ask, storms[storm]);
		check(&sum, storms[storm]);
		note(results, reader, storm, &sum);
	}
}

void bench_storm(struct bench_results *results, const char *module)
{
	bench_room_for_tasks();
	measure(results, BENCH_READER_INTREE, &bench_way_netlink);
	measure(results, BENCH_READER_BPF, &bench_way_bpf);
	bench_module_load(module, "");
	measure(results, BENCH_READER_NETLINK, &bench_way_netlink);
	measure(results, BENCH_READER_RING, &bench_way_ring);
	bench_module_unload();
}
