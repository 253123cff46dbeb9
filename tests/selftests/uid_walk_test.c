// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user while others come, go and read: no task is left out, no reader
 * gets what was before his time, no range of users takes the room of others.
 */
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "users.h"

/* On every kernel more than are visited at a time */
#define THREADS (1100 + sys_fewer(1400))
#define READERS 8
#define MAX_TASKS 16

static struct uid_total totals[MAX_USERS];

FIXTURE(walk) {
	struct acct_sock s;
	bool able;
};

FIXTURE_SETUP(walk)
{
	SET_UP("");
}

FIXTURE_TEARDOWN(walk)
{
	TEAR_DOWN();
}

static int stay(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

/* A process of many threads: its user, and how many threads have come that go again */
struct crowd {
	uint32_t uid;
	uint64_t begun;
};

/* Threads that stay, and between them such as come and go until it is told */
static int crowd_with_changes(int fd, void *arg)
{
	struct crowd *crowd = arg;
	const unsigned int n = (unsigned int)THREADS;
	char *stacks = work_stacks(n + 4);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int gone[4];
	unsigned int i;

	user_become(crowd->uid);
	for (i = 0; i < n; i++)
		if (work_raw_thread(stay, NULL, stacks + i * WORK_STACK,
				    NULL) < 0)
			return 1;
	work_send(fd, '.');
	while (!poll(&pfd, 1, 0)) {
		__atomic_add_fetch(&crowd->begun, 4, __ATOMIC_SEQ_CST);
		for (i = 0; i < 4; i++)
			if (work_raw_thread(work_raw_end, NULL,
					    stacks + (n + i) * WORK_STACK,
					    &gone[i]) < 0)
				return 2;
		for (i = 0; i < 4; i++)
			work_raw_join(&gone[i]);
	}
	work_order(fd);
	_exit(0);
}

/* R77: of a process with more threads than a walk visits at a time each is counted
 * once, while others come and go between them
 */
TEST_F(walk, threads)
{
	const uint64_t stays = (uint64_t)THREADS + 1;
	struct uid_total total;
	struct crowd *crowd;
	uint64_t before;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	crowd = mmap(NULL, sizeof(*crowd), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, crowd);
	crowd->uid = FIRST_UID;
	ASSERT_EQ(0, work_start(&w, crowd_with_changes, crowd));
	ASSERT_EQ('.', work_hear(&w));
	for (i = 0; i < 20; i++) {
		before = __atomic_load_n(&crowd->begun, __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, uid_get(&self->s, FIRST_UID, &total));
		EXPECT_LE(stays, total.record.tasks);
		/* Of two rounds some may still be there that have begun before. */
		EXPECT_LE(total.record.tasks,
			  stays + 8 - before +
			  __atomic_load_n(&crowd->begun, __ATOMIC_SEQ_CST));
	}
	user_end(_metadata, &w);
	munmap(crowd, sizeof(*crowd));
}

/* A thread that is not the first executes: it takes the number of the first. */
static int execute(void *arg)
{
	char *argv[] = { "/proc/self/exe", NULL };

	setenv("UID_WALK_ROUNDS", arg, 1);
	execv(argv[0], argv);
	_exit(97);
}

/* Before all else where we were executed: once more, until none are left */
__attribute__((constructor(101))) static void execute_again(void)
{
	const char *rounds = getenv("UID_WALK_ROUNDS");
	char left[16], *stacks;
	int n = rounds ? atoi(rounds) : -1;

	if (n < 0)
		return;
	if (!n)
		_exit(0);
	snprintf(left, sizeof(left), "%d", n - 1);
	stacks = work_stacks(1);
	if (work_raw_thread(execute, left, stacks, NULL) < 0)
		_exit(96);
	for (;;)
		pause();
}

static int execute_often(int fd, void *arg)
{
	int status = -1;
	char rounds[16];
	pid_t pid;

	user_become(*(uint32_t *)arg);
	work_send(fd, '.');
	work_order(fd);
	snprintf(rounds, sizeof(rounds), "%d", sys_fewer(200));
	pid = fork();
	if (!pid)
		execute(rounds);
	waitpid(pid, &status, 0);
	work_send(fd, '.');
	work_order(fd);
	return status;
}

static bool is_done(const struct work *w)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };

	return poll(&pfd, 1, 0) != 0;
}

/* R77 R79: a process whose threads take each other's numbers is there whenever somebody
 * reads. Its parent counts, too.
 */
