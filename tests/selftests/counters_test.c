// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read by mmap: layout, generations, safety. The module in
 * tests/count has counters of its own.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "count.h"
#include "module.h"
#include "test.h"

#define CPUTIME "/sys/module/taskacct/parameters/cputime"

/* More than anything of the module's own is, and less than overflows */
#define TOO_MUCH (1LL << 62)

/* More than are on a page of any size that x86 has */
#define MANY 600

FIXTURE(counters) {
	struct taskacct_counters *c;
	const struct taskacct_counters_header *header;
	char *map;
	long page;
	int fd;
	bool able;
};

FIXTURE_SETUP(counters)
{
	self->able = sys_in_vm() && sys_module_loaded();
	self->fd = -1;
	if (!self->able)
		return;
	self->page = sysconf(_SC_PAGESIZE);
	ASSERT_EQ(0, module_run("modprobe", "count"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
	self->fd = open(TASKACCT_COUNTERS_DEVICE, O_RDONLY);
	ASSERT_LE(0, self->fd);
	self->header = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->fd,
			    0);
	ASSERT_NE(MAP_FAILED, self->header);
	self->map = mmap(NULL, self->header->map_size, PROT_READ, MAP_SHARED,
			 self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->map);
}

FIXTURE_TEARDOWN(counters)
{
	if (!self->able)
		return;
	munmap(self->map, self->header->map_size);
	munmap((void *)self->header, self->page);
	close(self->fd);
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, module_run("rmmod", "count"));
}

#define NEED_COUNTERS() NEED_LOADED(self->able)

static const struct taskacct_counter *by_name(struct taskacct_counters *c,
					      const char *name)
{
	const struct taskacct_counter *counter;
	size_t i;

	for (i = 0; (counter = taskacct_counters_at(c, i)); i++)
		if (!strcmp(counter->name, name))
			return counter;
	return NULL;
}

static int64_t sum(struct __test_metadata *_metadata,
		   struct taskacct_counters *c, int instance)
{
	int64_t value;

	ASSERT_EQ(0, taskacct_counters_sum(c, instance, &value));
	return value;
}

/* As it is on a CPU's page, whether the counter is there or not */
static int64_t raw(const char *map, unsigned int cpu, int instance)
{
	const struct taskacct_counters_header *h = (const void *)map;
	const char *value = map + h->cpu_offset + cpu * h->cpu_stride +
			    h->value_offset + instance * h->value_stride;

	return *(const volatile int64_t *)value;
}

/* R45, R46, R48, R49: the header tells where everything is */
TEST_F(counters, header)
{
	const struct taskacct_counters_header *h = self->header;

	NEED_COUNTERS();
	EXPECT_EQ(TASKACCT_COUNTERS_VERSION, h->version);
	EXPECT_LE(h->compatible, h->version);
	EXPECT_EQ(h->gen1, h->gen2);
	EXPECT_LE(sizeof(*h), h->header_size);
	EXPECT_EQ(self->page, h->page_size);
	EXPECT_LE((uint32_t)sys_cpus_possible(), h->cpus);
	EXPECT_EQ(0, h->cpu_offset % self->page);
	EXPECT_LE(self->page, h->cpu_offset);
	EXPECT_EQ(0, h->cpu_stride % self->page);
	EXPECT_GE(h->cpu_stride, h->cpu_pages_max * (uint64_t)self->page);
	EXPECT_EQ(h->map_size, h->cpu_offset + h->cpus * h->cpu_stride);
	EXPECT_LE(sizeof(struct taskacct_counters_cpu), h->value_offset);
	EXPECT_EQ(8, h->value_stride);
	EXPECT_LE(h->value_offset + (uint64_t)h->instances * h->value_stride,
		  h->cpu_pages * (uint64_t)self->page);
}

