// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, R68 to R84: Android's files, and the family's own records.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "module.h"
#include "test.h"
#include "lines.h"
#include "uid.h"

/* Nobody else has these. */
#define FIRST_UID 70001
#define USERS 20
#define MAX_USERS 4096

#define GIB (1UL << 30)

#define UNPRIVILEGED "/sys/module/taskacct/parameters/unprivileged"

static struct uid_total totals[MAX_USERS];

FIXTURE(uid) {
	struct acct_sock s;
	bool able;
};

/* What depends on what tells of exits and of changes of the user */
FIXTURE(hooks) {
	struct acct_sock s;
	bool able;
};

FIXTURE_VARIANT(hooks) {
	const char *params;
};

FIXTURE_VARIANT_ADD(hooks, best) {
	.params = "",
};

/* Both have something to do with each task that is freed. */
FIXTURE_VARIANT_ADD(hooks, best_with_cputime) {
	.params = "cputime=switch ",
};

FIXTURE_VARIANT_ADD(hooks, kprobe) {
	.params = "hook=kprobe ",
};

FIXTURE_VARIANT_ADD(hooks, tracepoint) {
	.params = "hook=tracepoint ",
};

/* Loads it anew: what was counted before is gone. */
#define RELOAD_WITH(more, params) do {					\
	char _params[256];						\
									\
	snprintf(_params, sizeof(_params), "%s%s", (more), (params));	\
	acct_close(&self->s);						\
	ASSERT_EQ(0, sys_module_unload());				\
	ASSERT_EQ(0, module_insert(_params));				\
	ASSERT_EQ(0, acct_open(&self->s));				\
} while (0)

#define RELOAD(params) RELOAD_WITH("", params)

#define NEED_ABLE() do {						\
	NEED_VM();							\
	if (!self->able)						\
		SKIP(return, "the module is not loaded");		\
} while (0)

#define SET_UP(more) do {						\
	self->able = sys_in_vm() && sys_module_loaded();		\
	if (!self->able)						\
		return;							\
	ASSERT_EQ(0, acct_open(&self->s));				\
	RELOAD_WITH(more, "uid=1");					\
} while (0)

#define TEAR_DOWN() do {						\
	if (!self->able)						\
		return;							\
	acct_close(&self->s);						\
	if (sys_module_loaded())					\
		EXPECT_EQ(0, sys_module_unload());			\
	EXPECT_EQ(0, sys_module_load(NULL));				\
} while (0)

FIXTURE_SETUP(uid)
{
	SET_UP("");
}

FIXTURE_TEARDOWN(uid)
{
	TEAR_DOWN();
}

FIXTURE_SETUP(hooks)
{
	SET_UP(variant->params);
}

FIXTURE_TEARDOWN(hooks)
{
	TEAR_DOWN();
}

/* What a child does as another user, with the rights of root but for that */
static void become(uint32_t uid)
{
	if (setresuid(uid, 0, 0))
		_exit(99);
}

static void write_null(size_t size)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS |
		       MAP_NORESERVE, -1, 0);

	if (write(fd, p, size) != (ssize_t)size)
		_exit(98);
	munmap(p, size);
	close(fd);
}

/* Does what it is told: w: writes 1,000 bytes; e: ends; else: nothing */
static int obey(int fd, void *arg)
{
	char order;

	become(*(uint32_t *)arg);
	work_send(fd, '.');
	while ((order = work_order(fd)) != 'e' && order) {
		if (order == 'w')
			write_null(1000);
		work_send(fd, '.');
	}
	return 0;
}

static void start(struct __test_metadata *_metadata, struct work *w,
		  work_fn fn, uint32_t *uid)
{
	ASSERT_EQ(0, work_start(w, fn, uid));
	ASSERT_EQ('.', work_hear(w));
}

static void end(struct __test_metadata *_metadata, struct work *w)
{
	work_tell(w, 'e');
	EXPECT_EQ(0, work_wait(w));
}

