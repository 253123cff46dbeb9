// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module goes and comes 200 times while everything that it does is going
 * on. unload_test has a few of these rounds.
 */
#include "test.h"
#include "storm.h"

#define ROUNDS 200

/* The limit is that of the VM, which knows how slow the kernel is. */
#define TIMEOUT 7200

FIXTURE(storm) {
	struct storm storm;
};

FIXTURE_SETUP(storm)
{
}

FIXTURE_TEARDOWN(storm)
{
}

/* 200 times, while two CPUs fork and exit, listeners are registered and queries
 * run: listeners get ENODEV, no hook and no family stays, and the new module
 * has nothing of the old one
 */
TEST_F_TIMEOUT(storm, two_hundred_times, TIMEOUT)
{
	int64_t begin = sys_now_ns();
	const char *wrong;

	NEED_CPUS(2);
	NEED_LOADED(sys_module_loaded());
	wrong = storm_begin(&self->storm);
	while (!wrong && self->storm.round < ROUNDS)
		wrong = storm_round(&self->storm);
	TH_LOG("%u times in %ld s", self->storm.round,
	       (sys_now_ns() - begin) / 1000000000);
	ASSERT_EQ(NULL, wrong) TH_LOG("%s", wrong);
	wrong = storm_end(&self->storm);
	EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
}

TEST_HARNESS_MAIN
