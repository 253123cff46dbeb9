// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user: Android's files, and the family's own records. The module is
 * loaded with uid=1, again and again.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "suspend.h"
#include "users.h"

/* Behind the harness, whose macros it has */
#include "lines.h"

#define GIB (1UL << 30)

static struct uid_total totals[MAX_USERS];

FIXTURE(uid) {
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(uid)
{
	SET_UP("");
}

FIXTURE_TEARDOWN(uid)
{
	TEAR_DOWN();
}

/* R69 R71 R83 R84: lines as Android has them, by user */
TEST_F(uid, format)
{
	static struct uid_line lines[MAX_USERS];
	static struct uid_times times[MAX_USERS];
	int i, n;

	NEED_LOADED(self->able);
	n = uid_read_lines(lines, MAX_USERS);
	ASSERT_LT(0, n);
	EXPECT_EQ(0, lines[0].uid);
	for (i = 1; i < n; i++)
		EXPECT_LT(lines[i - 1].uid, lines[i].uid);
	n = uid_read_times(times, MAX_USERS);
	ASSERT_LT(0, n);
	EXPECT_EQ(0, times[0].uid);
	EXPECT_LT(0, times[0].user + times[0].system);
	for (i = 1; i < n; i++)
		EXPECT_LT(times[i - 1].uid, times[i].uid);
}

/* R81: what set refuses and with which error, numbers beyond 32 bits included; it takes
 * 127 bytes
 */
TEST_F(uid, set_refuses)
{
	static const char *const wrong[] = {
		"", "\n", "70001", "70001 ", "70001 2", "70001 -1", "x 1",
		"70001 x", "70001 1 1", "70001 1x", "-1 1", "4294967295 1",
		"4294967296 1", "4295037297 1", "18446744073709551617 1",
		"70001 4294967296", "70001 4294967297",
		"70001 18446744073709551617", "+70001 1", "70001 +1",
	};
	struct uid_total total;
	char text[200];
	size_t i;
	int fd;

	NEED_LOADED(self->able);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		EXPECT_EQ(-EINVAL,
			  uid_write(UID_SET, wrong[i], strlen(wrong[i])))
			TH_LOG("number %zu", i);
	}
	EXPECT_EQ(-ENOENT, uid_get(&self->s, FIRST_UID, &total));
	memset(text, ' ', sizeof(text));
	memcpy(text, "70001 1", 7);
	EXPECT_EQ(-EINVAL, uid_write(UID_SET, text, 128));
	EXPECT_EQ(127, uid_write(UID_SET, text, 127));
	EXPECT_EQ(-EFAULT, uid_write(UID_SET, (void *)8, 7));
	EXPECT_EQ(8, uid_write(UID_SET, "70001 0\n", 8));
	EXPECT_EQ(18, uid_write(UID_SET, "\t0000000070001\n 00", 18));
	fd = open(UID_SET, O_RDONLY);
	EXPECT_TRUE(fd < 0 || read(fd, text, 1) < 0);
	close(fd);
}

/* What remove_uid_range refuses, and what not */
TEST_F(uid, remove_refuses)
{
	static const char *const wrong[] = {
		"", "1", "1-", "-1", "1 2", "a-b", "1-2-3", "1-2x", "1 -2",
		"70001-4295037297", "4295037297-70001",
		"4295037297-4295037297",
		"18446744073709621617-18446744073709621617", "+1-2",
	};
	struct uid_total total;
	char text[200];
	size_t i;

	NEED_LOADED(self->able);
	EXPECT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		EXPECT_EQ(-EINVAL, uid_write(UID_REMOVE, wrong[i],
					     strlen(wrong[i])))
			TH_LOG("number %zu", i);
	}
	/* The one that was meant, were numbers cut off, is still there. */
	EXPECT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
	memset(text, ' ', sizeof(text));
	memcpy(text, "70001-70002", 11);
	EXPECT_EQ(-EINVAL, uid_write(UID_REMOVE, text, 128));
	EXPECT_EQ(127, uid_write(UID_REMOVE, text, 127));
	EXPECT_EQ(-EFAULT, uid_write(UID_REMOVE, (void *)8, 7));
	EXPECT_EQ(11, uid_write(UID_REMOVE, "70002-70001", 11));
	EXPECT_EQ(15, uid_write(UID_REMOVE, " 70001- 70002\n\n", 15));
}

