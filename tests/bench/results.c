// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was measured, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"
#include "results.h"

const char *const bench_kinds[BENCH_KINDS] = {
	[BENCH_PROCESS] = "process",
	[BENCH_THREAD] = "thread",
	[BENCH_GROUP] = "group",
};

static const char *const states[BENCH_STATES] = {
	[BENCH_OFF] = "off",
	[BENCH_INTREE_1] = "intree_1",
	[BENCH_INTREE_2] = "intree_2",
	[BENCH_INTREE_8] = "intree_8",
	[BENCH_BPF_1] = "bpf_1",
	[BENCH_BPF_8] = "bpf_8",
	[BENCH_CONNECTOR_1] = "connector_1",
	[BENCH_ACCT_FILE] = "acct",
	[BENCH_IDLE] = "idle",
	[BENCH_TASKACCT_1] = "taskacct_1",
	[BENCH_TASKACCT_2] = "taskacct_2",
	[BENCH_TASKACCT_8] = "taskacct_8",
	[BENCH_TASKACCT_FULL] = "taskacct_full",
	[BENCH_EXCLUDED] = "excluded",
	[BENCH_EXTENDED_1] = "extended_1",
	[BENCH_EXTENDED_8] = "extended_8",
	[BENCH_BATCHED_1] = "batched_1",
	[BENCH_BATCHED_8] = "batched_8",
	[BENCH_RING_BARE] = "ring_bare",
	[BENCH_RING_1] = "ring_1",
	[BENCH_RING_2] = "ring_2",
	[BENCH_RING_8] = "ring_8",
	[BENCH_RING_64] = "ring_64",
	[BENCH_AWAKE_1] = "ring_awake_1",
	[BENCH_AWAKE_2] = "ring_awake_2",
	[BENCH_AWAKE_8] = "ring_awake_8",
	[BENCH_AWAKE_64] = "ring_awake_64",
	[BENCH_STOPPED_1] = "ring_stopped_1",
	[BENCH_STOPPED_2] = "ring_stopped_2",
	[BENCH_STOPPED_8] = "ring_stopped_8",
	[BENCH_STOPPED_64] = "ring_stopped_64",
	[BENCH_UID] = "uid",
	[BENCH_OFF_AGAIN] = "off_again",
};

static const char *const questions[BENCH_QUESTIONS] = {
	[BENCH_EMPTY] = "empty",
	[BENCH_PID] = "pid",
	[BENCH_TGID_1] = "tgid_1",
	[BENCH_TGID_100] = "tgid_100",
	[BENCH_TGID_1000] = "tgid_1000",
	[BENCH_TGID_5000] = "tgid_5000",
	[BENCH_MANY] = "many",
	[BENCH_DUMP] = "dump",
	[BENCH_PROC] = "proc",
	[BENCH_USERS_FIRST] = "users_first",
	[BENCH_USERS] = "users",
	[BENCH_USERS_FILE] = "users_file",
	[BENCH_MANY_USERS_FIRST] = "many_users_first",
	[BENCH_MANY_USERS] = "many_users",
	[BENCH_MANY_USERS_FILE] = "many_users_file",
	[BENCH_TOP] = "top",
};

static const char *const times[BENCH_TIMES] = {
	[BENCH_SWITCH_OFF] = "switch.off",
	[BENCH_SWITCH_ON] = "switch.switch",
	[BENCH_SWITCH_FULL] = "switch.full",
	[BENCH_SWITCH_OFF_AGAIN] = "switch.off_again",
	[BENCH_READ_NOTHING] = "read.nothing",
	[BENCH_READ_ONE] = "read.one",
	[BENCH_READ_CPU] = "read.cpu",
	[BENCH_READ_OURS] = "read.proc_taskacct_stat",
	[BENCH_READ_THEIRS] = "read.proc_stat",
};

static const char *const loads[BENCH_LOADS] = {
	[BENCH_LOAD_PROCESS] = "exit.process",
	[BENCH_LOAD_THREAD] = "exit.thread",
	[BENCH_LOAD_GROUP] = "exit.group",
	[BENCH_LOAD_PID] = "query.pid",
	[BENCH_LOAD_TGID] = "query.tgid",
	[BENCH_LOAD_DEAD] = "query.dead",
	[BENCH_LOAD_USERS] = "query.users",
};

static const char *const amounts[BENCH_AMOUNTS] = {
	[BENCH_LITTLE_KEPT] = "little",
	[BENCH_MUCH_KEPT] = "much",
};

