// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps: all tasks or all processes, each once, as consistent as netlink has
 * it; and several queries in one datagram.
 */
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <linux/genetlink.h>

#include "test.h"

#define MAX 8192
#define MANY 1000
#define UID 4242
#define NOBODY 65534
#define QUERIES 40
/* Threads of a process that comes and goes */
#define MEMBERS 8

#define TASK TASKACCT_KIND_TASK
#define PROCESS TASKACCT_KIND_PROCESS

FIXTURE(dump) {
	struct acct_sock s;
};

FIXTURE_SETUP(dump)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(dump)
{
	acct_close(&self->s);
}

/* What a dump has reported, by number */
struct reported {
	int n;
	int of_kind[3];
	bool intr;
	bool named;
	uint8_t times[3][1 << 16];
	struct taskacct_record self;
};

static void take(struct reported *reported, bool has, const struct taskacct_record *r)
{
	if (!has)
		return;
	reported->n++;
	reported->of_kind[r->kind]++;
	reported->times[r->kind][r->pid & 0xffff]++;
	if (r->pid == (uint32_t)getpid())
		reported->self = *r;
}

static void take_message(const struct ext_message *m, void *arg)
{
	struct reported *reported = arg;

	take(reported, m->has_task, &m->task);
	take(reported, m->has_process, &m->process);
	reported->intr |= m->flags & NLM_F_DUMP_INTR;
	reported->named |= m->exe[0] && m->cmdline_len;
}

static int dump(struct acct_sock *s, uint32_t want, struct ext_filter *f,
		struct reported *reported)
{
	memset(reported, 0, sizeof(*reported));
	return ext_dump(s, want, f, take_message, reported);
}

