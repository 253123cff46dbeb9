// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits in shared memory: what entries have, what is lost and how one knows, who may read
 * them, and that nobody but the kernel can write there.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "module.h"
#include "run.h"
#include "test.h"

#define DEVICE TASKACCT_RING_DEVICE
#define PARAMETER(name) "/sys/module/taskacct/parameters/" name
#define RCVBUF (8 << 20)
#define TINY TASKACCT_RING_SIZE_MIN
#define CPU 1

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

FIXTURE(ring) {
	bool able;
	struct taskacct_ring *ring;
};

FIXTURE_SETUP(ring)
{
	self->able = sys_in_vm() && !access(DEVICE, F_OK);
}

FIXTURE_TEARDOWN(ring)
{
	taskacct_ring_close(self->ring);
	work_pin_any();
}

#define NEED_RING() do {						\
	NEED_VM();							\
	ASSERT_TRUE(self->able);					\
} while (0)

static struct taskacct_ring_options with(uint32_t want)
{
	return (struct taskacct_ring_options){ .want = want };
}

static struct taskacct_ring_options sized(uint64_t processes, uint64_t threads)
{
	return (struct taskacct_ring_options){
		.sizes = { { processes, threads } },
	};
}

/* The exit whose message has the record of a task, decoded; others are passed over. */
static bool find_exit(struct taskacct_ring *ring, pid_t tid,
		      struct taskacct_ring_exit *exit, struct ext_message *m)
{
	const int64_t end = sys_now_ns() + PATIENCE_MS * 1000000LL;

	while (sys_now_ns() < end) {
		while (taskacct_ring_next(ring, exit) == 1) {
			ext_parse((struct nlmsghdr *)exit->nlh, m);
			if (m->task.pid == (uint32_t)tid)
				return true;
		}
		if (taskacct_ring_wait(ring, 1, PATIENCE_MS) < 1)
			return false;
	}
	return false;
}

/* How many exits there are to be read */
static uint64_t drain(struct taskacct_ring *ring)
{
	struct taskacct_ring_exit exit;
	uint64_t n = 0;

	while (taskacct_ring_next(ring, &exit) == 1)
		n++;
	return n;
}

/* What is the same in two messages of one exit, apart from how they came */
static const char *differs(const struct ext_message *a, const struct ext_message *b)
{
	if (a->has_task != b->has_task || a->has_process != b->has_process)
		return "kinds of records";
	if (memcmp(&a->task, &b->task, sizeof(a->task)))
		return "record of the task";
	if (memcmp(&a->process, &b->process, sizeof(a->process)))
		return "record of the process";
	if (memcmp(a->task_waits, b->task_waits, sizeof(a->task_waits)) ||
	    memcmp(a->process_waits, b->process_waits, sizeof(a->process_waits)))
		return "waits";
	if (strcmp(a->exe, b->exe) || strcmp(a->cgroup, b->cgroup))
		return "paths";
	if (a->cmdline_len != b->cmdline_len ||
	    memcmp(a->cmdline, b->cmdline, (size_t)a->cmdline_len))
		return "arguments";
	if (a->record_size != b->record_size)
		return "size";
	return a->n == b->n && !memcmp(a->types, b->types, sizeof(a->types)) ?
		       NULL : "attributes";
}

static int version_of(const struct nlmsghdr *nlh)
{
	return ((const struct genlmsghdr *)NLMSG_DATA(nlh))->version;
}

/* Every exit that a listener is told of has an entry with the same values. */
static void compare(struct __test_metadata *_metadata, struct taskacct_ring *ring,
		    uint32_t names)
{
	static struct ext_message heard, read;
	struct taskacct_ring_exit exit;
	unsigned int processes = 0, others = 0;
	struct acct_sock s;
	int i;

	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, ext_listen(&s, EXT_BARE | names, NULL, RCVBUF));
	for (i = 0; i < 20; i++) {
		ASSERT_LT(0, work_exit_process(i));
		ASSERT_LT(0, work_exit_pair());
	}
	while (processes < 20) {
		ASSERT_EQ(0, ext_next(&s, &heard, PATIENCE_MS));
		ASSERT_TRUE(find_exit(ring, (pid_t)heard.task.pid, &exit, &read));
		EXPECT_EQ(NULL, differs(&heard, &read)) TH_LOG("%s", differs(&heard, &read));
		EXPECT_EQ(TASKACCT_GENL_VERSION, version_of(exit.nlh));
		EXPECT_EQ(exit.lane, heard.task.flags & TASKACCT_RECORD_LAST ?
			  TASKACCT_RING_PROCESSES : TASKACCT_RING_THREADS);
		EXPECT_EQ(heard.task.cpu, exit.cpu);
		EXPECT_LE(heard.task.end, exit.time_ns);
		processes += heard.has_process;
		others += !heard.has_process;
	}
	EXPECT_LE(40, others);
	acct_close(&s);
}

