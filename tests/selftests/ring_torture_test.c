// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits in shared memory while tasks end on all CPUs, readers come and go, and rings shrink
 * and grow: each byte of an entry that a reader takes for whole is its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>

#include <taskacct.h>

#include "test.h"

/* Entries that are read, in all, and how long that may take where the host is busy */
#define ENTRIES 20000
#define TORTURE_NS 100000000000LL

/* Readers that have come and gone, at least */
#define CAME 10

#define TINY TASKACCT_RING_SIZE_MIN

/* Exits between two sizes: on one CPU more than the smallest rings have room for */
#define STEP 200

#define FIRST_UID 100000

/* Threads of a process, one after the other */
#define THREADS 3

/**
 * struct torture - what readers found, in memory that they share
 * @entries: that were good
 * @lost: to one reader or another
 * @came: readers that came and went
 * @bad: the first entry that cannot be, in words
 * @stop: no more
 */
struct torture {
	unsigned long entries;
	unsigned long lost;
	unsigned long came;
	char bad[160];
	int stop;
};

static struct torture *new_torture(void)
{
	void *p = mmap(NULL, sizeof(struct torture), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool is_over(const struct torture *t)
{
	return __atomic_load_n(&t->stop, __ATOMIC_RELAXED);
}

static void name_of(uint32_t pid, char name[16])
{
	snprintf(name, 16, "ring %010u", pid);
}

/* A process that has what it is in all that can be told of it, and threads like it */
static void live(void)
{
	const uint32_t pid = (uint32_t)getpid();
	char *stack = work_stacks(1);
	char name[16];
	int gone, i;

	name_of(pid, name);
	prctl(PR_SET_NAME, name);
	if (setresgid(FIRST_UID + pid, FIRST_UID + pid, 0) ||
	    setresuid(FIRST_UID + pid, FIRST_UID + pid, 0))
		_exit(255);
	for (i = 0; i < (int)(pid % THREADS); i++) {
		if (work_raw_thread(work_raw_end, NULL, stack, &gone) < 0)
			_exit(254);
		work_raw_join(&gone);
	}
	_exit((int)(pid % 100));
}

static int end_on(int cpu, const struct torture *t)
{
	int status;
	pid_t pid;

	work_pin(cpu);
	while (!is_over(t)) {
		pid = fork();
		if (!pid)
			live();
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) >= 100)
			return 1;
	}
	return 0;
}

/* What is not valid is 0, and each group is in one set. */
static const char *sets_wrong(const struct taskacct_record *r)
{
	const uint64_t all = (UINT64_C(1) << __TASKACCT_HAS_MAX) - 1;

	if ((r->valid | r->absent | r->off | r->late | r->gone) != all)
		return "a group in no set";
	if (__builtin_popcountll(r->valid) + __builtin_popcountll(r->absent) +
	    __builtin_popcountll(r->off) + __builtin_popcountll(r->late) +
	    __builtin_popcountll(r->gone) != __TASKACCT_HAS_MAX)
		return "a group in two sets";
	return NULL;
}

/* Those that the torture's own processes have */
static const char *identity_wrong(const struct taskacct_record *r)
{
	const uint32_t uid = FIRST_UID + r->tgid;
	char name[16];

	name_of(r->tgid, name);
	if (strncmp(r->comm, "ring ", 5))
		return NULL;
	if (memcmp(r->comm, name, sizeof(name)))
		return "a name";
	if (r->uid != uid || r->euid != uid || r->gid != uid || r->egid != uid)
		return "a user";
	if (r->init_pid != r->pid || r->init_tgid != r->tgid || r->init_ppid != r->ppid)
		return "an id";
	if (r->pid == r->tgid && (r->exit_code >> 8) != r->pid % 100)
		return "an exit code";
	return NULL;
}

static const char *record_wrong(const struct taskacct_record *r,
				const struct taskacct_ring_exit *exit)
{
	static const uint8_t zeros[3];
	const char *wrong = sets_wrong(r);

	if (wrong)
		return wrong;
	if (r->version != TASKACCT_RECORD_VERSION || r->size != sizeof(*r) ||
	    memcmp(r->reserved, zeros, sizeof(r->reserved)))
		return "a record's beginning";
	if (!(r->flags & TASKACCT_RECORD_ENDED) || r->end > exit->time_ns ||
	    r->start > r->end || r->signal)
		return "an end";
	return identity_wrong(r);
}