static int cmp_pid(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/* All tasks, or processes alone, that /proc has; sorted */
static int of_proc(pid_t *ids, bool threads)
{
	static pid_t pids[MAX];
	int all = sys_pids(pids, MAX);
	int n = 0;
	int got;
	int i;

	for (i = 0; i < all; i++) {
		if (!threads) {
			ids[n++] = pids[i];
			continue;
		}
		got = sys_tids(pids[i], ids + n, MAX - n);
		if (got > 0)
			n += got;
	}
	qsort(ids, n, sizeof(*ids), cmp_pid);
	return n;
}

/* Those that were there before and after are reported once, others at most. */
static void once_each(struct __test_metadata *_metadata,
		      const struct reported *reported, int kind,
		      const pid_t *before, int n, const pid_t *after, int m)
{
	int wrong = 0;
	int i;

	for (i = 0; i < n; i++)
		if (bsearch(&before[i], after, m, sizeof(*after), cmp_pid))
			wrong += reported->times[kind][before[i] & 0xffff] != 1;
	EXPECT_EQ(0, wrong);
	for (i = 0; i < 1 << 16; i++)
		wrong += reported->times[kind][i] > 1;
	EXPECT_EQ(0, wrong);
}

static void expect_all(struct __test_metadata *_metadata, struct acct_sock *s,
		       uint32_t kinds, struct reported *reported)
{
	static pid_t tasks[2][MAX];
	static pid_t pids[2][MAX];
	struct ext_filter f = { .has = EXT_HAS(KINDS), .kinds = kinds };
	int n[2];
	int p[2];

	n[0] = of_proc(tasks[0], true);
	p[0] = of_proc(pids[0], false);
	ASSERT_EQ(0, dump(s, EXT_BARE, kinds ? &f : NULL, reported));
	n[1] = of_proc(tasks[1], true);
	p[1] = of_proc(pids[1], false);
	if (!kinds || (kinds & TASK))
		once_each(_metadata, reported, TASK, tasks[0], n[0], tasks[1],
			  n[1]);
	EXPECT_EQ(kinds && !(kinds & TASK), !reported->of_kind[TASK]);
	if (kinds & PROCESS)
		once_each(_metadata, reported, PROCESS, pids[0], p[0], pids[1],
			  p[1]);
	EXPECT_EQ(!(kinds & PROCESS), !reported->of_kind[PROCESS]);
}

static char *stacks;

static int stay(void *arg)
{
	(void)arg;
	work_stay();
	return 0;
}

/* A process of so many threads, somebody else's */
static int be_many(int fd, void *arg)
{
	const int *n = arg;
	int i;

	stacks = work_stacks(*n);
	if (setresuid(UID, UID, UID))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 1; i < *n; i++)
		if (work_raw_thread(stay, NULL, stacks + i * WORK_STACK,
				    NULL) < 0)
			return 2;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

static void start_many(struct __test_metadata *_metadata, struct work *w,
		       const int *n)
{
	ASSERT_EQ(0, work_start(w, be_many, (void *)n));
	ASSERT_EQ('r', work_hear(w));
}

/* Tasks, processes, and both: all that lived throughout, each once */
TEST_F(dump, everything_once)
{
	struct reported *reported = malloc(sizeof(*reported));
	const int threads = 20;
	struct work w;
	pid_t tids[20];
	int i;

	NEED_TASKACCT();
	start_many(_metadata, &w, &threads);
	expect_all(_metadata, &self->s, TASK, reported);
	expect_all(_metadata, &self->s, PROCESS, reported);
	EXPECT_EQ(1, reported->times[PROCESS][w.pid & 0xffff]);
	/* Its threads are no processes. */
	ASSERT_EQ(threads, sys_tids(w.pid, tids, threads));
	for (i = 0; i < threads; i++)
		EXPECT_EQ(tids[i] == w.pid,
			  reported->times[PROCESS][tids[i] & 0xffff]);
	expect_all(_metadata, &self->s, TASK | PROCESS, reported);
	/* Without a filter it is all tasks. */
	expect_all(_metadata, &self->s, 0, reported);
	EXPECT_EQ(1, reported->times[TASK][2]);
	work_wait(&w);
	free(reported);
}

/* A thousand tasks, some to a datagram; those of one uid, and one in so many of
 * them, over all the datagrams
 */
TEST_F(dump, a_thousand)
{
	struct ext_filter f = {
		.has = EXT_HAS(UID_MIN) | EXT_HAS(UID_MAX),
		.uid_min = UID, .uid_max = UID,
	};
	struct reported *reported = malloc(sizeof(*reported));
	const int threads = MANY;
	struct work w;

	NEED_TASKACCT();
	start_many(_metadata, &w, &threads);
	expect_all(_metadata, &self->s, TASK, reported);
	EXPECT_LE(MANY, reported->n);
	ASSERT_EQ(0, dump(&self->s, EXT_BARE, &f, reported));
	EXPECT_EQ(MANY, reported->n);
	f.has |= EXT_HAS(ONE_IN);
	f.one_in = 7;
	ASSERT_EQ(0, dump(&self->s, TASKACCT_WANT_RECORD, &f, reported));
	EXPECT_EQ(MANY / 7, reported->n);
	f.one_in = 1;
	f.has |= EXT_HAS(KINDS);
	f.kinds = PROCESS;
	ASSERT_EQ(0, dump(&self->s, EXT_BARE, &f, reported));
	EXPECT_EQ(1, reported->n);
	work_wait(&w);
	free(reported);
}

static void count_message(const struct ext_message *m, void *arg)
{
	unsigned int *n = arg;

	n[0]++;
	n[1] += m->classic.has_pid && m->classic.task.ac_pid == m->classic.pid;
	n[2] += m->has_task || m->has_process || m->exe[0];
}

/* Asked for nothing beyond, it has classic records alone. */
TEST_F(dump, of_classic_records)
{
	unsigned int n[3] = { 0 };

	NEED_TASKACCT();
	ASSERT_EQ(0, ext_dump(&self->s, 0, NULL, count_message, n));
	EXPECT_LT(3, n[0]);
	EXPECT_EQ(n[0], n[1]);
	EXPECT_EQ(0, n[2]);
}

/* The same record as for a query, names and all */
TEST_F(dump, as_a_query_has_it)
{
	struct reported *reported = malloc(sizeof(*reported));
	struct ext_filter f = {
		.has = EXT_HAS(KINDS), .kinds = TASK | PROCESS,
	};
	struct taskacct_record r;

	NEED_TASKACCT();
	/* The scheduler counts what it ran when it leaves the CPU, or at a tick. */
	usleep(1000);
	ASSERT_EQ(0, dump(&self->s, EXT_BARE | EXT_NAMES, &f, reported));
	EXPECT_TRUE(reported->named);
	ASSERT_EQ(0, ext_query_process(&self->s, getpid(), &r));
	EXPECT_EQ(PROCESS, reported->self.kind);
	EXPECT_EQ(r.start, reported->self.start);
	EXPECT_EQ(r.exe_ino, reported->self.exe_ino);
	EXPECT_EQ(r.valid, reported->self.valid);
	EXPECT_LE(reported->self.runtime, r.runtime);
	EXPECT_LT(0, reported->self.runtime);
	free(reported);
}

/* A zombie has ended and failed; the living have not. */
TEST_F(dump, failed)
{
	struct ext_filter f = {
		.has = EXT_HAS(KINDS) | EXT_HAS(FAILED), .kinds = TASK | PROCESS,
	};
	struct reported *reported = malloc(sizeof(*reported));
	pid_t pid;

	NEED_TASKACCT();
	pid = fork();
	if (!pid)
		_exit(1);
	while (sys_state(pid, pid) != 'Z')
		usleep(1000);
	ASSERT_EQ(0, dump(&self->s, EXT_BARE, &f, reported));
	EXPECT_EQ(2, reported->n);
	EXPECT_EQ(1, reported->times[TASK][pid & 0xffff]);
	EXPECT_EQ(1, reported->times[PROCESS][pid & 0xffff]);
	work_reap(pid, NULL);
	free(reported);
}

static void count_answer(struct nlmsghdr *nlh, void *arg)
{
	(void)nlh;
	++*(unsigned int *)arg;
}

/* Padding is no condition; and what a dump tells is not counted as queries. */
TEST_F(dump, passes_over)
{
	struct acct_stat before, after;
	struct nlattr *nest;
	unsigned int n = 0;
	struct nl_msg *msg;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_stat_get(&self->s, &before));
	msg = acct_request(&self->s, TASKACCT_CMD_TASK_GET, NLM_F_DUMP);
	nest = nla_nest_start(msg, NLA_F_NESTED | TASKACCT_CMD_ATTR_FILTER);
	nla_put(msg, TASKACCT_FILTER_ATTR_PAD, 0, NULL);
	nla_put_u64(msg, TASKACCT_FILTER_ATTR_MIN_LIFETIME, 0);
	nla_nest_end(msg, nest);
	ASSERT_EQ(0, acct_transact(&self->s, msg, count_answer, &n));
	EXPECT_LT(3, n);
	ASSERT_EQ(0, acct_stat_get(&self->s, &after));
	EXPECT_EQ(before.queries, after.queries);
}

