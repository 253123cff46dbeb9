// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user: exact, whichever hook reports exits and changes of the user.
 */
#include <sys/wait.h>

#include "users.h"

#define USERS 20
#define ROUNDS 3
#define WORKERS sys_quick(8)

static struct uid_total totals[MAX_USERS];

/* What depends on what tells of exits and of changes of the user */
FIXTURE(hooks) {
	struct acct_sock s;
	bool able;
};

FIXTURE_VARIANT(hooks) {
	const char *params;
	const char *hook;
};

FIXTURE_VARIANT_ADD(hooks, best) {
	.params = "",
	.hook = "ftrace:commit_creds",
};

/* Both have something to do with each task that is freed. */
FIXTURE_VARIANT_ADD(hooks, best_with_cputime) {
	.params = "cputime=switch ",
	.hook = "ftrace:commit_creds",
};

FIXTURE_VARIANT_ADD(hooks, kprobe) {
	.params = "hook=kprobe ",
	.hook = "kprobe:commit_creds",
};

FIXTURE_VARIANT_ADD(hooks, tracepoint) {
	.params = "hook=tracepoint ",
	.hook = "ftrace:commit_creds",
};

FIXTURE_SETUP(hooks)
{
	SET_UP(sys_has_hook(variant->params) ? variant->params : "");
}

FIXTURE_TEARDOWN(hooks)
{
	TEAR_DOWN();
}

static int move(int fd, void *arg)
{
	const uint32_t *uids = arg;

	user_become(uids[0]);
	user_write_null(1000);
	user_become(uids[1]);
	user_write_null(500);
	user_become(uids[0]);
	user_write_null(70);
	user_become(uids[2]);
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

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_HOOK(variant->params);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ(variant->hook, st.uid_hook);
	user_start(_metadata, &w, move, uids);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(i == 2, total.record.tasks);
	}
	user_end(_metadata, &w);
	NEED_COUNTS();
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, uid_get(&self->s, uids[i], &total));
		EXPECT_EQ(wchar[i], total.usage[0].wchar);
		EXPECT_EQ(i == 2, total.record.ended);
	}
}

static void run_workers(uint32_t uid)
{
	pid_t pid;
	int seed;

	for (seed = 1; seed <= WORKERS; seed++) {
		pid = fork();
		if (!pid) {
			work_mix(seed + uid);
			_exit(0);
		}
		work_reap(pid, NULL);
	}
}

/*
 * A process of a user: g: workers come and go; r: it runs a little itself; else it ends
 */
static int roll_workers(int fd, void *arg)
{
	const uint32_t uid = *(uint32_t *)arg;
	char order;

	user_become(uid);
	work_send(fd, '.');
	while ((order = work_order(fd)) == 'g' || order == 'r') {
		if (order == 'g')
			run_workers(uid);
		else
			work_mix(1);
		work_send(fd, '.');
	}
	return 0;
}

/*
 * At its change of user the time that a process ran was reported to the instant. Where the
 * kernel had been about to take the CPU from it, it counts less at first: until it has
 * more the new user has nothing of it.
 */
static void expect_overtaken(struct __test_metadata *_metadata,
			     struct acct_sock *s, struct work *w, uint32_t uid)
{
	struct uid_total total;
	int i;

	for (i = 0; i < PATIENCE_MS; i++) {
		ASSERT_EQ(0, uid_get(s, uid, &total));
		if (total.usage[0].runtime + total.usage[1].runtime)
			return;
		ASSERT_EQ(0, work_round(w, 'r'));
	}
	EXPECT_GT(PATIENCE_MS, i);
}

/* What all exit messages that have come tell, by user */
static int sum_exits(struct acct_sock *s, struct uid_usage *sums,
		     unsigned int *ended)
{
	static struct ext_message m;
	uint32_t user;
	int err;

	while (!(err = ext_next(s, &m, QUIET_MS))) {
		user = m.task.uid - FIRST_UID;
		if (!m.has_task || user >= USERS)
			continue;
		uid_add_record(&sums[user], &m);
		ended[user]++;
	}
	return err;
}

static void look_at_users(struct __test_metadata *_metadata,
			  struct acct_sock *s, struct work *w,
			  struct uid_usage *used,
			  struct uid_total *totals_of, int users)
{
	int i;

	for (i = 0; i < users; i++) {
		ASSERT_EQ(0, work_settle(w[i].pid));
		ASSERT_EQ(0, uid_of_task(s, w[i].pid, &used[i]));
		ASSERT_EQ(0, uid_get(s, FIRST_UID + i, &totals_of[i]));
	}
}