/* R41 R50: a line each, and nothing else */
TEST_F(counters, names)
{
	char kind[16], unit[16], name[256];
	char *line = NULL;
	unsigned int n, last = 0, lines = 0;
	size_t size = 0;
	FILE *file;

	NEED_COUNTERS();
	file = fopen(TASKACCT_NAMES_DEVICE, "re");
	ASSERT_NE(NULL, file);
	while (getline(&line, &size, file) > 0) {
		ASSERT_EQ(4, sscanf(line, "%u %255s %15s %15s", &n, name, kind,
				    unit));
		EXPECT_TRUE(!lines || n > last);
		EXPECT_GT(self->header->instances, n);
		EXPECT_TRUE(!strcmp(kind, "counter") || !strcmp(kind, "gauge"));
		last = n;
		lines++;
	}
	EXPECT_LT(8, lines);
	free(line);
	fclose(file);
}

/* R42: nobody opens or maps it for writing, root neither, and mprotect() does not make
 * it writable later
 */
TEST_F(counters, read_only)
{
	void *p;

	NEED_COUNTERS();
	EXPECT_EQ(-1, open(TASKACCT_COUNTERS_DEVICE, O_RDWR));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, open(TASKACCT_NAMES_DEVICE, O_WRONLY));
	EXPECT_EQ(EACCES, errno);
	p = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EACCES, errno);
	p = mmap(NULL, self->page, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		 self->fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EACCES, errno);
	p = mmap(NULL, self->page, PROT_READ, MAP_PRIVATE, self->fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, self->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	munmap(p, self->page);
	EXPECT_EQ(-1, mprotect(self->map, self->page, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

/* Pages that are not there, and offsets that cannot be */
TEST_F(counters, beyond)
{
	volatile char *p;
	int status;
	pid_t pid;

	NEED_COUNTERS();
	p = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->fd,
		 self->header->map_size);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EINVAL, errno);
	p = mmap(NULL, self->header->map_size + self->page, PROT_READ,
		 MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_EQ(EINVAL, errno);
	p = self->map + self->header->cpu_offset +
	    self->header->cpu_stride - self->page;
	pid = fork();
	if (!pid)
		_exit(*p);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

/* Nothing but counters is on the pages */
TEST_F(counters, nothing_else)
{
	const struct taskacct_counters_header *h = self->header;
	const unsigned char *p;
	uint64_t i, from;
	unsigned int cpu;

	NEED_COUNTERS();
	for (i = h->header_size; i < (uint64_t)self->page; i++)
		ASSERT_EQ(0, self->map[i]);
	for (cpu = 0; cpu < h->cpus; cpu++) {
		p = (unsigned char *)self->map + h->cpu_offset +
		    cpu * h->cpu_stride;
		for (i = sizeof(struct taskacct_counters_cpu);
		     i < h->value_offset; i++)
			ASSERT_EQ(0, p[i]);
		from = h->value_offset + h->instances * h->value_stride;
		for (i = from; i < h->cpu_pages * (uint64_t)self->page; i++)
			ASSERT_EQ(0, p[i]);
	}
}

/* R38 R39 R43 R47 R54 R61 R62 R63 R64: another module's counter has its number on all
 * CPUs and its value on one, is gone when deleted, and is zero with the same number
 * when it comes back
 */
TEST_F(counters, add_adjust_del)
{
	int64_t value, other;
	int a, b;

	NEED_COUNTERS();
	a = count_add("count.a");
	ASSERT_LE(0, a);
	b = count_add("count.b");
	EXPECT_LT(a, b);
	EXPECT_EQ(-ESTALE, taskacct_counters_read(self->c, 0, 0, &value));
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(0, taskacct_counters_refresh(self->c));
	EXPECT_EQ(a, taskacct_counters_find(self->c, "count.a"));
	EXPECT_EQ(0, sum(_metadata, self->c, a));

	ASSERT_EQ(0, work_pin(0));
	ASSERT_EQ(0, count_adjust(a, 5));
	ASSERT_EQ(0, count_adjust(a, -12));
	ASSERT_EQ(0, taskacct_counters_read(self->c, 0, a, &value));
	EXPECT_EQ(-7, value);
	ASSERT_EQ(0, taskacct_counters_read(self->c, 0, b, &other));
	EXPECT_EQ(0, other);
	EXPECT_EQ(-7, sum(_metadata, self->c, a));
	if (sys_cpus_online() > 1) {
		ASSERT_EQ(0, work_pin(1));
		ASSERT_EQ(0, count_adjust(a, 100));
		ASSERT_EQ(0, taskacct_counters_read(self->c, 0, a, &value));
		EXPECT_EQ(-7, value);
		EXPECT_EQ(93, sum(_metadata, self->c, a));
	}
	work_pin_any();

	EXPECT_EQ(0, count_del(a));
	EXPECT_EQ(-ENOENT, count_del(a));
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(-ENOENT, taskacct_counters_find(self->c, "count.a"));
	EXPECT_EQ(a, count_add("count.a"));
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(0, sum(_metadata, self->c, a));
	EXPECT_EQ(0, count_del(a));
	EXPECT_EQ(0, count_del(b));
}

/* Others adjust none of the module's own, those included that it goes by */
TEST_F(counters, own_not_adjusted)
{
	const struct taskacct_counter *counter;
	int64_t value;
	size_t i;

	NEED_COUNTERS();
	ASSERT_EQ(0, sys_write(CPUTIME, "switch"));
	ASSERT_EQ(0, work_pin(0));
	for (i = 0; (counter = taskacct_counters_at(self->c, i)); i++) {
		if (strncmp(counter->name, "count.", 6))
			ASSERT_EQ(0, count_adjust(counter->instance, TOO_MUCH));
	}
	for (i = 0; (counter = taskacct_counters_at(self->c, i)); i++) {
		ASSERT_EQ(0, taskacct_counters_read(self->c, 0,
						    counter->instance, &value));
		EXPECT_GT(TOO_MUCH, value) TH_LOG("%s", counter->name);
	}
	work_pin_any();
	EXPECT_EQ(0, sys_write(CPUTIME, "off"));
	EXPECT_EQ(0, taskacct_counters_refresh(self->c));
}

/* R57: nobody waits for ever for an update that never ends, the kernel not at all */
TEST_F(counters, never_ends)
{
	uint64_t ns[TASKACCT_CPU_CLASSES];
	int64_t value, values[2];
	char stat[512];

	NEED_COUNTERS();
	ASSERT_EQ(0, sys_write(CPUTIME, "switch"));
	ASSERT_EQ(0, work_pin(0));
	ASSERT_EQ(0, count_hold(true));
	EXPECT_EQ(-EAGAIN, taskacct_counters_read(self->c, 0, 0, &value));
	EXPECT_EQ(-EAGAIN,
		  taskacct_counters_read_some(self->c, 0, 0, 2, values));
	EXPECT_EQ(-EAGAIN, taskacct_counters_cpu_time(self->c, 0, ns));
	EXPECT_EQ(-EAGAIN, taskacct_counters_sum(self->c, 0, &value));
	EXPECT_LT(0, sys_read("/proc/taskacct/stat", stat, sizeof(stat)));
	ASSERT_EQ(0, count_hold(false));
	EXPECT_EQ(0, taskacct_counters_read(self->c, 0, 0, &value));
	EXPECT_EQ(0, taskacct_counters_cpu_time(self->c, 0, ns));
	work_pin_any();
	EXPECT_EQ(0, sys_write(CPUTIME, "off"));
}

/* R62: a deleted counter counts no more: its place on each CPU stays as it was until it
 * is added again, which makes it zero
 */
TEST_F(counters, deleted)
{
	const int cpus = sys_cpus_online();
	int64_t before[cpus];
	int a, cpu;

	NEED_COUNTERS();
	a = count_add("count.deleted");
	ASSERT_LE(0, a);
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, work_pin(cpu));
		ASSERT_EQ(0, count_adjust(a, cpu + 1));
		before[cpu] = raw(self->map, cpu, a);
		EXPECT_EQ(cpu + 1, before[cpu]);
	}
	ASSERT_EQ(0, count_del(a));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, work_pin(cpu));
		ASSERT_EQ(0, count_adjust(a, 1000));
		EXPECT_EQ(before[cpu], raw(self->map, cpu, a));
	}
	work_pin_any();
	EXPECT_EQ(a, count_add("count.deleted"));
	for (cpu = 0; cpu < cpus; cpu++)
		EXPECT_EQ(0, raw(self->map, cpu, a));
	EXPECT_EQ(0, count_del(a));
}

