// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is told of a task that has lived through a suspend: extended records and filters
 * count that time, the classic record's age does not.
 */
#include "suspend.h"
#include "test.h"

/* Nanoseconds in a microsecond */
#define US 1000LL

/* A task that was there before a suspend and is still there, and the clocks around its
 * start
 */
FIXTURE(suspend) {
	struct acct_sock s;
	struct work w;
	int64_t slept;
	int64_t started[2];
	uint64_t born[2];
};

FIXTURE_SETUP(suspend)
{
	NEED_TASKACCT();
	NEED_VM();
	NEED_SUSPEND();
	ASSERT_EQ(0, acct_open(&self->s));
	self->born[0] = sys_boot_ns();
	self->started[0] = sys_now_ns();
	ASSERT_EQ(0, work_start(&self->w, work_stand_still, NULL));
	self->started[1] = sys_now_ns();
	self->born[1] = sys_boot_ns();
	ASSERT_EQ('r', work_hear(&self->w));
	ASSERT_EQ(0, suspend_briefly(&self->slept));
	ASSERT_LT(SUSPEND_LEAST_NS, self->slept);
}

FIXTURE_TEARDOWN(suspend)
{
	acct_close(&self->s);
}

static void expect_between(struct __test_metadata *_metadata, uint64_t least,
			   uint64_t value, uint64_t most)
{
	EXPECT_LE(least, value);
	EXPECT_LE(value, most);
}

/* R16: of a query and an exit: start and end are by the clock that goes on in a
 * suspend, so that what is between them has it; the classic age is by the one that stands
 */
TEST_F(suspend, times)
{
	struct acct_sock classic, extended;
	struct taskacct_record r;
	struct ext_message m;
	struct acct_exit e;
	int64_t ending[2];
	uint64_t end[2];

	end[0] = sys_boot_ns();
	ASSERT_EQ(0, ext_query_process(&self->s, self->w.pid, &r));
	expect_between(_metadata, self->born[0], r.start, self->born[1]);
	expect_between(_metadata, end[0], r.end, sys_boot_ns());

	ASSERT_EQ(0, acct_listen_all(&classic, 0));
	ASSERT_EQ(0, ext_listen(&extended, EXT_BARE, NULL, 0));
	end[0] = sys_boot_ns();
	ending[0] = sys_now_ns();
	EXPECT_EQ(0, work_wait(&self->w));
	ending[1] = sys_now_ns();
	end[1] = sys_boot_ns();
	ASSERT_EQ(0, ext_wait_task(&extended, self->w.pid, &m));
	expect_between(_metadata, self->born[0], m.task.start, self->born[1]);
	expect_between(_metadata, end[0], m.task.end, end[1]);
	ASSERT_EQ(0, acct_wait_exit(&classic, self->w.pid, &e));
	/* Whole microseconds */
	expect_between(_metadata, (ending[0] - self->started[1]) / US - 1,
		       e.task.ac_etime, (ending[1] - self->started[0]) / US);
	acct_close(&extended);
	acct_close(&classic);
}

/* Looks for a task among those of a dump. */
struct search {
	pid_t pid;
	bool found;
};

static void look(const struct ext_message *m, void *arg)
{
	struct search *search = arg;

	search->found |= m->has_task && m->task.pid == (uint32_t)search->pid;
}

static bool is_dumped(struct __test_metadata *_metadata, struct acct_sock *s,
		      const struct ext_filter *f, pid_t pid)
{
	struct search search = { .pid = pid };

	EXPECT_EQ(0, ext_dump(s, EXT_BARE, f, look, &search));
	return search.found;
}

/* A least lifetime that the task has with the suspend alone: it is in a dump and its end
 * is told, and that of one that began afterwards is not, unless it lived for so long
 */
TEST_F(suspend, least_lifetime)
{
	struct ext_filter f = {
		.has = EXT_HAS(KINDS) | EXT_HAS(MIN_LIFETIME),
		.kinds = TASKACCT_KIND_TASK,
	};
	struct acct_sock filtered, all;
	struct ext_message m;
	bool heard = false;
	pid_t after;

	f.min_lifetime = sys_now_ns() - self->started[0] + self->slept / 2;
	EXPECT_TRUE(is_dumped(_metadata, &self->s, &f, self->w.pid));
	ASSERT_EQ(0, ext_listen(&filtered, EXT_BARE, &f, 0));
	ASSERT_EQ(0, ext_listen(&all, EXT_BARE, NULL, 0));
	after = work_exit_process(0);
	EXPECT_EQ(0, work_wait(&self->w));
	do {
		ASSERT_EQ(0, ext_next(&filtered, &m, PATIENCE_MS));
		heard |= m.task.pid == (uint32_t)after;
	} while (m.task.pid != (uint32_t)self->w.pid);
	ASSERT_EQ(0, ext_wait_task(&all, after, &m));
	EXPECT_EQ(m.task.end - m.task.start >= f.min_lifetime, heard);
	acct_close(&all);
	acct_close(&filtered);
}

TEST_HARNESS_MAIN