/* R71 R73 R79 R81: a user that nobody knew is registered. What was used before a change
 * of state stays with the old state. The background is reported over the family once a
 * user has been there.
 */
TEST_F(uid, foreground_and_background)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct uid_line line;
	struct work w;

	NEED_LOADED(self->able);
	EXPECT_EQ(-ENOENT, uid_get(&self->s, uid, &total));
	/* The background is reported as soon as anybody has been there. */
	ASSERT_EQ(7, uid_write(UID_SET, "70001 0", 7));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_TRUE(total.reported[0] && !total.reported[1]);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	ASSERT_EQ(0, uid_get(&self->s, 0, &total));
	EXPECT_TRUE(total.reported[0] && total.reported[1]);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_TRUE(total.reported[0] && total.reported[1]);
	EXPECT_EQ(TASKACCT_UID_BACKGROUND, total.record.state);
	EXPECT_EQ(0, total.record.tasks);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 0", 7));
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&w, 'w'));
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	ASSERT_EQ(0, uid_read_line(uid, &line));
	NEED_COUNTS();
	EXPECT_EQ(1000, line.n[1]);
	EXPECT_EQ(2000, line.n[5]);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 0", 7));
	EXPECT_EQ(0, work_round(&w, 'w'));
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(2000, line.n[1]);
	EXPECT_EQ(2000, line.n[5]);
	/* Not counted by a stock kernel, D7 */
	EXPECT_EQ(0, line.n[8]);
	EXPECT_EQ(0, line.n[9]);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(1, total.record.ended);
	EXPECT_EQ(0, total.record.tasks);
}

/* A child of one that has the user already: nothing of it was another's */
static int obey_through_child(int fd, void *arg)
{
	pid_t pid;
	int status = 1;

	user_become(*(uint32_t *)arg);
	pid = fork();
	if (!pid)
		_exit(user_obey(fd, arg));
	work_reap(pid, &status);
	return WEXITSTATUS(status);
}

/* A range that is removed: what has ended is forgotten, what lives counts */
TEST_F(uid, removes)
{
	uint32_t uids[] = { FIRST_UID, FIRST_UID + 1, FIRST_UID + 2 };
	struct uid_total total;
	struct uid_line line;
	struct work w[3], dead;
	int i;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	NEED_FTRACE();
	for (i = 0; i < 3; i++) {
		user_start(_metadata, &w[i], user_obey, &uids[i]);
		EXPECT_EQ(0, work_round(&w[i], 'w'));
		user_start(_metadata, &dead, user_obey, &uids[i]);
		EXPECT_EQ(0, work_round(&dead, 'w'));
		user_end(_metadata, &dead);
		ASSERT_EQ(0, uid_read_line(uids[i], &line));
		EXPECT_EQ(2000, line.n[1]);
	}
	/* They had another user before, root: they count from the removal on. */
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, work_round(&w[i], 'w'));
	ASSERT_EQ(11, uid_write(UID_REMOVE, "70002-70003", 11));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, work_round(&w[i], 'w'));
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(i ? 1000 : 4000, total.usage[0].wchar);
		EXPECT_EQ(i ? 0 : 1, total.record.ended);
		EXPECT_EQ(1, total.record.tasks);
	}
	for (i = 0; i < 3; i++)
		user_end(_metadata, &w[i]);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(i ? 1000 : 4000, total.usage[0].wchar);
		EXPECT_EQ(i ? 1 : 2, total.record.ended);
	}
}