/* R69 R83: lines as Android has them, by user */
TEST_F(uid, format)
{
	static struct uid_line lines[MAX_USERS];
	unsigned long uid, before = 0;
	unsigned long long user, system;
	char text[256];
	FILE *file;
	int i, n, at;

	NEED_ABLE();
	n = uid_read_lines(UID_STATS, lines, MAX_USERS);
	ASSERT_LT(0, n);
	EXPECT_EQ(0, lines[0].uid);
	for (i = 1; i < n; i++)
		EXPECT_LT(lines[i - 1].uid, lines[i].uid);
	file = fopen(UID_CPU, "re");
	ASSERT_NE(NULL, file);
	for (i = 0; fgets(text, sizeof(text), file); i++) {
		at = 0;
		EXPECT_EQ(3, sscanf(text, "%lu: %llu %llu%n", &uid, &user,
				    &system, &at));
		EXPECT_STREQ("\n", text + at);
		EXPECT_TRUE(i ? uid > before : !uid);
		before = uid;
		EXPECT_TRUE(uid || user + system);
	}
	EXPECT_LT(0, i);
	fclose(file);
}

/* R81: what set refuses, and what not */
TEST_F(uid, set_refuses)
{
	static const char *const wrong[] = {
		"", "\n", "70001", "70001 ", "70001 2", "70001 -1", "x 1",
		"70001 x", "70001 1 1", "70001 1x", "-1 1", "4294967295 1",
	};
	char text[200];
	size_t i;
	int fd;

	NEED_ABLE();
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT_EQ(-EINVAL,
			  uid_write(UID_SET, wrong[i], strlen(wrong[i])))
			TH_LOG("number %zu", i);
	memset(text, ' ', sizeof(text));
	memcpy(text, "70001 1", 7);
	EXPECT_EQ(-EINVAL, uid_write(UID_SET, text, 128));
	EXPECT_EQ(127, uid_write(UID_SET, text, 127));
	EXPECT_EQ(-EFAULT, uid_write(UID_SET, (void *)8, 7));
	EXPECT_EQ(8, uid_write(UID_SET, "70001 0\n", 8));
	fd = open(UID_SET, O_RDONLY);
	EXPECT_TRUE(fd < 0 || read(fd, text, 1) < 0);
	close(fd);
}

/* What remove_uid_range refuses, and what not */
TEST_F(uid, remove_refuses)
{
	static const char *const wrong[] = {
		"", "1", "1-", "-1", "1 2", "a-b", "1-2-3", "1-2x",
	};
	char text[200];
	size_t i;

	NEED_ABLE();
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		EXPECT_EQ(-EINVAL, uid_write(UID_REMOVE, wrong[i],
					     strlen(wrong[i])))
			TH_LOG("number %zu", i);
	memset(text, ' ', sizeof(text));
	memcpy(text, "70001-70002", 11);
	EXPECT_EQ(-EINVAL, uid_write(UID_REMOVE, text, 128));
	EXPECT_EQ(127, uid_write(UID_REMOVE, text, 127));
	EXPECT_EQ(-EFAULT, uid_write(UID_REMOVE, (void *)8, 7));
	EXPECT_EQ(11, uid_write(UID_REMOVE, "70002-70001", 11));
}

/* R73 R79 R81: a user that nobody knew is there; each state has its own */
TEST_F(uid, foreground_and_background)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct uid_line line;
	struct work w;

	NEED_ABLE();
	EXPECT_EQ(-ENOENT, uid_get(&self->s, uid, &total));
	/* The background is told of as soon as anybody has been there. */
	ASSERT_EQ(7, uid_write(UID_SET, "70001 0", 7));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_TRUE(total.told[0] && !total.told[1]);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	ASSERT_EQ(0, uid_get(&self->s, 0, &total));
	EXPECT_TRUE(total.told[0] && total.told[1]);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_TRUE(total.told[0] && total.told[1]);
	EXPECT_EQ(TASKACCT_UID_BACKGROUND, total.record.state);
	EXPECT_EQ(0, total.record.tasks);
	ASSERT_EQ(7, uid_write(UID_SET, "70001 0", 7));
	start(_metadata, &w, obey, &uid);
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
	end(_metadata, &w);
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

static int move(int fd, void *arg)
{
	const uint32_t *uids = arg;

	become(uids[0]);
	write_null(1000);
	become(uids[1]);
	write_null(500);
	become(uids[0]);
	write_null(70);
	become(uids[2]);
	work_send(fd, '.');
	return work_order(fd) ? 0 : 1;
}

