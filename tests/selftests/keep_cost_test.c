// SPDX-License-Identifier: GPL-2.0-only
/*
 * What taskacct record costs: instructions of the recorder for each exit, its memory, and
 * bytes on disk for each record. In a VM that counts instructions each is one ns.
 */
#include <time.h>

#include "run.h"
#include "test.h"

/* Behind the harness, whose macros they have */
#include "lines.h"
#include "keep.h"

#define SECOND_NS 1000000000LL

/* What was measured, and a third more; Documentation/performance.rst has the figures. */
#define MOST_AT_20 30000
#define MOST_AT_2000 13000
#define MOST_BYTES 150

FIXTURE(cost) {
	struct run recorder;
	struct run r;
	struct kept kept;
};

FIXTURE_VARIANT(cost) {
	const char *way;
};

FIXTURE_VARIANT_ADD(cost, ring) {
	.way = "",
};

FIXTURE_VARIANT_ADD(cost, netlink) {
	.way = "--netlink",
};

FIXTURE_SETUP(cost)
{
	NEED_VM();
	NEED_TASKACCT();
	have_file_system(_metadata, "size=256m");
	start_recorder(_metadata, &self->recorder, variant->way);
	/* All that it runs is in memory then, and it has a segment. */
	make_short(_metadata, 5);
	usleep(FLUSHED_US);
}

FIXTURE_TEARDOWN(cost)
{
	forget_kept(&self->kept);
	run_free(&self->r);
	end_run(&self->recorder);
	umount2(KEEP_AT, MNT_DETACH);
}

static void sleep_until(int64_t ns)
{
	const struct timespec at = { ns / SECOND_NS, ns % SECOND_NS };

	clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &at, NULL);
}

/* Processes that end at a rate; returns how long it took, in ns */
static int64_t end_at_rate(int n, int rate)
{
	const int64_t begin = sys_now_ns();
	int i;

	for (i = 0; i < n; i++) {
		work_exit_process(0);
		sleep_until(begin + (i + 1) * SECOND_NS / rate);
	}
	return sys_now_ns() - begin;
}

/* What the recorder ran for each of so many exits, with what it does when it is idle */
static int64_t ran_for_each(struct __test_metadata *_metadata, pid_t pid, int n,
			    int rate)
{
	struct sys_task before, after;
	int64_t took, each;

	ASSERT_EQ(0, sys_proc_sum(pid, &before));
	took = end_at_rate(n, rate);
	usleep(FLUSHED_US);
	ASSERT_EQ(0, sys_proc_sum(pid, &after));
	each = (int64_t)(after.run_ns - before.run_ns) / n;
	TH_LOG("%d exits in %lld ms: %lld instructions each, %ld KiB resident at most",
	       n, (long long)took / 1000000, (long long)each, hwm_kib(pid));
	EXPECT_GE(n * SECOND_NS / rate * 3 / 2, took);
	EXPECT_GE(HWM_KIB, hwm_kib(pid));
	return each;
}

static void expect_kept(struct __test_metadata *_metadata, FIXTURE_DATA(cost) *self,
			int n)
{
	end_recorder(_metadata, &self->recorder, 0);
	EXPECT_EQ(n, count_kept(_metadata, "comm=keep_cost_test", 0));
}

TEST_F_TIMEOUT(cost, at_20_exits_a_second, 300)
{
	EXPECT_GE(MOST_AT_20,
		  ran_for_each(_metadata, self->recorder.pid, 400, 20));
	expect_kept(_metadata, self, 400);
}

TEST_F_TIMEOUT(cost, at_2000_exits_a_second, 300)
{
	EXPECT_GE(MOST_AT_2000,
		  ran_for_each(_metadata, self->recorder.pid, 10000, 2000));
	expect_kept(_metadata, self, 10000);
}

/* Of five builds of the demo's program, one after the other */
TEST_F_TIMEOUT(cost, bytes_of_a_build, 300)
{
	int64_t bytes, records;

	shell(&self->r, "command -v make && command -v cc");
	if (self->r.status)
		SKIP(return, "the root of this VM has no make and no compiler");
	run_free(&self->r);
	must(_metadata, &self->r,
	     "set -e; for i in 1 2 3 4 5; do rm -rf /tmp/cost; mkdir /tmp/cost;"
	     "make -s -j4 -C tests/demo/program O=/tmp/cost; done");
	end_recorder(_metadata, &self->recorder, 0);
	look(&self->kept, KEEP_DIR);
	ASSERT_EQ(1, self->kept.n);
	bytes = self->kept.size[0];
	records = sum_of(&self->kept, "kept");
	TH_LOG("%lld bytes for %lld records: %.1f each", (long long)bytes,
	       (long long)records, (double)bytes / (double)records);
	EXPECT_LE(80, records);
	EXPECT_GE(MOST_BYTES, bytes / records);
	/* For who wants to look where they go */
	shell(&self->r, "cp " KEEP_DIR "/*.zst \"$VM_OUT\"");
}

TEST_HARNESS_MAIN
