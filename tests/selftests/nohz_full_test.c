// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU on one that has no ticks while a single task runs there: the VM
 * is booted with nohz_full=1.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "cputime.h"
#include "users.h"

#define TICKLESS "/sys/devices/system/cpu/nohz_full"

static bool is_tickless(void)
{
	char cpus[64];

	return sys_read(TICKLESS, cpus, sizeof(cpus)) > 0 && atoi(cpus) == CPU;
}

FIXTURE(nohz_full)
{
	struct taskacct_counters *c;
	bool able;
	bool is_so;
};

FIXTURE_SETUP(nohz_full)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	self->is_so = is_tickless();
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

/* R95 R102: of each CPU it is reported how the kernel counts there, and that this one has
 * no ticks
 */
TEST_F(nohz_full, reported)
{
	char line[64];

	NEED_TICKLESS();
	ASSERT_EQ(0, stat_line("kernel0", line, sizeof(line)));
	EXPECT_STREQ("kernel0 tick nohz\n", line);
	ASSERT_EQ(0, stat_line("kernel1", line, sizeof(line)));
	EXPECT_STREQ("kernel1 generic nohz_full\n", line);
}

/* R95 R98 R101 R103: a task burns there without a system call: all time is counted, as
 * user time, in both modes. The kernel itself accounts at the switch there.
 */
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

/* In system calls alone, for less than a tick */
static void read_briefly(void)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	static char buf[1 << 16];
	struct timespec ran;

	do {
		if (read(fd, buf, sizeof(buf)) < 0)
			_exit(1);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ran);
	} while (!ran.tv_sec && ran.tv_nsec < 1500000);
	_exit(0);
}

/* They never were another user's: of those that change, something is kept. */
static void have_readers(uint32_t uid)
{
	int i;

	if (work_pin(CPU))
		_exit(97);
	user_become(uid);
	for (i = 0; i < 300; i++) {
		if (!fork())
			read_briefly();
		wait(NULL);
	}
	_exit(0);
}

/* How many percent of what such tasks ran the kernel did, as their user has it */
static int percent_of_system(struct __test_metadata *_metadata,
			     struct acct_sock *s, uint32_t uid)
{
	struct uid_usage *usage;
	struct uid_total total;
	int status = -1;

	if (!fork())
		have_readers(uid);
	wait(&status);
	EXPECT_EQ(0, status);
	if (uid_get(s, uid, &total))
		return -1;
	usage = &total.usage[0];
	TH_LOG("%u: %llu us user, %llu us system", uid,
	       (unsigned long long)usage->user / 1000,
	       (unsigned long long)usage->system / 1000);
	return (int)(usage->system * 100 / (usage->user + usage->system));
}

FIXTURE(users)
{
	struct acct_sock s;
	bool able;
	bool is_so;
};

FIXTURE_SETUP(users)
{
	self->is_so = is_tickless();
	SET_UP("");
}

FIXTURE_TEARDOWN(users)
{
	TEAR_DOWN();
}

/*
 * R82 R101: what short tasks ran is divided for their user as the kernel has
 * measured it, and in the same way whether anybody hears of their exits or not.
 */
TEST_F(users, short_tasks)
{
	struct acct_sock listener;
	int received, unlistened;

	NEED_TICKLESS();
	unlistened = percent_of_system(_metadata, &self->s, FIRST_UID);
	ASSERT_EQ(0, acct_open(&listener));
	ASSERT_EQ(0, ext_listen(&listener, EXT_BARE, NULL, 16 << 20));
	received = percent_of_system(_metadata, &self->s, FIRST_UID + 1);
	acct_close(&listener);
	EXPECT_LE(80, received);
	EXPECT_LE(80, unlistened);
	EXPECT_LE(abs(received - unlistened), 10);
}

TEST_HARNESS_MAIN
