// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams full of requests by a user without privilege, as large as they can be:
 * what one costs is bounded as a whole, it can be killed, and it holds nobody up who
 * closes a socket meanwhile. The requests are registrations and deregistrations,
 * queries of a process of many threads, queries of one that its user holds behind its
 * exit, of which each waits for its end, states of a cgroup, totals of a user and
 * statistics of the listener. Times are the guest's, which counts instructions here
 * (tests/selftests/vm.conf).
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <linux/cgroupstats.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "test.h"
#include "hold.h"
#include "module.h"
#include "throng.h"

#define PARAMETER "/sys/module/taskacct/parameters/unprivileged"
#define NOBODY 65534
#define GROUP "taskacct_datagram"

#define THREADS 4000
#define SECOND 1000000000LL
#define CLOSES_MAX 20000

/* When the sender is killed, and when he has to be at his end, on a slow kernel apart from
 * what a kill of as many threads takes: far from the 500 ms that a datagram may take
 */
#define KILLED_US 20000
#define KILL_TAKES (SECOND / 10)

/**
 * struct outcome - what came of a datagram, in memory that both sides have
 * @idle: it is not to be sent
 * @began: it is about to be sent
 * @ended: it was
 * @requests: how many are in it
 * @took: how long it took, in ns
 * @refused: requests refused with EBUSY
 * @said: it said why
 * @behind: answers behind that
 * @failed: requests that failed otherwise
 */
struct outcome {
	int idle;
	int began;
	int ended;
	int requests;
	int64_t took;
	int refused;
	int said;
	int behind;
	int failed;
};

/* A datagram in the making */
struct datagram {
	char *bytes;
	size_t size;
	size_t used;
	uint16_t family;
	int requests;
};

static void *reserve(struct datagram *d, size_t length)
{
	void *p = d->bytes + d->used;

	memset(p, 0, NLMSG_ALIGN(length));
	d->used += NLMSG_ALIGN(length);
	return p;
}

static struct nlmsghdr *begin(struct datagram *d, uint8_t cmd)
{
	struct nlmsghdr *nlh = reserve(d, sizeof(*nlh));
	struct genlmsghdr *genl = reserve(d, sizeof(*genl));

	nlh->nlmsg_type = d->family;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	nlh->nlmsg_seq = ++d->requests;
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

static void put(struct datagram *d, uint16_t type, const void *value, size_t n)
{
	struct nlattr *attr = reserve(d, NLA_HDRLEN);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + n;
	memcpy(reserve(d, n), value, n);
}

static void end(struct datagram *d, struct nlmsghdr *nlh)
{
	nlh->nlmsg_len = d->bytes + d->used - (char *)nlh;
}

static void put_registration(struct datagram *d)
{
	const uint32_t bytes = TASKACCT_BATCH_BYTES;
	struct nlmsghdr *nlh = begin(d, TASKACCT_CMD_SUBSCRIBE);

	put(d, TASKACCT_CMD_ATTR_CPUMASK, "0", 2);
	put(d, TASKACCT_CMD_ATTR_BATCH_BYTES, &bytes, sizeof(bytes));
	end(d, nlh);
}

static void put_pair(struct datagram *d, uint32_t unused)
{
	struct nlmsghdr *nlh;

	(void)unused;
	put_registration(d);
	nlh = begin(d, TASKACCT_CMD_SUBSCRIBE);
	put(d, TASKACCT_CMD_ATTR_CPUMASK, "", 1);
	end(d, nlh);
}

static void put_query(struct datagram *d, uint32_t tgid)
{
	struct nlmsghdr *nlh = begin(d, TASKSTATS_CMD_GET);

	put(d, TASKSTATS_CMD_ATTR_TGID, &tgid, sizeof(tgid));
	end(d, nlh);
}

static void put_cgroup(struct datagram *d, uint32_t fd)
{
	struct nlmsghdr *nlh = begin(d, TASKACCT_CMD_CGROUP_GET);

	put(d, CGROUPSTATS_CMD_ATTR_FD, &fd, sizeof(fd));
	end(d, nlh);
}

static void put_process(struct datagram *d, uint32_t tgid)
{
	const uint32_t names = EXT_NAMES;
	struct nlmsghdr *nlh = begin(d, TASKACCT_CMD_TASK_GET);

	put(d, TASKACCT_CMD_ATTR_TGID, &tgid, sizeof(tgid));
	put(d, TASKACCT_CMD_ATTR_WANT, &names, sizeof(names));
	end(d, nlh);
}

static void put_user(struct datagram *d, uint32_t unused)
{
	const uint32_t uid = NOBODY;
	struct nlmsghdr *nlh = begin(d, TASKACCT_CMD_UID_GET);

	(void)unused;
	put(d, TASKACCT_UID_ATTR_UID, &uid, sizeof(uid));
	end(d, nlh);
}

/* Only a listener has any. */
static void put_statistics(struct datagram *d, uint32_t unused)
{
	(void)unused;
	if (!d->requests)
		put_registration(d);
	end(d, begin(d, TASKACCT_CMD_LISTENER_GET));
}

/* The largest of all, for which a pair of requests takes the most */
#define PAIR_MAX 128

static void fill(struct datagram *d, void (*one)(struct datagram *d, uint32_t id),
		 uint32_t id)
{
	while (d->used + PAIR_MAX <= d->size)
		one(d, id);
}

static int stay(void *arg)
{
	(void)arg;
	work_stay();
	return 0;
}

static void have_threads(int n)
{
	char *stacks = n ? work_stacks(n) : NULL;

	while (n--)
		if (work_raw_thread(stay, NULL, stacks + (size_t)n * WORK_STACK,
				    NULL) < 0)
			_exit(2);
}

/* As large as a datagram can be without privilege, and room for all answers */
static void enlarge(struct acct_sock *s, struct datagram *d)
{
	socklen_t length = sizeof(int);
	int size = 1 << 30;

	setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (getsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &size, &length))
		_exit(3);
	d->size = size - 64;
	d->bytes = malloc(d->size);
	d->family = s->family;
}