/* R61 R105: adding one that is there returns its number, and its values stay; with
 * another kind or unit, or of a name that the module has itself, it is refused
 */
TEST_F(counters, add_again)
{
	int a;

	NEED_COUNTERS();
	a = count_add("count.again");
	ASSERT_LE(0, a);
	ASSERT_EQ(0, count_adjust(a, 7));
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(a, count_add("count.again"));
	EXPECT_EQ(0, taskacct_counters_refresh(self->c));
	EXPECT_EQ(7, sum(_metadata, self->c, a));
	EXPECT_EQ(-EEXIST, count_add_kind("count.again 1 count"));
	EXPECT_EQ(-EEXIST, count_add_kind("count.again 0 byte"));
	EXPECT_EQ(a, count_add_kind("count.again 0 count"));
	EXPECT_EQ(0, count_del(a));
	EXPECT_EQ(-ENOENT, count_del(a));
	/* What another counts as is for that one to say. */
	EXPECT_EQ(-EPERM, count_add("queries"));
}

/* R52, R104: a name may be a path, as long as those of sysfs are */
TEST_F(counters, paths)
{
	static const char device[] =
		"/devices/pci0000:00/0000:00:1f.2/ata1,a@b#c+d=e~/host0/block/sda";
	char longest[256];
	int a, b;

	NEED_COUNTERS();
	memset(longest, '/', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	a = count_add(device);
	ASSERT_LE(0, a);
	b = count_add(longest);
	ASSERT_LE(0, b);
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(a, taskacct_counters_find(self->c, device));
	EXPECT_EQ(b, taskacct_counters_find(self->c, longest));
	EXPECT_EQ(0, count_del(a));
	EXPECT_EQ(0, count_del(b));
}

/* Names that are no words, and numbers of no counter, are refused or ignored */
TEST_F(counters, bad_names)
{
	char name[257];

	NEED_COUNTERS();
	memset(name, 'x', 256);
	name[256] = '\0';
	EXPECT_EQ(-EINVAL, count_add(name));
	EXPECT_EQ(-EINVAL, count_add("two words"));
	EXPECT_EQ(-EINVAL, count_add("a\ttab"));
	EXPECT_EQ(-EINVAL, count_add("caf\xc3\xa9"));
	EXPECT_EQ(-ENOENT, count_del(-1));
	EXPECT_EQ(-ENOENT, count_del(1000000));
	EXPECT_EQ(0, count_adjust(-1, 1));
	EXPECT_EQ(0, count_adjust(1000000, 1));
}

/* Another module's counter has the kind and the unit that it was given. */
TEST_F(counters, kinds)
{
	const struct taskacct_counter *counter;
	int a;

	NEED_COUNTERS();
	EXPECT_EQ(-EINVAL, count_add_kind("count.kind 2 byte"));
	EXPECT_EQ(-EINVAL, count_add_kind("count.kind 1 longer.than.it.is"));
	EXPECT_EQ(-EINVAL, count_add_kind("count.kind 1 caf\xc3\xa9"));
	a = count_add_kind("count.kind 1 fifteen.letters");
	ASSERT_LE(0, a);
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	counter = by_name(self->c, "count.kind");
	ASSERT_NE(NULL, counter);
	EXPECT_EQ(a, (int)counter->instance);
	EXPECT_TRUE(counter->gauge);
	EXPECT_STREQ("fifteen.letters", counter->unit);
	EXPECT_EQ(0, count_del(a));
}

/* R50: poll() tells that there are others, once they were not read */
TEST_F(counters, poll)
{
	struct pollfd pfd = { .events = POLLIN };
	int a, status;
	pid_t pid;

	NEED_COUNTERS();
	pfd.fd = taskacct_counters_fd(self->c);
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	a = count_add("count.polled");
	ASSERT_LE(0, a);
	EXPECT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN, pfd.revents);
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	EXPECT_EQ(0, poll(&pfd, 1, QUIET_MS));
	pid = fork();
	if (!pid) {
		usleep(100000);
		_exit(count_del(a) != 0);
	}
	/* For ever: with an end it would look once more then. */
	EXPECT_EQ(1, poll(&pfd, 1, -1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* R52 R53: 600 counters more: pages grow under a map, and all have their values, the
 * first of the second page where the header says
 */
TEST_F(counters, growth)
{
	char name[32];
	int numbers[MANY];
	int first, i;

	NEED_COUNTERS();
	ASSERT_EQ(0, work_pin(0));
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "count.many.%d", i);
		numbers[i] = count_add(name);
		ASSERT_LE(0, numbers[i]);
		ASSERT_EQ(0, count_adjust(numbers[i], i));
	}
	EXPECT_LT(1, self->header->cpu_pages);
	EXPECT_EQ(1, taskacct_counters_refresh(self->c));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(i, sum(_metadata, self->c, numbers[i]));
	/* The first of the second page is where the header says. */
	first = (self->page - self->header->value_offset) /
		self->header->value_stride;
	ASSERT_LE(numbers[0], first);
	ASSERT_GT(numbers[0] + MANY, first);
	EXPECT_EQ(first - numbers[0],
		  *(int64_t *)(self->map + self->header->cpu_offset +
			       self->page));
	work_pin_any();
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, count_del(numbers[i]));
}

