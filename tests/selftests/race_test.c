// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals while threads come and go, on two CPUs: never backwards, nobody counted
 * twice or missed, the last record last. Not once in 32,000 queries and 1,000
 * processes of 64 threads.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "test.h"

#define QUERIES 32000
#define CHURN 24

#define PROCESSES 1000
#define MEMBERS 64
#define MAKERS 2
#define RCVBUF (256 << 20)
#define ALL_AT_ONCE 4000

/* Raw threads run this: system calls, and no C library between. */
static void little_work(unsigned int seed)
{
	static char page[4096];
	unsigned int i;

	for (i = 0; i < 1 + seed % 3; i++)
		syscall(SYS_pwrite64, -1, page, 0, 0);
	if (seed % 2)
		syscall(SYS_sched_yield);
}

/* What the processes of a test share with it */
struct shared {
	int stop;
	unsigned long threads;
	unsigned long queries;
	unsigned long backwards;
	unsigned long errors;
	char first[64];
	pid_t subject;
	struct taskstats seen;
};

static struct shared *share(void)
{
	void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static int count_read_fd;

static int churn_member(void *arg)
{
	char buf[64];
	uintptr_t seed = (uintptr_t)arg;
	unsigned int i;

	for (i = 0; i < 1 + seed % 5; i++)
		syscall(SYS_read, count_read_fd, buf, sizeof(buf));
	little_work(seed);
	work_raw_exit(0);
	return 0;
}

/* Threads come and go without end, some of them always on their way out. */
static int churn(int fd, void *arg)
{
	struct shared *sh = arg;
	char *stacks = work_stacks(CHURN);
	int gone[CHURN] = { 0 };
	uintptr_t n;
	int i;

	count_read_fd = open("/dev/zero", O_RDONLY);
	work_send(fd, 'r');
	for (n = 0; !__atomic_load_n(&sh->stop, __ATOMIC_ACQUIRE); n++) {
		i = n % CHURN;
		work_raw_join(&gone[i]);
		if (work_raw_thread(churn_member, (void *)n,
				    stacks + i * WORK_STACK, &gone[i]) < 0)
			return 1;
	}
	for (i = 0; i < CHURN; i++)
		work_raw_join(&gone[i]);
	sh->threads = n;
	return 0;
}

static void compare(struct shared *sh, const struct taskstats *now,
		    const struct taskstats *before)
{
	const struct field *f = record_smaller(now, before);

	if (!f)
		return;
	if (!__atomic_fetch_add(&sh->backwards, 1, __ATOMIC_RELAXED))
		snprintf(sh->first, sizeof(sh->first), "%s: %lu after %lu",
			 f->name, record_get(f, now), record_get(f, before));
}

static int ask_again_and_again(int fd, void *arg)
{
	struct taskstats before;
	struct taskstats now;
	const int queries = sys_quick(QUERIES / 2);
	struct shared *sh = arg;
	struct acct_sock s;
	int i;

	(void)fd;
	if (acct_open(&s) || acct_query_tgid(&s, sh->subject, &before))
		return 1;
	for (i = 0; i < queries; i++) {
		if (acct_query_tgid(&s, sh->subject, &now))
			return 2;
		compare(sh, &now, &before);
		before = now;
		__atomic_fetch_add(&sh->queries, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

/* R25 R28: a total never goes backwards between two queries of the same
 * process, in any field ("124 of 31,000" in-tree)
 */
TEST(never_backwards)
{
	struct shared *sh = share();
	struct work asker[2];
	struct work subject;
	int i;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&subject, churn, sh));
	ASSERT_EQ('r', work_hear(&subject));
	sh->subject = subject.pid;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&asker[i], ask_again_and_again, sh));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, work_wait(&asker[i]));
	}
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&subject));
	TH_LOG("%lu queries while %lu threads came and went: %lu backwards %s",
	       sh->queries, sh->threads, sh->backwards, sh->first);
	EXPECT_GE(sh->queries, (unsigned long)sys_quick(30000));
	EXPECT_GE(sh->threads, (unsigned long)sys_quick(1000));
	EXPECT_EQ(0, sh->backwards);
}

/* A process of many threads that all go at about the same time */
static int go;

static int member(void *arg)
{
	char buf[128];
	uintptr_t seed = (uintptr_t)arg;
	unsigned int i;

	for (i = 0; i < seed % 4; i++)
		syscall(SYS_read, count_read_fd, buf, 1 + seed);
	work_wait_for(&go, 1);
	work_raw_exit(0);
	return 0;
}

static void crowd(unsigned int kind)
{
	char *stacks = work_stacks(MEMBERS);
	uintptr_t i;

	go = 0;
	for (i = 1; i < MEMBERS; i++)
		if (work_raw_thread(member, (void *)i, stacks + i * WORK_STACK,
				    NULL) < 0)
			_exit(1);
	if (kind % 3 == 0)
		_exit(0);
	work_wake(&go, 1);
	if (kind % 3 == 1)
		sched_yield();
	work_raw_exit(0);
}

