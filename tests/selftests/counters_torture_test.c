// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read by mmap while all that there is of them changes. Readers loop
 * as the UAPI header says (D3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "count.h"
#include "module.h"
#include "test.h"

/* Halves that are equal show a value of which half is old. */
#define BEAT_DELTA 0x100000001LL

/* More than are on a page of any size that x86 has */
#define MANY 600

#define TORTURE_READS 10000000
/* On a host with nothing else to do it takes a tenth of that. */
#define TORTURE_NS 200000000000LL

/* Those that come and go in it: each has a value that only it has, or 0. */
#define COMING "count.come."
#define VALUE_OF(n) (((n) + 1) * BEAT_DELTA)

FIXTURE(counters) {
	bool able;
};

FIXTURE_SETUP(counters)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_run("modprobe", "count"));
}

FIXTURE_TEARDOWN(counters)
{
	if (self->able)
		EXPECT_EQ(0, module_run("rmmod", "count"));
}

/**
 * struct torture - what readers found, in memory that they share
 * @reads: readings that were good
 * @stale: readings that were given up since the set had changed
 * @torn: readings that cannot be
 * @seen: values that were read of counters that come and go
 * @other: of these, another counter's
 * @stop: no more
 */
struct torture {
	long reads;
	long stale;
	long torn;
	long seen;
	long other;
	int stop;
};

/*
 * One reading; learns the counters anew where they have changed. On a machine that is
 * slow enough that may take too long, or an update may: then it is given up.
 */
static int read_pair(struct taskacct_counters *c, unsigned int cpu, int *a,
		     int *b, int64_t *values)
{
	int err = taskacct_counters_read_some(c, cpu, *a, *b - *a + 1, values);

	if (err == -EAGAIN)
		return -ESTALE;
	if (err != -ESTALE)
		return err;
	err = taskacct_counters_refresh(c);
	if (err == -EAGAIN)
		return -ESTALE;
	*a = taskacct_counters_find(c, "count.torn.a");
	*b = taskacct_counters_find(c, "count.torn.b");
	return err < 0 ? err : -ESTALE;
}

/* One that comes and goes has its value, or none yet; -ESTALE if it has gone. */
static int read_coming(struct taskacct_counters *c, unsigned int cpu, size_t i,
		       struct torture *t)
{
	const struct taskacct_counter *counter = taskacct_counters_at(c, i);
	int64_t value;
	int err;

	if (!counter || strncmp(counter->name, COMING, sizeof(COMING) - 1))
		return 0;
	err = taskacct_counters_read(c, cpu, counter->instance, &value);
	if (err || !value)
		return err;
	__atomic_add_fetch(&t->seen, 1, __ATOMIC_RELAXED);
	if (value != VALUE_OF(atoi(counter->name + sizeof(COMING) - 1)))
		__atomic_add_fetch(&t->other, 1, __ATOMIC_RELAXED);
	return 0;
}

static int torture_reader(struct torture *t)
{
	struct taskacct_counters *c;
	int64_t values[2];
	unsigned int cpu = 0;
	size_t i = 0;
	int a, b, err;

	if (taskacct_counters_open(&c))
		return 1;
	a = taskacct_counters_find(c, "count.torn.a");
	b = taskacct_counters_find(c, "count.torn.b");
	if (a < 0 || b != a + 1)
		return 2;
	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		cpu = (cpu + 1) % taskacct_counters_cpus(c);
		err = read_pair(c, cpu, &a, &b, values);
		if (err == -ESTALE) {
			__atomic_add_fetch(&t->stale, 1, __ATOMIC_RELAXED);
			continue;
		}
		if (err || b != a + 1)
			return 3;
		/* Stale: the next round learns it. */
		err = read_coming(c, cpu, i, t);
		if (err && err != -ESTALE && err != -EAGAIN)
			return 4;
		i = taskacct_counters_at(c, i) ? i + 1 : 0;
		if (values[0] + values[1] || values[0] % BEAT_DELTA)
			__atomic_add_fetch(&t->torn, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&t->reads, 1, __ATOMIC_RELAXED);
	}
	taskacct_counters_close(c);
	return 0;
}

/* Counters come and go, with pages for them, and so does a CPU */
static int torture_round(int round)
{
	const bool hotplug = sys_cpus_possible() > 1;
	char name[32];
	int i, n, err = 0, numbers[40];

	for (i = 0; i < 40; i++) {
		n = (round * 20 + i) % (MANY * 2);
		snprintf(name, sizeof(name), COMING "%d", n);
		numbers[i] = count_add(name);
		if (numbers[i] < 0)
			return numbers[i];
		err = err ? err : count_adjust(numbers[i], VALUE_OF(n));
	}
	if (hotplug && !err)
		err = sys_cpu_set(1, round % 2);
	for (i = 0; i < 40; i++)
		if (count_del(numbers[i]))
			return -ENOENT;
	return err;
}

/* R40 R44 R51 R55 R56 R57 R58 R59: 10 million readings on all CPUs while threads and
 * interrupts update, counters come and go, pages grow and a CPU goes off and on: none
 * is torn, half old or of another counter
 */
TEST_F(counters, torture)
{
	const int readers = sys_cpus_online();
	const long enough = sys_fewer(TORTURE_READS);
	struct torture *t;
	char beats[32];
	int a, b, i, status, round;
	int64_t end = sys_now_ns() + TORTURE_NS * sys_slow();
	pid_t pids[readers];

	NEED_LOADED(self->able);
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, t);
	a = count_add("count.torn.a");
	b = count_add("count.torn.b");
	ASSERT_EQ(a + 1, b);
	ASSERT_EQ(0, count_beat(a, b, BEAT_DELTA));
	for (i = 0; i < readers; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(torture_reader(t));
	}
	for (round = 0; sys_now_ns() < end &&
			__atomic_load_n(&t->reads, __ATOMIC_RELAXED) < enough;
	     round++) {
		ASSERT_EQ(0, torture_round(round));
		usleep(20000);
	}
	__atomic_store_n(&t->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < readers; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	ASSERT_LT(0, sys_read(COUNT_PARAMETERS "beats", beats, sizeof(beats)));
	EXPECT_LT(0, atol(beats));
	ASSERT_EQ(0, count_beat(0, 0, 0));
	if (sys_cpus_possible() > 1)
		EXPECT_EQ(0, sys_cpu_set(1, true));
	EXPECT_EQ(0, t->torn);
	EXPECT_EQ(0, t->other);
	EXPECT_LE(enough, t->reads);
	EXPECT_LT(0, t->seen);
	TH_LOG("%ld reads, %ld given up, %ld of those that come, %d rounds, %ld beats",
	       t->reads, t->stale, t->seen, round, atol(beats));
	EXPECT_EQ(0, count_del(a));
	EXPECT_EQ(0, count_del(b));
	munmap(t, sizeof(*t));
}

TEST_HARNESS_MAIN