/* ... and of a task that always was of this user, all of it counts again */
TEST_F(uid, removed_counts_again)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct work w;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, obey_through_child, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(1000, total.usage[0].wchar);
	ASSERT_EQ(11, uid_write(UID_REMOVE, "70001-70001", 11));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(1000, total.usage[0].wchar);
	EXPECT_EQ(0, work_round(&w, 'w'));
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
	EXPECT_EQ(2, total.record.ended);
}

static int write_much(int fd, void *arg)
{
	int i;

	user_become(*(uint32_t *)arg);
	for (i = 0; i < 5; i++)
		user_write_null(GIB);
	work_send(fd, '.');
	return work_order(fd) ? 0 : 1;
}

/* R70: more than 32 bits hold */
TEST_F(uid, wide)
{
	uint32_t uid = FIRST_UID;
	struct uid_line line;
	struct work w;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, write_much, &uid);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(5 * GIB, line.n[1]);
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(5 * GIB, line.n[1]);
}

/* What an ordinary user gets to see: bits for what is not as it should be */
static int look_as_user(bool world)
{
	static struct uid_line lines[MAX_USERS];
	static struct uid_times times[MAX_USERS];
	struct uid_total total;
	struct acct_sock s;
	int wrong = 0, n;

	if (setresgid(FIRST_UID, FIRST_UID, FIRST_UID) ||
	    setresuid(FIRST_UID, FIRST_UID, FIRST_UID) || acct_open(&s))
		return 128;
	n = uid_read_lines(lines, MAX_USERS);
	if (world ? n < 2 : n != 1 || lines[0].uid != FIRST_UID)
		wrong |= 1;
	n = uid_read_times(times, MAX_USERS);
	if (world ? n < 2 : n != 1 || times[0].uid != FIRST_UID)
		wrong |= 2;
	if (uid_get(&s, FIRST_UID, &total))
		wrong |= 4;
	if (uid_get(&s, 0, &total) != (world ? 0 : -EPERM))
		wrong |= 8;
	n = uid_dump(&s, totals, MAX_USERS);
	if (world ? n < 2 : n != 1 || totals[0].uid != FIRST_UID)
		wrong |= 16;
	if (uid_write(UID_SET, "70001 0", 7) != (world ? 7 : -EACCES))
		wrong |= 32;
	if (uid_write(UID_REMOVE, "70002-70002", 11) != (world ? 11 : -EACCES))
		wrong |= 64;
	return wrong;
}

/* Without unprivileged=1 an ordinary user gets to see nothing at all. */
static int look_in_vain(bool arg)
{
	static struct uid_line lines[MAX_USERS];
	static struct uid_times times[MAX_USERS];
	struct uid_total total;
	struct acct_sock s;
	int wrong = 0;

	(void)arg;
	if (setresuid(FIRST_UID, FIRST_UID, FIRST_UID) || acct_open(&s))
		return 128;
	if (uid_read_lines(lines, MAX_USERS) != -EPERM)
		wrong |= 1;
	if (uid_read_times(times, MAX_USERS) != -EPERM)
		wrong |= 2;
	if (uid_get(&s, FIRST_UID, &total) != -EPERM)
		wrong |= 4;
	if (uid_dump(&s, totals, MAX_USERS) != -EPERM)
		wrong |= 8;
	return wrong;
}

/* In another pid namespace not even root is told of what is outside. */
static int look_from_pid_namespace(bool world)
{
	static struct uid_line lines[MAX_USERS];
	struct uid_total total;
	struct acct_sock s;
	int wrong = 0, status = -1;
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		return 128;
	pid = fork();
	if (pid) {
		work_reap(pid, &status);
		return WEXITSTATUS(status);
	}
	if (acct_open(&s))
		_exit(128);
	status = uid_read_lines(lines, MAX_USERS);
	if (world ? status < 1 : status != -EPERM)
		wrong |= 1;
	if (uid_get(&s, 0, &total) != (world ? 0 : -EPERM))
		wrong |= 2;
	status = uid_dump(&s, totals, MAX_USERS);
	if (world ? status < 1 : status != -EPERM)
		wrong |= 4;
	if (uid_write(UID_SET, "70001 0", 7) != (world ? 7 : -EPERM))
		wrong |= 8;
	if (uid_write(UID_REMOVE, "70002-70002", 11) != (world ? 11 : -EPERM))
		wrong |= 16;
	_exit(wrong);
}

