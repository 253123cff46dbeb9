// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nobody waits for a listener that does not keep up. Times are the guest's, which counts
 * instructions here (tests/selftests/vm.conf): what else the host does is not in them.
 */
#include "test.h"

/* So small that a few records fill it; the kernel doubles it. */
#define SMALL 8192

/* How long fifty exits take, in ns */
static int64_t measure_exits(void)
{
	const int64_t begin = sys_now_ns();
	int i;

	for (i = 0; i < 50; i++)
		work_exit_on(0);
	return sys_now_ns() - begin;
}

/* "Sends never block": exits go on at the same pace past a listener that never reads. A
 * send that waited would wait for ever, or for a tick at the least: longer than for an exit.
 */
TEST(nobody_waits)
{
	int64_t alone, filling, full;
	struct acct_listener info;
	struct acct_sock s, l;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	/* What only the first ones cost */
	measure_exits();
	alone = measure_exits();
	ASSERT_EQ(0, acct_listen(&l, "0", SMALL));
	filling = measure_exits();
	ASSERT_EQ(0, acct_listener_of(&s, l.port, &info));
	EXPECT_LT(0, info.lost_queue);
	full = measure_exits();
	TH_LOG("50 exits: %lld us without a listener, %lld us as its queue fills, %lld us when it is full",
	       (long long)alone / 1000, (long long)filling / 1000,
	       (long long)full / 1000);
	EXPECT_LT(filling, alone * 3 / 2);
	EXPECT_LT(full, alone * 3 / 2);
	acct_close(&l);
	acct_close(&s);
}

TEST_HARNESS_MAIN