/* Sends the request and reads the first datagram alone. */
static void begin(struct __test_metadata *_metadata, struct acct_sock *s)
{
	char buf[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nl_msg *msg;

	msg = acct_request(s, TASKACCT_CMD_TASK_GET, NLM_F_DUMP);
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, EXT_BARE);
	ASSERT_EQ(0, acct_send(s, msg));
	ASSERT_LT(0, acct_recv(s->fd, buf, sizeof(buf), PATIENCE_MS));
}

/* Reads the others; true where any of them says that it was disturbed. */
static bool finish(struct __test_metadata *_metadata, struct acct_sock *s)
{
	char buf[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh;
	bool intr = false;
	ssize_t n;
	int len;

	for (;;) {
		n = acct_recv(s->fd, buf, sizeof(buf), PATIENCE_MS);
		EXPECT_LT(0, n);
		if (n <= 0)
			return intr;
		len = n;
		nlh = (struct nlmsghdr *)buf;
		for (; nlmsg_ok(nlh, len); nlh = nlmsg_next(nlh, &len)) {
			intr |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
			if (nlh->nlmsg_type == NLMSG_DONE)
				return intr;
		}
	}
}

/* A task that comes or goes between two datagrams is noticed, each by itself,
 * whatever their numbers; and a dump that nothing disturbed is not said to be
 */
TEST_F(dump, disturbed)
{
	const int threads = 100;
	struct work w[2];
	int quiet = 0;
	pid_t pid;
	int i;

	NEED_TASKACCT();
	start_many(_metadata, &w[0], &threads);
	for (i = 0; i < 4; i++) {
		/* Gone */
		pid = fork();
		if (!pid)
			work_stay();
		begin(_metadata, &self->s);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, work_reap(pid, NULL));
		EXPECT_TRUE(finish(_metadata, &self->s));
		/* Come */
		begin(_metadata, &self->s);
		pid = fork();
		if (!pid)
			work_stay();
		EXPECT_TRUE(finish(_metadata, &self->s));
		/* Come and gone */
		begin(_metadata, &self->s);
		work_exit_process(0);
		EXPECT_TRUE(finish(_metadata, &self->s));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, work_reap(pid, NULL));
	}
	for (i = 0; i < 20; i++) {
		usleep(20000);
		begin(_metadata, &self->s);
		quiet += !finish(_metadata, &self->s);
	}
	/* The kernel's own threads may have come and gone. */
	EXPECT_LT(0, quiet);
	work_wait(&w[0]);
}

