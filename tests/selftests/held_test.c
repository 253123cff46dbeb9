// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks between their exit and their end for as long as their user wants: what is
 * reported of them. Each is the first of a pid namespace in which a task that has ended
 * is not waited for. held_names_test has many of them at one time.
 */
#include <signal.h>
#include <sys/wait.h>

#include "extended.h"
#include "hold.h"
#include "module.h"
#include "run.h"
#include "test.h"
#include "uid.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

FIXTURE(held) {
	struct acct_sock s;
	struct run r;
	struct lines l;
};

FIXTURE_SETUP(held)
{
	NEED_TASKACCT();
	NEED_VM();
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(held)
{
	run_free(&self->r);
	forget(&self->l);
	acct_close(&self->s);
}

/* Has getdelays tell of a process, for people and for programs */
static void ask_by_command(struct __test_metadata *_metadata,
			   FIXTURE_DATA(held) *self, pid_t pid, const char *flag)
{
	char id[16], quoted[16];

	snprintf(id, sizeof(id), "%d", pid);
	snprintf(quoted, sizeof(quoted), "\"%s\"", flag);
	run_free(&self->r);
	run(&self->r, "--extended", "-t", id);
	expect_status(_metadata, &self->r, EXIT_DONE);
	EXPECT_NE(NULL, strstr(self->r.out, flag)) TH_LOG("%s not in: %s", flag, self->r.out);

	run_free(&self->r);
	forget(&self->l);
	run(&self->r, "--extended", "--json", "-t", id);
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_EQ(1, self->l.n);
	EXPECT_NE(NULL, strstr(json_of(self->l.v[0], "flags"), quoted))
		TH_LOG("%s", json_of(self->l.v[0], "flags"));
}

/* R6: getdelays says of a process that it is ending, and of one that has ended that */
TEST_F(held, command_tells)
{
	struct taskacct_record r;
	struct hold h;

	NEED_FTRACE();
	ASSERT_EQ(0, hold_last(&h, 0));
	ask_by_command(_metadata, self, h.w.pid, "ending");

	hold_let_go(h.key);
	do {
		ASSERT_EQ(0, ext_query_process(&self->s, h.w.pid, &r));
	} while (r.flags & TASKACCT_RECORD_ENDING);
	ask_by_command(_metadata, self, h.w.pid, "ended");
	EXPECT_EQ(0, work_wait(&h.w));
}

/* Records that were read at the exit are reported as that by getdelays. */
TEST_F(held, command_tells_early)
{
	struct json_object *o;

	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert("hook=tracepoint"));
	run(&self->r, "-l", "--extended", "--json", "-c", "true");
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert(NULL));
	expect_status(_metadata, &self->r, EXIT_DONE);
	parse(_metadata, self->r.out, &self->l);
	ASSERT_LT(0, self->l.n);
	o = self->l.v[0];
	EXPECT_NE(NULL, strstr(json_of(o, "flags"), "\"early\""))
		TH_LOG("%s", json_of(o, "flags"));
}

static uint64_t lost_of(FIXTURE_DATA(held) *self, const struct acct_sock *listener)
{
	struct acct_listener info;

	return acct_listener_of(&self->s, listener->port, &info) ? 0 :
								  info.lost_queue;
}

/* Whether one of whom a listener had no room at its exit is told, to one who has it by
 * the end
 */
static bool is_reported(FIXTURE_DATA(held) *self, struct acct_sock *listener)
{
	struct acct_exit e;
	pid_t pid, key;
	bool reported;

	while (!lost_of(self, listener))
		work_exit_process(0);
	pid = hold_one(&key);
	if (pid < 0 || !hold_await(pid))
		return false;
	while (acct_next_exit(listener, &e, QUIET_MS) != -EAGAIN)
		;
	hold_let_go(key);
	reported = !acct_wait_exit(listener, pid, &e);
	work_reap(pid, NULL);
	return reported;
}

/* R36: nothing is lost for want of room to a listener who has it when the task is at its
 * end, whatever it asked for
 */
TEST_F(held, room_by_the_end)
{
	static const uint32_t wants[] = { 0, TASKACCT_WANT_RECORD };
	struct acct_sock listener;
	size_t i;

	NEED_FTRACE();
	for (i = 0; i < ARRAY_SIZE(wants); i++) {
		ASSERT_EQ(0, ext_listen(&listener, wants[i], NULL, 1));
		EXPECT_TRUE(is_reported(self, &listener));
		acct_close(&listener);
	}
}

/* Nobody else has this one. */
#define USER 70011
#define KPROBES_ENABLED "/sys/kernel/debug/kprobes/enabled"

static struct uid_usage of_user(struct acct_sock *s)
{
	struct uid_usage usage = { 0 };
	struct uid_total total;

	if (!uid_get(s, USER, &total))
		uid_sum(&usage, &total);
	return usage;
}

/* The record of a process, once it is at its end, or as it is after a while */
static struct taskacct_record at_end(struct acct_sock *s, pid_t pid)
{
	const int64_t end = sys_now_ns() + PATIENCE_MS * 1000000LL;
	struct taskacct_record r = { 0 };

	do {
		usleep(1000);
		if (ext_query_process(s, pid, &r))
			break;
	} while ((r.flags & TASKACCT_RECORD_ENDING) && sys_now_ns() < end);
	return r;
}

/*
 * R25 R28: the last thread of a process comes to its end while kprobes are switched off:
 * it is noted when it is freed. The process ends with that, and has it, once; so has the
 * user, as it was when somebody asked last.
 */
TEST(end_unseen)
{
	struct uid_usage before, after;
	struct taskacct_record r;
	struct sys_task t;
	struct acct_sock s;
	struct acct_stat st;
	siginfo_t info;
	struct hold h;

	NEED_LOADED(sys_module_loaded());
	NEED_KPROBES();
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert("hook=kprobe uid=1"));
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, acct_stat_get(&s, &st));
	if (strncmp(st.end_hook, "kprobe:", 7)) {
		acct_close(&s);
		ASSERT_EQ(0, module_remove());
		ASSERT_EQ(0, module_insert(NULL));
		SKIP(return, "no kprobe at the end of a task");
	}
	ASSERT_EQ(0, hold_last(&h, USER));
	before = of_user(&s);
	ASSERT_EQ(0, sys_write(KPROBES_ENABLED, "0"));
	hold_let_go(h.key);
	EXPECT_EQ(0, waitid(P_PID, h.w.pid, &info, WEXITED | WNOWAIT));
	r = at_end(&s, h.w.pid);
	ASSERT_EQ(0, sys_write(KPROBES_ENABLED, "1"));

	EXPECT_EQ(TASKACCT_RECORD_ENDED, r.flags & (TASKACCT_RECORD_ENDED |
						    TASKACCT_RECORD_ENDING));
	ASSERT_EQ(0, sys_proc_task(h.w.pid, &t));
	EXPECT_EQ(t.minflt, r.min_flt);
	EXPECT_EQ(t.syscr, r.syscr);
	EXPECT_EQ(2, r.threads);
	EXPECT_EQ(0, work_wait(&h.w));
	after = of_user(&s);
	EXPECT_LE(HOLD_FAULTS, before.min_flt);
	EXPECT_EQ(before.min_flt, after.min_flt);
	EXPECT_EQ(before.syscr, after.syscr);
	acct_close(&s);
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert(NULL));
}

TEST_HARNESS_MAIN