/* R5, R12: entries have what a listener's messages have. */
TEST_F(ring, like_a_listener)
{
	const struct taskacct_ring_options options = {
		.want = TASKACCT_RING_MEMORY | TASKACCT_RING_WAITS, .in_order = true,
	};

	NEED_RING();
	work_pin(0);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &options));
	compare(_metadata, self->ring, 0);
}

TEST_F(ring, names_like_a_listener)
{
	const struct taskacct_ring_options options = {
		.want = TASKACCT_RING_MEMORY | TASKACCT_RING_WAITS | EXT_NAMES, .in_order = true,
	};

	NEED_RING();
	work_pin(0);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &options));
	compare(_metadata, self->ring, EXT_NAMES);
}

/* What nobody asked for is not there; what another reader asked for is. */
TEST_F(ring, union_of_wants)
{
	const struct taskacct_ring_options waits = with(TASKACCT_RING_WAITS);
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	struct taskacct_ring *other;
	pid_t pid;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	pid = work_exit_process(0);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(1, m.n);
	EXPECT_EQ(TASKACCT_TYPE_RECORD, m.types[0]);
	ASSERT_EQ(0, taskacct_ring_open(&other, &waits));
	pid = work_exit_process(0);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(2, m.n);
	EXPECT_EQ(TASKACCT_TYPE_WAITS, m.types[1]);
	taskacct_ring_close(other);
	pid = work_exit_process(0);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(1, m.n);
}

/* Values of the exit that nobody asked for are gone; all else is there. */
TEST_F(ring, without_memory)
{
	const struct taskacct_ring_options bare = with(0);
	const uint64_t memory = UINT64_C(1) << TASKACCT_HAS_MEMORY |
				UINT64_C(1) << TASKACCT_HAS_PEAK_VM |
				UINT64_C(1) << TASKACCT_HAS_EXE;
	const uint64_t rest = UINT64_C(1) << TASKACCT_HAS_END |
			      UINT64_C(1) << TASKACCT_HAS_RUNTIME |
			      UINT64_C(1) << TASKACCT_HAS_FAULTS;
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	pid_t pid;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &bare));
	pid = work_exit_process(5);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(rest, m.task.valid & rest);
	EXPECT_EQ(5 << 8, (int)m.task.exit_code);
	EXPECT_EQ((uint32_t)getpid(), m.task.ppid);
	EXPECT_LT(0, m.task.runtime);
	if (sys_exit_has_mm()) {
		EXPECT_EQ(memory, m.task.gone & memory);
	}
	EXPECT_EQ(0, m.task.rss_anon + m.task.peak_vm + m.task.exe_ino);
}

static int leave_behind(int fd, void *arg)
{
	(void)arg;
	return work_leave_behind(fd, NULL);
}

/* The entry of the last thread of a process, decoded; others are passed over. */
static bool find_process(struct taskacct_ring *ring, pid_t pid, struct ext_message *m)
{
	struct taskacct_ring_exit exit;

	do {
		while (taskacct_ring_next(ring, &exit) == 1) {
			ext_parse((struct nlmsghdr *)exit.nlh, m);
			if (m->has_process && m->process.tgid == (uint32_t)pid)
				return exit.lane == TASKACCT_RING_PROCESSES;
		}
	} while (taskacct_ring_wait(ring, 1, PATIENCE_MS) == 1);
	return false;
}

/* A process is its leader's, though that has ended first, and nothing was kept of it. */
TEST_F(ring, leader_ends_first)
{
	const struct taskacct_ring_options bare = with(0);
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	uint64_t start;
	struct work w;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &bare));
	ASSERT_EQ(0, work_start(&w, leave_behind, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_TRUE(find_exit(self->ring, w.pid, &exit, &m));
	EXPECT_EQ(TASKACCT_RING_THREADS, exit.lane);
	EXPECT_FALSE(m.has_process);
	start = m.task.start;
	work_tell(&w, '.');
	EXPECT_EQ(0, work_wait(&w));
	ASSERT_TRUE(find_process(self->ring, w.pid, &m));
	EXPECT_EQ((uint32_t)w.pid, m.process.pid);
	EXPECT_EQ(start, m.process.start);
	EXPECT_EQ(2, m.process.threads);
	EXPECT_NE((uint32_t)w.pid, m.task.pid);
}

/* Who begins with the oldest gets what had ended before he came. */
TEST_F(ring, oldest)
{
	const struct taskacct_ring_options oldest = { .oldest = true };
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	struct taskacct_ring *late;
	pid_t pid;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	pid = work_exit_process(3);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	ASSERT_EQ(0, taskacct_ring_open(&late, &oldest));
	ASSERT_TRUE(find_exit(late, pid, &exit, &m));
	EXPECT_EQ(3 << 8, (int)m.task.exit_code);
	EXPECT_EQ(0, exit.lost);
	taskacct_ring_close(late);
}

static int end_threads(int fd, void *arg)
{
	unsigned int n = *(unsigned int *)arg;
	char *stack = work_stacks(1);
	int gone;

	(void)fd;
	work_pin(0);
	while (n--) {
		if (work_raw_thread(work_raw_end, NULL, stack, &gone) < 0)
			return 1;
		work_raw_join(&gone);
	}
	return 0;
}

static void storm_of(struct __test_metadata *_metadata, unsigned int threads)
{
	struct work w;

	ASSERT_EQ(0, work_start(&w, end_threads, &threads));
	ASSERT_EQ(0, work_wait(&w));
}

/* Exits of threads that can be read, and how many were lost before them */
static uint64_t count_threads(struct taskacct_ring *ring, uint64_t *lost)
{
	struct taskacct_ring_exit exit;
	uint64_t read = 0;

	*lost = 0;
	while (taskacct_ring_next(ring, &exit) == 1) {
		if (exit.lane != TASKACCT_RING_THREADS)
			continue;
		read++;
		*lost += exit.lost;
	}
	return read;
}

/* R36: what was made is what was read and what was lost, to the record. */
TEST_F(ring, losses_are_exact)
{
	const struct taskacct_ring_options tiny = sized(TINY, TINY);
	const unsigned int threads = 1000;
	uint64_t lost, read;

	NEED_RING();
	work_pin(0);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &tiny));
	storm_of(_metadata, threads);
	read = count_threads(self->ring, &lost);
	EXPECT_EQ(threads, read + lost);
	EXPECT_LT(TINY / 1024, read);
	EXPECT_LT(0, lost);
	EXPECT_EQ(lost, taskacct_ring_lost(self->ring, TASKACCT_RING_THREADS));
	storm_of(_metadata, 10);
	EXPECT_EQ(10, count_threads(self->ring, &lost));
	EXPECT_EQ(0, lost);
}