/* R79: what a task used before it changed its user stays with the old one */
TEST_F(hooks, changes_user)
{
	uint32_t uids[] = { FIRST_UID, FIRST_UID + 1, FIRST_UID + 2 };
	static const uint64_t wchar[] = { 1070, 500, 0 };
	struct uid_total total;
	struct acct_stat st;
	struct work w;
	int i;

	NEED_ABLE();
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ("kprobe:commit_creds", st.uid_hook);
	start(_metadata, &w, move, uids);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(i == 2, total.record.tasks);
	}
	end(_metadata, &w);
	NEED_COUNTS();
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(wchar[i], total.usage[0].wchar);
		EXPECT_EQ(i == 2, total.record.ended);
	}
}

/* Of a process of a user: workers that come and go until it is told to stop */
static int roll_workers(int fd, void *arg)
{
	unsigned int seed;
	char order;
	pid_t pid;

	become(*(uint32_t *)arg);
	work_send(fd, '.');
	while ((order = work_order(fd)) == 'g') {
		for (seed = 1; seed <= 8; seed++) {
			pid = fork();
			if (!pid) {
				work_mix(seed + *(uint32_t *)arg);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		}
		work_send(fd, '.');
	}
	return 0;
}

/* What all exit messages that have come tell, by user */
static int sum_exits(struct acct_sock *s, struct taskacct_uid_usage *sums,
		     unsigned int *ended)
{
	static struct ext_message m;
	uint32_t user;
	int err;

	while (!(err = ext_next(s, &m, QUIET_MS))) {
		user = m.task.uid - FIRST_UID;
		if (!m.has_task || user >= USERS)
			continue;
		uid_add_record(&sums[user], &m.task);
		ended[user]++;
	}
	return err;
}

static void look_at_users(struct __test_metadata *_metadata,
			  struct acct_sock *s, struct work *w,
			  struct taskacct_record *records,
			  struct uid_total *users)
{
	int i;

	for (i = 0; i < USERS; i++) {
		ASSERT_EQ(0, work_settle(w[i].pid));
		ASSERT_EQ(0, ext_query_task(s, w[i].pid, &records[i]));
		ASSERT_EQ(0, uid_get(s, FIRST_UID + i, &users[i]));
	}
}

/* No total ever goes back while others come and go */
static void expect_forward(struct __test_metadata *_metadata,
			   struct acct_sock *s, struct uid_total *before)
{
	struct taskacct_uid_usage then = {}, now = {};
	const struct uid_total *total;
	const char *name;
	int i, n;

	n = uid_dump(s, totals, MAX_USERS);
	ASSERT_LT(0, n);
	for (i = 0; i < USERS; i++) {
		total = uid_of(totals, n, FIRST_UID + i);
		ASSERT_NE(NULL, total);
		memset(&then, 0, sizeof(then));
		memset(&now, 0, sizeof(now));
		uid_sum(&then, &before[i]);
		uid_sum(&now, total);
		name = uid_smaller(&now, &then);
		EXPECT_EQ(NULL, name) TH_LOG("%s of %d", name, i);
		before[i] = *total;
	}
}

/*
 * R75 R77 R79 R82: of 20 users whose tasks come and go while others read, each
 * value is the sum over the exit records and what is alive, exactly.
 */
TEST_F(hooks, exact)
{
	static struct taskacct_uid_usage sums[USERS], then, now;
	static struct taskacct_record first[USERS], last[USERS];
	static struct uid_total before[USERS], after[USERS], seen[USERS];
	unsigned int ended[USERS] = {};
	const struct ext_filter filter = {
		.has = EXT_HAS(KINDS) | EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		.kinds = TASKACCT_KIND_TASK,
		.uid_min = FIRST_UID,
		.uid_max = FIRST_UID + USERS - 1,
	};
	struct acct_sock listener;
	struct work w[USERS];
	uint32_t uids[USERS];
	const char *name;
	int i, round;

	NEED_ABLE();
	memset(sums, 0, sizeof(sums));
	ASSERT_EQ(0, acct_open(&listener));
	ASSERT_EQ(0, ext_listen(&listener, EXT_BARE, &filter, 16 << 20));
	for (i = 0; i < USERS; i++) {
		uids[i] = FIRST_UID + i;
		start(_metadata, &w[i], roll_workers, &uids[i]);
	}
	look_at_users(_metadata, &self->s, w, first, before);
	memcpy(seen, before, sizeof(seen));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < USERS; i++)
			work_tell(&w[i], 'g');
		expect_forward(_metadata, &self->s, seen);
		expect_forward(_metadata, &self->s, seen);
		for (i = 0; i < USERS; i++)
			EXPECT_EQ('.', work_hear(&w[i]));
		sum_exits(&listener, sums, ended);
	}
	look_at_users(_metadata, &self->s, w, last, after);
	for (i = 0; i < USERS; i++) {
		EXPECT_EQ(24, ended[i]);
		EXPECT_EQ(24, after[i].record.ended);
		EXPECT_EQ(1, after[i].record.tasks);
		/* before + records + last - first = after, whatever is 0 */
		memset(&then, 0, sizeof(then));
		memset(&now, 0, sizeof(now));
		uid_sum(&then, &before[i]);
		uid_add_record(&then, &last[i]);
		uid_sum(&then, &(struct uid_total){ .usage = { sums[i] } });
		uid_sum(&now, &after[i]);
		uid_add_record(&now, &first[i]);
		name = uid_differs(&then, &now);
		EXPECT_EQ(NULL, name) TH_LOG("%s of %d", name, i);
	}
	for (i = 0; i < USERS; i++)
		end(_metadata, &w[i]);
	acct_close(&listener);
}

