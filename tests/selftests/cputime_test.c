// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU: complete, exact, never backwards, whatever goes on.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "foreign_counters.h"
#include "module.h"
#include "run.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"
#include "lines.h"

/* How long a load lasts; the promise is about ten seconds. */
#define LOAD_SECONDS 10

FIXTURE(cputime) {
	struct taskacct_counters *c;
	bool able;
};

FIXTURE_SETUP(cputime)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
}

FIXTURE_TEARDOWN(cputime)
{
	if (!self->able)
		return;
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, set_mode("off"));
}

#define NEED_CPUTIME() NEED_LOADED(self->able)

static int sum_by_name(struct taskacct_counters *c, const char *name,
		       int64_t *value)
{
	const int instance = taskacct_counters_find(c, name);

	return instance < 0 ? instance :
			      taskacct_counters_sum(c, instance, value);
}

/* R96: what tells of the mode, and that nothing is counted without one */
TEST_F(cputime, modes)
{
	static const char *const modes[] = { "full", "switch", "off" };
	uint64_t then[CLASSES], now[CLASSES];
	char line[64];
	size_t i;

	NEED_CPUTIME();
	EXPECT_EQ(-EINVAL, set_mode("native"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, set_mode(modes[i]));
		EXPECT_TRUE(sys_file_has(PARAMETER, modes[i]));
		ASSERT_EQ(0, stat_line("mode", line, sizeof(line)));
		EXPECT_NE(NULL, strstr(line, modes[i]));
	}
	ASSERT_EQ(0, stat_ns(0, then));
	usleep(50000);
	ASSERT_EQ(0, stat_ns(0, now));
	EXPECT_EQ(sum_of(then), sum_of(now));
}

/* The line of what was read that begins with a word */
static const char *line_in(const char *text, const char *word)
{
	const size_t length = strlen(word);

	while (text && (strncmp(text, word, length) || text[length] != ' ')) {
		text = strchr(text, '\n');
		text += !!text;
	}
	return text;
}

static void expect_kernel(struct __test_metadata *_metadata, const char *line)
{
	char kind[16], ticks[16];

	ASSERT_NE(NULL, line);
	ASSERT_EQ(2, sscanf(line, "%*s %15s %15s", kind, ticks));
	EXPECT_TRUE(!strcmp(ticks, "nohz") || !strcmp(ticks, "nohz_full") ||
		    !strcmp(ticks, "periodic"));
	EXPECT_TRUE(!strcmp(kind, "tick") || !strcmp(kind, "generic") ||
		    !strcmp(kind, "native"));
}

/* R92 R95 R97 R102: lines are as in /proc/stat, the total is their sum, and how the
 * kernel counts is reported for each CPU, and of interrupts for all
 */
TEST_F(cputime, format)
{
	uint64_t total[CLASSES], ns[CLASSES], sum = 0;
	char text[8192], word[32];
	const char *line;
	int cpu;

	NEED_CPUTIME();
	sleep(1);
	/* All of it at one time, as a machine under load stands still between two */
	ASSERT_LT(0, sys_read(STAT, text, sizeof(text)));
	line = line_in(text, "cpu");
	ASSERT_NE(NULL, line);
	EXPECT_EQ(0, strncmp(line, "cpu  ", 5));
	EXPECT_EQ(CLASSES, numbers(line, total));
	for (cpu = 0; cpu < sys_cpus_online(); cpu++) {
		snprintf(word, sizeof(word), "cpu%d", cpu);
		line = line_in(text, word);
		ASSERT_NE(NULL, line);
		EXPECT_EQ(CLASSES, numbers(line, ns));
		sum += sum_of(ns);
		snprintf(word, sizeof(word), "kernel%d", cpu);
		expect_kernel(_metadata, line_in(text, word));
	}
	/* Each class is rounded down. */
	EXPECT_LE(sum_of(total), sum + 20);
	EXPECT_GE(sum_of(total) + 20, sum);
	line = line_in(text, "irqtime");
	ASSERT_NE(NULL, line);
	EXPECT_TRUE(!strncmp(line, "irqtime sampled\n", 16) ||
		    !strncmp(line, "irqtime measured\n", 17));
	line = line_in(text, "switches");
	ASSERT_NE(NULL, line);
	EXPECT_LT(0, atoll(line + 9));
}

