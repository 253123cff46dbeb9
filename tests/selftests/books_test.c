// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the records of tasks that have ended say they ran is what the kernel has of
 * their cgroup, and what their user has. In a VM that counts instructions each is one
 * ns.
 *
 * The cgroup may have 5 us more or less for each task. Measured were 2.9 us less in
 * the records on 7, 3.0 on 6.12-rt, and 1.2 more on 6.1, 1.1 on 5.10.
 */
#include <sys/wait.h>

#include "users.h"

#define GROUP "books_test"
#define CPU_STAT "/sys/fs/cgroup/" GROUP "/cpu.stat"
#define RCVBUF (8 << 20)

/* How far a record and the kernel may be apart for each task; see end_test */
#define APART_NS 5000

/* Who waits for the record is woken by the task, on its own CPU, when that is made. */
#define WAKE_NS 3000

#define ROUNDS 20
#define THREADS 2

FIXTURE(books) {
	struct acct_sock s;
	struct acct_sock listener;
	bool able;
};

FIXTURE_VARIANT(books) {
	bool waits;
	int64_t apart_ns;
};

FIXTURE_VARIANT_ADD(books, unlistened) {
	.apart_ns = APART_NS,
};

FIXTURE_VARIANT_ADD(books, received) {
	.waits = true,
	.apart_ns = APART_NS + WAKE_NS,
};

FIXTURE_SETUP(books)
{
	SET_UP("");
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(books)
{
	if (self->able)
		acct_close(&self->listener);
	cgroup_drop(GROUP);
	TEAR_DOWN();
}

static void *spin_as_thread(void *arg)
{
	work_spin(300000);
	return arg;
}

/* As commands of a script do: most are over before a tick, some are not. */
static int of_kind(int kind)
{
	switch (kind) {
	case 0:
		return 0;
	case 1:
		work_spin(200000);
		return 0;
	case 2:
		work_spin(20000000);
		return 0;
	case 3:
		work_touch(4 << 20);
		return 0;
	case 4:
		return work_threads(THREADS, spin_as_thread);
	default:
		execl("/bin/true", "true", NULL);
		return 1;
	}
}

#define KINDS 6
#define TASKS (ROUNDS * (KINDS + THREADS) + 1)

static int run_all(void)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS * KINDS; i++) {
		pid = fork();
		if (!pid)
			_exit(of_kind(i % KINDS));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}

static int lead(int fd, void *arg)
{
	(void)arg;
	user_become(FIRST_UID);
	work_send(fd, 'r');
	return work_order(fd) != 'g' || run_all();
}

/* What the kernel has of the cgroup, in ns; it tells whole microseconds. */
static uint64_t of_cgroup(struct __test_metadata *_metadata)
{
	char text[1024];
	const char *usage;

	ASSERT_LT(0, sys_read(CPU_STAT, text, sizeof(text)));
	usage = strstr(text, "usage_usec ");
	ASSERT_NE(NULL, usage);
	return strtoull(usage + strlen("usage_usec "), NULL, 10) * 1000;
}

static uint64_t of_user(struct __test_metadata *_metadata, struct acct_sock *s)
{
	struct uid_usage sum = {};
	struct uid_total total;

	ASSERT_EQ(0, uid_get(s, FIRST_UID, &total));
	uid_sum(&sum, &total);
	return sum.runtime;
}

/* Of all tasks of the user, which comes last with the end of the leader or before */
static uint64_t of_records(struct __test_metadata *_metadata,
			   struct acct_sock *l)
{
	struct acct_exit e;
	uint64_t ns = 0;
	int n = 0;

	while (n < TASKS) {
		ASSERT_EQ(0, acct_next_exit(l, &e, PATIENCE_MS));
		if (e.task.ac_uid != FIRST_UID)
			continue;
		n++;
		ns += e.task.cpu_run_virtual_total;
	}
	return ns;
}

/* R9 R79 R82: 161 tasks of one user in a cgroup, as a script has them: the user's total
 * has what their records say they ran, to the nanosecond, and the cgroup's cpu.stat has
 * it within 5 us for each
 */
TEST_F(books, ended)
{
	uint64_t before, user, records, cgroup;
	struct taskacct_record r;
	struct work w;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	NEED_WHOLE_RUNTIME();
	NEED_CGROUP(GROUP);
	ASSERT_EQ(0, work_start(&w, lead, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, ext_query_task(&self->s, w.pid, &r));
	before = r.runtime;
	user = of_user(_metadata, &self->s);
	ASSERT_EQ(0, cgroup_enter(GROUP, w.pid));
	ASSERT_EQ(0, of_cgroup(_metadata));
	ASSERT_EQ(0, work_tell(&w, 'g'));
	if (!variant->waits)
		EXPECT_EQ(0, work_wait(&w));
	records = of_records(_metadata, &self->listener) - before;
	if (variant->waits)
		EXPECT_EQ(0, work_wait(&w));
	cgroup = of_cgroup(_metadata);
	user = of_user(_metadata, &self->s) - user;
	TH_LOG("%d tasks: %llu ns in their records, %llu of the user, %lld more of the cgroup",
	       TASKS, (unsigned long long)records, (unsigned long long)user,
	       (long long)(cgroup - records));
	EXPECT_EQ(records, user);
	EXPECT_GE(variant->apart_ns * TASKS, llabs((long long)(cgroup - records)));
}

TEST_HARNESS_MAIN