/* A module that has been loaded just now, and a listener before anything ended */
static void listen_from_load(struct __test_metadata *_metadata,
			     struct acct_sock *listener)
{
	const struct ext_filter filter = {
		.has = EXT_HAS(KINDS),
		.kinds = TASKACCT_KIND_TASK,
	};

	ASSERT_EQ(0, ext_listen(listener, EXT_BARE, &filter, 16 << 20));
}

/* Users in the foreground and in the background, and one that changes */
static void have_users(struct __test_metadata *_metadata, int users)
{
	uint32_t changes[] = { FIRST_UID, FIRST_UID + 1, FIRST_UID + USERS };
	uint32_t uids[USERS];
	struct work w[USERS], moves;
	char set[16];
	int i;

	for (i = 0; i < users; i++) {
		uids[i] = FIRST_UID + i;
		start(_metadata, &w[i], roll_workers, &uids[i]);
		snprintf(set, sizeof(set), "%d %d", uids[i], i % 2);
		ASSERT_EQ(7, uid_write(UID_SET, set, 7));
	}
	for (i = 0; i < users; i++)
		work_tell(&w[i], 'g');
	start(_metadata, &moves, move, changes);
	end(_metadata, &moves);
	for (i = 0; i < users; i++) {
		EXPECT_EQ('.', work_hear(&w[i]));
		end(_metadata, &w[i]);
	}
}

/*
 * The sum over users is that over all tasks of the machine, kernel threads and
 * those included that lived before the module was loaded.
 */
TEST_F(hooks, all)
{
	struct uid_sum ends = {};
	struct acct_sock listener;
	uint32_t uid = FIRST_UID;
	unsigned int exact;
	struct work lives;
	const char *name;
	int tries = 5;

	NEED_ABLE();
	listen_from_load(_metadata, &listener);
	/* A kernel thread may have ended before. */
	while (uid_all_differ(&self->s, &listener, &ends, &exact) && --tries) {
		acct_close(&listener);
		RELOAD_WITH(variant->params, "uid=1");
		memset(&ends, 0, sizeof(ends));
		listen_from_load(_metadata, &listener);
	}
	start(_metadata, &lives, obey, &uid);
	have_users(_metadata, 5);
	name = uid_all_differ(&self->s, &listener, &ends, &exact);
	EXPECT_EQ(NULL, name) TH_LOG("%s", name);
	EXPECT_LT(5 * 8, ends.ended);
	/* What tasks read and wrote does not change while nobody does. */
	EXPECT_LE(7, exact);
	TH_LOG("%u numbers compared exactly", exact);
	EXPECT_EQ(0, work_round(&lives, 'w'));
	end(_metadata, &lives);
	name = uid_all_differ(&self->s, &listener, &ends, &exact);
	EXPECT_EQ(NULL, name) TH_LOG("%s", name);
	acct_close(&listener);
}