/* Work of all kinds until told to stop */
static int mixed(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	unsigned int i;

	(void)arg;
	work_send(fd, 'r');
	for (i = 0; poll(&pfd, 1, 0) == 0; i++) {
		work_burn(3000000);
		work_switch(5);
		work_read(20, 65536);
		work_fault(16);
		if (i % 4 == 0)
			work_exit_process(0);
		usleep(1000 * (i % 5));
	}
	return 0;
}

#define LOADS 3

static void start_loads(struct __test_metadata *_metadata, struct work *w)
{
	int i;

	for (i = 0; i < LOADS; i++) {
		ASSERT_EQ(0, work_start(&w[i], mixed, NULL));
		ASSERT_EQ('r', work_hear(&w[i]));
	}
}

static void end_loads(struct __test_metadata *_metadata, struct work *w)
{
	int i;

	for (i = 0; i < LOADS; i++) {
		work_tell(&w[i], 's');
		EXPECT_EQ(0, work_wait(&w[i]));
	}
}

/* R92: what a CPU's line has in ticks its line in ns has, class by class, and a
 * second is as many ticks as it should be
 */
TEST_F(cputime, ticks)
{
	const long hz = sysconf(_SC_CLK_TCK);
	const int cpus = sys_cpus_online();
	uint64_t then[cpus][CLASSES], ticks[CLASSES];
	uint64_t before[CLASSES], after[CLASSES];
	struct work w[LOADS];
	int cpu, i;

	NEED_CPUTIME();
	for (cpu = 0; cpu < cpus; cpu++)
		ASSERT_EQ(0, stat_ticks(cpu, then[cpu]));
	start_loads(_metadata, w);
	sleep(1);
	end_loads(_metadata, w);
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, stat_ns(cpu, before));
		ASSERT_EQ(0, stat_ticks(cpu, ticks));
		ASSERT_EQ(0, stat_ns(cpu, after));
		for (i = 0; i < CLASSES; i++) {
			EXPECT_LE(before[i] / (SECOND / hz), ticks[i])
				TH_LOG("CPU %d, class %d", cpu, i);
			EXPECT_GE(after[i] / (SECOND / hz), ticks[i])
				TH_LOG("CPU %d, class %d", cpu, i);
		}
		EXPECT_LE(sum_of(then[cpu]) + hz * 9 / 10, sum_of(ticks));
	}
}

#define SOME 10
#define SOME_EXEC 5

/* R41: tasks that are made, programs that are started, and tasks that end */
TEST_F(cputime, tasks)
{
	static const char *const names[] = {
		"tasks.forks", "tasks.execs", "tasks.exits",
	};
	const char *const argv[] = { "true", NULL };
	int64_t then[3], now[3];
	int i;

	NEED_CPUTIME();
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, sum_by_name(self->c, names[i], &then[i]));
	for (i = 0; i < SOME - SOME_EXEC; i++)
		work_exit_process(0);
	for (i = 0; i < SOME_EXEC; i++)
		ASSERT_EQ(0, sys_run(argv));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, sum_by_name(self->c, names[i], &now[i]));
		now[i] -= then[i];
	}
	EXPECT_LE(SOME, now[0]);
	EXPECT_LE(SOME_EXEC, now[1]);
	EXPECT_LE(SOME, now[2]);
	EXPECT_LT(now[1], now[0]);
	EXPECT_LT(now[1], now[2]);
}

typedef int (*read_fn)(struct taskacct_counters *c, unsigned int cpu,
		       struct reading *r);

static const read_fn readers[] = { read_by_file, read_by_map };

static void run_mixed(struct __test_metadata *_metadata,
		      struct taskacct_counters *c)
{
	const int cpus = sys_cpus_online();
	struct reading first[2][cpus], last[2][cpus], now;
	int64_t end;
	struct work w[LOADS];
	long n = 0;
	int cpu, i;