static void sort_out(struct outcome *o, struct acct_sock *s,
		     const struct nlmsghdr *nlh)
{
	int err;

	if (o->refused)
		o->behind++;
	if (nlh->nlmsg_type != NLMSG_ERROR)
		return;
	err = acct_error_of(s, nlh);
	if (err == -EBUSY) {
		o->refused++;
		o->said = !!strstr(s->extack, "in another");
	} else if (err) {
		o->failed++;
	}
}

static void read_answers(struct outcome *o, struct acct_sock *s)
{
	static char buf[ACCT_BUF];
	struct nlmsghdr *nlh;
	ssize_t n;

	while ((n = recv(s->fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0)
		for (nlh = (void *)buf; NLMSG_OK(nlh, n);
		     nlh = NLMSG_NEXT(nlh, n))
			sort_out(o, s, nlh);
}

FIXTURE(datagram) {
	struct outcome *o;
	struct hold hold;
	char before[8];
};

FIXTURE_VARIANT(datagram) {
	void (*one)(struct datagram *d, uint32_t id);
	int threads;
	bool cgroup;
	bool held;
	bool users;
};

FIXTURE_VARIANT_ADD(datagram, registrations) {
	.one = put_pair,
};

FIXTURE_VARIANT_ADD(datagram, queries) {
	.one = put_query,
	.threads = THREADS,
};

FIXTURE_VARIANT_ADD(datagram, cgroups) {
	.one = put_cgroup,
	.threads = THREADS,
	.cgroup = true,
};

FIXTURE_VARIANT_ADD(datagram, held) {
	.one = put_query,
	.held = true,
};

FIXTURE_VARIANT_ADD(datagram, processes) {
	.one = put_process,
	.threads = THREADS,
};

FIXTURE_VARIANT_ADD(datagram, users) {
	.one = put_user,
	.threads = THREADS,
	.users = true,
};

FIXTURE_VARIANT_ADD(datagram, statistics) {
	.one = put_statistics,
};

FIXTURE_SETUP(datagram)
{
	NEED_TASKACCT();
	NEED_VM();
	if (variant->held)
		NEED_FTRACE();
	if (variant->cgroup)
		NEED_CGROUP(GROUP);
	self->o = mmap(NULL, sizeof(*self->o), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->o);
	if (variant->users) {
		ASSERT_TRUE(module_read());
		ASSERT_EQ(0, module_remove());
		ASSERT_EQ(0, module_insert("uid=1"));
	}
	/* Small kernels have 4,096 numbers. */
	if (variant->threads)
		ASSERT_EQ(0, throng_make_room(THREADS));
	ASSERT_LT(0, sys_read(PARAMETER, self->before, sizeof(self->before)));
	ASSERT_EQ(0, sys_write(PARAMETER, "1"));
	if (!variant->held)
		return;
	/* Each query of it waits a little for its end. */
	ASSERT_EQ(0, hold_last(&self->hold, NOBODY));
}

FIXTURE_TEARDOWN(datagram)
{
	if (self->hold.key) {
		EXPECT_EQ(0, hold_end(&self->hold));
	}
	sys_write(PARAMETER, self->before);
	cgroup_drop(GROUP);
	if (variant->users) {
		EXPECT_EQ(0, module_remove());
		EXPECT_EQ(0, module_insert(NULL));
	}
	munmap(self->o, sizeof(*self->o));
}

/* What a request is about */
static uint32_t subject(const FIXTURE_VARIANT(datagram) *variant, pid_t held)
{
	if (variant->cgroup)
		return cgroup_open(GROUP);
	return variant->held ? held : getpid();
}

/* Sends one datagram as nobody */
static void send_it(const FIXTURE_VARIANT(datagram) *variant, struct outcome *o,
		    pid_t held)
{
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	struct datagram d = { 0 };
	struct acct_sock s;
	uint32_t id;
	int64_t t;

	/* The socket is nobody's, its buffers as root may have them. */
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, 0, 0) ||
	    seteuid(NOBODY) || acct_open(&s))
		_exit(1);
	if (seteuid(0))
		_exit(1);
	enlarge(&s, &d);
	id = subject(variant, held);
	/* What nobody may have by default depends on the memory that there is. */
	if (setrlimit(RLIMIT_NPROC, &any) || setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
	have_threads(variant->threads);
	fill(&d, variant->one, id);
	o->requests = d.requests;
	__atomic_store_n(&o->began, 1, __ATOMIC_RELEASE);
	if (o->idle)
		pause();
	t = sys_now_ns();
	if (send(s.fd, d.bytes, d.used, 0) != (ssize_t)d.used)
		_exit(4);
	o->took = sys_now_ns() - t;
	read_answers(o, &s);
	__atomic_store_n(&o->ended, 1, __ATOMIC_RELEASE);
	_exit(0);
}

static pid_t start(const FIXTURE_VARIANT(datagram) *variant, struct outcome *o,
		   pid_t held)
{
	pid_t pid = fork();

	if (pid == 0)
		send_it(variant, o, held);
	while (pid > 0 && !__atomic_load_n(&o->began, __ATOMIC_ACQUIRE) &&
	       !waitpid(pid, NULL, WNOHANG))
		usleep(1000);
	return pid;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How long it takes to close a socket of another user of generic netlink */
static int64_t close_one(void)
{
	int fd = acct_socket(0);
	int64_t t = sys_now_ns();

	close(fd);
	return sys_now_ns() - t;
}

/* The median, while a datagram is worked on */
static int64_t closes_meanwhile(struct outcome *o, int *n)
{
	static int64_t took[CLOSES_MAX];

	*n = 0;
	while (!__atomic_load_n(&o->ended, __ATOMIC_ACQUIRE) && *n < CLOSES_MAX) {
		took[(*n)++] = close_one();
		usleep(200);
	}
	qsort(took, *n, sizeof(took[0]), by_value);
	return took[*n / 2];
}

/* It ends within 2 s. The first request that there was no time for is refused in words,
 * those behind it get no answer, and meanwhile another process closes a socket of
 * generic netlink in 2 ms at most, in the median.
 */
TEST_F(datagram, bounded)
{
	int64_t median;
	int status;
	pid_t pid;
	int n;

	pid = start(variant, self->o, self->hold.w.pid);
	ASSERT_LT(0, pid);
	median = closes_meanwhile(self->o, &n);
	ASSERT_EQ(pid, work_reap(pid, &status));
	ASSERT_EQ(0, status);
	TH_LOG("%d requests, %d refused: %lld us; %d closes, median %lld us",
	       self->o->requests, self->o->refused,
	       (long long)self->o->took / 1000, n, (long long)median / 1000);
	EXPECT_LT(self->o->took, 2 * SECOND);
	EXPECT_LT(median, SECOND / 500);
	EXPECT_EQ(0, self->o->failed);
	EXPECT_EQ(!!self->o->refused, self->o->said);
	EXPECT_GE(1, self->o->refused);
	EXPECT_EQ(0, self->o->behind);
	/* Each of these costs too much for all of them. */
	if (variant->threads || variant->held)
		EXPECT_EQ(1, self->o->refused);
}

/* Time that the sender of a datagram has had, in ns. His threads end beside him: of one
 * who has some it is what he ran.
 */
static int64_t time_of(const FIXTURE_VARIANT(datagram) *variant, pid_t pid)
{
	struct sys_task t;

	if (!variant->threads)
		return sys_now_ns();
	return sys_proc_thread(pid, pid, &t) ? -1 : (int64_t)t.run_ns;
}

/* How long the sender takes to his end who is killed, of his own time if he has threads */
static int64_t kill_one(struct __test_metadata *_metadata, FIXTURE_DATA(datagram) *self,
			const FIXTURE_VARIANT(datagram) *variant)
{
	int64_t killed, ended;
	siginfo_t end;
	pid_t pid;

	pid = start(variant, self->o, self->hold.w.pid);
	ASSERT_LT(0, pid);
	usleep(KILLED_US);
	killed = time_of(variant, pid);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(0, waitid(P_PID, pid, &end, WEXITED | WNOWAIT));
	ended = time_of(variant, pid);
	ASSERT_EQ(pid, work_reap(pid, NULL));
	ASSERT_LE(0, killed);
	ASSERT_LE(killed, ended);
	return ended - killed;
}

/* Whoever has sent it can be killed at any time: what is left of it is not done. */
TEST_F(datagram, killed)
{
	int64_t took, idle;

	self->o->idle = 1;
	idle = kill_one(_metadata, self, variant);
	*self->o = (struct outcome){};
	took = kill_one(_metadata, self, variant);
	TH_LOG("%lld us; %lld us where nothing is sent", (long long)took / 1000,
	       (long long)idle / 1000);
	EXPECT_LT(took - idle, KILL_TAKES);
	if (sys_slow() == 1)
		EXPECT_LT(took, KILL_TAKES);
	/* Each of these would have gone on. */
	if (variant->threads || variant->held)
		EXPECT_EQ(0, self->o->ended);
}

TEST_HARNESS_MAIN