/* Where a reader stands, and the device, for another one to go on; the reader is closed. */
static struct taskacct_ring_options standing(struct taskacct_ring **ring, uint64_t *numbers,
					     unsigned int room)
{
	struct taskacct_ring_options options = { .numbers = numbers };

	options.n_numbers = taskacct_ring_numbers(*ring, numbers, room);
	options.fd = fcntl(taskacct_ring_fd(*ring), F_DUPFD_CLOEXEC, 0);
	taskacct_ring_close(*ring);
	*ring = NULL;
	return options;
}

/* A reader that goes on reads what comes next, or knows how much of it is gone. */
TEST_F(ring, goes_on)
{
	const struct taskacct_ring_options tiny = sized(TINY, TINY);
	struct taskacct_ring_options options;
	uint64_t numbers[128], lost, read;

	NEED_RING();
	work_pin(0);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &tiny));
	storm_of(_metadata, 10);
	ASSERT_EQ(10, count_threads(self->ring, &lost));
	options = standing(&self->ring, numbers, 128);
	ASSERT_GE(128, options.n_numbers);
	storm_of(_metadata, 5);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &options));
	EXPECT_EQ(5, count_threads(self->ring, &lost));
	EXPECT_EQ(0, lost);
	close(options.fd);
	options = standing(&self->ring, numbers, 128);
	storm_of(_metadata, 1000);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &options));
	read = count_threads(self->ring, &lost);
	EXPECT_LT(0, lost);
	EXPECT_EQ(1000, read + lost);
	close(options.fd);
}

/* Numbers of other rings are refused. */
TEST_F(ring, goes_on_elsewhere)
{
	struct taskacct_ring_options options;
	uint64_t numbers[128];

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	options = standing(&self->ring, numbers, 128);
	options.n_numbers--;
	EXPECT_EQ(-EINVAL, taskacct_ring_open(&self->ring, &options));
	options.n_numbers++;
	numbers[0] += 1ULL << 40;
	EXPECT_EQ(-EINVAL, taskacct_ring_open(&self->ring, &options));
	close(options.fd);
	EXPECT_EQ(-EBADF, taskacct_ring_open(&self->ring, &options));
}

/* A storm of threads does not push out a process. */
TEST_F(ring, processes_stay)
{
	const struct taskacct_ring_options tiny = sized(TINY, TINY);
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	pid_t pid;

	NEED_RING();
	work_pin(0);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &tiny));
	pid = work_exit_process(0);
	storm_of(_metadata, 1000);
	EXPECT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(0, taskacct_ring_lost(self->ring, TASKACCT_RING_PROCESSES));
}

/* In order of time, over all CPUs; the process last, of all its threads */
TEST_F(ring, in_order)
{
	const struct taskacct_ring_options options = { .in_order = true };
	struct taskacct_ring_exit exit;
	static struct ext_message m;
	uint64_t time = 0;
	uint32_t process = 0;
	unsigned int n = 0;
	int i;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &options));
	for (i = 0; i < 20; i++) {
		ASSERT_LT(0, work_exit_pair());
		ASSERT_LT(0, work_exit_on(i % sys_cpus_online()));
	}
	while (taskacct_ring_next(self->ring, &exit) == 1) {
		EXPECT_LE(time, exit.time_ns);
		time = exit.time_ns;
		ext_parse((struct nlmsghdr *)exit.nlh, &m);
		EXPECT_NE(process, m.task.tgid);
		if (m.has_process)
			process = m.task.tgid;
		n++;
	}
	EXPECT_LE(60, n);
}

