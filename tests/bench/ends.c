// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an exit costs from its beginning until the last reader has read it
 *
 * Tasks exit, as many as are to wake a reader, and meanwhile none of the readers gets the
 * CPU: the tasks go before them. So each reader is woken once, whoever wakes it when, and
 * reads all of them at once.
 */
#define _GNU_SOURCE
#include <linux/taskacct.h>
#include <linux/taskacct_ring.h>
#include <sched.h>
#include <stdbool.h>

#include "ends.h"
#include "module.h"
#include "netlink.h"
#include "readers.h"
#include "tasks.h"
#include "util.h"

#define RECORDS		64
#define WARM_UP		3
#define BATCHES		7

static const unsigned int crowds[BENCH_CROWDS] = {
	[BENCH_CROWD_ONE] = 1,
	[BENCH_CROWD_EIGHT] = 8,
};

static void go_before_all(bool before)
{
	const struct sched_param param = { .sched_priority = before };

	if (sched_setscheduler(0, before ? SCHED_FIFO : SCHED_BATCH, &param))
		bench_die("go before all other tasks");
}

/* Returns instructions for each of the exits. */
static double measure_batch(bool await)
{
	unsigned int i;
	uint64_t start;

	bench_settle();
	bench_same_pids();
	if (await)
		bench_readers_expect();
	go_before_all(true);
	start = bench_now();
	for (i = 0; i < RECORDS; i++)
		bench_tasks_process();
	if (await)
		bench_readers_await();
	start = bench_now() - start;
	go_before_all(false);
	return (double)start / RECORDS;
}

static double measure_batches(bool await)
{
	double took[BATCHES];
	unsigned int i;

	for (i = 0; i < WARM_UP; i++)
		measure_batch(await);
	for (i = 0; i < BATCHES; i++)
		took[i] = measure_batch(await);
	return bench_median(took, BATCHES);
}

static void measure(struct bench_results *results, enum bench_reader reader,
		    const struct bench_way *way)
{
	const bool ours = reader == BENCH_READER_NETLINK;
	struct bench_ask ask = { .want = TASKACCT_RING_MEMORY, .records = RECORDS };
	enum bench_crowd crowd;
	struct bench_read sum;

	if (way->missing())
		return;
	ask.family = bench_netlink_number(ours ? TASKACCT_GENL_NAME : "TASKSTATS");
	ask.tells = ours;
	for (crowd = 0; crowd < BENCH_CROWDS; crowd++) {
		bench_readers_start(way, &ask, crowds[crowd], BENCH_FOLLOW);
		bench_add(results, BENCH_END(reader, crowd), measure_batches(true));
		bench_readers_stop(&sum);
		if (sum.lost)
			bench_die("%llu exits were lost", (unsigned long long)sum.lost);
	}
}

void bench_ends(struct bench_results *results, const char *module)
{
	unsigned int i;

	for (i = 0; i < results->rounds; i++) {
		bench_add(results, BENCH_END(BENCH_READER_NONE, BENCH_CROWD_ONE),
			  measure_batches(false));
		measure(results, BENCH_READER_INTREE, &bench_way_netlink);
		measure(results, BENCH_READER_BPF, &bench_way_bpf);
		bench_module_load(module, "");
		measure(results, BENCH_READER_NETLINK, &bench_way_netlink);
		measure(results, BENCH_READER_RING, &bench_way_ring);
		bench_module_unload();
	}
}