/* As the first user, which is 7 there; returns whether it is */
static bool enter_user_namespace(void)
{
	return !setresuid(FIRST_UID, FIRST_UID, FIRST_UID) &&
	       !unshare(CLONE_NEWUSER) && !prctl(PR_SET_DUMPABLE, 1) &&
	       !sys_write("/proc/self/uid_map", "7 70001 1");
}

/* Users that the reader's user namespace has no number for are one. */
static int look_from_user_namespace(bool arg)
{
	static struct uid_line lines[MAX_USERS];
	int wrong = 0, n;

	(void)arg;
	if (!enter_user_namespace())
		return 128;
	n = uid_read_lines(lines, MAX_USERS);
	if (n != 2 || lines[0].uid != 7 || lines[1].uid != 65534)
		wrong |= 1;
	/* What root alone has read, and many others with it */
	if (n == 2 && lines[0].n[0] >= lines[1].n[0])
		wrong |= 2;
	return wrong;
}

static int run_as_user(int (*look)(bool world), bool world)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(look(world));
	work_reap(pid, &status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A user sees nothing; with unprivileged=1 its own alone; with uid_world=1 all, as on
 * Android
 */
TEST_F(uid, who_may_read)
{
	NEED_LOADED(self->able);
	EXPECT_EQ(0, run_as_user(look_in_vain, false));
	ASSERT_EQ(0, LET_USERS_ASK(true));
	EXPECT_EQ(0, run_as_user(look_as_user, false));
	EXPECT_EQ(0, LET_USERS_ASK(false));
	RELOAD("uid=1 uid_world=1");
	EXPECT_EQ(0, run_as_user(look_as_user, true));
}

/* Totals are of all of the machine: in a pid namespace they are not reported */
TEST_F(uid, in_a_pid_namespace)
{
	NEED_LOADED(self->able);
	EXPECT_EQ(0, run_as_user(look_from_pid_namespace, false));
	RELOAD("uid=1 uid_world=1");
	EXPECT_EQ(0, run_as_user(look_from_pid_namespace, true));
}

/* R77: users are numbered as in the reader's user namespace; those without a number
 * there are one
 */
TEST_F(uid, in_a_user_namespace)
{
	uint32_t uid = FIRST_UID + 1;
	struct work w;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	RELOAD("uid=1 uid_world=1");
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, run_as_user(look_from_user_namespace, true));
	user_end(_metadata, &w);
}

/* Told to, puts 7 into the background, or removes it */
static int write_from_user_namespace(int fd, void *arg)
{
	char order;

	(void)arg;
	if (!enter_user_namespace())
		return 1;
	work_send(fd, '.');
	while ((order = work_order(fd)) != 'e' && order) {
		if (order == 's' ? uid_write(UID_SET, "7 1", 3) != 3 :
				   uid_write(UID_REMOVE, "7-7", 3) != 3)
			return 2;
		work_send(fd, '.');
	}
	return 0;
}

/* R77 R81: who writes to set and remove_uid_range names users by the numbers of its own
 * user namespace; users outside it are left alone
 */
