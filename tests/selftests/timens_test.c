// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times of records in a time namespace: those of the asker, as in /proc/PID/stat
 */
#include <sched.h>
#include <stdlib.h>

#include "test.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

#define USER 4301
#define SECOND 1000000000ULL
/* Ticks that /proc counts in */
#define HZ 100
/* The machine seems to have run for so much longer. */
#define OFFSET_S 1000000ULL

FIXTURE(timens) {
};

FIXTURE_SETUP(timens)
{
	NEED_TASKACCT();
	ASSERT_EQ(0, LET_USERS_ASK(true));
}

FIXTURE_TEARDOWN(timens)
{
	LET_USERS_ASK(false);
}

/* Since boot, in ticks, by the clock of who reads it; 0 on failure */
static uint64_t start_ticks(pid_t pid)
{
	char path[64], text[1024];
	char *at;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (sys_read(path, text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')');
	for (i = 2; at && i < 22; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static bool is_between(uint64_t least, uint64_t value, uint64_t most)
{
	return least <= value && value <= most;
}

/* A query's and a dump's: both come by the same way. */
static int check_query(struct acct_sock *s, pid_t pid)
{
	uint64_t ticks = start_ticks(pid);
	const uint64_t before = sys_boot_ns();
	struct taskacct_record r;

	/* Before 5.11 the kernel has that by the clock of outside. */
	if (ticks && before >= OFFSET_S * SECOND && ticks < OFFSET_S * HZ)
		ticks += OFFSET_S * HZ;

	if (ext_query_process(s, pid, &r))
		return 10;
	if (!is_between(before, r.end, sys_boot_ns()))
		return 11;
	return ticks && r.start / (SECOND / HZ) == ticks ? 0 : 12;
}

static int check_exit(struct acct_sock *l)
{
	const uint64_t before = sys_boot_ns();
	const pid_t pid = work_exit_process(0);
	struct ext_message m;

	do {
		if (ext_next(l, &m, PATIENCE_MS) || !m.has_task)
			return 20;
	} while (m.task.pid != (uint32_t)pid);
	if (!is_between(before, m.task.start, m.task.end))
		return 21;
	return is_between(before, m.task.end, sys_boot_ns()) ? 0 : 22;
}

static int ask(uid_t uid)
{
	struct acct_sock s, l;

	if ((uid && work_become(uid)) || acct_open(&s) ||
	    ext_listen(&l, EXT_STREAM, NULL, 0))
		return 2;
	return check_query(&s, getpid()) ?: check_exit(&l);
}

/* Of the new namespace are children. Answers with the first thing that was wrong. */
static int ask_elsewhere(uid_t uid)
{
	int status = -1;
	pid_t pid;

	if (unshare(CLONE_NEWTIME))
		return errno == EINVAL ? 100 : 1;
	if (sys_write("/proc/self/timens_offsets", "boottime 1000000 0"))
		return 3;
	pid = fork();
	if (pid == 0)
		_exit(sys_boot_ns() < OFFSET_S * SECOND ? 4 : ask(uid));
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void expect_shifted(struct __test_metadata *_metadata, uid_t uid)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(ask_elsewhere(uid));
	waitpid(pid, &status, 0);
	if (WEXITSTATUS(status) == 100)
		SKIP(return, "the kernel is without CONFIG_TIME_NS");
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Queries and exits, for root, a million seconds later: the start is that of
 * /proc/PID/stat there, ends are between two looks at the clock
 */
TEST_F(timens, root)
{
	expect_shifted(_metadata, 0);
}

/* And for a user about his own */
TEST_F(timens, user)
{
	expect_shifted(_metadata, USER);
}

/* Outside nothing is shifted, and the same task has another start there. */
TEST_F(timens, outside)
{
	EXPECT_EQ(0, ask(0));
}

TEST_HARNESS_MAIN
