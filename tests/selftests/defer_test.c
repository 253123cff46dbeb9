// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that cannot be put off, on PREEMPT_RT: they are losses like others. To
 * put one off is made to fail by module fail (tests/fail).
 */
#include <sys/utsname.h>

#include "test.h"
#include "fail.h"
#include "module.h"

#define EXITS 5

FIXTURE(defer) {
	struct acct_sock s;
	struct acct_sock l;
	struct acct_sock stream;
	bool able;
};

FIXTURE_SETUP(defer)
{
	struct utsname u;

	self->able = sys_in_vm() && sys_module_loaded() && !uname(&u) &&
		     strstr(u.version, "PREEMPT_RT");
	if (!self->able)
		return;
	ASSERT_EQ(0, fail_begin());
	/* The others call with preemption on, or where there can be no probe. */
	ASSERT_EQ(0, module_insert("hook=tracepoint"));
	ASSERT_EQ(0, acct_open(&self->s));
	work_pin(0);
}

FIXTURE_TEARDOWN(defer)
{
	if (!self->able)
		return;
	work_pin_any();
	acct_close(&self->s);
	EXPECT_EQ(0, fail_end());
}

static void expect_lost(struct __test_metadata *_metadata, struct acct_sock *s,
			const struct acct_sock *l)
{
	struct acct_listener info;

	ASSERT_EQ(0, acct_listener_of(s, l->port, &info));
	EXPECT_LE(EXITS, info.lost_memory);
	EXPECT_EQ(0, info.lost_queue);
	EXPECT_EQ(info.made, info.delivered + info.lost_memory);
}

/* Returns how many exits the next gap of a stream says were lost: not always all */
static uint64_t gap_told(struct __test_metadata *_metadata,
			 struct acct_sock *stream)
{
	struct ext_message m;
	int err;

	do {
		err = ext_next(stream, &m, PATIENCE_MS);
	} while (err == -ENOBUFS || (!err && m.cmd != TASKACCT_CMD_GAP));
	ASSERT_EQ(0, err);
	EXPECT_LT(0, m.gap.memory);
	EXPECT_EQ(0, m.gap.queue);
	EXPECT_STREQ("0", m.gap.cpumask);
	return m.gap.memory;
}

/* The next that it reads is that it has lost something, once. */
static void expect_overrun(struct __test_metadata *_metadata,
			   struct acct_sock *l)
{
	struct acct_exit e;

	EXPECT_EQ(-ENOBUFS, acct_next_exit(l, &e, PATIENCE_MS));
}

/* Returns the number of the exit */
static uint32_t exit_heard(struct __test_metadata *_metadata,
			   struct acct_sock *l)
{
	struct acct_exit e;

	EXPECT_EQ(0, acct_wait_exit(l, work_exit_on(0), &e));
	return e.seq;
}

/* R32 R36: an exit that is not put off is counted as lost for want of memory, by
 * each listener of its CPU, has a number, and is told without another exit
 */
TEST_F(defer, dropped)
{
	uint64_t told = 0;
	uint32_t seq;
	int i;

	if (!self->able)
		SKIP(return, "exits are put off on PREEMPT_RT alone");
	ASSERT_EQ(0, acct_listen(&self->l, "0", 0));
	seq = exit_heard(_metadata, &self->l);
	ASSERT_EQ(0, acct_open(&self->stream));
	ASSERT_EQ(0, ext_register(&self->stream, "0", EXT_STREAM, NULL));
	ASSERT_EQ(0, fail_plan("task_work_add 1/1 -3"));
	for (i = 0; i < EXITS; i++)
		ASSERT_LT(0, work_exit_on(0));
	ASSERT_EQ(0, fail_none(0));

	while (told < EXITS)
		told += gap_told(_metadata, &self->stream);
	expect_lost(_metadata, &self->s, &self->stream);
	expect_lost(_metadata, &self->s, &self->l);
	expect_overrun(_metadata, &self->l);
	EXPECT_LT(seq + EXITS, exit_heard(_metadata, &self->l));
	acct_close(&self->stream);
	acct_close(&self->l);
}

TEST_HARNESS_MAIN