/* A range that is removed: what has ended is forgotten, what lives counts */
TEST_F(hooks, removes)
{
	uint32_t uids[] = { FIRST_UID, FIRST_UID + 1, FIRST_UID + 2 };
	struct uid_total total;
	struct uid_line line;
	struct work w[3], dead;
	int i;

	NEED_ABLE();
	NEED_COUNTS();
	for (i = 0; i < 3; i++) {
		start(_metadata, &w[i], obey, &uids[i]);
		EXPECT_EQ(0, work_round(&w[i], 'w'));
		start(_metadata, &dead, obey, &uids[i]);
		EXPECT_EQ(0, work_round(&dead, 'w'));
		end(_metadata, &dead);
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
		end(_metadata, &w[i]);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(i ? 1000 : 4000, total.usage[0].wchar);
		EXPECT_EQ(i ? 1 : 2, total.record.ended);
	}
}

/* A child of one that has the user already: nothing of it was another's */
static int obey_through_child(int fd, void *arg)
{
	pid_t pid;
	int status = 1;

	become(*(uint32_t *)arg);
	pid = fork();
	if (!pid)
		_exit(obey(fd, arg));
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* ... and of a task that always was of this user, all of it counts again */
TEST_F(uid, removed_counts_again)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct work w;

	NEED_ABLE();
	NEED_COUNTS();
	start(_metadata, &w, obey_through_child, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(1000, total.usage[0].wchar);
	ASSERT_EQ(11, uid_write(UID_REMOVE, "70001-70001", 11));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(1000, total.usage[0].wchar);
	EXPECT_EQ(0, work_round(&w, 'w'));
	end(_metadata, &w);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
	EXPECT_EQ(2, total.record.ended);
}

static int write_much(int fd, void *arg)
{
	int i;

	become(*(uint32_t *)arg);
	for (i = 0; i < 5; i++)
		write_null(GIB);
	work_send(fd, '.');
	return work_order(fd) ? 0 : 1;
}

/* R70: more than 32 bits hold */
TEST_F(uid, wide)
{
	uint32_t uid = FIRST_UID;
	struct uid_line line;
	struct work w;

	NEED_ABLE();
	NEED_COUNTS();
	start(_metadata, &w, write_much, &uid);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(5 * GIB, line.n[1]);
	end(_metadata, &w);
	ASSERT_EQ(0, uid_read_line(uid, &line));
	EXPECT_EQ(5 * GIB, line.n[1]);
}

/* What a task used before the module was there is its user's all the same */
TEST_F(hooks, loaded_late)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct work w;

	NEED_ABLE();
	NEED_COUNTS();
	start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	RELOAD_WITH(variant->params, "uid=1");
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
	end(_metadata, &w);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
}

/* What an ordinary user gets to see: bits for what is not as it should be */
static int look_as_user(bool world)
{
	static struct uid_line lines[MAX_USERS];
	struct uid_total total;
	struct acct_sock s;
	int wrong = 0, n;

	if (setresgid(FIRST_UID, FIRST_UID, FIRST_UID) ||
	    setresuid(FIRST_UID, FIRST_UID, FIRST_UID) || acct_open(&s))
		return 128;
	n = uid_read_lines(UID_STATS, lines, MAX_USERS);
	if (world ? n < 2 : n != 1 || lines[0].uid != FIRST_UID)
		wrong |= 1;
	n = uid_read_lines(UID_CPU, lines, MAX_USERS);
	if (n != -EBADMSG)
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
	struct uid_total total;
	struct acct_sock s;
	int wrong = 0;

	(void)arg;
	if (setresuid(FIRST_UID, FIRST_UID, FIRST_UID) || acct_open(&s))
		return 128;
	if (uid_read_lines(UID_STATS, lines, MAX_USERS) != -EPERM)
		wrong |= 1;
	if (uid_read_lines(UID_CPU, lines, MAX_USERS) != -EPERM)
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
		waitpid(pid, &status, 0);
		return WEXITSTATUS(status);
	}
	if (acct_open(&s))
		_exit(128);
	status = uid_read_lines(UID_STATS, lines, MAX_USERS);
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