static void *map_at(int fd, int prot, int flags, size_t size)
{
	return mmap(NULL, size, prot, flags, fd, 0);
}

/* Nobody can write there, ever. */
TEST_F(ring, read_only)
{
	static const int flags[] = { MAP_SHARED, MAP_PRIVATE };
	const size_t page = (size_t)getpagesize();
	char byte = 1;
	size_t i;
	void *p;
	int fd, mem;

	NEED_RING();
	EXPECT_EQ(-1, open(DEVICE, O_RDWR));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, open(DEVICE, O_WRONLY));
	fd = open(DEVICE, O_RDONLY);
	mem = open("/proc/self/mem", O_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, mem);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(MAP_FAILED, map_at(fd, PROT_READ | PROT_WRITE, flags[i], page));
		EXPECT_EQ(EACCES, errno);
		p = map_at(fd, PROT_READ, flags[i], page);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_EQ(-1, mprotect(p, page, PROT_READ | PROT_WRITE));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, pwrite(mem, &byte, 1, (off_t)(uintptr_t)p));
		EXPECT_EQ(MAP_FAILED, mremap(p, page, 2 * page, MREMAP_MAYMOVE));
		EXPECT_EQ(0, munmap(p, page));
	}
	close(mem);
	close(fd);
}

/* A map has what the header says and no more. */
TEST_F(ring, bounds)
{
	const struct taskacct_ring_header *header;
	const size_t page = (size_t)getpagesize();
	size_t size;
	void *p;
	int fd;

	NEED_RING();
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	header = map_at(fd, PROT_READ, MAP_SHARED, page);
	ASSERT_NE(MAP_FAILED, header);
	size = (size_t)header->map_size;
	EXPECT_EQ(TASKACCT_RING_VERSION, header->version);
	EXPECT_EQ(1, header->compatible);
	EXPECT_EQ(sizeof(*header), header->header_size);
	EXPECT_EQ(sys_cpus_possible(), (int)header->rings);
	EXPECT_EQ(size, header->ring_offset + header->rings * header->ring_stride);
	EXPECT_EQ(header->ring_stride, header->data_offset[1] + header->data_size[1]);
	EXPECT_EQ(MAP_FAILED, map_at(fd, PROT_READ, MAP_SHARED, size + page));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)size));
	EXPECT_EQ(EINVAL, errno);
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, (off_t)(size - page));
	EXPECT_NE(MAP_FAILED, p);
	EXPECT_EQ(0, *(volatile char *)p);
	munmap(p, page);
	munmap((void *)header, page);
	close(fd);
}

static int open_as(gid_t gid)
{
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		if (setregid(gid, gid) || setreuid(1000, 1000))
			_exit(255);
		fd = open(DEVICE, O_RDONLY);
		_exit(fd < 0 ? errno : 0);
	}
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

/* Only root; and a group, where it is said so */
TEST_F(ring, group)
{
	NEED_RING();
	EXPECT_EQ(EACCES, open_as(4711));
	ASSERT_EQ(0, sys_write(PARAMETER("ring_group"), "4711"));
	EXPECT_EQ(0, open_as(4711));
	EXPECT_EQ(EACCES, open_as(4712));
	EXPECT_EQ(0, sys_write(PARAMETER("ring_group"), "-1"));
}

/* What open() says to root in a namespace of its own; 255: there are no such namespaces */
static int open_within(int namespace, const char *offsets)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (unshare(namespace))
			_exit(255);
		if (offsets && sys_write("/proc/self/timens_offsets", offsets))
			_exit(254);
		pid = fork();
		if (!pid)
			_exit(open(DEVICE, O_RDONLY) < 0 ? errno : 0);
		if (waitpid(pid, &status, 0) != pid)
			_exit(253);
		_exit(WEXITSTATUS(status));
	}
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

/* Root of a container would see numbers that are not its own. */
TEST_F(ring, pid_namespace)
{
	NEED_RING();
	EXPECT_EQ(EACCES, open_within(CLONE_NEWPID, NULL));
}

/* Nor times that are not: but where both are the same it may. */
TEST_F(ring, time_namespace)
{
	const int got = open_within(CLONE_NEWTIME, "boottime 1000 0");

	NEED_RING();
	if (got == 255)
		SKIP(return, "the kernel is without CONFIG_TIME_NS");
	EXPECT_EQ(EACCES, got);
	EXPECT_EQ(0, open_within(CLONE_NEWTIME, NULL));
}

static uint64_t ring_bytes(void)
{
	char text[32];

	return sys_read(PARAMETER("ring_bytes"), text, sizeof(text)) < 0 ?
		       UINT64_MAX : strtoull(text, NULL, 10);
}