	start_loads(_metadata, w);
	for (i = 0; i < 2; i++)
		for (cpu = 0; cpu < cpus; cpu++) {
			ASSERT_EQ(0, readers[i](c, cpu, &first[i][cpu]));
			last[i][cpu] = first[i][cpu];
		}
	end = sys_now_ns() + sys_briefly(LOAD_SECONDS) * SECOND;
	while (sys_now_ns() < end) {
		i = n % 2;
		cpu = n / 2 % cpus;
		ASSERT_EQ(0, readers[i](c, cpu, &now));
		expect_forwards(_metadata, cpu, &last[i][cpu], &now);
		/* At any moment: the first second has too few ns for 0.1 %. */
		if (now.before > first[i][cpu].after + SECOND)
			expect_complete(_metadata, &first[i][cpu], &now);
		last[i][cpu] = now;
		n++;
	}
	end_loads(_metadata, w);
	TH_LOG("%ld readings", n);
	for (cpu = 0; cpu < cpus; cpu++)
		TH_LOG("CPU %d: user %llu, system %llu, idle %llu, iowait %llu, irq %llu, softirq %llu us",
		       cpu,
		       (unsigned long long)last[0][cpu].ns[0] / 1000,
		       (unsigned long long)last[0][cpu].ns[2] / 1000,
		       (unsigned long long)last[0][cpu].ns[3] / 1000,
		       (unsigned long long)last[0][cpu].ns[4] / 1000,
		       (unsigned long long)last[0][cpu].ns[5] / 1000,
		       (unsigned long long)last[0][cpu].ns[6] / 1000);
	EXPECT_LT(last[0][0].ns[TASKACCT_CPU_IRQ] +
			  last[0][0].ns[TASKACCT_CPU_SOFTIRQ],
		  last[0][0].ns[TASKACCT_CPU_USER] +
		  last[0][0].ns[TASKACCT_CPU_SYSTEM]);
	EXPECT_LT(0, last[0][0].ns[TASKACCT_CPU_IRQ]);
	EXPECT_LT(0, last[0][0].ns[TASKACCT_CPU_SOFTIRQ]);
}

/* R94 R98 R100 R101: in ten seconds of mixed load, read by file and by map all the
 * time, no class ever goes back, and at any moment they add up to what has passed
 * within 0.1 %
 */
TEST_F(cputime, complete_by_switch)
{
	NEED_CPUTIME();
	run_mixed(_metadata, self->c);
}

/* R94 R98 R100 R101: the same in mode full */
TEST_F(cputime, complete_by_system_call)
{
	NEED_CPUTIME();
	ASSERT_EQ(0, set_mode("full"));
	run_mixed(_metadata, self->c);
}

/* Both ways to read tell the same */
TEST_F(cputime, map_is_file)
{
	struct reading a, b, c;
	int i, j;

	NEED_CPUTIME();
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, read_by_map(self->c, 0, &a));
		ASSERT_EQ(0, read_by_file(self->c, 0, &b));
		ASSERT_EQ(0, read_by_map(self->c, 0, &c));
		for (j = 0; j < TASKACCT_CPU_GUEST; j++) {
			EXPECT_LE(a.ns[j], b.ns[j]);
			EXPECT_LE(b.ns[j], c.ns[j]);
		}
	}
}

/* On a host with much else to do, a few in turn are disturbed. */
#define TRIES 10

/* So many tenths of a load's time, at least, are of its class. What others do on the CPU
 * takes from that now and then, and so does a CPU of the VM that stands still; time in
 * a wrong class would be there each time.
 */
static void run_mostly_as(struct __test_metadata *_metadata,
			  struct taskacct_counters *c, work_fn load, int class,
			  unsigned int tenths, uint64_t *ns)
{
	int tries = TRIES;

	do {
		run_alone(_metadata, c, load, ns);
	} while (ns[class] <= left_of(ns) * tenths / 10 && --tries);
	EXPECT_LT(left_of(ns) * tenths / 10, ns[class])
		TH_LOG("user %llu, nice %llu, system %llu, idle %llu",
		       (unsigned long long)ns[TASKACCT_CPU_USER],
		       (unsigned long long)ns[TASKACCT_CPU_NICE],
		       (unsigned long long)ns[TASKACCT_CPU_SYSTEM],
		       (unsigned long long)ns[TASKACCT_CPU_IDLE]);
}