TEST_F(uid, from_a_user_namespace)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct work w, ended;

	NEED_LOADED(self->able);
	RELOAD("uid=1 uid_world=1");
	user_start(_metadata, &ended, user_obey, &uid);
	user_end(_metadata, &ended);
	user_start(_metadata, &w, write_from_user_namespace, NULL);
	ASSERT_EQ(0, work_round(&w, 's'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(TASKACCT_UID_BACKGROUND, total.record.state);
	EXPECT_EQ(1, total.record.ended);
	EXPECT_EQ(-ENOENT, uid_get(&self->s, 7, &total));
	/* Nor is another one that has that number outside removed. */
	ASSERT_EQ(3, uid_write(UID_SET, "7 1", 3));
	ASSERT_EQ(0, work_round(&w, 'r'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(TASKACCT_UID_FOREGROUND, total.record.state);
	EXPECT_EQ(0, total.record.ended);
	ASSERT_EQ(0, uid_get(&self->s, 7, &total));
	EXPECT_EQ(TASKACCT_UID_BACKGROUND, total.record.state);
	user_end(_metadata, &w);
}

/* What a file that is open tells of the first user's foreground, from where it
 * stands to its end
 */
static uint64_t wchar_from(struct __test_metadata *_metadata, FILE *file)
{
	uint64_t wchar = UINT64_MAX;
	char text[512];

	while (fgets(text, sizeof(text), file))
		sscanf(text, "70001 %*u %lu", &wchar);
	EXPECT_TRUE(feof(file));
	return wchar;
}

/* R75 R76: what is read is as it was when the file was opened, however it is read,
 * while the user writes
 */
TEST_F(uid, one_view)
{
	uint32_t uid = FIRST_UID;
	struct uid_line line;
	struct work w;
	FILE *file;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	file = fopen(UID_STATS, "re");
	ASSERT_NE(NULL, file);
	/* So that no more than the first line has been made */
	setvbuf(file, NULL, _IONBF, 0);
	EXPECT_EQ('0', fgetc(file));
	EXPECT_EQ(0, work_round(&w, 'w'));
	EXPECT_EQ(1000, wchar_from(_metadata, file));
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(2000, line.n[1]);
	rewind(file);
	EXPECT_EQ(1000, wchar_from(_metadata, file));
	fclose(file);
	user_end(_metadata, &w);
}

/* A user whose task ends at once, and when, to the clock */
static void have_ended(struct __test_metadata *_metadata, uint32_t uid,
		       uint64_t *from, uint64_t *to)
{
	struct work w;

	user_start(_metadata, &w, user_obey, &uid);
	*from = sys_boot_ns();
	user_end(_metadata, &w);
	*to = sys_boot_ns();
}

/* When a task was last seen is right, and stays the same when the machine has slept, as
 * far as the kernel's own test of it (pm_test) goes.
 */
TEST_F(uid, last_stays)
{
	uint64_t from[2], to[2];
	struct uid_total then[2], now;
	int64_t slept;
	int i;

	NEED_LOADED(self->able);
	NEED_SUSPEND();
	have_ended(_metadata, FIRST_UID, &from[0], &to[0]);
	ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &then[0]));
	EXPECT_LE(from[0], then[0].record.last + 10000000);
	EXPECT_LE(then[0].record.last, to[0]);
	ASSERT_EQ(0, suspend_briefly(&slept));
	EXPECT_LT(SUSPEND_LEAST_NS, slept);
	have_ended(_metadata, FIRST_UID + 1, &from[1], &to[1]);
	ASSERT_EQ(0, uid_get(&self->s, FIRST_UID + 1, &then[1]));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, uid_get(&self->s, FIRST_UID + i, &now));
		EXPECT_EQ(then[i].record.first, now.record.first);
		EXPECT_EQ(then[i].record.last, now.record.last);
		EXPECT_LE(now.record.first, now.record.last);
		/* To a tick, the longest of which is 10 ms */
		EXPECT_LE(from[i], now.record.last + 10000000);
		EXPECT_LE(now.record.last, to[i]);
	}
}

