// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU on one that has no ticks while a single task runs there: the VM
 * is booted with nohz_full=1.
 */
#include "cputime.h"

#define TICKLESS "/sys/devices/system/cpu/nohz_full"

FIXTURE(nohz_full)
{
	struct taskacct_counters *c;
	bool able;
	bool is_so;
};

FIXTURE_SETUP(nohz_full)
{
	char cpus[64];

	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	self->is_so = sys_read(TICKLESS, cpus, sizeof(cpus)) > 0 &&
		      atoi(cpus) == CPU;
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
}

FIXTURE_TEARDOWN(nohz_full)
{
	if (!self->able)
		return;
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, set_mode("off"));
}

#define NEED_TICKLESS() do {						\
	NEED_LOADED(self->able);					\
	if (!self->is_so)						\
		SKIP(return, "CPU %d has ticks: needs CONFIG_NO_HZ_FULL and nohz_full=%d", \
		     CPU, CPU);						\
} while (0)

/* R95, R102: each CPU is told of as it is */
TEST_F(nohz_full, told)
{
	char line[64];

	NEED_TICKLESS();
	ASSERT_EQ(0, stat_line("kernel0", line, sizeof(line)));
	EXPECT_STREQ("kernel0 tick nohz\n", line);
	ASSERT_EQ(0, stat_line("kernel1", line, sizeof(line)));
	EXPECT_STREQ("kernel1 generic nohz_full\n", line);
}

/* R95, R98, R101: what runs there is counted, and all of the time */
TEST_F(nohz_full, complete)
{
	static const char *const modes[] = { "switch", "full" };
	struct reading then, now;
	uint64_t ns[CLASSES];
	int i;

	NEED_TICKLESS();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, set_mode(modes[i]));
		ASSERT_EQ(0, read_by_map(self->c, CPU, &then));
		run_alone(_metadata, self->c, spin, ns);
		ASSERT_EQ(0, read_by_map(self->c, CPU, &now));
		expect_complete(_metadata, &then, &now);
		EXPECT_LT(left_of(ns) * 95 / 100, ns[TASKACCT_CPU_USER]);
	}
}

/* R101: of a task that goes on and on, as of now */
TEST_F(nohz_full, task_goes_on)
{
	struct reading first, last;
	struct taskacct_record then, now;
	struct acct_sock s;
	int64_t on_cpu, least;
	struct work w;

	NEED_TICKLESS();
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, work_start(&w, spin, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, read_by_map(self->c, CPU, &first));
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &then));
	least = -sys_now_ns();
	sleep(3);
	least += sys_now_ns();
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &now));
	ASSERT_EQ(0, read_by_map(self->c, CPU, &last));
	on_cpu = now.on_cpu - then.on_cpu;
	TH_LOG("%lld us of %lld us, interrupts %lld us, utime %lld us",
	       (long long)on_cpu / 1000, (long long)least / 1000,
	       (long long)(interrupts_of(last.ns) - interrupts_of(first.ns)) /
		       1000,
	       (long long)(now.utime - then.utime) / 1000);
	EXPECT_LE(least * 98 / 100,
		  on_cpu + interrupts_of(last.ns) - interrupts_of(first.ns));
	EXPECT_GE(last.after - first.before, on_cpu);
	kill(w.pid, SIGKILL);
	work_wait(&w);
	acct_close(&s);
}

TEST_HARNESS_MAIN