TEST_F(walk, executes)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total, before = {};
	struct work w;
	int reads = 0;

	NEED_LOADED(self->able);
	user_start(_metadata, &w, execute_often, &uid);
	EXPECT_EQ(0, work_tell(&w, 'g'));
	while (!is_done(&w)) {
		ASSERT_EQ(0, uid_get(&self->s, uid, &total));
		EXPECT_LE(1, total.record.tasks);
		EXPECT_LE(total.record.tasks, 3);
		EXPECT_LE(before.usage[0].rchar, total.usage[0].rchar);
		before = total;
		reads++;
	}
	EXPECT_EQ('.', work_hear(&w));
	EXPECT_LT(2, reads);
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(0, total.record.tasks);
}

/* Writes, and looks whether that is reported: bits for what is not */
static int write_and_read(int fd, void *arg)
{
	const uint32_t uid = *(uint32_t *)arg;
	struct uid_total total;
	struct uid_line line;
	struct acct_sock s;
	int i;

	user_become(uid);
	if (acct_open(&s))
		return 128;
	work_send(fd, '.');
	work_order(fd);
	for (i = 1; i <= sys_fewer(40); i++) {
		user_write_null(1000);
		if (i % 2 && (uid_read_line(uid, &line) ||
			      line.n[1] != 1000UL * i))
			return 1;
		if (!(i % 2) && (uid_get(&s, uid, &total) ||
				 total.usage[0].wchar != 1000UL * i))
			return 2;
		if (!(i % 2) && total.record.tasks != 1)
			return 4;
	}
	return 0;
}

/* R75: eight users write and read their own total at once: what one wrote before he
 * asked is in it, though readers share walks
 */
TEST_F(walk, fresh)
{
	struct work w[READERS];
	uint32_t uids[READERS];
	int i;

	NEED_LOADED(self->able);
	NEED_COUNTS();
	for (i = 0; i < READERS; i++) {
		uids[i] = FIRST_UID + i;
		user_start(_metadata, &w[i], write_and_read, &uids[i]);
	}
	for (i = 0; i < READERS; i++)
		EXPECT_EQ(0, work_tell(&w[i], 'g'));
	for (i = 0; i < READERS; i++)
		EXPECT_EQ(0, work_wait(&w[i]));
}

/* How many users of some in a row are kept apart, when each has had a task */
static int have_users(struct __test_metadata *_metadata, struct acct_sock *s,
		      uint32_t first, int users)
{
	int i, n, apart = 0;
	struct work w;
	uint32_t uid;

	for (i = 0; i < users; i++) {
		uid = first + i;
		user_start(_metadata, &w, user_obey, &uid);
		user_end(_metadata, &w);
	}
	n = uid_dump(s, totals, MAX_USERS);
	for (i = 0; i < users; i++)
		apart += !!uid_of(totals, n, first + i);
	return apart;
}

/*
 * R73: who has a range of users gets no more than a quarter of uid_max in each
 * 65,536 ids, and the host's own have a quarter for themselves.
 */
TEST_F(walk, shares)
{
	struct acct_stat st;

	NEED_LOADED(self->able);
	RELOAD("uid=1 uid_max=16");
	EXPECT_EQ(4, have_users(_metadata, &self->s, 70001, 6));
	EXPECT_EQ(-ENOSPC, uid_write(UID_SET, "70007 1", 7));
	EXPECT_EQ(4, have_users(_metadata, &self->s, 140001, 6));
	/* Nor do they get what is left for the host's. */
	EXPECT_EQ(4, have_users(_metadata, &self->s, 210001, 6));
	EXPECT_EQ(0, have_users(_metadata, &self->s, 280001, 2));
	EXPECT_LE(2, have_users(_metadata, &self->s, 60001, 3));
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_LE(st.uids, 16);
	EXPECT_LE(2 + 2 + 2 + 2, st.uid_rest);
	/* Those that are removed make room, in their block. */
	ASSERT_EQ(11, uid_write(UID_REMOVE, "70001-70002", 11));
	EXPECT_EQ(2, have_users(_metadata, &self->s, 70011, 3));
}

/* R81: a range that has nearly all users there are is removed like any other */
TEST_F(walk, removes_all)
{
	struct uid_total total;

	NEED_LOADED(self->able);
	EXPECT_EQ(5, have_users(_metadata, &self->s, FIRST_UID, 5));
	EXPECT_EQ(12, uid_write(UID_REMOVE, "1-4294967294", 12));
	EXPECT_EQ(-ENOENT, uid_get(&self->s, FIRST_UID, &total));
	EXPECT_EQ(0, uid_get(&self->s, 0, &total));
}

/* Lines of debug mode: of one user, and of its tasks */
struct block {
	uint64_t fsync;
	uint64_t wchar;
	uint64_t sum_fsync;
	uint64_t sum_wchar;
	int lines;
	pid_t pid[MAX_TASKS];
};