/* No total ever goes back while others come and go */
static void expect_forward(struct __test_metadata *_metadata,
			   struct acct_sock *s, struct uid_total *before,
			   int users)
{
	struct uid_usage then = {}, now = {};
	const struct uid_total *total;
	const char *name;
	int i, n;

	n = uid_dump(s, totals, MAX_USERS);
	ASSERT_LT(0, n);
	for (i = 0; i < users; i++) {
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
	static struct uid_usage sums[USERS], then, now;
	static struct uid_usage first[USERS], last[USERS];
	static struct uid_total before[USERS], after[USERS], seen[USERS];
	unsigned int ended[USERS] = {};
	const struct ext_filter filter = {
		.has = EXT_HAS(KINDS) | EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		.kinds = TASKACCT_KIND_TASK,
		.uid_min = FIRST_UID,
		.uid_max = FIRST_UID + USERS - 1,
	};
	const int users = sys_quick(USERS);
	struct acct_sock listener;
	struct work w[USERS];
	uint32_t uids[USERS];
	const char *name;
	int i, round;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	memset(sums, 0, sizeof(sums));
	ASSERT_EQ(0, acct_open(&listener));
	ASSERT_EQ(0, ext_listen(&listener, EXT_BARE, &filter, 16 << 20));
	for (i = 0; i < users; i++) {
		uids[i] = FIRST_UID + i;
		user_start(_metadata, &w[i], roll_workers, &uids[i]);
		expect_overtaken(_metadata, &self->s, &w[i], uids[i]);
	}
	look_at_users(_metadata, &self->s, w, first, before, users);
	memcpy(seen, before, sizeof(seen));
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < users; i++)
			work_tell(&w[i], 'g');
		expect_forward(_metadata, &self->s, seen, users);
		expect_forward(_metadata, &self->s, seen, users);
		for (i = 0; i < users; i++)
			EXPECT_EQ('.', work_hear(&w[i]));
		sum_exits(&listener, sums, ended);
	}
	look_at_users(_metadata, &self->s, w, last, after, users);
	for (i = 0; i < users; i++) {
		EXPECT_EQ((unsigned int)(ROUNDS * WORKERS), ended[i]);
		EXPECT_EQ((uint64_t)(ROUNDS * WORKERS), after[i].record.ended);
		EXPECT_EQ(1, after[i].record.tasks);
		/* before + records + last - first = after, whatever is 0 */
		memset(&then, 0, sizeof(then));
		memset(&now, 0, sizeof(now));
		uid_sum(&then, &before[i]);
		uid_sum(&then, &(struct uid_total){ .usage = { last[i] } });
		uid_sum(&then, &(struct uid_total){ .usage = { sums[i] } });
		uid_sum(&now, &after[i]);
		uid_sum(&now, &(struct uid_total){ .usage = { first[i] } });
		name = uid_differs(&then, &now);
		EXPECT_EQ(NULL, name) TH_LOG("%s of %d", name, i);
	}
	for (i = 0; i < users; i++)
		user_end(_metadata, &w[i]);
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
		user_start(_metadata, &w[i], roll_workers, &uids[i]);
		snprintf(set, sizeof(set), "%d %d", uids[i], i % 2);
		ASSERT_EQ(7, uid_write(UID_SET, set, 7));
	}
	for (i = 0; i < users; i++)
		work_tell(&w[i], 'g');
	user_start(_metadata, &moves, move, changes);
	user_end(_metadata, &moves);
	for (i = 0; i < users; i++) {
		EXPECT_EQ('.', work_hear(&w[i]));
		user_end(_metadata, &w[i]);
	}
}

/* R75 R77 R79: the sum over all users is that over all tasks of the machine, kernel
 * threads and those included that lived before the module was loaded
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

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	listen_from_load(_metadata, &listener);
	/* A kernel thread may have ended before. */
	while (uid_all_differ(&self->s, &listener, &ends, &exact) && --tries) {
		acct_close(&listener);
		RELOAD_WITH(variant->params, "uid=1");
		memset(&ends, 0, sizeof(ends));
		listen_from_load(_metadata, &listener);
	}
	user_start(_metadata, &lives, user_obey, &uid);
	have_users(_metadata, 5);
	name = uid_all_differ(&self->s, &listener, &ends, &exact);
	EXPECT_EQ(NULL, name) TH_LOG("%s", name);
	EXPECT_LT((uint64_t)(5 * WORKERS), ends.ended);
	/* What tasks read and wrote does not change while nobody does. */
	EXPECT_LE(7, exact);
	TH_LOG("%u numbers compared exactly", exact);
	EXPECT_EQ(0, work_round(&lives, 'w'));
	user_end(_metadata, &lives);
	name = uid_all_differ(&self->s, &listener, &ends, &exact);
	EXPECT_EQ(NULL, name) TH_LOG("%s", name);
	acct_close(&listener);
}