static const char *const readers[BENCH_READER_KINDS] = {
	[BENCH_READER_NONE] = "none",
	[BENCH_READER_INTREE] = "intree",
	[BENCH_READER_NETLINK] = "netlink",
	[BENCH_READER_RING] = "ring",
	[BENCH_READER_BPF] = "bpf",
};

static const char *const crowds[BENCH_CROWDS] = {
	[BENCH_CROWD_ONE] = "1",
	[BENCH_CROWD_EIGHT] = "8",
};

static const char *const storms[BENCH_STORMS] = {
	[BENCH_STORM_1000] = "1000",
	[BENCH_STORM_3000] = "3000",
	[BENCH_STORM_10000] = "10000",
	[BENCH_STORM_30000] = "30000",
};

static const char *const losses[BENCH_LOSSES] = {
	[BENCH_LOST_THREADS] = "threads",
	[BENCH_LOST_PROCESSES] = "processes",
};

static const char *const entries[BENCH_ENTRIES] = {
	[BENCH_ENTRY_THREAD] = "thread",
	[BENCH_ENTRY_SINGLE] = "single",
	[BENCH_ENTRY_PROCESS] = "process",
};

const char *const bench_families[BENCH_FAMILIES] = {
	[BENCH_TASKSTATS] = "intree",
	[BENCH_TASKACCT] = "taskacct",
};

void bench_add(struct bench_results *results, unsigned int series, double value)
{
	struct bench_series *to = &results->series[series];

	to->at[to->n++] = value;
	bench_profile_added(series, value);
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

double bench_median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), compare);
	return n ? (values[(n - 1) / 2] + values[n / 2]) / 2 : 0;
}

/* Returns how many differences there are, one for each round */
static unsigned int subtract(const struct bench_results *results, int one, int other,
			     double values[BENCH_MAX_ROUNDS])
{
	const struct bench_series *from = &results->series[one];
	unsigned int i;

	for (i = 0; i < from->n; i++) {
		values[i] = from->at[i];
		if (other >= 0)
			values[i] -= results->series[other].at[i];
	}
	return from->n;
}

double bench_difference(const struct bench_results *results, int one, int other)
{
	double values[BENCH_MAX_ROUNDS] = {};

	return bench_median(values, subtract(results, one, other, values));
}

double bench_spread(const struct bench_results *results, int one, int other)
{
	double values[BENCH_MAX_ROUNDS] = {};
	const unsigned int n = subtract(results, one, other, values);

	bench_median(values, n);
	return n ? values[3 * n / 4] - values[n / 4] : 0;
}

/* Those behind BENCH_END_FIRST */
static void name_reading(unsigned int series, char *name, size_t size)
{
	unsigned int reader, loss;

	if (series >= BENCH_BYTES_FIRST) {
		snprintf(name, size, "bytes.%s", entries[series - BENCH_BYTES_FIRST]);
		return;
	}
	if (series < BENCH_LOSS_FIRST) {
		series -= BENCH_END_FIRST;
		snprintf(name, size, "end.%s_%s", readers[series / BENCH_CROWDS],
			 crowds[series % BENCH_CROWDS]);
		return;
	}
	series -= BENCH_LOSS_FIRST;
	reader = series % BENCH_READER_KINDS;
	loss = series / BENCH_READER_KINDS;
	snprintf(name, size, "lost.%s.%s.%s", losses[loss / BENCH_STORMS],
		 storms[loss % BENCH_STORMS], readers[reader]);
}

void bench_name(unsigned int series, char *name, size_t size)
{
	const char *what = "exit";

	if (series >= BENCH_END_FIRST) {
		name_reading(series, name, size);
		return;
	}
	if (series >= BENCH_LOAD_FIRST) {
		series -= BENCH_LOAD_FIRST;
		snprintf(name, size, "kept.%s.%s", loads[series / BENCH_AMOUNTS],
			 amounts[series % BENCH_AMOUNTS]);
		return;
	}
	if (series >= BENCH_TIME(0)) {
		snprintf(name, size, "time.%s", times[series - BENCH_TIME(0)]);
		return;
	}
	if (series >= BENCH_QUERY(0, 0)) {
		series -= BENCH_QUERY(0, 0);
		snprintf(name, size, "query.%s.%s",
			 questions[series / BENCH_FAMILIES],
			 bench_families[series % BENCH_FAMILIES]);
		return;
	}
	if (series >= BENCH_BURST(0, 0)) {
		series -= BENCH_BURST(0, 0);
		what = "burst";
	}
	snprintf(name, size, "%s.%s.%s", what,
		 bench_kinds[series % BENCH_KINDS],
		 states[series / BENCH_KINDS]);
}
