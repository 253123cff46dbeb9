// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user asks about his own tasks while they end or change hands, on two CPUs: who
 * is gone is not hidden, who is there is reported.
 */
#include "test.h"

#define USER 4301

/* The user's own threads end while they are asked about: they are gone, not hidden. */
static int ask_while_ending(int fd, void *arg)
{
	char *stack = work_stacks(1);
	struct taskstats st;
	struct acct_sock s;
	int i, err, gone;
	pid_t tid;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_open(&s))
		return 1;
	for (i = 0; i < sys_quick(4000); i++) {
		tid = work_raw_thread(work_raw_end, NULL, stack, &gone);
		if (tid < 0)
			return 2;
		do {
			err = acct_query_pid(&s, tid, &st);
		} while (!err);
		if (err != -ESRCH)
			return 3;
		work_raw_join(&gone);
	}
	return 0;
}

FIXTURE(access_race) {
};

FIXTURE_SETUP(access_race)
{
	NEED_TASKACCT();
	ASSERT_EQ(0, LET_USERS_ASK(true));
}

FIXTURE_TEARDOWN(access_race)
{
	LET_USERS_ASK(false);
}

TEST_F(access_race, ending_is_not_hidden)
{
	struct work w;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, ask_while_ending, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

static int execute_true(void *arg)
{
	(void)arg;
	execl("/bin/true", "true", NULL);
	return 1;
}

/* Another thread than the leader executes a program, and takes its place. */
static void take_over(void)
{
	int gone;

	work_raw_thread(execute_true, NULL, work_stacks(1), &gone);
	pause();
}

/* The user's own child: it is there, and his, all the time. */
static int ask_while_led_anew(int fd, void *arg)
{
	struct taskstats st;
	struct acct_sock s;
	int i, err;
	pid_t pid;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_open(&s))
		return 1;
	for (i = 0; i < sys_quick(400); i++) {
		pid = fork();
		if (pid == 0) {
			take_over();
			_exit(1);
		}
		do {
			err = acct_query_tgid(&s, pid, &st);
		} while ((!err || err == -EBUSY) && work_is_running(pid));
		work_reap(pid, NULL);
		if (err && err != -EBUSY)
			return 2;
	}
	return 0;
}

TEST_F(access_race, led_anew_is_there)
{
	struct work w;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, ask_while_led_anew, NULL));
	EXPECT_EQ(0, work_wait(&w));
}

TEST_HARNESS_MAIN