/* Threads end with their process, and are gone at once. */
static void exit_with_members(void)
{
	pid_t pid = fork();
	int i;

	if (pid) {
		work_reap(pid, NULL);
		return;
	}
	for (i = 0; i < MEMBERS; i++)
		work_raw_thread(stay, NULL, stacks + i * WORK_STACK, NULL);
	_exit(0);
}

static int come_and_go(int fd, void *arg)
{
	int *stop = arg;

	(void)fd;
	stacks = work_stacks(MEMBERS);
	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
		work_exit_process(0);
		exit_with_members();
	}
	return 0;
}

/* While tasks come and go: who is there throughout is reported once */
TEST_F(dump, while_tasks_come_and_go)
{
	struct reported *reported = malloc(sizeof(*reported));
	const int threads = 200;
	int disturbed = 0;
	struct work w[2];
	int *stop;
	int i;

	NEED_TASKACCT();
	stop = mmap(NULL, sizeof(*stop), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stop);
	start_many(_metadata, &w[0], &threads);
	ASSERT_EQ(0, work_start(&w[1], come_and_go, stop));
	for (i = 0; i < 20; i++) {
		expect_all(_metadata, &self->s, TASK | PROCESS, reported);
		disturbed += reported->intr;
	}
	__atomic_store_n(stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&w[1]));
	EXPECT_LT(0, disturbed);
	work_wait(&w[0]);
	free(reported);
}

static int execute_long(int fd, void *arg)
{
	static char longer[6000];
	const char *const argv[] = { "sh", "-c", "echo -n r >&0; read line",
				     longer, NULL };

	(void)arg;
	memset(longer, 'x', sizeof(longer) - 1);
	dup2(fd, 0);
	execv("/bin/sh", (char *const *)argv);
	return 127;
}

/* Names that are too long for the datagram that the asker has room for are left
 * out, the record is not
 */
TEST_F(dump, names_too_long)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct ext_message m = { 0 };
	struct acct_sock s = self->s;
	struct nlmsghdr *nlh;
	struct nl_msg *msg;
	struct work w;
	bool done = false;
	int found = 0;
	int named = 0;
	int long_ones = 0;
	ssize_t n;
	int len;

	NEED_TASKACCT();
	ASSERT_EQ(0, work_start(&w, execute_long, NULL));
	/* While it begins it may hold the lock that its names are read under. */
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, ext_query(&self->s, TASKSTATS_CMD_ATTR_PID, w.pid,
			       EXT_NAMES, &m));
	ASSERT_LE(4096, m.cmdline_len);
	/* A new socket: the kernel remembers how much one has read at a time. */
	s.fd = acct_socket(0);
	ASSERT_LE(0, s.fd);
	msg = acct_request(&s, TASKACCT_CMD_TASK_GET, NLM_F_DUMP);
	nlmsg_hdr(msg)->nlmsg_pid = 0;
	nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT, EXT_BARE | EXT_NAMES);
	ASSERT_EQ(0, acct_send(&s, msg));
	while (!done) {
		n = acct_recv(s.fd, buf, sizeof(buf), PATIENCE_MS);
		ASSERT_LT(0, n);
		ASSERT_GE(sizeof(buf), (size_t)n);
		len = n;
		nlh = (struct nlmsghdr *)buf;
		for (; nlmsg_ok(nlh, len); nlh = nlmsg_next(nlh, &len)) {
			done |= nlh->nlmsg_type == NLMSG_DONE;
			if (nlh->nlmsg_type != s.family)
				continue;
			ext_parse(nlh, &m);
			named += m.cmdline_len > 0;
			long_ones += m.cmdline_len > 4000;
			if (m.task.pid != (uint32_t)w.pid)
				continue;
			found++;
			EXPECT_EQ(0, m.cmdline_len);
		}
	}
	EXPECT_EQ(1, found);
	EXPECT_LT(0, named);
	EXPECT_EQ(0, long_ones);
	close(s.fd);
	work_wait(&w);
}