/* Memory is there while somebody has the device open or mapped. */
TEST_F(ring, memory)
{
	const struct taskacct_ring_options large = sized(1 << 20, 32 << 20);
	const size_t page = (size_t)getpagesize();
	const long all = 33L * sys_cpus_possible() << 10;
	long before, meanwhile;
	int fd, i;
	void *p;

	NEED_RING();
	EXPECT_EQ(0, ring_bytes());
	before = sys_meminfo_kb("MemFree");
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &large));
	EXPECT_LE((uint64_t)all << 10, ring_bytes());
	meanwhile = sys_meminfo_kb("MemFree");
	EXPECT_LT(all / 2, before - meanwhile);
	taskacct_ring_close(self->ring);
	self->ring = NULL;
	EXPECT_EQ(0, ring_bytes());
	/* CPUs have free pages at hand that are not counted: as many as one round has. */
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, taskacct_ring_open(&self->ring, &large));
		taskacct_ring_close(self->ring);
		self->ring = NULL;
	}
	EXPECT_LT(before - 2 * all, sys_meminfo_kb("MemFree"));
	fd = open(DEVICE, O_RDONLY);
	p = map_at(fd, PROT_READ, MAP_SHARED, page);
	ASSERT_NE(MAP_FAILED, p);
	close(fd);
	EXPECT_LT(0, ring_bytes());
	munmap(p, page);
	EXPECT_EQ(0, ring_bytes());
}

static int size_error(int fd, uint64_t processes, uint64_t threads)
{
	const struct taskacct_ring_sizes sizes = { { processes, threads } };

	return ioctl(fd, TASKACCT_RING_SIZE, &sizes) ? errno : 0;
}

/* Sizes that cannot be are refused, and the rings stay as they are. */
TEST_F(ring, sizes)
{
	const size_t page = (size_t)getpagesize();
	uint64_t before;
	int fd, other;
	void *p;

	NEED_RING();
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	before = ring_bytes();
	EXPECT_EQ(EINVAL, size_error(fd, 0, TINY));
	EXPECT_EQ(EINVAL, size_error(fd, TINY, TINY + 4096));
	EXPECT_EQ(EINVAL, size_error(fd, TINY, TINY / 2));
	EXPECT_EQ(E2BIG, size_error(fd, 1ULL << 30, TINY));
	EXPECT_EQ(E2BIG, size_error(fd, 1ULL << 63, TINY));
	EXPECT_EQ(before, ring_bytes());
	EXPECT_EQ(0, size_error(fd, TINY, 2 * TINY));
	EXPECT_GT(before, ring_bytes());
	other = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, other);
	EXPECT_EQ(EBUSY, size_error(fd, TINY, TINY));
	close(other);
	EXPECT_EQ(0, size_error(fd, TINY, TINY));
	p = map_at(fd, PROT_READ, MAP_SHARED, page);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(EBUSY, size_error(fd, TINY, TINY));
	munmap(p, page);
	close(fd);
}

/**
 * struct there - what is in the lane of threads of CPU 0
 * @first: number of the oldest
 * @last: of the newest
 * @n: how many can be read
 */
struct there {
	uint64_t first;
	uint64_t last;
	uint64_t n;
};

/* What a reader that begins with the oldest finds; the ring stays open. */
static void read_oldest(struct __test_metadata *_metadata, struct taskacct_ring **ring,
			struct there *there)
{
	const struct taskacct_ring_options oldest = { .oldest = true };
	struct taskacct_ring_exit exit;

	memset(there, 0, sizeof(*there));
	ASSERT_EQ(0, taskacct_ring_open(ring, &oldest));
	while (taskacct_ring_next(*ring, &exit) == 1) {
		EXPECT_EQ(0, exit.lost);
		if (exit.lane != TASKACCT_RING_THREADS || exit.cpu)
			continue;
		there->first = there->first ?: exit.number;
		there->last = exit.number;
		there->n++;
	}
	EXPECT_EQ(there->n, there->last - there->first + 1);
}

/* Growing keeps all that there is, and numbers go on. */
TEST_F(ring, growing_keeps)
{
	struct there there;
	int fd;

	NEED_RING();
	work_pin(0);
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, size_error(fd, TINY, 8 * TINY));
	storm_of(_metadata, 300);
	EXPECT_EQ(0, size_error(fd, TINY, 16 * TINY));
	storm_of(_metadata, 10);
	EXPECT_EQ(0, size_error(fd, 2 * TINY, 16 * TINY));
	read_oldest(_metadata, &self->ring, &there);
	EXPECT_EQ(1, there.first);
	EXPECT_EQ(310, there.n);
	close(fd);
}

/* Where a lane was full, and went round, growing keeps as many as it had room for. */
TEST_F(ring, growing_keeps_the_newest)
{
	struct there there;
	int fd;

	NEED_RING();
	work_pin(0);
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, size_error(fd, TINY, TINY));
	storm_of(_metadata, 1000);
	EXPECT_EQ(0, size_error(fd, TINY, 8 * TINY));
	storm_of(_metadata, 100);
	read_oldest(_metadata, &self->ring, &there);
	EXPECT_EQ(1100, there.last);
	EXPECT_LE(TINY / 512 + 100, there.n);
	EXPECT_GE(TINY / 384 + 100, there.n);
	close(fd);
}