static int make_crowds(int fd, void *arg)
{
	unsigned int n = (uintptr_t)arg;
	int status;
	pid_t pid;

	count_read_fd = open("/dev/zero", O_RDONLY);
	if (work_order(fd) != 'g')
		return 1;
	while (n--) {
		pid = fork();
		if (pid == 0)
			crowd(n);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 2;
	}
	return 0;
}

/* What is known so far of each process, by its id */
struct tally {
	struct taskstats sum;
	unsigned int tasks;
	bool ended;
};

struct result {
	unsigned int processes;
	unsigned int tasks;
	unsigned int late;
	unsigned int miscounted;
	unsigned int wrong_sum;
	char first[96];
};

static void end_of(struct tally *t, const struct acct_exit *e,
		   struct result *r)
{
	const struct field *f = record_not_sum(&e->group, &t->sum, t->tasks);

	r->processes++;
	if (t->tasks != MEMBERS)
		r->miscounted++;
	if (!f)
		return;
	if (!r->wrong_sum++)
		snprintf(r->first, sizeof(r->first),
			 "%s: process %lu, %u tasks %lu", f->name,
			 record_get(f, &e->group), t->tasks,
			 record_get(f, &t->sum));
}

/* Ids are used again: a process's tally begins anew when it has ended. Before
 * version 12 the record does not have its id; its maker has one at a time.
 */
static void count_exit(struct tally *tallies, const struct acct_exit *e,
		       struct result *r)
{
	struct tally *t = &tallies[record_or("ac_tgid", &e->task,
					     e->task.ac_ppid)];

	record_add(&t->sum, &e->task);
	t->tasks++;
	r->tasks++;
	if (!e->has_tgid)
		return;
	end_of(t, e, r);
	memset(t, 0, sizeof(*t));
}

static unsigned int pid_limit(void)
{
	char buf[32];

	sys_read("/proc/sys/kernel/pid_max", buf, sizeof(buf));
	return atoi(buf);
}

/* Others that end meanwhile, and the makers, are no business of ours. */
static bool is_ours(const struct acct_exit *e, const struct work *maker)
{
	int i;

	for (i = 0; i < MAKERS; i++)
		if (e->pid == (uint32_t)maker[i].pid)
			return false;
	return !strcmp(e->task.ac_comm, "race_test");
}

static unsigned int processes(void)
{
	return sys_quick(PROCESSES / MAKERS) * MAKERS;
}

/* Counts until all processes have ended, and one that ended after them. */
static int drain(struct acct_sock *s, const struct work *maker,
		 struct tally *tallies, struct result *r)
{
	pid_t sentinel = 0;
	struct acct_exit e;
	int err;

	for (;;) {
		err = acct_next_exit(s, &e, PATIENCE_MS);
		if (err || (sentinel && e.pid == (uint32_t)sentinel))
			return err;
		if (is_ours(&e, maker))
			count_exit(tallies, &e, r);
		if (r->processes == processes() && !sentinel)
			sentinel = work_exit_process(0);
	}
}

/* Records of a process that come after its last one are left over here. */
static unsigned int count_late(const struct tally *tallies, unsigned int n)
{
	unsigned int late = 0;

	while (n--)
		late += tallies[n].tasks;
	return late;
}

/* R12 R13 R25 R26 R27: 1,000 processes of 64 threads: one record of each
 * process, the last message of its threads, with every thread in it ("a thread
 * was missing in 3 of 300, records came after the last one in 12 of 300")
 */
TEST(last_record)
{
	unsigned int limit = pid_limit();
	struct acct_sock listener;
	struct work maker[MAKERS];
	struct tally *tallies;
	struct result r = { 0 };
	char all[32];
	int i;

	NEED_CPUS(2);
	tallies = mmap(NULL, limit * sizeof(*tallies), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT_NE(MAP_FAILED, tallies);
	for (i = 0; i < MAKERS; i++) {
		ASSERT_EQ(0, work_start(&maker[i], make_crowds,
					(void *)(uintptr_t)(processes() / MAKERS)));
	}
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&listener, all, RCVBUF));
	for (i = 0; i < MAKERS; i++) {
		work_tell(&maker[i], 'g');
	}
	EXPECT_EQ(0, drain(&listener, maker, tallies, &r));
	r.late = count_late(tallies, limit);
	TH_LOG("%u processes, %u tasks: %u records late, %u processes miscounted, %u sums wrong %s",
	       r.processes, r.tasks, r.late, r.miscounted, r.wrong_sum,
	       r.first);
	EXPECT_EQ(processes(), r.processes);
	EXPECT_EQ(processes() * MEMBERS, r.tasks);
	EXPECT_EQ(0, r.late);
	EXPECT_EQ(0, r.miscounted);
	EXPECT_EQ(0, r.wrong_sum);
	for (i = 0; i < MAKERS; i++) {
		EXPECT_EQ(0, work_wait(&maker[i]));
	}
	acct_close(&listener);
}

