// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine has no memory left and the kernel kills whoever has most of it: the
 * victims have their records, and the module lives.
 *
 * The kernel shows where it was when it killed, which reads like a fault of its own;
 * meanwhile only errors go to the console. What the runner looks for besides (taint,
 * lockdep) is not lost by that.
 */
#include <linux/acct.h>
#include <sched.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "extended.h"
#include "test.h"

#define RCVBUF (8 << 20)
#define ROUNDS 4
#define THREADS 8
/* What is left for the victims when the test has taken its part */
#define LEFT_KIB (64 << 10)
#define CHUNK (1 << 20)

/* Of syslog(2): to read all that the kernel has kept */
#define SYSLOG_ACTION_READ_ALL 3

#define SCORE "/proc/self/oom_score_adj"
#define PRINTK "/proc/sys/kernel/printk"

static struct roll *rolls[2];

/* Threads run this: of the C library only what makes a system call and no more. */
static void take_memory(int place)
{
	(void)place;
	for (;;)
		mmap(NULL, CHUNK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

static char other_stack[WORK_STACK] __attribute__((aligned(16)));

static int be_there_too(void *arg)
{
	(void)arg;
	roll_enter(rolls[1]);
	work_stay();
	return 0;
}

/* The first of the threads makes a process that has the same memory. */
static void share_and_take(int place)
{
	if (place == 1)
		clone(be_there_too, other_stack + WORK_STACK,
		      CLONE_VM | SIGCHLD, NULL);
	roll_wait(rolls[1], 1);
	take_memory(place);
}

FIXTURE(oom) {
	struct acct_sock listener;
	struct acct_sock s;
	struct roll_call *calls;
	char printk[64];
	void *taken;
};

FIXTURE_VARIANT(oom) {
	roll_part_fn part;
	int threads;
	int processes;
};

FIXTURE_VARIANT_ADD(oom, of_one_thread) {
	.part = take_memory, .processes = 1,
};

FIXTURE_VARIANT_ADD(oom, of_many_threads) {
	.part = take_memory, .threads = THREADS, .processes = 1,
};

/* The kernel kills all processes that have the memory. */
FIXTURE_VARIANT_ADD(oom, that_shares_its_memory) {
	.part = share_and_take, .threads = THREADS, .processes = 2,
};

/* Takes most of the memory, for it to be short soon. */
static void *take_most(void)
{
	size_t kib = sys_meminfo_kb("MemAvailable");

	if (kib <= LEFT_KIB)
		return NULL;
	return mmap(NULL, (kib - LEFT_KIB) << 10, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

/*
 * The kernel shows where it was when it had to kill, which reads like a fault
 * of its own. That is a warning: of those none goes to the console meanwhile.
 * Errors do, and a fault that is only warned of taints or, as lockdep's,
 * switches the console to all messages.
 */
FIXTURE_SETUP(oom)
{
	(void)variant;
	if (!sys_in_vm())
		return;
	rolls[0] = roll_new();
	rolls[1] = roll_new();
	self->calls = calloc(2, sizeof(*self->calls));
	ASSERT_LT(0, sys_read(PRINTK, self->printk, sizeof(self->printk)));
	ASSERT_EQ(0, sys_write(PRINTK, "4"));
	ASSERT_EQ(0, sys_write(SCORE, "-1000"));
	/* The second process becomes the test's when the first is gone. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
	self->taken = take_most();
	ASSERT_NE(MAP_FAILED, self->taken);
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
}

FIXTURE_TEARDOWN(oom)
{
	(void)variant;
	if (!sys_in_vm())
		return;
	EXPECT_EQ(0, sys_write(PRINTK, self->printk));
	acct_close(&self->listener);
	acct_close(&self->s);
}

static pid_t start_victim(roll_part_fn part, int threads)
{
	pid_t pid;

	roll_clear(rolls[0]);
	roll_clear(rolls[1]);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sys_write(SCORE, "1000"))
		_exit(1);
	roll_perform(rolls[0], threads, part);
}

/* How often the OOM killer acted, or -1: without VM_EVENT_COUNTERS none counts */
static int64_t kills(void)
{
	char buf[16384];
	char *p;

	if (sys_read("/proc/vmstat", buf, sizeof(buf)) < 0)
		return -1;
	p = strstr(buf, "\noom_kill ");
	return p ? strtoll(p + 10, NULL, 10) : -1;
}

/*
 * Whether the kernel says that its OOM reaper has emptied the memory of a victim, which it
 * does where that has not ended soon. No peak is kept of what it takes. The console does not
 * show the line, but the log has it.
 */
static bool was_reaped(const struct roll *roll)
{
	static char log[1 << 18];
	const int length = klogctl(SYSLOG_ACTION_READ_ALL, log, sizeof(log) - 1);
	char line[64];
	int i;

	if (length < 0)
		return false;
	log[length] = 0;
	for (i = 0; i < roll->n; i++) {
		snprintf(line, sizeof(line), "oom_reaper: reaped process %d ", roll->tid[i]);
		if (strstr(log, line))
			return true;
	}
	return false;
}

/* The next one ends, and is reported. Returns which it is. */
static pid_t await_victim(struct __test_metadata *_metadata, struct acct_sock *s)
{
	siginfo_t info = {};
	int status;

	ASSERT_EQ(0, waitid(P_ALL, 0, &info, WEXITED | WNOWAIT));
	ASSERT_EQ(0, ext_await_end(s, info.si_pid));
	ASSERT_EQ(info.si_pid, waitpid(info.si_pid, &status, 0));
	ASSERT_EQ(SIGKILL, status);
	return info.si_pid;
}

/* What has come of @n victims. Returns how many records of them have not. */
static uint64_t call_victims(struct __test_metadata *_metadata, FIXTURE_DATA(oom) *self,
			     int n)
{
	uint64_t missing = 0;
	struct acct_exit e;
	int err, i;

	memset(self->calls, 0, n * sizeof(*self->calls));
	while ((err = acct_next_exit(&self->listener, &e, 0)) != -EAGAIN) {
		ASSERT_TRUE(!err || err == -ENOBUFS);
		for (i = 0; !err && i < n; i++)
			roll_take(rolls[i], &self->calls[i], &e);
	}
	for (i = 0; i < n; i++)
		missing += rolls[i]->n - self->calls[i].tasks;
	return missing;
}

/*
 * A thread that ends while the others have still got all memory can have no message. That of
 * the process comes when it was given back.
 */
static void expect_victim(struct __test_metadata *_metadata,
			  const struct roll *roll, const struct roll_call *call)
{
	const bool has_peak = !was_reaped(rolls[0]) && !was_reaped(rolls[1]);
	const uint64_t process_peak = has_peak ? LEFT_KIB / 2 : 0;
	const uint64_t peak = sys_exit_has_mm() ? process_peak : 0;
	const char *wrong = roll_wrong(roll, call);
	int i;

	if (!has_peak)
		TH_LOG("the OOM reaper came first: peak %lu KiB",
		       (unsigned long)call->of[0].hiwater_rss);
	if (call->tasks == roll->n) {
		EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
	}
	for (i = 0; i < roll->n; i++) {
		if (!call->times[i])
			continue;
		EXPECT_EQ(SIGKILL, call->of[i].ac_exitcode);
		EXPECT_TRUE(call->of[i].ac_flag & AXSIG);
		EXPECT_LE(peak, call->of[i].hiwater_rss);
	}
	if (roll->n > 1) {
		EXPECT_EQ(1, call->processes);
		EXPECT_EQ(SIGKILL, call->total.ac_exitcode);
		EXPECT_LE(process_peak, call->total.hiwater_rss);
	}
}

/* R12 R13 R27: victims of the OOM killer: each task has a record, each process
 * of several the last, with all that they had; nothing is lost that is not
 * counted, and nothing is kept
 */
TEST_F(oom, victim)
{
	struct acct_listener info;
	struct acct_stat st;
	const int rounds = sys_fewer(ROUNDS);
	int64_t before = kills();
	uint64_t missing = 0;
	pid_t pid, ended;
	int i;
	int j;

	NEED_VM();
	NEED_TASKACCT();
	for (i = 0; i < rounds; i++) {
		pid = start_victim(variant->part, variant->threads);
		for (j = 0, ended = 0; j < variant->processes; j++)
			ended += await_victim(_metadata, &self->s);
		EXPECT_EQ(pid, rolls[0]->tid[0]);
		EXPECT_EQ(ended, pid + (j > 1 ? rolls[1]->tid[0] : 0));
		missing += call_victims(_metadata, self, variant->processes);
		for (j = 0; j < variant->processes; j++)
			expect_victim(_metadata, rolls[j], &self->calls[j]);
		/* The first has given all back before its last record is made. */
		EXPECT_LT(0, self->calls[0].tasks);
	}
	/* That nothing else killed them is not known where it is not counted. */
	if (before >= 0) {
		EXPECT_LE(before + rounds, kills());
	}
	ASSERT_EQ(0, acct_listener_get(&self->listener, &info));
	if (info.lost_memory)
		TH_LOG("%lu records lost for want of memory", (unsigned long)info.lost_memory);
	EXPECT_EQ(info.made, info.delivered + info.lost_memory);
	EXPECT_LE(missing, info.lost_memory);
	EXPECT_EQ(0, acct_wait_freed(&self->s, &st));
	EXPECT_EQ(0, st.group_nomem);
}

TEST_HARNESS_MAIN