/* The records stand one behind the other, and nothing else does. */
static const char *entry_wrong(const struct taskacct_ring_exit *exit)
{
	const struct nlmsghdr *nlh = exit->nlh;
	const char *at = (const char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN;
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const bool process = exit->lane == TASKACCT_RING_PROCESSES;
	struct taskacct_record r;
	struct nlattr attrs[2];
	const char *wrong;
	unsigned int n = 0;

	for (; at < end; at += sizeof(attrs) + sizeof(r), n++) {
		if (end - at < (ptrdiff_t)(sizeof(attrs) + sizeof(r)))
			return "a length";
		memcpy(attrs, at, sizeof(attrs));
		memcpy(&r, at + sizeof(attrs), sizeof(r));
		if (attrs[0].nla_type != TASKACCT_TYPE_PAD || attrs[0].nla_len != 4 ||
		    attrs[1].nla_type != TASKACCT_TYPE_RECORD ||
		    attrs[1].nla_len != sizeof(attrs[1]) + sizeof(r))
			return "an attribute";
		wrong = record_wrong(&r, exit);
		if (wrong)
			return wrong;
		if (r.kind != (n ? TASKACCT_KIND_PROCESS : TASKACCT_KIND_TASK))
			return "a kind";
		if (!n && !(r.flags & TASKACCT_RECORD_LAST) == process)
			return "a lane";
	}
	return n && n <= (process ? 2 : 1) ? NULL : "a number of records";
}

/* Numbers of each lane on each CPU only grow. */
static const char *number_wrong(const struct taskacct_ring_exit *exit, uint64_t last[][2])
{
	uint64_t *before = &last[exit->cpu][exit->lane];
	const uint64_t lost = *before ? exit->number - *before - 1 : exit->lost;

	if (exit->number <= *before || lost != exit->lost)
		return "a number";
	*before = exit->number;
	return NULL;
}

/* Reads so many, dawdling now and then so that it is overtaken */
static void read_some(struct torture *t, const struct taskacct_ring_options *options,
		      unsigned int seed)
{
	uint64_t last[64][2] = { 0 };
	struct taskacct_ring_exit exit;
	struct taskacct_ring *ring;
	unsigned int left = 50 + seed % 500;
	const char *wrong;

	if (taskacct_ring_open(&ring, options)) {
		snprintf(t->bad, sizeof(t->bad), "opening: %s", strerror(errno));
		return;
	}
	while (left && !is_over(t) && taskacct_ring_wait(ring, 1 + seed % 7, 1000) >= 0) {
		while (left && taskacct_ring_next(ring, &exit) == 1) {
			wrong = entry_wrong(&exit) ?: number_wrong(&exit, last);
			if (wrong)
				snprintf(t->bad, sizeof(t->bad),
					 "%s of number %llu, lane %u, CPU %u", wrong,
					 (unsigned long long)exit.number, exit.lane,
					 exit.cpu);
			__atomic_add_fetch(&t->entries, 1, __ATOMIC_RELAXED);
			__atomic_add_fetch(&t->lost, exit.lost, __ATOMIC_RELAXED);
			left--;
			if (left % 100 == seed % 100)
				work_dawdle(seed % 2000);
		}
	}
	taskacct_ring_close(ring);
	__atomic_add_fetch(&t->came, 1, __ATOMIC_RELAXED);
}

static int read_for_ever(struct torture *t, unsigned int seed)
{
	struct taskacct_ring_options options = { 0 };

	while (!is_over(t)) {
		seed = seed * 1103515245 + 12345;
		options.oldest = seed >> 16 & 1;
		options.in_order = seed >> 17 & 1;
		read_some(t, &options, seed >> 18);
	}
	return 0;
}

static bool is_done(const struct torture *t, int64_t end)
{
	return t->bad[0] || sys_now_ns() > end ||
	       (__atomic_load_n(&t->came, __ATOMIC_RELAXED) > CAME &&
		__atomic_load_n(&t->entries, __ATOMIC_RELAXED) >=
			(unsigned long)sys_fewer(ENTRIES));
}

TEST(torture)
{
	const struct taskacct_ring_options tiny = { .sizes = { { TINY, TINY } } };
	const int cpus = sys_cpus_online(), readers = 3;
	struct taskacct_ring_exit exit;
	struct taskacct_ring *ring;
	uint64_t read = 0, lost = 0;
	struct torture *t;
	int64_t end;
	int i, status;

	NEED_VM();
	t = new_torture();
	ASSERT_NE(NULL, t);
	/* One that is there all the time, so that the rings stay and stay tiny */
	ASSERT_EQ(0, taskacct_ring_open(&ring, &tiny));
	for (i = 0; i < cpus; i++)
		if (!fork())
			_exit(end_on(i, t));
	for (i = 0; i < readers; i++)
		if (!fork())
			_exit(read_for_ever(t, 7 * (unsigned int)i + 1));
	end = sys_now_ns() + TORTURE_NS;
	while (!is_done(t, end)) {
		usleep(100000);
		limit_goes_on();
	}
	__atomic_store_n(&t->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < cpus + readers; i++) {
		EXPECT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	EXPECT_STREQ("", t->bad);
	EXPECT_LT(1000, t->entries);
	EXPECT_LT(CAME, t->came);
	TH_LOG("%lu entries by %lu readers, %lu lost", t->entries, t->came, t->lost);
	while (taskacct_ring_next(ring, &exit) == 1) {
		EXPECT_EQ(NULL, entry_wrong(&exit));
		read++;
		lost += exit.lost;
	}
	EXPECT_LT(0, read);
	EXPECT_EQ(lost, taskacct_ring_lost(ring, TASKACCT_RING_PROCESSES) +
			taskacct_ring_lost(ring, TASKACCT_RING_THREADS));
	taskacct_ring_close(ring);
}

static int resize(int fd, uint64_t size)
{
	const struct taskacct_ring_sizes sizes = { { size, size } };

	return ioctl(fd, TASKACCT_RING_SIZE, &sizes);
}

/* Sleeps until so many exits more were written, whoever is busy meanwhile. */
static int await_exits(int fd, uint64_t *made)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	const int64_t end = sys_now_ns() + TORTURE_NS;

	*made += STEP;
	if (ioctl(fd, TASKACCT_RING_WAKE, made))
		return -1;
	while (sys_now_ns() < end) {
		limit_goes_on();
		if (poll(&pollfd, 1, 1000) == 1)
			return 0;
	}
	return -1;
}

/* Each entry is whole and follows the one before it in its lane; counts them, and the lanes. */
static uint64_t read_whole(struct __test_metadata *_metadata, struct taskacct_ring *ring,
			   uint64_t *made)
{
	uint64_t last[64][2] = { 0 };
	struct taskacct_ring_exit exit;
	uint64_t n = 0;
	int i;

	while (taskacct_ring_next(ring, &exit) == 1) {
		EXPECT_EQ(NULL, entry_wrong(&exit));
		EXPECT_EQ(NULL, number_wrong(&exit, last));
		EXPECT_EQ(0, exit.lost);
		n++;
	}
	*made = 0;
	for (i = 0; i < 64; i++)
		*made += last[i][0] + last[i][1];
	return n;
}

/* Rings shrink and grow while tasks end on all CPUs: what stays is whole, without a hole. */
TEST(resizes)
{
	static const unsigned int factors[] = { 4, 1, 2, 1, 2, 4, 8, 16, 32 };
	const struct taskacct_ring_options oldest = { .oldest = true };
	const int cpus = sys_cpus_online();
	uint64_t made = 0, numbers;
	struct taskacct_ring *ring;
	struct torture *t;
	int fd, status;
	size_t i;

	NEED_VM();
	t = new_torture();
	ASSERT_NE(NULL, t);
	fd = open(TASKACCT_RING_DEVICE, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < (size_t)cpus; i++)
		if (!fork())
			_exit(end_on((int)i, t));
	for (i = 0; i < ARRAY_SIZE(factors); i++) {
		EXPECT_EQ(0, await_exits(fd, &made));
		EXPECT_EQ(0, resize(fd, factors[i] * TINY));
	}
	EXPECT_EQ(0, await_exits(fd, &made));
	__atomic_store_n(&t->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < (size_t)cpus; i++) {
		EXPECT_LT(0, wait(&status));
		EXPECT_EQ(0, status);
	}
	ASSERT_EQ(0, taskacct_ring_open(&ring, &oldest));
	EXPECT_LT(STEP, read_whole(_metadata, ring, &numbers));
	EXPECT_LE(made, numbers);
	taskacct_ring_close(ring);
	close(fd);
}

TEST_HARNESS_MAIN
