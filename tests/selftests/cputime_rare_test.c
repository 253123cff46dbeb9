// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU: what happens rarely, made to happen.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <taskacct.h>

#include "foreign_counters.h"
#include "module.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"

FIXTURE(rare) {
	struct taskacct_counters *c;
	bool able;
};

FIXTURE_SETUP(rare)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, module_run("modprobe", "foreign_counters"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
}

FIXTURE_TEARDOWN(rare)
{
	if (!self->able)
		return;
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, set_mode("off"));
	EXPECT_EQ(0, module_run("rmmod", "foreign_counters"));
}

#define NEED_RARE() NEED_LOADED(self->able)

static int become_realtime(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, SCHED_FIFO, &param);
}

/* CPUs begin to count one after the other: this one before CPU */
#define OTHER 0
/* Long enough for a task that waits to wait anew */
#define WAIT_MS "12"
#define WAITED_NS (SECOND * 4 / 100)

/* What keep_cpu() comes to */
enum { KEPT, FAILED, TOO_LATE };

/**
 * struct kept - for keep_cpu()
 * @c: the counters
 * @moved: who has to go to the CPU that is kept
 */
struct kept {
	const struct taskacct_counters *c;
	pid_t moved;
};

/*
 * Waits as for I/O on one CPU, over and over, until it wakes on the other. There
 * it sleeps, or ends.
 */
static int wait_and_move(int fd, void *arg)
{
	const bool *stays = arg;

	if (work_pin(OTHER) || become_realtime(2))
		return 1;
	work_send(fd, 'r');
	do {
		if (sys_write(COUNT_PARAMETERS "wait_io", WAIT_MS))
			return 2;
	} while (sched_getcpu() == OTHER);
	if (*stays)
		work_order(fd);
	return 0;
}

static bool is_counting(const struct taskacct_counters *c, unsigned int cpu)
{
	const int since = taskacct_counters_find(c, "cpu.since");
	int64_t value = 0;

	taskacct_counters_read(c, cpu, since, &value);
	return value;
}

static void keep(int64_t ns)
{
	const int64_t end = sys_now_ns() + ns;

	while (sys_now_ns() < end)
		;
}

/* Where emulated CPUs take turns the next one has its turn now. */
static void relax(void)
{
#ifdef __x86_64__
	asm volatile("pause");
#endif
#ifdef __aarch64__
	asm volatile("yield");
#endif
}

/*
 * Keeps a CPU from being set up when the one before it counts, until a task has
 * gone there that began to wait on the other. The kernel takes 50 ms of each second from
 * a real-time task that never sleeps: what else it has to do here it does then.
 */
static int keep_cpu(int fd, void *arg)
{
	const struct kept *kept = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(CPU, &set);
	if (work_pin(CPU) || become_realtime(1))
		return FAILED;
	work_send(fd, 'r');
	while (!is_counting(kept->c, OTHER))
		relax();
	if (is_counting(kept->c, CPU))
		return TOO_LATE;
	keep(WAITED_NS);
	if (sched_setaffinity(kept->moved, sizeof(set), &set))
		return FAILED;
	keep(WAITED_NS);
	return KEPT;
}

/* Nobody waits for I/O. If anything does nevertheless it is not for ever. */
static void expect_no_iowait(struct __test_metadata *_metadata,
			     struct taskacct_counters *c, unsigned int cpu)
{
	uint64_t then[CLASSES], now[CLASSES], ns;
	int tries = 3;

	do {
		ASSERT_EQ(0, taskacct_counters_cpu_time(c, cpu, then));
		usleep(100000);
		ASSERT_EQ(0, taskacct_counters_cpu_time(c, cpu, now));
		ns = now[TASKACCT_CPU_IOWAIT] - then[TASKACCT_CPU_IOWAIT];
	} while (ns > SECOND / 100 && --tries);
	EXPECT_GE(SECOND / 100, ns);
}

/* Returns whether it was so, or too late */
static bool run_move(struct __test_metadata *_metadata,
		     struct taskacct_counters *c, bool stays)
{
	struct kept kept = { .c = c };
	struct work mover, keeper;
	int status;

	ASSERT_EQ(0, work_pin(OTHER));
	ASSERT_EQ(0, work_start(&mover, wait_and_move, &stays));
	ASSERT_EQ('r', work_hear(&mover));
	kept.moved = mover.pid;
	ASSERT_EQ(0, work_start(&keeper, keep_cpu, &kept));
	ASSERT_EQ('r', work_hear(&keeper));
	ASSERT_EQ(0, set_mode("switch"));
	status = WEXITSTATUS(work_wait(&keeper));
	ASSERT_NE(FAILED, status);
	if (status == TOO_LATE) {
		kill(mover.pid, SIGKILL);
	} else if (stays) {
		work_settle(mover.pid);
		expect_no_iowait(_metadata, c, OTHER);
		work_tell(&mover, 's');
	}
	work_wait(&mover);
	/* It is freed after a grace period. */
	usleep(100000 * sys_slow());
	expect_no_iowait(_metadata, c, OTHER);
	work_pin_any();
	ASSERT_EQ(0, set_mode("off"));
	return status == KEPT;
}

#define MOVES 60

/* R85: while CPUs begin to count one after the other, a task that waits for I/O on one
 * that does wakes on one that does not yet, and sleeps or ends there: the first CPU is
 * not in iowait for ever
 */