static int call(int fd, void *arg)
{
	(void)arg;
	work_pin(CPU);
	work_send(fd, 'r');
	work_read(10000000, 1 << 20);
	return 0;
}

/* R85, R89, R90, R96: each kind of work is found in its class */
TEST_F(cputime, classes)
{
	static const char *const modes[] = { "switch", "full" };
	uint64_t ns[CLASSES];
	int i;

	NEED_CPUTIME();
	NEED_CPUS(2);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, set_mode(modes[i]));
		run_mostly_as(_metadata, self->c, spin, TASKACCT_CPU_USER, 9, ns);
		EXPECT_EQ(0, ns[TASKACCT_CPU_NICE]);
		run_mostly_as(_metadata, self->c, spin_nice, TASKACCT_CPU_NICE,
			      9, ns);
		EXPECT_LT(interrupts_of(ns), left_of(ns));
		run_mostly_as(_metadata, self->c, call, TASKACCT_CPU_SYSTEM, 6, ns);
		run_alone(_metadata, self->c, work_stand_still, ns);
		EXPECT_LT(left_of(ns) * 7 / 10, ns[TASKACCT_CPU_IDLE] +
						ns[TASKACCT_CPU_IOWAIT]);
	}
}

/* Without system calls but for one now and then, to see the time */
static void in_user_mode(int64_t end)
{
	volatile unsigned int turns;

	while (sys_now_ns() < end)
		for (turns = 0; turns < 1000000; turns++)
			;
}

static void in_kernel(int64_t end)
{
	while (sys_now_ns() < end)
		work_read(1, 1 << 20);
}

/* How long the first phase of a load lasts, so that it would count */
#define PHASE_MS 2000

/* One phase for some time, and the other from then on */
static int in_phases(int fd, void (*first)(int64_t end),
		     void (*then)(int64_t end))
{
	work_pin(CPU);
	first(sys_now_ns() + sys_briefly(PHASE_MS) * (SECOND / 1000));
	work_send(fd, 'r');
	then(INT64_MAX);
	return 0;
}

static int into_kernel(int fd, void *arg)
{
	(void)arg;
	return in_phases(fd, in_user_mode, in_kernel);
}

static int out_of_kernel(int fd, void *arg)
{
	(void)arg;
	return in_phases(fd, in_kernel, in_user_mode);
}

/* R85 R96: in mode switch a task that enters the kernel after seconds in user mode, or
 * leaves it after seconds there, is found in its present class
 */
TEST_F(cputime, goes_with_the_task)
{
	uint64_t ns[CLASSES];

	NEED_CPUTIME();
	NEED_CPUS(2);
	run_mostly_as(_metadata, self->c, into_kernel, TASKACCT_CPU_SYSTEM, 6, ns);
	run_mostly_as(_metadata, self->c, out_of_kernel, TASKACCT_CPU_USER, 8, ns);
}

/* For so long tasks follow each other that live for a millisecond or so */
#define BRIEFLY_NS SECOND

/* What they share with who starts them: for how long all of them did what they are for */
static struct {
	int64_t ns;
	int zero;
} briefly;

static int briefly_in_user_mode(void *arg)
{
	const int64_t begin = sys_now_ns();
	volatile unsigned int turns;

	(void)arg;
	for (turns = 0; turns < 200000; turns++)
		;
	briefly.ns += sys_now_ns() - begin;
	work_raw_exit(0);
	return 0;
}

static int briefly_in_kernel(void *arg)
{
	const int64_t begin = sys_now_ns();
	static char buffer[1 << 20];

	(void)arg;
	if (read(briefly.zero, buffer, sizeof(buffer)) == sizeof(buffer))
		briefly.ns += sys_now_ns() - begin;
	work_raw_exit(0);
	return 0;
}

/* How much is found in a class while such tasks run */
static int64_t run_briefly(struct __test_metadata *_metadata,
			   struct taskacct_counters *c, work_thread_fn fn, int class)
{
	const int64_t end = sys_now_ns() + BRIEFLY_NS;
	static void *stack;
	struct reading then, now;
	pid_t pid;