/* Shrinking loses the oldest: numbers tell how many. */
TEST_F(ring, shrinking_keeps_the_newest)
{
	struct there there;
	int fd;

	NEED_RING();
	work_pin(0);
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	storm_of(_metadata, 300);
	EXPECT_EQ(0, size_error(fd, TINY, TINY));
	read_oldest(_metadata, &self->ring, &there);
	EXPECT_EQ(300, there.last);
	EXPECT_LE(TINY / 512, there.n);
	EXPECT_GE(TINY / 384, there.n);
	close(fd);
}

/* The ring of a CPU that is off grows as well, and goes on when it is back. */
TEST_F(ring, growing_of_a_cpu_that_is_off)
{
	const struct taskacct_ring_options oldest = { .oldest = true };
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	uint64_t number;
	pid_t pid;
	int fd;

	NEED_RING();
	NEED_CPUS(2);
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	pid = work_exit_on(CPU);
	ASSERT_EQ(0, sys_cpu_set(CPU, false));
	EXPECT_EQ(0, size_error(fd, 1 << 20, 1 << 20));
	ASSERT_EQ(0, sys_cpu_set(CPU, true));
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, &oldest));
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(CPU, exit.cpu);
	number = exit.number;
	pid = work_exit_on(CPU);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_LT(number, exit.number);
	EXPECT_EQ(0, taskacct_ring_lost(self->ring, TASKACCT_RING_PROCESSES));
	close(fd);
}

static void *poll_for_long(void *arg)
{
	struct pollfd pollfd = { .fd = *(int *)arg, .events = POLLIN };

	return (void *)(intptr_t)poll(&pollfd, 1, PATIENCE_MS);
}

static int wake_at(int fd, uint64_t made)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return ioctl(fd, TASKACCT_RING_WAKE, &made) ? -1 : poll(&pollfd, 1, 0);
}

/* What poll() counts goes on where rings grow, for who sleeps meanwhile, too. */
TEST_F(ring, growing_and_poll)
{
	pthread_t thread;
	void *woken;
	int fd;

	NEED_RING();
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	storm_of(_metadata, 100);
	EXPECT_EQ(1, wake_at(fd, 100));
	EXPECT_EQ(0, wake_at(fd, 200));
	ASSERT_EQ(0, pthread_create(&thread, NULL, poll_for_long, &fd));
	usleep(100000);
	EXPECT_EQ(0, size_error(fd, 1 << 20, 1 << 20));
	storm_of(_metadata, 100);
	pthread_join(thread, &woken);
	EXPECT_EQ(1, (intptr_t)woken);
	EXPECT_EQ(1, wake_at(fd, 200));
	close(fd);
}

/* Parameters have bounds of their own. */
TEST_F(ring, parameters)
{
	NEED_RING();
	ASSERT_EQ(0, sys_write(PARAMETER("ring_process_kib"), "0"));
	ASSERT_EQ(0, sys_write(PARAMETER("ring_thread_kib"), "33"));
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	EXPECT_EQ((uint64_t)sys_cpus_possible() * (4096 + 3 * TINY) + 4096, ring_bytes());
	EXPECT_EQ(0, sys_write(PARAMETER("ring_process_kib"), "256"));
	EXPECT_EQ(0, sys_write(PARAMETER("ring_thread_kib"), "512"));
}

TEST_F(ring, bad_ioctls)
{
	const uint32_t want = 0x100;
	void *const nowhere = (void *)8;
	int fd, status;
	pid_t pid;

	NEED_RING();
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, ioctl(fd, TASKACCT_RING_WANT, &want));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(fd, TASKACCT_RING_WANT, nowhere));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(fd, TASKACCT_RING_SIZE, nowhere));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(fd, TASKACCT_RING_WAKE, nowhere));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(fd, _IO('t', 0xe3), nowhere));
	EXPECT_EQ(ENOTTY, errno);
	/* Whoever has the device need not be one who may say how large it is. */
	pid = fork();
	if (!pid)
		_exit(setreuid(1000, 1000) ? 255 : size_error(fd, TINY, TINY));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(EPERM, WEXITSTATUS(status));
	close(fd);
}

static void *exit_later(void *arg)
{
	usleep(200000);
	while ((*(int *)arg)--)
		work_exit_process(0);
	return NULL;
}

/* A reader sleeps until there are as many as it asked for, on all CPUs together. */
TEST_F(ring, poll_by_count)
{
	static const unsigned int counts[] = { 1, 5, 64 };
	pthread_t thread;
	size_t i;
	int n;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		drain(self->ring);
		n = (int)counts[i];
		ASSERT_EQ(0, pthread_create(&thread, NULL, exit_later, &n));
		EXPECT_EQ(1, taskacct_ring_wait(self->ring, counts[i], PATIENCE_MS));
		EXPECT_LE(counts[i], drain(self->ring));
		pthread_join(thread, NULL);
	}
	drain(self->ring);
	EXPECT_LT(0, work_exit_process(0));
	EXPECT_EQ(1, taskacct_ring_wait(self->ring, 1, 0));
}