/* Beyond uid_max= all users are one, and it is reported */
TEST_F(uid, rest)
{
	uint32_t uids[] = { FIRST_UID, FIRST_UID + 1 };
	const struct uid_total *total;
	struct uid_total one;
	struct acct_stat st;
	struct work w[2];
	uint64_t wchar;
	int i, n;

	NEED_LOADED(self->able);
	RELOAD("uid=1 uid_max=1");
	/* The one who has a place is root. */
	ASSERT_LT(0, uid_dump(&self->s, totals, MAX_USERS));
	for (i = 0; i < 2; i++) {
		user_start(_metadata, &w[i], user_obey, &uids[i]);
		EXPECT_EQ(0, work_round(&w[i], 'w'));
	}
	user_end(_metadata, &w[0]);
	n = uid_dump(&self->s, totals, MAX_USERS);
	EXPECT_EQ(2, n);
	total = uid_of(totals, n, (uint32_t)-1);
	ASSERT_NE(NULL, total);
	EXPECT_EQ(TASKACCT_UID_REST | (sys_traces_functions() ? 0 : TASKACCT_UID_NO_FSYNC),
		  total->record.flags);
	EXPECT_LE(1, total->record.ended);
	EXPECT_LE(1, total->record.tasks);
	wchar = total->usage[0].wchar;
	if (sys_counts()) {
		EXPECT_LE(2000, wchar);
	}
	/* What cannot be removed does not count again either. */
	EXPECT_EQ(11, uid_write(UID_REMOVE, "70001-70002", 11));
	n = uid_dump(&self->s, totals, MAX_USERS);
	EXPECT_EQ(wchar, uid_of(totals, n, (uint32_t)-1)->usage[0].wchar);
	EXPECT_EQ(-ENOENT, uid_get(&self->s, FIRST_UID, &one));
	EXPECT_EQ(-ENOSPC, uid_write(UID_SET, "70001 1", 7));
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_EQ(1, st.uids);
	EXPECT_LE(1, st.uid_rest);
	EXPECT_EQ(0, st.uid_nomem);
	user_end(_metadata, &w[1]);
}

/* What stats tells of a user and its tasks, up to the next user */
static void read_block(struct __test_metadata *_metadata, uint32_t uid,
		       char *block, size_t size)
{
	char text[256];
	unsigned int of;
	bool within = false;
	FILE *file;

	block[0] = '\0';
	file = fopen(UID_STATS, "re");
	ASSERT_NE(NULL, file);
	while (fgets(text, sizeof(text), file)) {
		if (sscanf(text, "%u ", &of) == 1)
			within = of == uid;
		if (within && strlen(block) + strlen(text) < size)
			strcat(block, text);
	}
	fclose(file);
}

/* One with another name than the others */
static int obey_with_blank(int fd, void *arg)
{
	prctl(PR_SET_NAME, "a b");
	return user_obey(fd, arg);
}

/* R74 R80: behind each user a line for each of its tasks, with commas, of what
 * this one did for it: first a line of a user's, then one of the next's
 */