/* What a task used before the module was there is its user's all the same */
TEST_F(hooks, loaded_late)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct work w;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	NEED_COUNTS();
	user_start(_metadata, &w, user_obey, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	RELOAD_WITH(variant->params, "uid=1");
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
	user_end(_metadata, &w);
	ASSERT_EQ(0, uid_get(&self->s, uid, &total));
	EXPECT_EQ(2000, total.usage[0].wchar);
}

#define KPROBES_ENABLED "/sys/kernel/debug/kprobes/enabled"

/* What can make the hook on changes of the user silent */
FIXTURE(silent) {
	struct acct_sock s;
	bool able;
	int off;
};

FIXTURE_VARIANT(silent) {
	const char *params;
	const char *file;
	bool before;	/* switched off before the module is loaded */
	int off;	/* what it says to that */
	const char *hook;
};

FIXTURE_VARIANT_ADD(silent, ftrace_at_load) {
	.params = "uid=1",
	.file = SYS_FTRACE_ENABLED,
	.before = true,
	.hook = "none",
};

FIXTURE_VARIANT_ADD(silent, ftrace_with_tracepoint) {
	.params = "uid=1 hook=tracepoint",
	.file = SYS_FTRACE_ENABLED,
	.off = -EBUSY,
	.hook = "ftrace:commit_creds",
};

FIXTURE_VARIANT_ADD(silent, ftrace_with_kprobe) {
	.params = "uid=1 hook=kprobe",
	.file = SYS_FTRACE_ENABLED,
	.off = -EBUSY,
	.hook = "kprobe:commit_creds",
};

FIXTURE_VARIANT_ADD(silent, kprobes) {
	.params = "uid=1",
	.file = KPROBES_ENABLED,
	.hook = "ftrace:commit_creds",
};

FIXTURE_VARIANT_ADD(silent, kprobes_with_kprobe) {
	.params = "uid=1 hook=kprobe",
	.file = KPROBES_ENABLED,
	.hook = "kprobe:commit_creds",
};

FIXTURE_SETUP(silent)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_remove());
	if (variant->before)
		self->off = sys_write(variant->file, "0");
	ASSERT_EQ(0, module_insert(sys_has_hook(variant->params) ?
					   variant->params : "uid=1"));
	ASSERT_EQ(0, acct_open(&self->s));
	if (!variant->before)
		self->off = sys_write(variant->file, "0");
}

FIXTURE_TEARDOWN(silent)
{
	if (self->able && !self->off) {
		EXPECT_EQ(0, sys_write(variant->file, "1"));
	}
	TEAR_DOWN();
}

/* Root at first; told to, it becomes the next user, or writes 1,000 bytes */
static int change_late(int fd, void *arg)
{
	uint32_t uid = *(uint32_t *)arg;
	char order;

	work_send(fd, '.');
	while ((order = work_order(fd)) != 'e' && order) {
		if (order == 'u')
			user_become(uid++);
		else if (order == 'w')
			user_write_null(1000);
		work_send(fd, '.');
	}
	return 0;
}

/*
 * R79 R82: where nobody tells of a task that changes its user it is seen to have
 * another when it is looked at: what it uses from then on is the new one's, and
 * what it did since it was last looked at. Twice, as others come to nothing.
 */
TEST_F(silent, changes_user)
{
	uint32_t uid = FIRST_UID;
	struct uid_total total;
	struct acct_stat st;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	NEED_COUNTS();
	if (self->off == -EOPNOTSUPP || self->off == -ENOENT)
		SKIP(return, "%s cannot be switched off here", variant->file);
	ASSERT_EQ(variant->off, self->off);
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_STREQ(sys_traces_functions() ? variant->hook : "none",
		     st.uid_hook);
	user_start(_metadata, &w, change_late, &uid);
	EXPECT_EQ(0, work_round(&w, 'w'));
	ASSERT_LT(0, uid_dump(&self->s, totals, MAX_USERS));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, work_round(&w, 'u'));
		EXPECT_EQ(0, work_round(&w, 'w'));
		ASSERT_EQ(0, uid_get(&self->s, uid, &total));
		EXPECT_EQ(1000, total.usage[0].wchar);
		EXPECT_EQ(1, total.record.tasks);
		EXPECT_EQ(0, work_round(&w, 'w'));
		ASSERT_LT(0, uid_dump(&self->s, totals, MAX_USERS));
		ASSERT_EQ(0, uid_get(&self->s, uid, &total));
		EXPECT_EQ(2000, total.usage[0].wchar);
		uid++;
	}
	user_end(_metadata, &w);
}

TEST_HARNESS_MAIN