	if (!stack)
		stack = work_stacks(1);
	briefly.ns = 0;
	EXPECT_EQ(0, read_by_map(c, CPU, &then));
	while (sys_now_ns() < end) {
		pid = work_raw_process(fn, NULL, stack);
		EXPECT_TRUE(pid > 0 && waitpid(pid, NULL, 0) == pid);
	}
	EXPECT_EQ(0, read_by_map(c, CPU, &now));
	return now.ns[class] - then.ns[class];
}

/* Of what such tasks are in a class most is found there. */
static void expect_briefly(struct __test_metadata *_metadata,
			   struct taskacct_counters *c, const char *mode,
			   work_thread_fn fn, int class)
{
	int tries = 3;
	int64_t found;

	do {
		/* Nothing is known then of what others had. */
		ASSERT_EQ(0, set_mode("off"));
		ASSERT_EQ(0, set_mode(mode));
		found = run_briefly(_metadata, c, fn, class);
	} while (found < briefly.ns / 2 && --tries);
	EXPECT_LT(0, briefly.ns);
	EXPECT_LE(briefly.ns / 2, found) TH_LOG("mode %s, class %d", mode, class);
}

/* R89, R94, R96: of tasks that end before their first sample, or before anything tells that
 * they have got to user mode, each is found in its class
 */
TEST_F(cputime, brief_tasks)
{
	static const char *const modes[] = { "switch", "full" };
	int i;

	NEED_CPUTIME();
	NEED_CPUS(2);
	ASSERT_EQ(0, work_pin(CPU));
	briefly.zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, briefly.zero);
	for (i = 0; i < 2; i++) {
		expect_briefly(_metadata, self->c, modes[i], briefly_in_user_mode,
			       TASKACCT_CPU_USER);
		expect_briefly(_metadata, self->c, modes[i], briefly_in_kernel,
			       TASKACCT_CPU_SYSTEM);
	}
	close(briefly.zero);
}

#define WAIT_MS "12"
#define WAIT_NS 12000000

/* How often it has waited, shared with who does */
static uint64_t *waits;

/*
 * On a CPU that has nothing else to do. It runs for less than from one tick to the next,
 * at which the split would be made anew.
 */
static int wait_for_io(int fd, void *arg)
{
	(void)arg;
	work_pin(CPU);
	work_send(fd, 'r');
	while (!sys_write(COUNT_PARAMETERS "wait_io", WAIT_MS)) {
		__atomic_add_fetch(waits, 1, __ATOMIC_RELAXED);
		work_burn(3000000);
	}
	return 1;
}

/* R85, R88, R91: a CPU is idle, and somebody who slept there waits for I/O */
TEST_F(cputime, waits_for_io)
{
	uint64_t ns[CLASSES];

	NEED_CPUTIME();
	NEED_CPUS(2);
	waits = mmap(NULL, sizeof(*waits), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, waits);
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	run_alone(_metadata, self->c, work_stand_still, ns);
	EXPECT_GT(left_of(ns) / 10, ns[TASKACCT_CPU_IOWAIT]);
	run_alone(_metadata, self->c, wait_for_io, ns);
	/* How often depends on what the rest takes, but for the first and the last. */
	ASSERT_LT(4, *waits);
	EXPECT_LT((*waits - 2) * WAIT_NS * 8 / 10, ns[TASKACCT_CPU_IOWAIT])
		TH_LOG("%llu times", (unsigned long long)*waits);
	EXPECT_GT(left_of(ns) / 10, ns[TASKACCT_CPU_IDLE]);
	/* What it does then is split as ever. */
	EXPECT_GT(left_of(ns) / 2, ns[TASKACCT_CPU_USER]);
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
	munmap(waits, sizeof(*waits));
}

/* As one that runs a guest, which it does inside of a system call */
static int call_of_guest(int fd, void *arg)
{
	/* A hundred hours */
	if (sys_write(COUNT_PARAMETERS "guest", "360000000000000"))
		return 1;
	return call(fd, arg);
}

