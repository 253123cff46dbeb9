/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a CPU's time went, as the module tells, and whether that can be. Behind
 * the harness, whose macros it has.
 */
#ifndef SELFTESTS_CPUTIME_H
#define SELFTESTS_CPUTIME_H

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <taskacct.h>

#include "test.h"

#define PARAMETER "/sys/module/taskacct/parameters/cputime"
#define STAT "/proc/taskacct/stat"
#define CLASSES TASKACCT_CPU_CLASSES
#define SECOND 1000000000LL

/* The CPU that is looked at most, and goes and comes */
#define CPU 1

static inline int set_mode(const char *mode)
{
	return sys_write(PARAMETER, mode);
}

/* The line of a file that begins with a word */
static inline int file_line(const char *path, const char *word, char *line,
			    size_t size)
{
	const size_t length = strlen(word);
	FILE *file = fopen(path, "re");
	int err = -ENOENT;

	if (!file)
		return -errno;
	while (err && fgets(line, (int)size, file))
		if (!strncmp(line, word, length) && line[length] == ' ')
			err = 0;
	fclose(file);
	return err;
}

static inline int stat_line(const char *word, char *line, size_t size)
{
	return file_line(STAT, word, line, size);
}

static inline int numbers(const char *line, uint64_t *ns)
{
	char *end;
	int i;

	line += strcspn(line, " ");
	for (i = 0; i < CLASSES; i++) {
		ns[i] = strtoull(line, &end, 10);
		if (end == line)
			return i;
		line = end;
	}
	return *line == '\n' ? CLASSES : CLASSES + 1;
}

/* What the kernel itself tells of the first CPU, by ticks, in ns */
static inline int kernel_ns(uint64_t *ns)
{
	char line[512];
	int err, i;

	err = file_line("/proc/stat", "cpu0", line, sizeof(line));
	if (err)
		return err;
	if (numbers(line, ns) != CLASSES)
		return -EBADMSG;
	for (i = 0; i < CLASSES; i++)
		ns[i] *= SECOND / sysconf(_SC_CLK_TCK);
	return 0;
}

static inline int stat_of_cpu(const char *what, unsigned int cpu, uint64_t *of)
{
	char line[512], word[16];
	int err;

	snprintf(word, sizeof(word), "%s%u", what, cpu);
	err = stat_line(word, line, sizeof(line));
	if (err)
		return err;
	return numbers(line, of) == CLASSES ? 0 : -EBADMSG;
}

static inline int stat_ns(unsigned int cpu, uint64_t *ns)
{
	return stat_of_cpu("ns", cpu, ns);
}

static inline int stat_ticks(unsigned int cpu, uint64_t *ticks)
{
	return stat_of_cpu("cpu", cpu, ticks);
}

/* Guests are in user and nice already (D6). */
static inline uint64_t sum_of(const uint64_t *ns)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < TASKACCT_CPU_GUEST; i++)
		sum += ns[i];
	return sum;
}

/**
 * struct reading - where a CPU's time went, and when that was
 * @before: no later than this
 * @after: no earlier than this
 * @ns: time by class
 */
struct reading {
	int64_t before;
	int64_t after;
	uint64_t ns[CLASSES];
};

static inline int read_by_file(struct taskacct_counters *c, unsigned int cpu,
			       struct reading *r)
{
	int err;

	(void)c;
	r->before = sys_now_ns();
	err = stat_ns(cpu, r->ns);
	r->after = sys_now_ns();
	return err;
}

static inline int read_by_map(struct taskacct_counters *c, unsigned int cpu,
			      struct reading *r)
{
	int err;

	r->before = sys_now_ns();
	err = taskacct_counters_cpu_time(c, cpu, r->ns);
	r->after = sys_now_ns();
	return err;
}

/* Time that has passed is between two bounds; so has what was counted to be. */
static inline void expect_complete(struct __test_metadata *_metadata,
				   const struct reading *then,
				   const struct reading *now)
{
	int64_t counted = sum_of(now->ns) - sum_of(then->ns);
	int64_t least = now->before - then->after;
	int64_t most = now->after - then->before;
	int64_t slack = least / 1000;

	EXPECT_LE(least - slack, counted)
		TH_LOG("counted %lld ns of %lld to %lld", (long long)counted,
		       (long long)least, (long long)most);
	EXPECT_GE(most + slack, counted)
		TH_LOG("counted %lld ns of %lld to %lld", (long long)counted,
		       (long long)least, (long long)most);
}