/* Or until the time is over; what is there then is there. */
TEST_F(ring, poll_by_time)
{
	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	EXPECT_LT(0, work_exit_process(0));
	EXPECT_EQ(0, taskacct_ring_wait(self->ring, 100000, QUIET_MS));
	EXPECT_LE(1, drain(self->ring));
}

static int wait_for(int fd, void *arg)
{
	const unsigned int records = *(unsigned int *)arg;
	struct taskacct_ring *ring;
	int woken;

	if (taskacct_ring_open(&ring, NULL))
		return 1;
	work_send(fd, '.');
	woken = taskacct_ring_wait(ring, records, PATIENCE_MS);
	work_send(fd, woken == 1 && drain(ring) >= records ? 'y' : 'n');
	taskacct_ring_close(ring);
	return 0;
}

/* Several sleep, each until there are as many as it asked for. */
TEST_F(ring, several_sleep)
{
	static unsigned int counts[] = { 1, 2, 7, 30 };
	struct work w[ARRAY_SIZE(counts)];
	size_t i;

	NEED_RING();
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		ASSERT_EQ(0, work_start(&w[i], wait_for, &counts[i]));
		ASSERT_EQ('.', work_hear(&w[i]));
	}
	for (i = 0; i < 40; i++)
		ASSERT_LT(0, work_exit_on((int)i % sys_cpus_online()));
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		EXPECT_EQ('y', work_hear(&w[i]));
		EXPECT_EQ(0, work_wait(&w[i]));
	}
}

/* A fork has the map and a position of its own; an exec keeps nothing. */
TEST_F(ring, fork_and_exec)
{
	const char *const argv[] = {
		"sh", "-c", "test $(ls -l /proc/$$/fd | grep -c taskacct_) = 0", NULL
	};
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	pid_t pid, child;
	int status;

	NEED_RING();
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	EXPECT_EQ(0, sys_run(argv));
	drain(self->ring);
	pid = work_exit_process(0);
	child = fork();
	if (!child)
		_exit(find_exit(self->ring, pid, &exit, &m) ? 0 : 1);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(find_exit(self->ring, pid, &exit, &m));
}

static int stay_open(int fd, void *arg)
{
	struct taskacct_ring *ring;

	(void)arg;
	if (taskacct_ring_open(&ring, NULL))
		return 1;
	work_send(fd, '.');
	for (;;)
		pause();
}

/* A reader that is killed leaves nothing behind. */
TEST_F(ring, killed_reader)
{
	struct work w;

	NEED_RING();
	ASSERT_EQ(0, work_start(&w, stay_open, NULL));
	ASSERT_EQ('.', work_hear(&w));
	EXPECT_LT(0, ring_bytes());
	kill(w.pid, SIGKILL);
	work_wait(&w);
	EXPECT_EQ(0, ring_bytes());
}