/* In a pid namespace of its own an asker is told of that one's tasks, and no
 * others
 */
static int dump_inside(int fd, void *arg)
{
	struct reported *reported = arg;
	struct acct_sock s;
	int status;
	pid_t pid;

	(void)fd;
	if (unshare(CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid) {
		if (!fork())
			work_stay();
		_exit(acct_open(&s) || dump(&s, EXT_BARE, NULL, reported));
	}
	work_reap(pid, &status);
	return status;
}

/* A client in a pid namespace of its own gets the tasks of that namespace, and no
 * others.
 */
TEST_F(dump, of_a_pid_namespace)
{
	struct reported *reported;
	struct work w;

	NEED_TASKACCT();
	reported = mmap(NULL, sizeof(*reported), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, reported);
	ASSERT_EQ(0, work_start(&w, dump_inside, reported));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(2, reported->n);
	EXPECT_EQ(1, reported->times[TASK][1]);
	EXPECT_EQ(1, reported->times[TASK][2]);
}

/* Requests back to back, each with its own number */
static size_t put_queries(struct acct_sock *s, char *buf, const uint32_t *ids)
{
	struct nlmsghdr *nlh;
	struct nl_msg *msg;
	size_t len = 0;
	int i;

	for (i = 0; i < QUERIES; i++) {
		msg = acct_request(s, TASKACCT_CMD_TASK_GET, 0);
		nla_put_u32(msg, i % 2 ? TASKACCT_CMD_ATTR_TGID :
					 TASKACCT_CMD_ATTR_PID, ids[i]);
		nla_put_u32(msg, TASKACCT_CMD_ATTR_WANT,
			    i % 3 ? EXT_BARE : TASKACCT_WANT_RECORD);
		nlh = nlmsg_hdr(msg);
		memcpy(buf + len, nlh, nlh->nlmsg_len);
		len += NLMSG_ALIGN(nlh->nlmsg_len);
		nlmsg_free(msg);
	}
	return len;
}

/* Several queries in one datagram are answered in their order, those that are
 * refused too
 */
TEST_F(dump, several_queries_in_one_datagram)
{
	char answer[ACCT_BUF] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh = (struct nlmsghdr *)answer;
	const int size = 4 << 20;
	struct ext_message m;
	uint32_t ids[QUERIES];
	char buf[QUERIES * 64];
	uint32_t first;
	size_t len;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, setsockopt(self->s.fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
				sizeof(size)));
	for (i = 0; i < QUERIES; i++)
		ids[i] = i % 5 == 4 ? 0x7ffffff0 : i % 4 ? 1 : getpid();
	first = self->s.seq + 1;
	len = put_queries(&self->s, buf, ids);
	ASSERT_EQ((ssize_t)len, send(self->s.fd, buf, len, 0));
	for (i = 0; i < QUERIES; i++) {
		ASSERT_LT(0, acct_recv(self->s.fd, answer, sizeof(answer),
				       PATIENCE_MS));
		EXPECT_EQ(first + i, nlh->nlmsg_seq);
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			EXPECT_EQ(-ESRCH, acct_error_of(&self->s, nlh));
			EXPECT_EQ(0x7ffffff0, ids[i]);
			continue;
		}
		ext_parse(nlh, &m);
		EXPECT_EQ(ids[i], i % 2 ? m.process.pid : m.task.pid);
		EXPECT_EQ(i % 3 == 0, m.classic.has_pid || m.classic.has_tgid);
	}
	EXPECT_EQ(-EAGAIN, acct_recv(self->s.fd, answer, sizeof(answer), 0));
}

/* A dump that is begun and never read to its end leaves nothing behind, and
 * keeps nobody else from his
 */
TEST_F(dump, never_finished)
{
	struct reported *reported = malloc(sizeof(*reported));
	struct acct_sock s;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, acct_open(&s));
		begin(_metadata, &s);
		if (i % 10 == 0) {
			ASSERT_EQ(0, dump(&self->s, EXT_BARE, NULL, reported));
			EXPECT_LT(3, reported->n);
		}
		acct_close(&s);
	}
	free(reported);
}

TEST_HARNESS_MAIN