/* R85, R90: guests are in user mode, where system calls are measured, too */
TEST_F(cputime, runs_guest)
{
	uint64_t ns[CLASSES];

	NEED_CPUTIME();
	NEED_CPUS(2);
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	ASSERT_EQ(0, set_mode("full"));
	run_mostly_as(_metadata, self->c, call_of_guest, TASKACCT_CPU_USER, 9, ns);
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

#define TIMES_AWAY 5

/*
 * A CPU that is away has no line, no time passes there, and none is lost. The mode changes
 * while it is away, so that it goes in one and comes back in the other.
 */
TEST_F(cputime, hotplug)
{
	static const char *const modes[] = { "full", "switch" };
	const int times = sys_quick(TIMES_AWAY);
	struct reading gone, now, back;
	struct work w[LOADS];
	char line[512];
	int i;

	NEED_CPUTIME();
	NEED_CPUS(2);
	start_loads(_metadata, w);
	for (i = 0; i < times; i++) {
		ASSERT_EQ(0, sys_cpu_set(CPU, false));
		EXPECT_EQ(-ENOENT, stat_line("cpu1", line, sizeof(line)));
		ASSERT_EQ(0, read_by_map(self->c, CPU, &gone));
		usleep(100000);
		ASSERT_EQ(0, read_by_map(self->c, CPU, &now));
		EXPECT_EQ(sum_of(gone.ns), sum_of(now.ns));
		ASSERT_EQ(0, set_mode(modes[i % 2]));
		ASSERT_EQ(0, sys_cpu_set(CPU, true));
		EXPECT_EQ(0, stat_line("cpu1", line, sizeof(line)));
		ASSERT_EQ(0, read_by_map(self->c, CPU, &back));
		expect_forwards(_metadata, CPU, &gone, &back);
		usleep(500000);
		ASSERT_EQ(0, read_by_map(self->c, CPU, &now));
		expect_forwards(_metadata, CPU, &back, &now);
		expect_complete(_metadata, &back, &now);
	}
	end_loads(_metadata, w);
}

/* R93: taskacct cpu: a table that a terminal has room for, and off says so */
TEST_F(cputime, table)
{
	struct run r;

	NEED_CPUTIME();
	run_verb(&r, "cpu", "-d", "200ms", "-n", "2");
	expect_status(_metadata, &r, EXIT_DONE);
	EXPECT_NE(NULL, strstr(r.out, "taskacct"));
	EXPECT_NE(NULL, strstr(r.out, "kernel"));
	EXPECT_NE(NULL, strstr(r.out, "SOFT"));
	EXPECT_GT(80, longest_line(r.out));
	/* A header each, and two lines a CPU */
	EXPECT_LE(1 + 2 * 2 * sys_cpus_online(), run_lines(r.out));
	run_free(&r);
	ASSERT_EQ(0, set_mode("off"));
	run_verb(&r, "cpu", "-n", "1");
	expect_status(_metadata, &r, EXIT_REFUSED);
	expect_words(_metadata, &r, "parameters/cputime");
	run_free(&r);
	run_verb(&r, "cpu", "-d", "never");
	expect_status(_metadata, &r, EXIT_USAGE);
	run_free(&r);
}

/* How often the module's file is read: the first time for the mode alone */
#define READINGS 3

/* A FIFO for each reading, in a directory of their own, and one that nobody reads */
struct fifos {
	char dir[32];
	int next;
};

static void fifo_path(const struct fifos *f, int i, char *path, size_t size)
{
	snprintf(path, size, "%s/%d", f->dir, i);
}

/* Who opens the module's file from now on opens FIFO @i. */
static int place_fifo(const struct fifos *f, int i)
{
	char path[64];

	fifo_path(f, i, path, sizeof(path));
	return mount(path, STAT, NULL, MS_BIND, NULL) ? -errno : 0;
}

static void make_fifos(struct __test_metadata *_metadata, struct fifos *f)
{
	char path[64];
	int i;

	f->next = 0;
	strcpy(f->dir, "/tmp/told.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(f->dir));
	for (i = 0; i <= READINGS; i++) {
		fifo_path(f, i, path, sizeof(path));
		ASSERT_EQ(0, mkfifo(path, 0600));
	}
	ASSERT_EQ(0, place_fifo(f, 0));
}

static bool has_ended(const struct run *r)
{
	siginfo_t info = { .si_pid = 0 };

	waitid(P_PID, r->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	return info.si_pid;
}

/* A FIFO can be opened to write without waiting as soon as it has a reader. */
static int open_for_reader(const struct fifos *f, const struct run *r)
{
	char path[64];
	int fd;

	fifo_path(f, f->next, path, sizeof(path));
	do {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			usleep(1000);
	} while (fd < 0 && errno == ENXIO && !has_ended(r));
	return fd;
}

/*
 * Give the next reading to run @r. It reads its FIFO to the end, which does not
 * come before the file behind this one is in its place. A run that ends early
 * fails the test and is not waited for.
 */
static void give(struct __test_metadata *_metadata, struct fifos *f,
		 const struct run *r, const uint64_t *ns)
{
	const int fd = open_for_reader(f, r);
	int i;

	ASSERT_LE(0, fd) TH_LOG("reading %d was not asked for", f->next);
	ASSERT_EQ(0, place_fifo(f, ++f->next));
	dprintf(fd, "mode switch\nns0");
	for (i = 0; i < CLASSES; i++)
		dprintf(fd, " %llu", (unsigned long long)ns[i]);
	dprintf(fd, "\n");
	close(fd);
}

/* Have run @r, which has begun, read all of them, and wait for its end. */
static void give_all(struct __test_metadata *_metadata, struct fifos *f,
		     struct run *r, uint64_t (*readings)[CLASSES])
{
	int i;

	for (i = 0; i < READINGS; i++)
		give(_metadata, f, r, readings[i]);
	run_finish(r);
	expect_status(_metadata, r, EXIT_DONE);
}

/* R93 D6: of two readings that are known, taskacct cpu has each class to the ns in
 * JSON, guests but once, and in the table its share of all
 */
TEST_F(cputime, reported_exactly)
{
	static const struct {
		const char *key;
		uint64_t share;
	} classes[CLASSES] = {
		{ "user", 100 }, { "nice", 150 }, { "system", 110 },
		{ "idle", 140 }, { "iowait", 55 }, { "irq", 37 },
		{ "softirq", 28 }, { "steal", 30 }, { "guest", 300 },
		{ "guest_nice", 50 },
	};
	static const char shares[] =
		" 10.0  15.0  11.0  14.0   5.5   3.7   2.8   3.0  30.0   5.0\n";
	uint64_t readings[READINGS][CLASSES];
	struct fifos fifos;
	struct lines l;
	struct run r;
	int i;

	NEED_CPUTIME();
	for (i = 0; i < CLASSES; i++) {
		readings[0][i] = (i + 1) * SECOND;
		readings[1][i] = (i + 1) * SECOND;
		readings[2][i] = (i + 1) * SECOND + classes[i].share * 1000001;
	}
	readings[2][TASKACCT_CPU_USER] += 300 * 1000001;
	readings[2][TASKACCT_CPU_NICE] += 50 * 1000001;
	/* For this test alone */
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));

	make_fifos(_metadata, &fifos);
	begin_verb(&r, "cpu", "-d", "100ms", "-n", "1", "--json");
	give_all(_metadata, &fifos, &r, readings);
	parse(_metadata, r.out, &l);
	ASSERT_EQ(2, l.n);
	for (i = 0; i < CLASSES; i++) {
		EXPECT_EQ((int64_t)classes[i].share * 1000001,
			  number(l.v[0], classes[i].key))
			TH_LOG("%s", classes[i].key);
	}
	forget(&l);
	run_free(&r);

	make_fifos(_metadata, &fifos);
	begin_verb(&r, "cpu", "-d", "100ms", "-n", "1");
	give_all(_metadata, &fifos, &r, readings);
	EXPECT_NE(NULL, strstr(r.out, shares)) TH_LOG("%s", r.out);
	run_free(&r);
}

/* R96: modes change while tasks run: nothing is lost or counted twice */
TEST_F(cputime, changes)
{
	static const char *const modes[] = { "full", "switch" };
	struct reading then, now;
	struct work w[LOADS];
	int i;

	NEED_CPUTIME();
	start_loads(_metadata, w);
	ASSERT_EQ(0, read_by_map(self->c, 0, &then));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, set_mode(modes[i % 2]));
		usleep(50000);
		ASSERT_EQ(0, read_by_map(self->c, 0, &now));
		expect_forwards(_metadata, 0, &then, &now);
	}
	expect_complete(_metadata, &then, &now);
	/*
	 * Each time __schedule() is patched while it runs. An emulated CPU may
	 * go on with the int3 that was there in between, for QEMU can translate
	 * it just before it is overwritten: no more often than it takes.
	 */
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, set_mode("off"));
		ASSERT_EQ(0, set_mode(modes[i % 2]));
	}
	end_loads(_metadata, w);
}