/* Users that the reader's user namespace has no number for are one. */
static int look_from_user_namespace(bool arg)
{
	static struct uid_line lines[MAX_USERS];
	int wrong = 0, n;

	(void)arg;
	if (setresuid(FIRST_UID, FIRST_UID, FIRST_UID) ||
	    unshare(CLONE_NEWUSER) || prctl(PR_SET_DUMPABLE, 1) ||
	    sys_write("/proc/self/uid_map", "7 70001 1"))
		return 128;
	n = uid_read_lines(UID_STATS, lines, MAX_USERS);
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
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A user sees its own alone; with uid_world=1 all, as on Android */
TEST_F(uid, who_may_read)
{
	NEED_ABLE();
	EXPECT_EQ(0, run_as_user(look_as_user, false));
	ASSERT_EQ(0, sys_write(UNPRIVILEGED, "0"));
	EXPECT_EQ(0, run_as_user(look_in_vain, false));
	RELOAD("uid=1 uid_world=1");
	EXPECT_EQ(0, run_as_user(look_as_user, true));
}

/* Totals are of all of the machine: in a pid namespace they are not told */
TEST_F(uid, in_a_pid_namespace)
{
	NEED_ABLE();
	EXPECT_EQ(0, run_as_user(look_from_pid_namespace, false));
	RELOAD("uid=1 uid_world=1");
	EXPECT_EQ(0, run_as_user(look_from_pid_namespace, true));
}

/* R77: as the reader's user namespace numbers users */
TEST_F(uid, in_a_user_namespace)
{
	uint32_t uid = FIRST_UID + 1;
	struct work w;

	NEED_ABLE();
	NEED_COUNTS();
	RELOAD("uid=1 uid_world=1");
	start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, run_as_user(look_from_user_namespace, true));
	end(_metadata, &w);
}

/* Beyond uid_max= all users are one, and it is told */
TEST_F(uid, rest)
{
	uint32_t uids[] = { FIRST_UID, FIRST_UID + 1 };
	const struct uid_total *total;
	struct uid_total one;
	struct acct_stat st;
	struct work w[2];
	uint64_t wchar;
	int i, n;

	NEED_ABLE();
	RELOAD("uid=1 uid_max=1");
	for (i = 0; i < 2; i++) {
		start(_metadata, &w[i], obey, &uids[i]);
		EXPECT_EQ(0, work_round(&w[i], 'w'));
	}
	end(_metadata, &w[0]);
	n = uid_dump(&self->s, totals, MAX_USERS);
	EXPECT_EQ(2, n);
	total = uid_of(totals, n, (uint32_t)-1);
	ASSERT_NE(NULL, total);
	EXPECT_EQ(TASKACCT_UID_REST, total->record.flags);
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
	end(_metadata, &w[1]);
}

/* R74 R80: a line for each task, with commas */
TEST_F(uid, debug_lines)
{
	uint32_t uid = FIRST_UID;
	char text[256], line[256] = "", wanted[256], comm[32] = "";
	struct work w;
	FILE *file;

	NEED_ABLE();
	NEED_COUNTS();
	RELOAD("uid=1 uid_debug=1");
	start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(7, uid_write(UID_SET, "70001 1", 7));
	EXPECT_EQ(0, work_round(&w, 'w'));
	EXPECT_EQ(0, work_round(&w, 'w'));
	file = fopen(UID_STATS, "re");
	ASSERT_NE(NULL, file);
	while (!line[0] && fgets(text, sizeof(text), file))
		if (!strncmp(text, "70001 ", 6) &&
		    !fgets(line, sizeof(line), file))
			break;
	fclose(file);
	snprintf(text, sizeof(text), "/proc/%d/comm", w.pid);
	sys_read(text, comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	snprintf(wanted, sizeof(wanted),
		 "task,%s,%d,0,1000,0,0,0,2000,0,0,0,0\n", comm, w.pid);
	EXPECT_STREQ(wanted, line);
	end(_metadata, &w);
}

/* A folder that is there already is left alone, the rest works */
TEST_F(uid, names)
{
	struct uid_total total;

	NEED_ABLE();
	RELOAD("uid=1 uid_dirs=tty,mine,uid_cputime");
	EXPECT_NE(0, access("/proc/tty/stats", F_OK));
	EXPECT_EQ(0, access("/proc/tty/drivers", F_OK));
	EXPECT_EQ(0, access("/proc/mine/set", F_OK));
	EXPECT_EQ(0, access(UID_CPU, F_OK));
	EXPECT_EQ(0, uid_get(&self->s, 0, &total));
}

static struct json_object *line_of(struct lines *l, int64_t uid)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (number(l->v[i], "uid") == uid)
			return l->v[i];
	return NULL;
}