static void take_line(struct block *block, const char *text)
{
	uint64_t n[10] = {};
	int pid = 0;

	/* Behind the name */
	sscanf(strchr(text + 5, ','),
	       ",%d,%lu,%lu,%lu,%lu,%lu,%lu,%lu,%lu,%lu,%lu", &pid, &n[0],
	       &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9]);
	block->sum_wchar += n[1];
	block->sum_fsync += n[8];
	if (block->lines < MAX_TASKS)
		block->pid[block->lines] = pid;
	block->lines++;
}

static bool read_block(uint32_t uid, struct block *block)
{
	FILE *file = fopen(UID_STATS, "re");
	bool within = false;
	unsigned int of;
	char text[512];

	memset(block, 0, sizeof(*block));
	while (file && fgets(text, sizeof(text), file)) {
		if (!strncmp(text, "task,", 5)) {
			if (within)
				take_line(block, text);
			continue;
		}
		within = sscanf(text, "%u", &of) == 1 && of == uid;
		if (within)
			sscanf(text, "%*u %*u %lu %*u %*u %*u %*u %*u %*u %lu",
			       &block->wchar, &block->fsync);
	}
	return file && !fclose(file);
}

/* In a loop: syncs, and writes for all that it used at the next reading */
static int sync_for_ever(int fd, void *arg)
{
	char path[] = "/tmp/uid_walk.XXXXXX";
	const int file = mkstemp(path);
	pid_t pid;

	if (file < 0 || unlink(path))
		return 1;
	user_become(*(uint32_t *)arg);
	/* A child has used nothing for another user. */
	pid = fork();
	if (pid) {
		work_send(fd, '.');
		work_order(fd);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return 0;
	}
	for (;;) {
		user_write_null(10);
		fsync(file);
	}
	return 0;
}

/* In a loop: a task that ends as the user's */
static int end_for_ever(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	user_become(*(uint32_t *)arg);
	work_send(fd, '.');
	while (!poll(&pfd, 1, 0)) {
		if (!fork()) {
			user_write_null(10);
			_exit(0);
		}
		waitpid(-1, NULL, 0);
	}
	work_order(fd);
	return 0;
}

/* R76: in debug mode, of a user whose tasks call fsync and write all the time, the
 * lines of its tasks add up to its own line, exactly
 */
TEST_F(walk, one_instant)
{
	uint32_t uid = FIRST_UID, other = FIRST_UID + 1;
	struct work w[4], ends;
	struct block block;
	uint64_t last = 0;
	int i, k;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_COUNTS();
	RELOAD("uid=1 uid_debug=1");
	for (i = 0; i < 4; i++)
		user_start(_metadata, &w[i], sync_for_ever, &uid);
	user_start(_metadata, &ends, end_for_ever, &other);
	for (i = 0; i < sys_fewer(100); i++) {
		ASSERT_TRUE(read_block(uid, &block));
		EXPECT_EQ(block.fsync, block.sum_fsync) TH_LOG("turn %d", i);
		EXPECT_EQ(block.wchar, block.sum_wchar) TH_LOG("turn %d", i);
		EXPECT_EQ(8, block.lines);
		for (k = 1; k < block.lines && k < MAX_TASKS; k++)
			EXPECT_NE(block.pid[k - 1], block.pid[k]);
		EXPECT_LE(last, block.fsync);
		last = block.fsync;
		/* Of tasks that end the sum has more than the lines. */
		ASSERT_TRUE(read_block(other, &block));
		EXPECT_LE(block.sum_wchar, block.wchar);
	}
	EXPECT_LT(0, last);
	for (i = 0; i < 4; i++)
		user_end(_metadata, &w[i]);
	user_end(_metadata, &ends);
}

static int obey_with_signs(int fd, void *arg)
{
	prctl(PR_SET_NAME, "a b\n,\\\033\177z");
	return user_obey(fd, arg);
}

/* R74: a name cannot end its line, or its field, or do anything to a terminal */
TEST_F(walk, escapes)
{
	uint32_t uid = FIRST_UID;
	char text[512], wanted[64];
	bool found = false;
	struct work w;
	FILE *file;

	NEED_LOADED(self->able);
	RELOAD("uid=1 uid_debug=1");
	user_start(_metadata, &w, obey_with_signs, &uid);
	snprintf(wanted, sizeof(wanted),
		 "task,a b\\012\\054\\134\\033\\177z,%d,", w.pid);
	file = fopen(UID_STATS, "re");
	ASSERT_NE(NULL, file);
	while (fgets(text, sizeof(text), file)) {
		found |= !strncmp(text, wanted, strlen(wanted));
		EXPECT_TRUE(!strncmp(text, "task,", 5) ||
			    text[strspn(text, " 0123456789\n")] == '\0')
			TH_LOG("%s", text);
	}
	EXPECT_TRUE(found);
	fclose(file);
	user_end(_metadata, &w);
}

TEST_HARNESS_MAIN
