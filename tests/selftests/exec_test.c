// SPDX-License-Identifier: GPL-2.0-only
/*
 * execve() by any thread, where numbers change hands, and vfork(), where processes
 * share their memory: each task has one record, the process the last. Each task notes
 * its number before it does anything, so that a record that is missing, doubled or
 * late is found.
 */
#include <fcntl.h>
#include <linux/acct.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "test.h"

#define ROUNDS 400
#define THREADS 11
#define STATUS 7
#define RCVBUF (32 << 20)
#define OWN_READS 5
#define CHILD_READS 1000
/* What threads hold back of a resident set and is never written down */
#define HELD_BACK_KIB 1024

/* It does nothing but end with status 1. */
#define PROGRAM "false"
#define PROGRAM_STATUS (1 << 8)

static unsigned int round_no;
static int zero_fd;

/* It is reported as one that has read CHILD_READS times, where that is counted. */
static bool has_read(const struct taskstats *st)
{
	return sys_counts() ? st->read_syscalls >= CHILD_READS :
			      !st->read_syscalls;
}

static void dawdle(int place)
{
	work_dawdle(work_luck(round_no, place, 40));
}

static void execute(void)
{
	static const char *const argv[] = { PROGRAM, NULL };

	syscall(SYS_execve, "/bin/" PROGRAM, argv, NULL);
}

/* One executes; of the others half exit and half sleep, as does the leader. */
static void one_executes(int place)
{
	dawdle(place);
	if (place == (int)(1 + round_no % THREADS))
		execute();
	if ((place + round_no / 4) % 2)
		work_stay();
}

/* All want to, the leader too; one succeeds and ends the others. */
static void all_execute(int place)
{
	dawdle(place);
	execute();
}

/* One executes, one ends the process, the others exit or sleep. */
static void one_ends_it(int place)
{
	dawdle(place);
	if (place == 1)
		execute();
	if (place == 2)
		syscall(SYS_exit_group, STATUS);
	if (place % 2)
		work_stay();
}

static const roll_part_fn parts[] = {
	one_executes, all_execute, one_ends_it, one_executes,
};

#define KINDS ARRAY_SIZE(parts)
/* Of this kind the test kills. */
#define KILLED 3

/* What the test tells the process that asks, and is told */
struct asked {
	int stop;
	pid_t subject;
	pid_t peak_of;
	uint64_t peak;
	unsigned long answers;
	unsigned long backwards;
	unsigned long strangers;
	char first[96];
};

FIXTURE(exec) {
	struct acct_sock listener;
	struct roll *roll;
	struct roll *child;
	struct asked *asked;
};