/* An open device holds the module, and so does a map alone. */
TEST_F(ring, holds_the_module)
{
	const size_t page = (size_t)getpagesize();
	void *p;
	int fd;

	NEED_RING();
	fd = open(DEVICE, O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "taskacct", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	p = map_at(fd, PROT_READ, MAP_SHARED, page);
	ASSERT_NE(MAP_FAILED, p);
	close(fd);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "taskacct", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_TRUE(run_tells_holder(DEVICE));
	munmap(p, page);
	EXPECT_FALSE(run_tells_holder(DEVICE));
}

/* A CPU that goes leaves its entries; one that comes back goes on with its numbers. */
TEST_F(ring, hotplug)
{
	static struct ext_message m;
	struct taskacct_ring_exit exit;
	uint64_t number;
	pid_t pid;

	NEED_RING();
	NEED_CPUS(2);
	ASSERT_EQ(0, taskacct_ring_open(&self->ring, NULL));
	pid = work_exit_on(CPU);
	ASSERT_EQ(0, sys_cpu_set(CPU, false));
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	number = exit.number;
	EXPECT_EQ(CPU, exit.cpu);
	EXPECT_LT(0, work_exit_process(0));
	ASSERT_EQ(0, sys_cpu_set(CPU, true));
	pid = work_exit_on(CPU);
	ASSERT_TRUE(find_exit(self->ring, pid, &exit, &m));
	EXPECT_EQ(CPU, exit.cpu);
	EXPECT_LT(number, exit.number);
	EXPECT_EQ(0, taskacct_ring_lost(self->ring, TASKACCT_RING_PROCESSES));
}

/* Drops what a line has of the time at which it was printed. */
static void drop_times(char *text)
{
	static const char key[] = "\"time_ns\":";
	char *at;

	for (at = text; (at = strstr(at, key));)
		memset(at, ' ', strcspn(at, ","));
}

/* getdelays prints the same of exits that it reads from shared memory, which it does by itself */
TEST_F(ring, getdelays)
{
	struct run by_family, by_ring;
	size_t both;
	int i;

	NEED_RING();
	work_pin(0);
	run_start(&by_family, "getdelays", "-l", "--extended", "--json", "--netlink",
		  (char *)NULL);
	ASSERT_TRUE(run_says(&by_family, "listening", PATIENCE_MS));
	run_start(&by_ring, "getdelays", "-l", "--extended", "--json", "-v", (char *)NULL);
	ASSERT_TRUE(run_says(&by_ring, "listening", PATIENCE_MS));
	EXPECT_TRUE(run_says(&by_ring, "reading " DEVICE, 10));
	EXPECT_FALSE(run_says(&by_family, DEVICE, 10));
	for (i = 0; i < 10; i++) {
		ASSERT_LT(0, work_exit_process(i));
		ASSERT_LT(0, work_exit_pair());
	}
	run_stop(&by_family, SIGTERM);
	run_stop(&by_ring, SIGTERM);
	EXPECT_EQ(EXIT_DONE, by_family.status);
	EXPECT_EQ(EXIT_DONE, by_ring.status) TH_LOG("%s", by_ring.err);
	drop_times(by_family.out);
	drop_times(by_ring.out);
	/* The last records may be made after they were told to stop. */
	EXPECT_LE(30, run_lines(by_family.out));
	EXPECT_LE(30, run_lines(by_ring.out));
	both = strnlen(by_family.out, strlen(by_ring.out));
	EXPECT_EQ(0, memcmp(by_family.out, by_ring.out, both))
		TH_LOG("%s\n%s", by_family.out, by_ring.out);
	run_free(&by_family);
	run_free(&by_ring);
}

/* It ends where two tasks end for each line that somebody reads of it. */
TEST_F(ring, getdelays_ends)
{
	static const char fifo[] = "/tmp/ring_test.fifo";
	char *line = NULL;
	size_t room = 0;
	FILE *lines;
	struct run r;
	int fd, i;

	NEED_RING();
	ASSERT_EQ(0, mkfifo(fifo, 0600));
	fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fcntl(fd, F_SETFL, 0));
	lines = fdopen(fd, "r");
	ASSERT_NE(NULL, lines);
	setvbuf(lines, NULL, _IONBF, 0);
	run_script(&r, "exec getdelays -l --extended --json --ring >/tmp/ring_test.fifo");
	ASSERT_TRUE(run_says(&r, "listening", PATIENCE_MS));
	for (i = 0; i < 40; i++)
		ASSERT_LT(0, work_exit_process(0));
	ASSERT_EQ(0, kill(r.pid, SIGINT));
	for (i = 0; i < 400 && getline(&line, &room, lines) > 0; i++) {
		ASSERT_LT(0, work_exit_process(0));
		ASSERT_LT(0, work_exit_process(0));
	}
	EXPECT_GT(400, i);
	fclose(lines);
	free(line);
	run_finish(&r);
	EXPECT_EQ(EXIT_DONE, r.status) TH_LOG("%s", r.err);
	run_free(&r);
	EXPECT_EQ(0, unlink(fifo));
}

/* What the rings have not is refused. */
TEST_F(ring, getdelays_refuses)
{
	static const char *const wrong[] = { "--processes", "--per-cpu", "--batch=1K" };
	struct run r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		run(&r, "-l", "--extended", "--ring", wrong[i]);
		EXPECT_EQ(EXIT_USAGE, r.status);
		run_free(&r);
	}
	run(&r, "-l", "--ring");
	EXPECT_EQ(EXIT_USAGE, r.status);
	run_free(&r);
	run(&r, "-l", "--extended", "--ring", "--netlink");
	EXPECT_EQ(EXIT_USAGE, r.status);
	run_free(&r);
	run(&r, "-p", "1", "--netlink");
	EXPECT_EQ(EXIT_USAGE, r.status);
	run_free(&r);
}

/* Who may not open it has the family, unless he has said that he wants nothing else. */
TEST_F(ring, getdelays_without)
{
	static const char closed[] =
		"exec setpriv --bounding-set -dac_read_search getdelays -v -l --extended";
	char text[sizeof(closed) + 10];
	struct run r;

	NEED_RING();
	run_script(&r, closed);
	EXPECT_TRUE(run_says(&r, DEVICE ": Permission denied", PATIENCE_MS));
	EXPECT_TRUE(run_says(&r, "registered for CPUs", PATIENCE_MS));
	EXPECT_TRUE(run_says(&r, "listening", PATIENCE_MS));
	run_stop(&r, SIGTERM);
	EXPECT_EQ(EXIT_DONE, r.status);
	run_free(&r);
	snprintf(text, sizeof(text), "%s --ring", closed);
	run_script(&r, text);
	run_finish(&r);
	EXPECT_EQ(EXIT_REFUSED, r.status);
	EXPECT_NE(NULL, strstr(r.err, "needs root, or ring_group="));
	run_free(&r);
}

TEST_HARNESS_MAIN