TEST_F(uid, debug_lines)
{
	uint32_t uid = FIRST_UID, next = FIRST_UID + 1, moves = FIRST_UID;
	char block[1024], wanted[1024], comm[32] = "";
	struct work other, blank, mover, plain;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	NEED_FTRACE();
	RELOAD("uid=1 uid_debug=1");
	/* In an order in which they do not stand in the file */
	user_start(_metadata, &other, user_obey, &next);
	user_start(_metadata, &blank, obey_with_blank, &uid);
	user_start(_metadata, &mover, user_obey, &moves);
	user_start(_metadata, &plain, user_obey, &uid);
	EXPECT_EQ(0, work_round(&blank, 'w'));
	EXPECT_EQ(0, work_round(&mover, 'w'));
	EXPECT_EQ(0, work_round(&mover, 'u'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&blank, 'w'));
	EXPECT_EQ(0, work_round(&blank, 'w'));
	EXPECT_EQ(0, work_round(&plain, 'w'));
	EXPECT_EQ(0, work_round(&mover, 'w'));
	sys_read("/proc/self/comm", comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';

	snprintf(wanted, sizeof(wanted), "70001 0 2000 0 0 0 3000 0 0 0 0\n"
		 "task,a b,%d,0,1000,0,0,0,2000,0,0,0,0\n"
		 "task,%s,%d,0,0,0,0,0,1000,0,0,0,0\n",
		 blank.pid, comm, plain.pid);
	read_block(_metadata, uid, block, sizeof(block));
	EXPECT_STREQ(wanted, block);
	snprintf(wanted, sizeof(wanted), "70002 0 1000 0 0 0 0 0 0 0 0\n"
		 "task,%s,%d,0,0,0,0,0,0,0,0,0,0\n"
		 "task,%s,%d,0,1000,0,0,0,0,0,0,0,0\n",
		 comm, other.pid, comm, mover.pid);
	read_block(_metadata, next, block, sizeof(block));
	EXPECT_STREQ(wanted, block);

	user_end(_metadata, &other);
	user_end(_metadata, &blank);
	user_end(_metadata, &mover);
	user_end(_metadata, &plain);
}

/* A directory that is there already is left alone, the rest works; without a name
 * there is none; what is no name is refused, and nothing is left behind
 */
TEST_F(uid, names)
{
	static const char *const wrong[] = {
		"uid=1 uid_dirs=a/b", "uid=1 uid_dirs=a,b/", "uid=1 uid_dirs=.x",
		"uid=1 uid_dirs=a,b,..",
	};
	struct uid_total total;
	size_t i;

	NEED_LOADED(self->able);
	ASSERT_EQ(0, sys_module_unload());
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(-EINVAL, module_insert(wrong[i]))
			TH_LOG("%s", wrong[i]);
	}
	EXPECT_NE(0, access("/proc/a", F_OK));
	ASSERT_EQ(0, module_insert("uid=1 uid_dirs=a,,b"));
	EXPECT_EQ(0, access("/proc/a/stats", F_OK));
	EXPECT_NE(0, access("/proc/uid_procstat", F_OK));
	EXPECT_EQ(0, access("/proc/b/show_uid_stat", F_OK));
	RELOAD("uid=1 uid_dirs=tty,mine,uid_cputime");
	EXPECT_NE(0, access("/proc/tty/stats", F_OK));
	EXPECT_EQ(0, access("/proc/tty/drivers", F_OK));
	EXPECT_EQ(0, access("/proc/mine/set", F_OK));
	EXPECT_EQ(0, access(UID_CPU, F_OK));
	EXPECT_EQ(0, uid_get(&self->s, 0, &total));
}

/* taskacct users, and show user: sorted, as the module tells, for all readers */
TEST_F(uid, command)
{
	uint32_t uid = FIRST_UID;
	struct json_object *o;
	struct lines l;
	struct run r;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	run_verb(&r, "users", "--json", "--sort", "cpu");
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	ASSERT_LT(1, l.n);
	for (i = 1; i < l.n; i++)
		EXPECT_GE(number(l.v[i - 1], "fg_runtime"),
			  number(l.v[i], "fg_runtime"));
	o = line_with(&l, "uid", uid);
	ASSERT_NE(NULL, o);
	EXPECT_STREQ("fg", word(o, "state"));
	EXPECT_EQ(1, number(o, "tasks"));
	EXPECT_EQ(sys_counts() ? 1000 : 0, number(o, "fg_wchar"));
	EXPECT_EQ(0, number(o, "bg_wchar"));
	forget(&l);
	run_free(&r);
	run_verb(&r, "users", "--json", "--limit", "1");
	EXPECT_EQ(1, run_lines(r.out));
	run_free(&r);
	run_verb(&r, "users", "--json", "--reverse", "--limit=1");
	parse(_metadata, r.out, &l);
	ASSERT_EQ(1, l.n);
	EXPECT_EQ(uid, number(l.v[0], "uid"));
	forget(&l);
	run_free(&r);
	run_verb(&r, "users");
	expect_status(_metadata, &r, EXIT_DONE);
	EXPECT_LT(longest_line(r.out), 80);
	EXPECT_NE(NULL, strstr(r.out, "\n70001 "));
	EXPECT_NE(NULL, strstr(r.out, "\nroot "));
	run_free(&r);
	run_verb(&r, "users", "--numeric", "--no-headings");
	EXPECT_EQ(0, strncmp(r.out, "0 ", 2));
	run_free(&r);
	user_end(_metadata, &w);
}