static struct burnt *share_burnt(void)
{
	void *p = mmap(NULL, sizeof(struct burnt), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/*
 * It ran for so long at least, interrupts apart, and for no longer than tasks were on
 * CPUs meanwhile. tick_test compares it with the scheduler's figure.
 */
static void expect_within(struct __test_metadata *_metadata, int64_t on_cpu,
			  int64_t certain, const uint64_t *cpus)
{
	EXPECT_LE(certain, on_cpu + interrupts_of(cpus))
		TH_LOG("%lld us for certain, %lld on a CPU, %lld of interrupts",
		       (long long)certain / 1000, (long long)on_cpu / 1000,
		       (long long)interrupts_of(cpus) / 1000);
	EXPECT_GE(busy_of(cpus), on_cpu);
}

/* R86: on_cpu of a task, and of a process with a dead thread, is at least as long as
 * they ran for certain, interrupts apart, and no longer than tasks were on CPUs
 */
TEST_F(cputime, records)
{
	const uint64_t bit = 1ULL << TASKACCT_HAS_ON_CPU;
	struct taskacct_record task, process, again;
	struct burnt *burnt = share_burnt();
	uint64_t then[CLASSES], cpus[CLASSES];
	struct acct_sock s;
	struct work w;
	int i;

	NEED_CPUTIME();
	NEED_TASKACCT();
	ASSERT_NE(NULL, burnt);
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, all_cpus(self->c, then));
	ASSERT_EQ(0, work_start(&w, threaded, burnt));
	ASSERT_EQ('r', work_hear(&w));
	work_settle(w.pid);
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &task));
	ASSERT_EQ(0, ext_query_process(&s, w.pid, &process));
	ASSERT_EQ(0, all_cpus(self->c, cpus));
	for (i = 0; i < CLASSES; i++)
		cpus[i] -= then[i];
	EXPECT_EQ(bit, task.valid & bit);
	EXPECT_EQ(bit, process.valid & bit);
	EXPECT_LE(LEADER_NS, burnt->leader);
	EXPECT_LE(THREAD_NS, burnt->thread);
	expect_within(_metadata, task.on_cpu, burnt->leader, cpus);
	expect_within(_metadata, process.on_cpu,
		      burnt->leader + burnt->thread, cpus);
	expect_within(_metadata, process.on_cpu - task.on_cpu, burnt->thread,
		      cpus);
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &again));
	EXPECT_EQ(task.on_cpu, again.on_cpu);

	/* What began before it is late, and off says so. */
	ASSERT_EQ(0, set_mode("off"));
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &task));
	EXPECT_EQ(bit, task.off & bit);
	EXPECT_EQ(0, task.on_cpu);
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &task));
	EXPECT_EQ(bit, task.late & bit);
	EXPECT_EQ(0, task.on_cpu);
	work_tell(&w, 's');
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&s);
}

/* R101: a task that runs is asked about, over and over, from another CPU */
TEST_F(cputime, task_goes_on)
{
	struct taskacct_record then, now;
	struct acct_sock s;
	struct work w;
	int64_t end;
	long n;

	NEED_CPUTIME();
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, work_start(&w, mixed, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &then));
	end = sys_now_ns() + 3 * SECOND;
	for (n = 0; sys_now_ns() < end; n++) {
		ASSERT_EQ(0, ext_query_task(&s, w.pid, &now));
		ASSERT_LE(then.on_cpu, now.on_cpu);
		then = now;
	}
	EXPECT_LT(SECOND / 10, now.on_cpu);
	TH_LOG("%ld queries", n);
	work_tell(&w, 's');
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&s);
}

TEST_HARNESS_MAIN
