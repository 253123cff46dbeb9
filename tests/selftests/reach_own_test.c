// SPDX-License-Identifier: GPL-2.0-only
/*
 * The default, unprivileged=0: users may ask about the process that asks, with all
 * its threads, and about nothing else. What unprivileged=1 adds is in reach_test.
 */
#include <sched.h>
#include <sys/prctl.h>

#include "test.h"

#define USER 4301

FIXTURE(reach_own) {
};

FIXTURE_SETUP(reach_own)
{
	NEED_TASKACCT();
	NEED_VM();
	ASSERT_TRUE(sys_file_has("/sys/module/taskacct/parameters/unprivileged",
				 "N"));
}

FIXTURE_TEARDOWN(reach_own)
{
}

/* Where @fn ends as another process: the first thing that was not as it should be */
static int run_as_user(work_fn fn)
{
	struct work w;

	return work_start(&w, fn, NULL) ?: work_wait(&w);
}

struct tids {
	int ready;
	int done;
	pid_t tid;
};

static int be_thread(void *arg)
{
	struct tids *tids = arg;

	tids->tid = work_tid();
	work_wake(&tids->ready, 1);
	work_wait_for(&tids->done, 1);
	return 0;
}

/* Of all its threads, also by number and where it is not to be looked into */
static int ask_about_threads(struct acct_sock *s, const struct tids *tids)
{
	struct taskacct_record r;
	struct taskstats st;
	struct ext_message m;

	if (acct_query_pid(s, getpid(), &st) || acct_query_pid(s, tids->tid, &st))
		return 2;
	if (ext_query_process(s, getpid(), &r) || r.threads != 2)
		return 3;
	if (ext_query(s, TASKSTATS_CMD_ATTR_TGID, getpid(),
		      EXT_BARE | EXT_NAMES, &m) || !m.exe[0] || !m.cmdline_len)
		return 4;
	return 0;
}

static int ask_about_own(int fd, void *arg)
{
	struct tids tids = { 0 };
	struct acct_sock s;
	int gone, err;

	(void)fd;
	(void)arg;
	if (work_become(USER) || prctl(PR_SET_DUMPABLE, 0) || acct_open(&s) ||
	    work_raw_thread(be_thread, &tids, work_stacks(1), &gone) < 0)
		return 1;
	work_wait_for(&tids.ready, 1);
	err = ask_about_threads(&s, &tids);
	work_wake(&tids.done, 1);
	work_raw_join(&gone);
	return err;
}

/* R7 R8: the own process, all its threads */
TEST_F(reach_own, process)
{
	EXPECT_EQ(0, run_as_user(ask_about_own));
}

static int ask_about_child(int fd, void *arg)
{
	struct taskstats st;
	struct acct_sock s;
	int pid_err, tgid_err;
	pid_t pid;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_open(&s))
		return 1;
	pid = fork();
	if (pid == 0)
		work_stay();
	pid_err = acct_query_pid(&s, pid, &st);
	if (pid_err == -EPERM && !strstr(s.extack, "unprivileged=1"))
		pid_err = -EINVAL;
	tgid_err = acct_query_tgid(&s, pid, &st);
	kill(pid, SIGKILL);
	work_reap(pid, NULL);
	if (pid_err != -EPERM || tgid_err != -EPERM)
		return 2;
	return acct_query_pid(&s, 1, &st) == -EPERM ? 0 : 3;
}

/* R7 R8: not even about its own child; the refusal names the parameter */
TEST_F(reach_own, nothing_else)
{
	EXPECT_EQ(0, run_as_user(ask_about_child));
}

static void count_record(const struct ext_message *m, void *arg)
{
	*(int *)arg += m->has_task;
}

static int listen_and_dump(int fd, void *arg)
{
	struct acct_listener ls[4];
	struct acct_sock s, l;
	struct acct_stat stat;
	int records = 0;

	(void)fd;
	(void)arg;
	if (work_become(USER) || acct_open(&s))
		return 1;
	if (acct_listen(&l, "0", 0) != -EPERM ||
	    ext_listen(&l, EXT_STREAM, NULL, 0) != -EPERM)
		return 2;
	if (!ext_dump(&s, EXT_BARE, NULL, count_record, &records) || records)
		return 3;
	if (acct_listener_dump(&s, ls, 4) != -EPERM)
		return 4;
	return acct_stat_get(&s, &stat) ? 5 : 0;
}

/* R9: listeners and dumps need the privilege; the module's own figures do not. */
TEST_F(reach_own, no_listeners)
{
	EXPECT_EQ(0, run_as_user(listen_and_dump));
}

/* A socket of somebody else's: he would read the answer. */
static int ask_by_anothers(int fd, void *arg)
{
	struct acct_sock s;
	struct taskstats st;

	(void)fd;
	(void)arg;
	if (acct_open(&s) || work_become(USER))
		return 1;
	return acct_query_pid(&s, getpid(), &st) == -EPERM ? 0 : 2;
}

/* Nor on a socket that root has opened: root would read the answer */
TEST_F(reach_own, socket_of_another)
{
	EXPECT_EQ(0, run_as_user(ask_by_anothers));
}

static int be_first(void)
{
	struct taskacct_record r;
	struct acct_sock s, l;
	int err;
	pid_t pid;

	if (acct_open(&s) || ext_listen(&l, EXT_STREAM, NULL, 0))
		return 2;
	pid = fork();
	if (pid == 0)
		work_stay();
	err = ext_query_task(&s, pid, &r);
	kill(pid, SIGKILL);
	work_reap(pid, NULL);
	return err ? 3 : 0;
}

/* Has CAP_NET_ADMIN over the pid namespace that it makes */
static int be_root_of_container(int fd, void *arg)
{
	int status = -1;
	pid_t pid;

	(void)fd;
	(void)arg;
	if (work_become(USER) || unshare(CLONE_NEWUSER | CLONE_NEWPID) ||
	    rights_map_root(USER))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(be_first());
	work_reap(pid, &status);
	return WEXITSTATUS(status);
}

/* The privilege is that of the container: the parameter says nothing of it. */
TEST_F(reach_own, root_of_a_container)
{
	EXPECT_EQ(0, run_as_user(be_root_of_container));
}

TEST_HARNESS_MAIN
