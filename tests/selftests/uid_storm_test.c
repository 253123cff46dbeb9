// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user, after a minute in which 20 users do at random what can be counted,
 * while others read: what the tests exact and all of uid_hooks_test look at.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "test.h"
#include "module.h"
#include "uid.h"

#define FIRST_UID 70001
#define USERS 20
#define MAX_USERS 256
#define MINUTE_NS 60000000000
#define BUFFER (64 << 20)

/* The limit is that of the VM, which knows how slow the kernel is. */
#define TIMEOUT 7200

/**
 * struct user - a user, and the process that has tasks come and go for it
 * @uid: the user
 * @w: the process
 * @first: what it had used before the minute, of itself
 * @last: and afterwards
 * @before: the user's total before
 * @after: and afterwards
 * @ends: what its tasks had used that ended in between, by their exit records
 * @ended: how many that were
 */
struct user {
	uint32_t uid;
	struct work w;
	struct uid_usage first;
	struct uid_usage last;
	struct uid_total before;
	struct uid_total after;
	struct uid_usage ends;
	uint64_t ended;
};

FIXTURE(uid_storm) {
	struct acct_sock s;
	struct acct_sock listener;
	struct user users[USERS];
	struct uid_sum all;
	unsigned int dumps;
	bool able;
};

FIXTURE_SETUP(uid_storm)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, module_insert("uid=1"));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_open(&self->listener));
}

FIXTURE_TEARDOWN(uid_storm)
{
	if (!self->able)
		return;
	acct_close(&self->listener);
	acct_close(&self->s);
	EXPECT_EQ(0, sys_module_unload());
	EXPECT_EQ(0, sys_module_load(NULL));
}

/* Such a thread has no memory of its own in the C library. */
static int read_and_end(void *arg)
{
	const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uintptr_t n = (uintptr_t)arg;
	char buf[512];

	while (n-- && read(fd, buf, sizeof(buf)) > 0)
		;
	work_raw_exit(0);
	return 0;
}

/* A file of its own, and less of it */
static void write_file(unsigned int *seed)
{
	char path[] = "/tmp/uid_storm.XXXXXX";
	static char data[20000];
	int fd = mkstemp(path);

	if (fd < 0)
		_exit(97);
	unlink(path);
	if (write(fd, data, 1 + (size_t)rand_r(seed) % sizeof(data)) < 1 ||
	    (rand_r(seed) % 4 == 0 && fsync(fd)) || ftruncate(fd, 0))
		_exit(96);
	close(fd);
}

static void with_threads(unsigned int *seed)
{
	const unsigned int n = 1 + (unsigned int)rand_r(seed) % 4;
	/* The others are left to be ended with the process. */
	const unsigned int joined = (unsigned int)rand_r(seed) % (n + 1);
	char *stacks = work_stacks(n);
	int gone[4];
	unsigned int i;

	for (i = 0; i < n; i++)
		if (work_raw_thread(read_and_end, (void *)(uintptr_t)i,
				    stacks + i * WORK_STACK,
				    i < joined ? &gone[i] : NULL) < 0)
			_exit(95);
	for (i = 0; i < joined; i++)
		work_raw_join(&gone[i]);
}

static void do_something(unsigned int *seed)
{
	const unsigned int n = 1 + (unsigned int)rand_r(seed) % 30;

	switch (rand_r(seed) % 7) {
	case 0:
		work_mix(n);
		break;
	case 1:
		work_read(n, 4000);
		break;
	case 2:
		work_write(n, 3000);
		break;
	case 3:
		write_file(seed);
		break;
	case 4:
		with_threads(seed);
		break;
	case 5:
		usleep(1000 * n);
		break;
	default:
		work_fault(n);
	}
}

/* What one task does in its life, with a child of its own or without */
static void live(unsigned int seed, bool with_child)
{
	int steps = rand_r(&seed) % 6;
	pid_t pid = with_child ? fork() : -1;

	while (steps--)
		do_something(&seed);
	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static bool is_told(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) != 0;
}