FIXTURE_SETUP(exec)
{
	zero_fd = open("/dev/zero", O_RDONLY);
	self->roll = roll_new();
	self->child = roll_new();
	self->asked = mmap(NULL, sizeof(*self->asked), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->asked);
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(exec)
{
	acct_close(&self->listener);
}

/*
 * The kernel forgets the peak of an address space with it. That of the resident
 * set it notes a moment after it has dropped the space: until then it is not
 * known, and afterwards it is.
 */
static void compare(struct asked *a, pid_t pid, const struct taskstats *now,
		    struct taskstats *before)
{
	const struct field *f;

	if (a->peak_of != pid)
		a->peak = 0;
	a->peak_of = pid;
	if (a->peak < now->hiwater_rss)
		a->peak = now->hiwater_rss;
	before->hiwater_vm = 0;
	before->hiwater_rss = 0;
	f = record_smaller(now, before);
	a->answers++;
	if (f && !a->backwards++)
		snprintf(a->first, sizeof(a->first), "%s: %lu after %lu",
			 f->name, record_get(f, now), record_get(f, before));
	if (now->ac_pid != (uint32_t)pid && !a->strangers++)
		snprintf(a->first, sizeof(a->first), "asked for %d, told of %u",
			 pid, now->ac_pid);
}

static int ask_on(int fd, void *arg)
{
	struct taskstats before;
	struct taskstats now;
	struct asked *a = arg;
	struct acct_sock s;
	pid_t last = 0;
	pid_t pid;

	(void)fd;
	if (acct_open(&s))
		return 1;
	while (!__atomic_load_n(&a->stop, __ATOMIC_ACQUIRE)) {
		pid = __atomic_load_n(&a->subject, __ATOMIC_ACQUIRE);
		if (pid != last)
			memset(&before, 0, sizeof(before));
		last = pid;
		if (!pid || acct_query_tgid(&s, pid, &now)) {
			sched_yield();
			continue;
		}
		compare(a, pid, &now, &before);
		before = now;
	}
	return 0;
}

/* Returns its wait status. */
static int one_round(FIXTURE_DATA(exec) *self)
{
	unsigned int kind = round_no % KINDS;
	int status = -1;
	pid_t pid;

	pid = roll_start(self->roll, THREADS, parts[kind]);
	__atomic_store_n(&self->asked->subject, pid, __ATOMIC_RELEASE);
	if (kind == KILLED) {
		roll_wait(self->roll, THREADS + 1);
		usleep(work_luck(round_no, 99, 3000));
		kill(pid, SIGKILL);
	}
	work_reap(pid, &status);
	__atomic_store_n(&self->asked->subject, 0, __ATOMIC_RELEASE);
	return status;
}

/* R12 R13 R25 R27: threads execute a program while others do the same, exit, end the
 * process or are killed: each task has one record, the thread that executed under the
 * leader's number, the process has the last, with the sum; and whoever asks meanwhile
 * is told of that process and never less than before
 */
TEST_F(exec, races)
{
	const unsigned int rounds = sys_fewer(ROUNDS);
	struct roll_call call;
	unsigned int executed = 0;
	unsigned int taken_over = 0;
	const char *wrong;
	struct work asker;
	int status;

	ASSERT_EQ(0, work_start(&asker, ask_on, self->asked));
	for (round_no = 0; round_no < rounds; round_no++) {
		status = one_round(self);
		ASSERT_EQ(0, roll_call(&self->listener, self->roll, &call));
		wrong = roll_wrong(self->roll, &call);
		ASSERT_EQ(NULL, wrong) {
			TH_LOG("round %u, status %#x: %s", round_no, status,
			       wrong);
		}
		EXPECT_EQ((uint32_t)status, call.total.ac_exitcode);
		if (self->asked->peak_of == self->roll->tid[0]) {
			EXPECT_LE(self->asked->peak,
				  call.total.hiwater_rss + HELD_BACK_KIB);
		}
		if (status != PROGRAM_STATUS)
			continue;
		executed++;
		taken_over += call.times[0] == 2;
		EXPECT_STREQ(PROGRAM, call.total.ac_comm);
		EXPECT_STREQ(PROGRAM, call.of[0].ac_comm);
	}
	__atomic_store_n(&self->asked->stop, 1, __ATOMIC_RELEASE);
	EXPECT_EQ(0, work_wait(&asker));
	TH_LOG("%u of %u executed, %u by another thread than the leader; %lu answers %s",
	       executed, rounds, taken_over, self->asked->answers,
	       self->asked->first);
	EXPECT_GE(executed, rounds / 4);
	EXPECT_GE(taken_over, rounds / 8);
	EXPECT_GE(self->asked->answers, rounds);
	EXPECT_EQ(0, self->asked->backwards);
	EXPECT_EQ(0, self->asked->strangers);
}

static void read_zeros(unsigned int n)
{
	static char buf[64];

	while (n--)
		syscall(SYS_read, zero_fd, buf, sizeof(buf));
}

static void last_thread_executes(int place)
{
	if (place < THREADS)
		work_stay();
	read_zeros(CHILD_READS);
	execute();
}

/* R13: the two records of one number are two tasks': the old leader's, killed, and that
 * of the thread that took its place, with what it did before
 */
TEST_F(exec, two_records_of_one_number)
{
	struct taskstats leader[2];
	struct acct_exit e;
	pid_t pid;
	int n = 0;

	prctl(PR_SET_NAME, "before");
	pid = roll_start(self->roll, THREADS, last_thread_executes);
	ASSERT_EQ(pid, work_reap(pid, NULL));
	do {
		ASSERT_EQ(0, acct_next_exit(&self->listener, &e, PATIENCE_MS));
		if (e.pid == (uint32_t)pid) {
			ASSERT_LT(n, 2);
			leader[n++] = e.task;
		}
	} while (!e.has_tgid);
	ASSERT_EQ(2, n);
	EXPECT_STREQ("before", leader[0].ac_comm);
	/* Killed, but not by a group exit, which would have a status. */
	EXPECT_EQ(0, leader[0].ac_exitcode);
	EXPECT_EQ(AFORK | AXSIG, leader[0].ac_flag & (AFORK | AXSIG));
	EXPECT_LT(leader[0].read_syscalls, 10);
	EXPECT_STREQ(PROGRAM, leader[1].ac_comm);
	EXPECT_EQ(PROGRAM_STATUS, leader[1].ac_exitcode);
	EXPECT_EQ(0, leader[1].ac_flag & (AFORK | AXSIG));
	EXPECT_TRUE(has_read(&leader[1]));
	/* It is as old as the process whose leader it became. */
	EXPECT_GE(leader[1].ac_etime, leader[0].ac_etime);
	EXPECT_EQ(leader[0].ac_btime64, leader[1].ac_btime64);
}

/* What a child of vfork() does */
static struct roll *child_roll;
static work_thread_fn child_part;

static int child_exits(void *arg)
{
	(void)arg;
	roll_enter(child_roll);
	read_zeros(CHILD_READS);
	work_raw_exit(STATUS);
	return 0;
}

static int child_executes(void *arg)
{
	(void)arg;
	roll_enter(child_roll);
	read_zeros(CHILD_READS);
	execute();
	return 0;
}

static int child_stays(void *arg)
{
	(void)arg;
	read_zeros(CHILD_READS);
	roll_enter(child_roll);
	work_stay();
	return 0;
}

static char vfork_stack[WORK_STACK] __attribute__((aligned(16)));

/* The last thread forks, sleeps as long as the child has its memory, reaps */
static void last_thread_vforks(int place)
{
	pid_t pid;

	if (place < THREADS)
		return;
	read_zeros(OWN_READS);
	pid = clone(child_part, vfork_stack + WORK_STACK,
		    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	syscall(SYS_wait4, pid, NULL, 0, NULL);
}

FIXTURE(vfork) {
	struct acct_sock listener;
	struct roll *rolls[2];
	struct roll_call *calls;
};

FIXTURE_VARIANT(vfork) {
	work_thread_fn child;
	bool kill_child;
	bool kill_parent;
	int parent_status;
	int child_status;
	const char *comm;
};

FIXTURE_VARIANT_ADD(vfork, exits) {
	.child = child_exits, .child_status = STATUS << 8, .comm = "vforker",
};

FIXTURE_VARIANT_ADD(vfork, executes) {
	.child = child_executes, .child_status = PROGRAM_STATUS,
	.comm = PROGRAM,
};

FIXTURE_VARIANT_ADD(vfork, is_killed) {
	.child = child_stays, .kill_child = true, .child_status = SIGKILL,
	.comm = "vforker",
};

/* The parent is killed while the child has its memory, and is gone first. */
FIXTURE_VARIANT_ADD(vfork, outlives_its_parent) {
	.child = child_stays, .kill_child = true, .kill_parent = true,
	.parent_status = SIGKILL, .child_status = SIGKILL, .comm = "vforker",
};

FIXTURE_SETUP(vfork)
{
	zero_fd = open("/dev/zero", O_RDONLY);
	prctl(PR_SET_NAME, "vforker");
	/* A child that loses its parent becomes the test's. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	self->rolls[0] = roll_new();
	self->rolls[1] = roll_new();
	child_roll = self->rolls[1];
	child_part = variant->child;
	self->calls = calloc(2, sizeof(*self->calls));
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(vfork)
{
	(void)variant;
	acct_close(&self->listener);
	free(self->calls);
}

/* R13: a child of vfork() is a process of its own, whatever becomes of it and
 * of its parent: it has one record, and is in no other's sum
 */
TEST_F(vfork, child_is_another_process)
{
	const struct taskstats *child = &self->calls[1].of[0];
	const struct taskstats *total = &self->calls[0].total;
	const char *wrong;
	int status;
	pid_t pid;
	pid_t tid;
	int i;

	pid = roll_start(self->rolls[0], THREADS, last_thread_vforks);
	roll_wait(self->rolls[1], 1);
	tid = self->rolls[1]->tid[0];
	if (variant->kill_parent) {
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, work_reap(pid, &status));
	}
	if (variant->kill_child) {
		ASSERT_EQ(0, kill(tid, SIGKILL));
	}
	if (variant->kill_parent) {
		ASSERT_EQ(tid, waitpid(tid, NULL, 0));
	} else {
		ASSERT_EQ(pid, work_reap(pid, &status));
	}
	EXPECT_EQ(variant->parent_status, status);
	ASSERT_EQ(0, roll_call_many(&self->listener, self->rolls, self->calls,
				    2));
	for (i = 0; i < 2; i++) {
		wrong = roll_wrong(self->rolls[i], &self->calls[i]);
		EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
	}
	EXPECT_EQ((uint32_t)status, total->ac_exitcode);
	EXPECT_EQ(sys_counts() ? OWN_READS : 0, total->read_syscalls);
	EXPECT_STREQ(variant->comm, child->ac_comm);
	EXPECT_EQ((uint32_t)variant->child_status, child->ac_exitcode);
	EXPECT_TRUE(has_read(child));
	EXPECT_GT(CHILD_READS + 100, child->read_syscalls);
	EXPECT_EQ((uint32_t)(variant->kill_parent ? getpid() : pid),
		  child->ac_ppid);
	EXPECT_EQ(sys_exit_has_mm(), child->hiwater_vm > 0);
}

TEST_HARNESS_MAIN