/* getdelays --uids and --uid: sorted, as the module tells, for all readers */
TEST_F(uid, command)
{
	uint32_t uid = FIRST_UID;
	struct json_object *o;
	struct lines l;
	struct run r;
	struct work w;
	int i;

	NEED_ABLE();
	start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	run(&r, "--uids", "--json", "--sort", "cpu");
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	ASSERT_LT(1, l.n);
	for (i = 1; i < l.n; i++)
		EXPECT_GE(number(l.v[i - 1], "fg_utime_ns") +
				  number(l.v[i - 1], "fg_stime_ns"),
			  number(l.v[i], "fg_utime_ns") +
				  number(l.v[i], "fg_stime_ns"));
	o = line_of(&l, uid);
	ASSERT_NE(NULL, o);
	EXPECT_STREQ("uid", word(o, "kind"));
	EXPECT_STREQ("fg", word(o, "state"));
	EXPECT_EQ(1, number(o, "tasks"));
	EXPECT_EQ(sys_counts() ? 1000 : 0, number(o, "fg_wchar"));
	EXPECT_EQ(0, number(o, "bg_wchar"));
	forget(&l);
	run_free(&r);
	run(&r, "--uid", "70001", "--json");
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	ASSERT_EQ(1, l.n);
	EXPECT_EQ(uid, number(l.v[0], "uid"));
	forget(&l);
	run_free(&r);
	run(&r, "--uids");
	expect_status(_metadata, &r, EXIT_DONE);
	EXPECT_LT(longest_line(r.out), 80);
	EXPECT_NE(NULL, strstr(r.out, "     70001 "));
	run_free(&r);
	end(_metadata, &w);
}

/* getdelays --uids INTERVAL: what was used in each, until interrupted */
TEST_F(uid, command_interval)
{
	uint32_t uid = FIRST_UID;
	int64_t sum = 0;
	struct lines l;
	struct run r;
	struct work w;
	int i;

	NEED_ABLE();
	NEED_COUNTS();
	start(_metadata, &w, obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	begin(&r, "--uids", "200ms", "--json");
	usleep(1000000 * sys_slow());
	EXPECT_EQ(0, work_round(&w, 'w'));
	usleep(1000000 * sys_slow());
	run_stop(&r, SIGINT);
	expect_status(_metadata, &r, EXIT_DONE);
	parse(_metadata, r.out, &l);
	EXPECT_LT(2, l.n);
	for (i = 0; i < l.n; i++) {
		EXPECT_STREQ("uid_delta", word(l.v[i], "kind"));
		if (number(l.v[i], "uid") == uid)
			sum += number(l.v[i], "fg_wchar");
	}
	EXPECT_EQ(1000, sum);
	forget(&l);
	run_free(&r);
	end(_metadata, &w);
}

/* Wrong usage of it, and the cure where it is off */
TEST_F(uid, command_refuses)
{
	struct run r;

	NEED_ABLE();
	run(&r, "--uid", "4294967295");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run(&r, "--uids", "--uid");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run(&r, "--uids", "--sort", "rss");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run(&r, "--uids", "-p", "1");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
	run(&r, "--uid", "79999");
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "no task of this user");
	run_free(&r);
	run_as(&r, FIRST_UID, "--uid", "0", (char *)NULL);
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "CAP_NET_ADMIN");
	run_free(&r);
	RELOAD("");
	run(&r, "--uids");
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "uid=1");
	run_free(&r);
}

/* Without uid=1 there is nothing of all this */
TEST_F(uid, off)
{
	struct uid_total total;

	NEED_ABLE();
	RELOAD("");
	EXPECT_NE(0, access("/proc/uid_io", F_OK));
	EXPECT_EQ(-EOPNOTSUPP, uid_get(&self->s, 0, &total));
	EXPECT_EQ(-EOPNOTSUPP, uid_dump(&self->s, totals, MAX_USERS));
}

TEST_HARNESS_MAIN
