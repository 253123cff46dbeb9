// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts where the kernel measures them (-k irqtime): our times beside its own,
 * waits for them beside those of the kernel's own taskstats; and that it is said
 * where it does not.
 */
#include <stdio.h>
#include <stdlib.h>

#include <taskacct.h>

#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"

FIXTURE(irqtime) {
	struct acct_sock s;
	bool able;
	bool measured;
};

FIXTURE_SETUP(irqtime)
{
	char line[64];

	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, stat_line("irqtime", line, sizeof(line)));
	self->measured = !strcmp(line, "irqtime measured\n");
}

FIXTURE_TEARDOWN(irqtime)
{
	if (!self->able)
		return;
	acct_close(&self->s);
	EXPECT_EQ(0, set_mode("off"));
}

/* Whether the kernel was built to, and not told otherwise */
static bool should_measure(void)
{
	return sys_file_has("/proc/version", "taskacct-irqtime") &&
	       !sys_file_has("/proc/cmdline", "noirqtime");
}

/* R97 R102: told from what the kernel does, not from its configuration */
TEST_F(irqtime, told)
{
	struct taskacct_record r;

	NEED_LOADED(self->able);
	EXPECT_EQ(should_measure(), self->measured);
	ASSERT_EQ(0, ext_query_process(&self->s, getpid(), &r));
	if (!self->measured) {
		EXPECT_NE(0, r.absent & (1ULL << TASKACCT_HAS_IRQ));
	} else {
		EXPECT_EQ(0, r.absent & (1ULL << TASKACCT_HAS_IRQ));
	}
}

#define NEED_MEASURED() do {						\
	NEED_LOADED(self->able);					\
	if (!self->measured)						\
		SKIP(return, "the kernel does not measure interrupts: -k irqtime"); \
} while (0)

/* R97: ours begins later and ends earlier than the kernel's: it is contained in it. */
TEST_F(irqtime, times)
{
	uint64_t ours[2][CLASSES], theirs[2][CLASSES];
	int64_t our, their;
	char line[512];
	int i;

	NEED_MEASURED();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, file_line("/proc/stat", "cpu", line, sizeof(line)));
		ASSERT_EQ(CLASSES, numbers(line, theirs[i]));
		ASSERT_EQ(0, stat_line("cpu", line, sizeof(line)));
		ASSERT_EQ(CLASSES, numbers(line, ours[i]));
		if (!i)
			work_burn(5 * SECOND);
	}
	our = interrupts_of(ours[1]) - interrupts_of(ours[0]);
	their = interrupts_of(theirs[1]) - interrupts_of(theirs[0]);
	TH_LOG("ours %lld, theirs %lld ticks", (long long)our, (long long)their);
	EXPECT_LT(0, our);
	/* Each number is rounded, and they are not read at once. */
	EXPECT_LE(our, their + 8);
	EXPECT_LE(their, 4 * our + 8);
}

static int burn(int fd, void *arg)
{
	(void)arg;
	work_order(fd);
	work_burn(SECOND);
	return 0;
}

static int exit_of(struct acct_sock *l, pid_t pid, struct acct_exit *e)
{
	int err;

	do {
		err = acct_next_exit(l, e, PATIENCE_MS);
	} while (!err && e->pid != (uint32_t)pid);
	return err;
}

/* R97: waits for interrupts, beside the kernel's own record of the same exit, which is
 * made a little later: there may be one more in it.
 */
TEST_F(irqtime, waits)
{
	struct acct_exit ours = { 0 }, theirs = { 0 };
	struct acct_sock kernel, l;
	char all[32];
	struct work w;

	NEED_MEASURED();
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, sys_delayacct(true));
	ASSERT_EQ(0, acct_open_family(&kernel, "TASKSTATS", 0));
	ASSERT_EQ(0, acct_register(&kernel, all));
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	ASSERT_EQ(0, work_start(&w, burn, NULL));
	EXPECT_EQ(0, work_wait(&w));
	ASSERT_EQ(0, exit_of(&l, w.pid, &ours));
	ASSERT_EQ(0, exit_of(&kernel, w.pid, &theirs));
	EXPECT_LT(0, ours.task_tail.irq_delay_total);
	EXPECT_LE(ours.task_tail.irq_count, theirs.task_tail.irq_count);
	EXPECT_LE(theirs.task_tail.irq_count, ours.task_tail.irq_count + 100);
	EXPECT_LE(ours.task_tail.irq_delay_total,
		  theirs.task_tail.irq_delay_total);
	EXPECT_LE(theirs.task_tail.irq_delay_total,
		  2 * ours.task_tail.irq_delay_total);
	acct_close(&kernel);
	acct_close(&l);
	EXPECT_EQ(0, sys_delayacct(false));
}

TEST_HARNESS_MAIN
