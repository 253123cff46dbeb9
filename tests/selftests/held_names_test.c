// SPDX-License-Identifier: GPL-2.0-only
/*
 * More tasks between their exit and their end, for as long as their user wants, than
 * names are kept of: they cannot have more memory kept than there is for it.
 */
#include <errno.h>
#include <stdlib.h>

#include "extended.h"
#include "hold.h"
#include "module.h"
#include "test.h"
#include "throng.h"

/* Tasks whose names are kept at one time, and some that are more */
#define NAMED 2048
#define TASKS (NAMED + 52)

#define WANT (EXT_BARE | TASKACCT_WANT_EXE_PATH)
#define RCVBUF (64 << 20)

/* One of the crowd */
struct member {
	pid_t pid;
	pid_t key;
	unsigned int records;
	bool named;
};

FIXTURE(crowd) {
	struct acct_sock s;
	struct acct_sock listener;
	struct member *members;
	int n;
};

FIXTURE_SETUP(crowd)
{
	NEED_TASKACCT();
	NEED_VM();
	/* Two processes for each; small kernels have 4,096 numbers. */
	ASSERT_EQ(0, throng_make_room(3 * TASKS));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, ext_listen(&self->listener, WANT, NULL, RCVBUF));
	self->members = calloc(TASKS, sizeof(*self->members));
	ASSERT_NE(NULL, self->members);
}

/* Lets them all go to their end, and waits for it. */
static void let_all_go(FIXTURE_DATA(crowd) *self)
{
	int i;

	for (i = 0; i < self->n; i++)
		hold_let_go(self->members[i].key);
	for (i = 0; i < self->n; i++)
		work_reap(self->members[i].pid, NULL);
	self->n = 0;
}

FIXTURE_TEARDOWN(crowd)
{
	let_all_go(self);
	free(self->members);
	acct_close(&self->listener);
	acct_close(&self->s);
}

/* They exit as soon as they are there. Returns 0 when all are held, or a negative errno */
static int hold_all(FIXTURE_DATA(crowd) *self)
{
	struct member *m = self->members;
	int i;

	for (i = 0; i < TASKS; i++, m++) {
		m->pid = hold_one(&m->key);
		if (m->pid < 0)
			return m->pid;
		self->n++;
	}
	for (i = 0; i < TASKS; i++)
		if (!hold_await(self->members[i].pid))
			return -ETIME;
	return 0;
}

static struct member *find_member(FIXTURE_DATA(crowd) *self, uint32_t pid)
{
	int i;

	for (i = 0; i < TASKS; i++)
		if ((uint32_t)self->members[i].pid == pid)
			return &self->members[i];
	return NULL;
}

/* Takes what is there of them. Returns how many records that are the first of one */
static int take_records(FIXTURE_DATA(crowd) *self)
{
	static struct ext_message e;
	struct member *m;
	int n = 0;

	while (!ext_next(&self->listener, &e, QUIET_MS)) {
		m = e.has_task ? find_member(self, e.task.pid) : NULL;
		if (!m)
			continue;
		n += !m->records++;
		m->named = e.exe[0];
	}
	return n;
}

/* Whether one that comes and goes is reported with its name */
static bool is_named(FIXTURE_DATA(crowd) *self)
{
	static struct ext_message e;
	pid_t pid = work_exit_process(0);

	return pid > 0 && !ext_wait_task(&self->listener, pid, &e) && e.exe[0];
}

/* All are reported once, and so many of them with their names. */
static void expect_names(struct __test_metadata *_metadata, FIXTURE_DATA(crowd) *self)
{
	int i, named = 0, once = 0;

	EXPECT_EQ(TASKS, take_records(self));
	for (i = 0; i < TASKS; i++) {
		once += self->members[i].records == 1;
		named += self->members[i].named;
		self->members[i].records = 0;
	}
	EXPECT_EQ(TASKS, once);
	EXPECT_EQ(NAMED, named);
}

/* R36: of more than 2,048 tasks that are held at one time the names of so many are kept,
 * and all others are reported without; those that come after them have theirs, and it is
 * as many once more
 */
TEST_F(crowd, names_of_so_many)
{
	int i;

	NEED_FTRACE();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, hold_all(self));
		EXPECT_EQ(0, take_records(self));
		EXPECT_FALSE(is_named(self));
		let_all_go(self);
		expect_names(_metadata, self);
		EXPECT_TRUE(is_named(self));
	}
}

/* The module goes while so many are held, and comes: nothing is left of them. */
TEST_F(crowd, module_goes)
{
	ASSERT_EQ(0, hold_all(self));
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert(NULL));
	let_all_go(self);
}

TEST_HARNESS_MAIN