/* Of a process of a user: up to three tasks at a time, until it is told to stop */
static int keep_going(int fd, void *arg)
{
	const struct user *user = arg;
	unsigned int seed = user->uid;
	int alive = 0;

	if (setresuid(user->uid, 0, 0))
		return 99;
	work_send(fd, 'r');
	work_order(fd);
	while (!is_told(fd)) {
		if (alive > rand_r(&seed) % 3) {
			waitpid(-1, NULL, 0);
			alive--;
			continue;
		}
		switch (fork()) {
		case 0:
			live((unsigned int)rand_r(&seed), rand_r(&seed) % 4 == 0);
			_exit(0);
		case -1:
			return 94;
		default:
			alive++;
		}
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	work_order(fd);
	work_send(fd, 'd');
	work_order(fd);
	return 0;
}

static void take_exits(struct __test_metadata *_metadata,
		       struct acct_sock *listener, struct user *users,
		       struct uid_sum *all, int timeout_ms)
{
	static struct ext_message m;
	unsigned int i;
	int err;

	while (!(err = ext_next(listener, &m, timeout_ms))) {
		if (!m.has_task)
			continue;
		uid_add_record(&all->usage, &m);
		all->ended++;
		i = m.task.uid - FIRST_UID;
		if (i >= USERS)
			continue;
		uid_add_record(&users[i].ends, &m);
		users[i].ended++;
	}
	EXPECT_EQ(-EAGAIN, err);
}

static void expect_forward(struct __test_metadata *_metadata,
			   struct acct_sock *s,
			   struct uid_usage *before)
{
	static struct uid_total totals[MAX_USERS];
	struct uid_usage now;
	const struct uid_total *total;
	const char *name;
	int i, n;

	n = uid_dump(s, totals, MAX_USERS);
	ASSERT_LE(USERS, n);
	for (i = 0; i < USERS; i++) {
		total = uid_of(totals, n, FIRST_UID + i);
		ASSERT_NE(NULL, total);
		memset(&now, 0, sizeof(now));
		uid_sum(&now, total);
		name = uid_smaller(&now, &before[i]);
		EXPECT_EQ(NULL, name) TH_LOG("%s of %d", name, i);
		before[i] = now;
	}
}

/*
 * before + exit records + last - first = after; returns what is not so. What all
 * used is added to @all.
 */
static const char *compare(const struct user *user,
			   struct uid_usage *all)
{
	struct uid_usage then = user->ends, now = {};

	uid_sum(&then, &user->before);
	uid_sum(&then, &(struct uid_total){ .usage = { user->last } });
	uid_sum(&now, &user->after);
	uid_sum(&now, &(struct uid_total){ .usage = { user->first } });
	uid_sum(all, &(struct uid_total){ .usage = { now } });
	return uid_differs(&then, &now);
}

static void look(struct __test_metadata *_metadata, struct acct_sock *s,
		 struct user *user, struct uid_usage *used,
		 struct uid_total *total)
{
	ASSERT_EQ(0, work_settle(user->w.pid));
	ASSERT_EQ(0, uid_of_task(s, user->w.pid, used));
	ASSERT_EQ(0, uid_get(s, user->uid, total));
}

static void begin(struct __test_metadata *_metadata, struct acct_sock *s,
		  struct user *users)
{
	int i;

	for (i = 0; i < USERS; i++) {
		users[i].uid = FIRST_UID + (uint32_t)i;
		ASSERT_EQ(0, work_start(&users[i].w, keep_going, &users[i]));
		ASSERT_EQ('r', work_hear(&users[i].w));
		look(_metadata, s, &users[i], &users[i].first,
		     &users[i].before);
	}
	for (i = 0; i < USERS; i++)
		work_tell(&users[i].w, 'g');
}

static void stop(struct __test_metadata *_metadata, struct acct_sock *s,
		 struct user *users)
{
	int i;

	for (i = 0; i < USERS; i++)
		work_tell(&users[i].w, 's');
	for (i = 0; i < USERS; i++)
		EXPECT_EQ('d', work_hear(&users[i].w));
	for (i = 0; i < USERS; i++)
		look(_metadata, s, &users[i], &users[i].last, &users[i].after);
}

/* That 0 is 0 would show nothing. */
static void expect_all_used(struct __test_metadata *_metadata,
			    const struct uid_usage *all)
{
	EXPECT_LT(0, all->runtime);
	EXPECT_LT(0, all->utime + all->stime);
	EXPECT_LT(0, all->min_flt);
	EXPECT_LT(0, all->nvcsw + all->nivcsw);
	EXPECT_LT(0, all->wait[TASKACCT_WAIT_CPU].count);
	if (sys_counts()) {
		EXPECT_LT(0, all->rchar);
		EXPECT_LT(0, all->wchar);
		EXPECT_LT(0, all->syscr);
		EXPECT_LT(0, all->syscw);
	}
	if (sys_traces_functions()) {
		EXPECT_LT(0, all->fsync);
	}
}

/* R75 R77 R79 R82: 20 users fork, read, write and exit at random for a minute.
 * Each value of each is the sum over the exit records of its tasks and what
 * lives, exactly, and the sum over all users is that over all tasks.
 */
TEST_F_TIMEOUT(uid_storm, a_minute, TIMEOUT)
{
	const struct ext_filter filter = {
		.has = EXT_HAS(KINDS),
		.kinds = TASKACCT_KIND_TASK,
	};
	static struct uid_usage seen[USERS], all;
	const int64_t begun = sys_now_ns();
	struct user *user;
	uint64_t ended = 0;
	unsigned int exact;
	const char *name;

	NEED_LOADED(self->able);
	memset(self->users, 0, sizeof(self->users));
	memset(&self->all, 0, sizeof(self->all));
	ASSERT_EQ(0, ext_listen(&self->listener, EXT_BARE, &filter, BUFFER));
	begin(_metadata, &self->s, self->users);
	while (sys_now_ns() - begun < MINUTE_NS) {
		take_exits(_metadata, &self->listener, self->users, &self->all,
			   0);
		expect_forward(_metadata, &self->s, seen);
		self->dumps++;
	}
	stop(_metadata, &self->s, self->users);
	take_exits(_metadata, &self->listener, self->users, &self->all,
		   QUIET_MS);
	for (user = self->users; user < self->users + USERS; user++) {
		EXPECT_EQ(user->ended, user->after.record.ended);
		EXPECT_EQ(1, user->after.record.tasks);
		EXPECT_LT(10, user->ended);
		name = compare(user, &all);
		EXPECT_EQ(NULL, name) TH_LOG("%s of %u", name, user->uid);
		ended += user->ended;
	}
	expect_all_used(_metadata, &all);
	name = uid_all_differ(&self->s, &self->listener, &self->all, &exact);
	EXPECT_EQ(NULL, name) TH_LOG("%s of all", name);
	EXPECT_LE(7, exact);
	TH_LOG("%lu tasks ended, %u dumps", ended, self->dumps);
	for (user = self->users; user < self->users + USERS; user++) {
		work_tell(&user->w, 'e');
		EXPECT_EQ(0, work_wait(&user->w));
	}
}

TEST_HARNESS_MAIN