static void fail(int place)
{
	(void)place;
	work_raw_exit(1);
}

/* R12 R26, D2: who wants processes only gets one record of each, whichever of its
 * threads turns out to be the last, and the failed ones where it wants those;
 * that a thread was not the last when it began to exit is no reason
 */
TEST(each_process_once)
{
	const struct ext_filter filter = {
		.has = EXT_HAS(KINDS) | EXT_HAS(FAILED),
		.kinds = TASKACCT_KIND_PROCESS,
	};
	const int rounds = sys_quick(ALL_AT_ONCE);
	struct roll *roll = roll_new();
	struct acct_sock listener;
	struct ext_message m;
	int heard;
	pid_t pid;
	int i;

	NEED_TASKACCT();
	NEED_CPUS(2);
	ASSERT_EQ(0, acct_open(&listener));
	ASSERT_EQ(0, ext_listen(&listener, EXT_BARE, &filter, RCVBUF));
	for (i = 0; i < rounds; i++) {
		pid = roll_start(roll, 3, fail);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		/* It may come a little after it was waited for. */
		heard = 0;
		if (!ext_next(&listener, &m, PATIENCE_MS))
			do {
				EXPECT_EQ((uint32_t)pid, m.process.tgid);
				heard++;
			} while (!ext_next(&listener, &m, 0));
		EXPECT_EQ(1, heard);
	}
	EXPECT_EQ(-EAGAIN, ext_next(&listener, &m, QUIET_MS));
	TH_LOG("%d processes", rounds);
	acct_close(&listener);
}

static int ask_while_there(int fd, void *arg)
{
	const bool has_mm = sys_exit_has_mm();
	struct taskstats now;
	struct shared *sh = arg;
	struct acct_sock s;
	pid_t pid;
	int err;

	if (acct_open(&s))
		return 1;
	while (recv(fd, &pid, sizeof(pid), MSG_WAITALL) == sizeof(pid)) {
		memset(&sh->seen, 0, sizeof(sh->seen));
		while (!(err = acct_query_tgid(&s, pid, &now))) {
			/* Not known after the end with a hook that is late. */
			if (!has_mm)
				now.hiwater_vm = 0;
			compare(sh, &now, &sh->seen);
			sh->seen = now;
			sh->queries++;
		}
		sh->errors += err != -ESRCH;
		work_send(fd, 'd');
	}
	return 0;
}

static void wait_last(struct __test_metadata *_metadata, struct acct_sock *s,
		      pid_t pid, struct acct_exit *e)
{
	do {
		ASSERT_EQ(0, acct_next_exit(s, e, PATIENCE_MS));
	} while (!e->has_tgid || e->tgid != (uint32_t)pid);
}

/* R25 R27: asked all the time while it dies, a process's answers never go
 * backwards, and its last record is not smaller than any of them
 */
TEST(last_record_is_the_largest)
{
	struct shared *sh = share();
	const unsigned int dying = sys_quick(300);
	const struct field *f;
	struct acct_sock listener;
	struct acct_exit e;
	struct work asker;
	unsigned int i;
	char all[32];
	siginfo_t info;
	pid_t pid;

	NEED_CPUS(2);
	count_read_fd = open("/dev/zero", O_RDONLY);
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&listener, all, RCVBUF));
	ASSERT_EQ(0, work_start(&asker, ask_while_there, sh));
	for (i = 0; i < dying; i++) {
		pid = fork();
		if (pid == 0) {
			work_burn(300000);
			crowd(i);
		}
		send(asker.fd, &pid, sizeof(pid), 0);
		ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
		usleep(500);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		ASSERT_EQ('d', work_hear(&asker));
		wait_last(_metadata, &listener, pid, &e);
		f = record_smaller(&e.group, &sh->seen);
		EXPECT_EQ(NULL, f) {
			TH_LOG("%s: last %lu, seen %lu", f->name,
			       record_get(f, &e.group),
			       record_get(f, &sh->seen));
		}
	}
	EXPECT_EQ(0, work_wait(&asker));
	TH_LOG("%lu queries of %u dying processes: %lu backwards %s",
	       sh->queries, i, sh->backwards, sh->first);
	EXPECT_GE(sh->queries, 3UL * dying);
	EXPECT_EQ(0, sh->backwards);
	EXPECT_EQ(0, sh->errors);
	acct_close(&listener);
}

TEST_HARNESS_MAIN