TEST_F(rare, waits_end)
{
	int kept[2] = {};
	int i;

	NEED_RARE();
	NEED_CPUS(2);
	for (i = 0; i < MOVES && (kept[0] < 2 || kept[1] < 2); i++)
		kept[i % 2] += run_move(_metadata, self->c, i % 2);
	TH_LOG("%d and %d of %d times", kept[0], kept[1], i);
	EXPECT_LT(0, kept[0]);
	EXPECT_LT(0, kept[1]);
}

/* How often, and for how long, each time with four times of that behind it */
#define SOFTIRQS 200
#define SOFTIRQ_NS (SECOND / 2000)

static int run_softirqs(int fd, void *arg)
{
	char text[16];

	(void)arg;
	snprintf(text, sizeof(text), "%d", SOFTIRQS);
	if (work_pin(CPU) || sys_write(COUNT_PARAMETERS "softirqs", text))
		return 1;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

/*
 * R85: a softirq is where its handler is. On PREEMPT_RT a task can leave the CPU in
 * it, and right behind it, when the kernel has it in a softirq still.
 */
TEST_F(rare, softirqs)
{
	uint64_t then[CLASSES], now[CLASSES];
	struct taskacct_record r;
	struct acct_sock s;
	int64_t softirq;
	struct work w;

	NEED_RARE();
	NEED_CPUS(2);
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, taskacct_counters_cpu_time(self->c, CPU, then));
	ASSERT_EQ(0, work_start(&w, run_softirqs, NULL));
	ASSERT_EQ('r', work_hear(&w));
	work_settle(w.pid);
	ASSERT_EQ(0, taskacct_counters_cpu_time(self->c, CPU, now));
	ASSERT_EQ(0, ext_query_task(&s, w.pid, &r));
	softirq = now[TASKACCT_CPU_SOFTIRQ] - then[TASKACCT_CPU_SOFTIRQ];
	TH_LOG("on_cpu %lld us, softirq %lld us", (long long)r.on_cpu / 1000,
	       (long long)softirq / 1000);
	EXPECT_LE(SOFTIRQS * SOFTIRQ_NS * 9 / 10, softirq);
	EXPECT_LT(softirq, (int64_t)r.on_cpu);
	EXPECT_LT(SOFTIRQS * SOFTIRQ_NS * 4 * 7 / 10, (int64_t)r.on_cpu);
	work_tell(&w, 's');
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&s);
}

/* What children in time namespaces find */
enum { RIGHT, NO_NAMESPACES, NO_NAMESPACE, NO_COUNTERS, NO_READING, WRONG };

/* Both ways to read tell the same. */
static int compare(void)
{
	struct taskacct_counters *c;
	struct reading a, b, d;
	int i, j, err = RIGHT;

	if (taskacct_counters_open(&c))
		return NO_COUNTERS;
	for (i = 0; i < 20 && !err; i++) {
		if (read_by_map(c, 0, &a) || read_by_file(c, 0, &b) ||
		    read_by_map(c, 0, &d))
			err = NO_READING;
		for (j = 0; j < TASKACCT_CPU_GUEST && !err; j++)
			if (a.ns[j] > b.ns[j] || b.ns[j] > d.ns[j])
				err = WRONG;
	}
	taskacct_counters_close(c);
	return err;
}

/* Where the clock cannot be known nothing is reported that needs it. */
static int refuse(void)
{
	struct taskacct_counters *c;
	uint64_t ns[CLASSES];
	int64_t value;
	int err = RIGHT;

	if (taskacct_counters_open(&c))
		return NO_COUNTERS;
	if (taskacct_counters_read(c, 0, 0, &value))
		err = NO_READING;
	if (taskacct_counters_cpu_time(c, 0, ns) != -EOPNOTSUPP)
		err = WRONG;
	taskacct_counters_close(c);
	return err;
}

static int compare_inside(void)
{
	int err = compare();

	/* A namespace for children, beside one's own */
	if (!err)
		err = unshare(CLONE_NEWTIME) ? NO_NAMESPACE : refuse();
	return err;
}

static int refuse_without_proc(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		return NO_NAMESPACE;
	return refuse();
}

static int in_child(int (*fn)(void))
{
	const pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(fn());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

static int with_offset(int fd, void *arg)
{
	int err;

	(void)fd;
	if (unshare(CLONE_NEWTIME))
		return errno == EINVAL ? NO_NAMESPACES : NO_NAMESPACE;
	if (sys_write("/proc/self/timens_offsets", arg))
		return NO_NAMESPACE;
	/* Only its children are there. */
	err = compare();
	err = err ? err : in_child(compare_inside);
	return err ? err : in_child(refuse_without_proc);
}

/* R101: in time namespaces a day ahead and half a second behind the map has what the
 * file has. Where the library cannot know the clock it says so, and counters are read
 * as ever.
 */
TEST_F(rare, time_namespace)
{
	static const char *const offsets[] = {
		"monotonic 86400 0", "monotonic -1 500000000",
	};
	struct work w;
	int i, status;

	NEED_RARE();
	ASSERT_EQ(0, set_mode("switch"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, work_start(&w, with_offset, (void *)offsets[i]));
		status = WEXITSTATUS(work_wait(&w));
		if (status == NO_NAMESPACES)
			SKIP(return, "the kernel has no time namespaces");
		EXPECT_EQ(RIGHT, status)
			TH_LOG("%s", offsets[i]);
	}
}

TEST_HARNESS_MAIN