/* An open device, and a map alone, hold the module; a fork has the map; an exec keeps
 * nothing of what the library opened
 */
TEST_F(counters, holds)
{
	int status;
	pid_t pid;

	NEED_COUNTERS();
	ASSERT_EQ(0, module_run("rmmod", "count"));
	taskacct_counters_close(self->c);
	self->c = NULL;
	EXPECT_EQ(-1, syscall(SYS_delete_module, "taskacct", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	close(self->fd);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "taskacct", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	pid = fork();
	if (!pid)
		_exit(self->header->version != TASKACCT_COUNTERS_VERSION);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	self->fd = open(TASKACCT_COUNTERS_DEVICE, O_RDONLY);
	ASSERT_EQ(0, module_run("modprobe", "count"));
}

/* What the library opened does not go on to another program; self->fd does */
TEST_F(counters, exec)
{
	const char *const argv[] = {
		"sh", "-c", "test $(ls -l /proc/$$/fd | grep -c taskacct_) = 1",
		NULL
	};

	NEED_COUNTERS();
	EXPECT_EQ(0, sys_run(argv));
}

/* Why a member of a group cannot open a device; 0: it can */
static int open_as_member(const char *device, gid_t gid)
{
	int status, fd;
	pid_t pid = fork();

	if (!pid) {
		if (setregid(gid, gid) || setreuid(1000, 1000))
			_exit(255);
		fd = open(device, O_RDONLY);
		_exit(fd < 0 ? errno : 0);
	}
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

/* Only root; and a group, where it is said so */
TEST_F(counters, group)
{
	static const char *const devices[] = {
		TASKACCT_COUNTERS_DEVICE, TASKACCT_NAMES_DEVICE,
	};
	static const char parameter[] =
		"/sys/module/taskacct/parameters/counters_group";
	size_t i;

	NEED_COUNTERS();
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(EACCES, open_as_member(devices[i], 4711));
		EXPECT_EQ(EACCES, open_as_member(devices[i], 0));
		ASSERT_EQ(0, sys_write(parameter, "4711"));
		EXPECT_EQ(0, open_as_member(devices[i], 4711));
		EXPECT_EQ(EACCES, open_as_member(devices[i], 4712));
		EXPECT_EQ(0, sys_write(parameter, "-1"));
	}
}

/* Has two listeners: one that is full in the end, one that refuses all */
static void make_losses(struct __test_metadata *_metadata, struct acct_sock *s)
{
	struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog prog = { .len = 1, .filter = &refuse };
	struct acct_sock full, refusing;
	struct acct_listener l = { 0 };
	int i;

	ASSERT_EQ(0, acct_listen(&full, "0", 8192));
	for (i = 0; i < 1000 && !l.lost_queue; i++) {
		ASSERT_LT(0, work_exit_on(0));
		ASSERT_EQ(0, acct_listener_of(s, full.port, &l));
	}
	EXPECT_LT(0, l.lost_queue);
	ASSERT_EQ(0, acct_listen(&refusing, "0", 0));
	ASSERT_EQ(0, setsockopt(refusing.fd, SOL_SOCKET, SO_ATTACH_FILTER,
				&prog, sizeof(prog)));
	ASSERT_LT(0, work_exit_on(0));
	acct_close(&full);
	acct_close(&refusing);
}

/**
 * struct own - one of the module's own counters
 * @name: its name
 * @at: where taskacct_status() tells the same
 * @moves: make_losses() has it count
 */
struct own {
	const char *name;
	size_t at;
	bool moves;
};

#define IS(member) offsetof(struct taskacct_status, member)

/* R41: the module's own counters are among them, and each is what STAT_GET has under
 * the same name
 */
TEST_F(counters, own)
{
	static const struct own own[] = {
		{ "exits.handled", IS(exits), true },
		{ "records.made", IS(made), true },
		{ "records.delivered", IS(delivered), true },
		{ "records.filtered", IS(filtered), true },
		{ "records.lost.queue", IS(lost_queue), true },
		{ "records.lost.memory", IS(lost_memory), false },
		{ "threads.lost.memory", IS(group_nomem), false },
		{ "queries", IS(queries), true },
		{ "users.rest", IS(uid_rest), false },
		{ "users.lost.memory", IS(uid_nomem), false },
	};
	int64_t before[ARRAY_SIZE(own)], bytes, value;
	struct taskacct_status then = { 0 }, now = { 0 };
	int instances[ARRAY_SIZE(own)];
	struct taskstats stats;
	struct acct_sock s;
	struct taskacct *ta;
	uint64_t counted;
	size_t i;

	NEED_COUNTERS();
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, taskacct_open(&ta, TASKACCT_GENL_NAME));
	ASSERT_EQ(0, taskacct_status(ta, &then));
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		instances[i] = taskacct_counters_find(self->c, own[i].name);
		ASSERT_LE(0, instances[i]);
		before[i] = sum(_metadata, self->c, instances[i]);
	}
	bytes = sum(_metadata, self->c, by_name(self->c, "records.bytes")->instance);
	make_losses(_metadata, &s);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, acct_query_pid(&s, getpid(), &stats));
	ASSERT_EQ(0, taskacct_status(ta, &now));
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		value = sum(_metadata, self->c, instances[i]);
		counted = *(uint64_t *)((char *)&now + own[i].at);
		EXPECT_EQ(counted, (uint64_t)value) TH_LOG("%s", own[i].name);
		if (own[i].moves) {
			EXPECT_LT(before[i], value) TH_LOG("%s", own[i].name);
		}
	}
	EXPECT_EQ(then.queries + 3, now.queries);
	acct_close(&s);
	taskacct_close(ta);
	EXPECT_LT(bytes, sum(_metadata, self->c,
			     by_name(self->c, "records.bytes")->instance));
	EXPECT_STREQ("byte", by_name(self->c, "records.bytes")->unit);
}

/* Nobody else can delete them, the first and the last included. */
TEST_F(counters, own_stay)
{
	static const char *const names[] = {
		"cpu.user", "queries", "users.lost.memory",
	};
	size_t i;

	NEED_COUNTERS();
	EXPECT_EQ(0, taskacct_counters_find(self->c, names[0]));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_EQ(-EPERM, count_del(taskacct_counters_find(self->c,
							     names[i])));
	EXPECT_EQ(0, taskacct_counters_refresh(self->c));
}

TEST_HARNESS_MAIN
