// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that are put off, on PREEMPT_RT, and those that cannot be: they are losses like
 * others. To put one off is made to fail by module fail (tests/fail).
 */
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "test.h"
#include "fail.h"
#include "module.h"

#define EXITS 5
#define RCVBUF (1 << 20)

FIXTURE(deferred) {
	struct acct_sock s;
	struct acct_sock l;
	struct acct_sock stream;
	bool able;
};

FIXTURE_SETUP(deferred)
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

FIXTURE_TEARDOWN(deferred)
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
static uint64_t gap_reported(struct __test_metadata *_metadata,
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
static uint32_t exit_received(struct __test_metadata *_metadata,
			      struct acct_sock *l)
{
	struct acct_exit e;

	EXPECT_EQ(0, acct_wait_exit(l, work_exit_on(0), &e));
	return e.seq;
}

/* R32 R36: an exit that is not put off is counted as lost for want of memory, by
 * each listener of its CPU, has a number, and is told without another exit
 */
TEST_F(deferred, dropped)
{
	uint64_t reported = 0;
	uint32_t seq;
	int i;

	if (!self->able)
		SKIP(return, "exits are put off on PREEMPT_RT alone");
	ASSERT_EQ(0, acct_listen(&self->l, "0", 0));
	seq = exit_received(_metadata, &self->l);
	ASSERT_EQ(0, acct_open(&self->stream));
	ASSERT_EQ(0, ext_register(&self->stream, "0", EXT_STREAM, NULL));
	ASSERT_EQ(0, fail_plan("task_work_add 1/1 -3"));
	for (i = 0; i < EXITS; i++)
		ASSERT_LT(0, work_exit_on(0));
	ASSERT_EQ(0, fail_none(0));

	while (reported < EXITS)
		reported += gap_reported(_metadata, &self->stream);
	expect_lost(_metadata, &self->s, &self->stream);
	expect_lost(_metadata, &self->s, &self->l);
	expect_overrun(_metadata, &self->l);
	EXPECT_LT(seq + EXITS, exit_received(_metadata, &self->l));
	acct_close(&self->stream);
	acct_close(&self->l);
}

#define TRACING "/sys/kernel/tracing/"

/* On both functions where tasks are seen, so that no preemption is possible there */
static void trace(struct __test_metadata *_metadata, bool on)
{
	ASSERT_EQ(0, sys_write(TRACING "set_ftrace_filter",
			       on ? "taskstats_exit exit_task_stack_account" : ""));
	ASSERT_EQ(0, sys_write(TRACING "current_tracer", on ? "function" : "nop"));
}

FIXTURE(traced) {
	struct acct_sock s;
	struct acct_sock l;
	bool able;
};

FIXTURE_SETUP(traced)
{
	struct utsname u;

	self->able = sys_in_vm() && sys_module_loaded() && !uname(&u) &&
		     strstr(u.version, "PREEMPT_RT");
	if (!self->able)
		return;
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, ext_listen(&self->l, EXT_STREAM, NULL, RCVBUF));
}

FIXTURE_TEARDOWN(traced)
{
	if (!self->able)
		return;
	trace(_metadata, false);
	acct_close(&self->l);
	acct_close(&self->s);
}

/* Two threads, the leader being the last */
static int family(int fd, void *arg)
{
	char *stacks = work_stacks(1);
	int gone = 0;

	(void)fd;
	(void)arg;
	if (work_raw_thread(work_raw_end, NULL, stacks, &gone) < 0)
		return 1;
	work_raw_join(&gone);
	return 0;
}

/* Returns how many records of tasks came of it; @early: and each was told early */
static int reported_of(struct __test_metadata *_metadata, struct acct_sock *l,
		       pid_t pid, bool early)
{
	const pid_t last = work_exit_process(0);
	struct ext_message m;
	int n = 0, processes = 0;
	bool ended = false;

	while (!ended || !processes) {
		ASSERT_EQ(0, ext_next(l, &m, PATIENCE_MS));
		ASSERT_EQ(TASKACCT_CMD_EXIT, m.cmd);
		ended |= m.task.pid == (uint32_t)last;
		if (m.task.tgid != (uint32_t)pid)
			continue;
		n++;
		processes += m.has_process;
		EXPECT_EQ(early, !!(m.task.flags & TASKACCT_RECORD_EARLY));
		EXPECT_TRUE(m.task.flags & TASKACCT_RECORD_ENDED);
		EXPECT_EQ(getpid(), (pid_t)m.task.ppid);
		if (m.has_process) {
			EXPECT_EQ(2, m.process.threads);
			EXPECT_EQ(early, !!(m.process.flags &
					    TASKACCT_RECORD_EARLY));
		}
	}
	EXPECT_EQ(1, processes);
	EXPECT_EQ(-EAGAIN, ext_next(l, &m, 0));
	return n;
}

static void expect_reported(struct __test_metadata *_metadata, struct acct_sock *l,
			    bool early)
{
	struct work w;

	ASSERT_EQ(0, work_start(&w, family, NULL));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(2, reported_of(_metadata, l, w.pid, early));
}

/* R12 R25: where nothing may sleep at the exit and at the end, as with the kernel's
 * function tracer there, each task is told once, a little after its exit, and its
 * record says so
 */
TEST_F(traced, reported_early)
{
	struct acct_listener info;
	int i;

	if (!self->able)
		SKIP(return, "exits are put off on PREEMPT_RT alone");
	if (access("/sys/kernel/tracing/set_ftrace_filter", F_OK))
		SKIP(return, "this kernel has no function tracer");
	expect_reported(_metadata, &self->l, false);
	trace(_metadata, true);
	for (i = 0; i < EXITS; i++)
		expect_reported(_metadata, &self->l, true);
	trace(_metadata, false);
	expect_reported(_metadata, &self->l, false);
	ASSERT_EQ(0, acct_listener_of(&self->s, self->l.port, &info));
	EXPECT_EQ(0, info.lost_memory);
	EXPECT_EQ(info.made, info.delivered + info.filtered);
}

TEST_HARNESS_MAIN