static inline void expect_forwards(struct __test_metadata *_metadata, int cpu,
				   const struct reading *then,
				   const struct reading *now)
{
	int i;

	for (i = 0; i < CLASSES; i++)
		ASSERT_LE(then->ns[i], now->ns[i])
			TH_LOG("CPU %d, class %d", cpu, i);
}

static inline int64_t busy_of(const uint64_t *ns)
{
	return ns[TASKACCT_CPU_USER] + ns[TASKACCT_CPU_NICE] +
	       ns[TASKACCT_CPU_SYSTEM];
}

static inline int64_t interrupts_of(const uint64_t *ns)
{
	return ns[TASKACCT_CPU_IRQ] + ns[TASKACCT_CPU_SOFTIRQ];
}

/* Each class of all CPUs together */
static inline int all_cpus(struct taskacct_counters *c, uint64_t *ns)
{
	uint64_t one[CLASSES];
	int cpu, err, i;

	memset(ns, 0, CLASSES * sizeof(*ns));
	for (cpu = 0; cpu < sys_cpus_online(); cpu++) {
		err = taskacct_counters_cpu_time(c, cpu, one);
		if (err)
			return err;
		for (i = 0; i < CLASSES; i++)
			ns[i] += one[i];
	}
	return 0;
}

static inline int64_t all_interrupts(struct taskacct_counters *c)
{
	uint64_t ns[CLASSES];

	return all_cpus(c, ns) ? 0 : interrupts_of(ns);
}

/* The time that interrupts left; each of them is long where the host is busy. */
static inline uint64_t left_of(const uint64_t *ns)
{
	return sum_of(ns) - interrupts_of(ns);
}

#define ALONE_US 3000000

/* Runs alone on a CPU for so long, and tells where that CPU's time went. */
static inline void run_alone(struct __test_metadata *_metadata,
			     struct taskacct_counters *c, work_fn fn,
			     uint64_t *ns)
{
	struct reading then, now;
	struct work w;
	int i;

	ASSERT_EQ(0, work_start(&w, fn, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, read_by_map(c, CPU, &then));
	usleep(sys_briefly(ALONE_US));
	ASSERT_EQ(0, read_by_map(c, CPU, &now));
	kill(w.pid, SIGKILL);
	work_wait(&w);
	for (i = 0; i < CLASSES; i++)
		ns[i] = now.ns[i] - then.ns[i];
}

/* Without any system call: reading the clock of a thread is one. */
static inline int spin(int fd, void *arg)
{
	volatile unsigned long turns;

	(void)arg;
	work_pin(CPU);
	work_send(fd, 'r');
	for (turns = 0; turns < 1UL << 60; turns++)
		;
	return 0;
}

static inline int spin_nice(int fd, void *arg)
{
	setpriority(PRIO_PROCESS, 0, 10);
	return spin(fd, arg);
}

static inline int64_t switches_of_thread(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Runs until it has been on a CPU for so long for certain: it has not left one from
 * one look at the clock to the next. Whatever a VM's host does is no part of that.
 */
static inline int64_t burn_for_certain(int64_t ns)
{
	int64_t switches, then, now, sum = 0;

	while (sum < ns) {
		switches = switches_of_thread();
		then = sys_now_ns();
		work_burn(SECOND / 1000);
		now = sys_now_ns();
		if (switches_of_thread() == switches)
			sum += now - then;
	}
	return sum;
}

#define THREAD_NS (3 * SECOND / 5)
#define LEADER_NS (3 * SECOND / 10)

/* For how long a thread and the leader of its process ran for certain, in ns */
struct burnt {
	int64_t thread;
	int64_t leader;
};

static inline int burn_in_thread(void *arg)
{
	struct burnt *burnt = arg;

	burnt->thread = burn_for_certain(THREAD_NS);
	work_raw_exit(0);
	return 0;
}

/*
 * A thread that runs and ends, and then its process, each for long compared with
 * what passes at each switch between the scheduler's look at the clock and ours. The
 * thread is waited for until it has gone: it may meet a late hook only then, and
 * where emulated CPUs take turns its CPU might stand still just there for as long as
 * this one is busy. @arg: a struct burnt
 */
static inline int threaded(int fd, void *arg)
{
	struct burnt *burnt = arg;
	void *stack = work_stacks(1);
	pid_t tid;

	tid = work_raw_thread(burn_in_thread, burnt, stack, NULL);
	if (tid < 0)
		return 1;
	while (!tgkill(getpid(), tid, 0))
		usleep(20000);
	burnt->leader = burn_for_certain(LEADER_NS);
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

#endif /* SELFTESTS_CPUTIME_H */
