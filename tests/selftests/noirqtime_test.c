// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel that was built to measure interrupts and is told at boot not to
 * (tsc=noirqtime): it is said that it does not. irqtime_test is about one that does.
 */
#include <taskacct.h>

#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"

FIXTURE(noirqtime) {
	bool able;
};

FIXTURE_SETUP(noirqtime)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, set_mode("switch"));
}

FIXTURE_TEARDOWN(noirqtime)
{
	if (!self->able)
		return;
	EXPECT_EQ(0, set_mode("off"));
}

/* R97 R102: told from what the kernel does, not from its configuration */
TEST_F(noirqtime, reported)
{
	struct taskacct_record r;
	struct acct_sock s;
	char line[64];

	NEED_LOADED(self->able);
	if (!sys_file_has("/proc/version", "taskacct-irqtime") ||
	    !sys_file_has("/proc/cmdline", "tsc=noirqtime"))
		SKIP(return, "needs -k irqtime -a tsc=noirqtime");
	ASSERT_EQ(0, stat_line("irqtime", line, sizeof(line)));
	EXPECT_STREQ("irqtime sampled\n", line);
	ASSERT_EQ(0, acct_open(&s));
	EXPECT_EQ(0, ext_query_process(&s, getpid(), &r));
	EXPECT_NE(0, r.absent & (1ULL << TASKACCT_HAS_IRQ));
	acct_close(&s);
}

TEST_HARNESS_MAIN
