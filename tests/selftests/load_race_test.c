// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module is loaded while threads exit: each of them is before the hook, in
 * it, behind it, or in the middle of the function where it is.
 */
#include "test.h"
#include "throng.h"

#define ROUNDS 40
#define PROCESSES 4
#define RCVBUF (64 << 20)

static char all[32];

FIXTURE(load_race) {
	struct acct_sock s;
	struct acct_sock listener;
	struct throng *throngs[PROCESSES];
	struct work works[PROCESSES];
	int processes;
	bool able;
	unsigned int late;
};

FIXTURE_SETUP(load_race)
{
	int i;

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	self->processes = sys_fewer(PROCESSES);
	for (i = 0; i < self->processes; i++)
		self->throngs[i] = throng_new(1);
	ASSERT_EQ(0, sys_module_unload());
}

FIXTURE_TEARDOWN(load_race)
{
	if (self->able && !sys_module_loaded()) {
		EXPECT_EQ(0, sys_module_load(NULL));
	}
}

static void tell_all(struct __test_metadata *_metadata,
		     FIXTURE_DATA(load_race) *self, char order)
{
	int i;

	for (i = 0; i < self->processes; i++)
		ASSERT_EQ(0, work_tell(&self->works[i], order));
	for (i = 0; i < self->processes; i++)
		ASSERT_EQ('.', work_hear(&self->works[i]));
}

/* What the kernel has of it, for the threads stand still by now */
static void expect_total(struct __test_metadata *_metadata,
			 FIXTURE_DATA(load_race) *self, pid_t pid)
{
	struct taskacct_record r;
	struct sys_task t;

	ASSERT_EQ(0, sys_proc_task(pid, &t));
	ASSERT_EQ(0, ext_query_process(&self->s, pid, &r));
	EXPECT_EQ(t.syscr, r.syscr);
	EXPECT_EQ(t.minflt, r.min_flt);
	self->late += !!(r.late & 1ULL << TASKACCT_HAS_IO);
}

static void expect_last(struct __test_metadata *_metadata,
			FIXTURE_DATA(load_race) *self, struct work *w,
			uint64_t least)
{
	struct acct_exit e;
	pid_t pid = w->pid;

	EXPECT_EQ(0, work_wait(w));
	do {
		ASSERT_EQ(0, acct_next_exit(&self->listener, &e, PATIENCE_MS));
	} while (!e.has_tgid || e.tgid != (uint32_t)pid);
	EXPECT_LE(least, e.group.read_syscalls);
	EXPECT_GE(least + 8, e.group.read_syscalls);
}

static void load_once(struct __test_metadata *_metadata,
		      FIXTURE_DATA(load_race) *self)
{
	struct sys_task t;
	int i;

	for (i = 0; i < self->processes; i++) {
		ASSERT_EQ(0, work_start(&self->works[i], throng_lead,
					self->throngs[i]));
		ASSERT_EQ('r', work_hear(&self->works[i]));
	}
	tell_all(_metadata, self, 'c');
	usleep(2000);
	ASSERT_EQ(0, sys_module_load(NULL));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen(&self->listener, all, RCVBUF));
	tell_all(_metadata, self, 's');
	for (i = 0; i < self->processes; i++) {
		expect_total(_metadata, self, self->works[i].pid);
		ASSERT_EQ(0, sys_proc_task(self->works[i].pid, &t));
		expect_last(_metadata, self, &self->works[i], t.syscr);
	}
	acct_close(&self->listener);
	acct_close(&self->s);
	ASSERT_EQ(0, sys_module_unload());
}

/* R12 R13 R25: threads of four processes, or two in a hurry or on a slow kernel, begin and exit
 * all the time while the module comes: what they had done is in the total, as the kernel has it,
 * and each process has its last record
 */
TEST_F_TIMEOUT(load_race, threads_that_exit_meanwhile, 1200)
{
	const int rounds = sys_quick(ROUNDS);
	int i;

	NEED_COUNTS();
	NEED_LOADED(self->able);
	NEED_CPUS(2);
	for (i = 0; i < rounds; i++)
		load_once(_metadata, self);
	TH_LOG("%u of %u processes with late values", self->late,
	       rounds * self->processes);
}

TEST_HARNESS_MAIN