/* With an interval: what was used in each, until interrupted or as often as was said */
TEST_F(uid, command_interval)
{
	uint32_t uid = FIRST_UID;
	int64_t sum = 0;
	struct lines l;
	struct run r;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	begin_verb(&r, "users", "--delay", "200ms", "--json");
	usleep(1000000 * sys_slow());
	EXPECT_EQ(0, work_round(&w, 'w'));
	usleep(1000000 * sys_slow());
	run_stop(&r, SIGINT);
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	EXPECT_LT(2, l.n);
	for (i = 0; i < l.n; i++)
		if (number(l.v[i], "uid") == uid)
			sum += number(l.v[i], "fg_wchar");
	EXPECT_EQ(1000, sum);
	forget(&l);
	run_free(&r);
	run_verb(&r, "users", "-d", "10ms", "-n", "3");
	expect_status(_metadata, &r, EXIT_DONE);
	run_free(&r);
	user_end(_metadata, &w);
}

/* A user that is removed between two looks: what it used before does not count again, what
 * it uses afterwards does, and that something is not known is said
 */
TEST_F(uid, command_interval_removed)
{
	uint32_t uid = FIRST_UID;
	int64_t sum = 0;
	struct lines l;
	struct work w, gone;
	struct run r;
	int i;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	user_start(_metadata, &w, obey_through_child, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	user_start(_metadata, &gone, user_obey, &uid);
	EXPECT_EQ(0, work_round(&gone, 'w'));
	user_end(_metadata, &gone);
	begin_verb(&r, "users", "--delay", "200ms", "--json");
	usleep(1000000 * sys_slow());
	EXPECT_EQ(0, work_round(&w, 'w'));
	usleep(1000000 * sys_slow());
	ASSERT_EQ(11, uid_write(UID_REMOVE, "70001-70001", 11));
	EXPECT_TRUE(run_says(&r, "user 70001 was removed", PATIENCE_MS));
	EXPECT_EQ(0, work_round(&w, 'w'));
	usleep(1000000 * sys_slow());
	run_stop(&r, SIGINT);
	expect_status(_metadata, &r, EXIT_LOST);
	parse(_metadata, r.out, &l);
	for (i = 0; i < l.n; i++)
		if (number(l.v[i], "uid") == uid)
			sum += number(l.v[i], "fg_wchar");
	EXPECT_EQ(2000, sum);
	forget(&l);
	run_free(&r);
	user_end(_metadata, &w);
}

/* Wrong usage of it, and the cure where it is off */
TEST_F(uid, command_refuses)
{
	struct run r;

	NEED_LOADED(self->able);
	run_verb(&r, "show", "user:root", "--json");
	expect_status(_metadata, &r, EXIT_DONE);
	run_free(&r);
	run_verb(&r, "show", "user:nobody of this name");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run_verb(&r, "users", "--sort", "rss");
	expect_status(_metadata, &r, EXIT_USAGE);
	expect_words(_metadata, &r, "wait_cpu or wait_io");
	run_free(&r);
	run_verb(&r, "users", "root");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run_verb(&r, "show", "user:79999");
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "no task of user 79999");
	run_free(&r);
	run_as(&r, FIRST_UID, "taskacct", "show", "user:0", (char *)NULL);
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "CAP_SYS_PTRACE");
	run_free(&r);
	RELOAD("");
	run_verb(&r, "users");
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "uid=1");
	run_free(&r);
}

/* Without uid=1 there is nothing of all this */
TEST_F(uid, off)
{
	struct uid_total total;

	NEED_LOADED(self->able);
	RELOAD("");
	EXPECT_NE(0, access("/proc/uid_io", F_OK));
	EXPECT_EQ(-EOPNOTSUPP, uid_get(&self->s, 0, &total));
	EXPECT_EQ(-EOPNOTSUPP, uid_dump(&self->s, totals, MAX_USERS));
}

TEST_HARNESS_MAIN
