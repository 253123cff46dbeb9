// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that are ended: by signals, by one of many threads, under a
 * debugger, with their pid namespace. Each task has one record, the process
 * the last.
 */
#include <linux/acct.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "module.h"
#include "test.h"

#define RCVBUF (64 << 20)
#define MANY 1000
#define MANY_TIMES 3
#define DUMPED 50
#define ROUNDS 300
#define THREADS 15
#define TRACED 8
#define STATUS 5

#define CORE "/run/kill-test.core"
#define CORE_PATTERN "/proc/sys/kernel/core_pattern"

static struct roll *roll;
static unsigned int round_no;

static void segfault(void)
{
	*(volatile int *)sysconf(_SC_PAGESIZE) = 0;
}

static void all_stay(int place)
{
	(void)place;
	work_stay();
}

static void one_faults(int place)
{
	if (place == roll->n / 2)
		segfault();
	work_stay();
}

FIXTURE(fatal) {
	struct acct_sock listener;
};

FIXTURE_VARIANT(fatal) {
	roll_part_fn part;
	int sig;
	int threads;
	bool dumps;
};

/* A signal from outside that nobody can catch, and one that nobody does */
FIXTURE_VARIANT_ADD(fatal, sigkill) {
	.part = all_stay, .sig = SIGKILL, .threads = MANY,
};

FIXTURE_VARIANT_ADD(fatal, sigterm) {
	.part = all_stay, .sig = SIGTERM, .threads = MANY,
};

/* One of the threads does what it should not, without a dump and with one */
FIXTURE_VARIANT_ADD(fatal, sigsegv) {
	.part = one_faults, .sig = SIGSEGV, .threads = MANY,
};

FIXTURE_VARIANT_ADD(fatal, core_dumped) {
	.part = one_faults, .sig = SIGSEGV, .threads = DUMPED,
	.dumps = true,
};

FIXTURE_SETUP(fatal)
{
	struct rlimit core = {
		.rlim_cur = variant->dumps ? RLIM_INFINITY : 0,
		.rlim_max = RLIM_INFINITY,
	};

	ASSERT_EQ(0, setrlimit(RLIMIT_CORE, &core));
	roll = roll_new();
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(fatal)
{
	(void)variant;
	acct_close(&self->listener);
}

static void expect_right(struct __test_metadata *_metadata,
			 const struct roll_call *call, int status)
{
	const char *wrong = roll_wrong(roll, call);

	EXPECT_EQ(NULL, wrong) {
		TH_LOG("round %u, status %#x: %s", round_no, status, wrong);
	}
	EXPECT_EQ((uint32_t)status, call->total.ac_exitcode);
}

static int end_by(int threads, roll_part_fn part, int sig)
{
	int status = -1;
	pid_t pid;

	pid = roll_start(roll, threads, part);
	roll_wait(roll, threads + 1);
	if (part == all_stay)
		kill(pid, sig);
	waitpid(pid, &status, 0);
	return status;
}

static int dumping_end(struct __test_metadata *_metadata, int threads,
		       roll_part_fn part)
{
	char old[128];
	int status;

	ASSERT_LT(0, sys_read(CORE_PATTERN, old, sizeof(old)));
	ASSERT_EQ(0, sys_write(CORE_PATTERN, CORE));
	status = end_by(threads, part, 0);
	EXPECT_EQ(0, sys_write(CORE_PATTERN, old));
	unlink(CORE);
	return status;
}

/* R12 R13 R27: a fatal signal to a process of many threads: each has a record,
 * which says that a signal ended it, and the process has the last, with its
 * status
 */
TEST_F(fatal, signal_to_many_threads)
{
	const unsigned int times = sys_fewer(MANY_TIMES);
	struct roll_call call;
	unsigned int dumpers = 0;
	int status;
	int i;

	if (variant->dumps)
		NEED_VM();
	for (round_no = 0; round_no < times; round_no++) {
		status = variant->dumps ?
				 dumping_end(_metadata, variant->threads,
					     variant->part) :
				 end_by(variant->threads, variant->part,
					variant->sig);
		ASSERT_EQ(variant->sig, WTERMSIG(status));
		ASSERT_EQ(variant->dumps, !!WCOREDUMP(status));
		ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
		expect_right(_metadata, &call, status);
		EXPECT_EQ(AXSIG, call.total.ac_flag & AXSIG);
		for (i = 0; i < roll->n; i++) {
			dumpers += !!(call.of[i].ac_flag & ACORE);
			ASSERT_EQ(AXSIG, call.of[i].ac_flag & AXSIG);
			ASSERT_EQ(variant->sig,
				  WTERMSIG(call.of[i].ac_exitcode));
		}
	}
	/* The kernel sets the flag before it sees whether it may dump. */
	EXPECT_EQ(variant->sig == SIGSEGV ? times : 0, dumpers);
	EXPECT_EQ(variant->sig == SIGSEGV, !!(call.total.ac_flag & ACORE));
}

FIXTURE(group) {
	struct acct_sock listener;
};

FIXTURE_SETUP(group)
{
	struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	roll = roll_new();
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(group)
{
	acct_close(&self->listener);
}

/* One ends the process for certain; any other may, or exits, or sleeps. */
static void anything(int place)
{
	work_dawdle(work_luck(round_no, place, 40));
	if (place == (int)(1 + round_no % THREADS))
		syscall(SYS_exit_group, 1);
	switch (work_luck(round_no, place + 50, 8)) {
	case 0:
		syscall(SYS_exit_group, 2);
		break;
	case 1:
		syscall(SYS_kill, roll->tid[0], SIGKILL);
		break;
	case 2:
		segfault();
		break;
	case 3:
	case 4:
		work_raw_exit(3);
		break;
	default:
		work_stay();
	}
}

/* R12 R13 R27: threads exit, end the process and are killed, all at once: the
 * process's status is what wait() returns
 */
TEST_F(group, ended_from_all_sides)
{
	struct roll_call call;
	const unsigned int rounds = sys_fewer(ROUNDS);
	unsigned int ends[4] = { 0 };
	int status;

	for (round_no = 0; round_no < rounds; round_no++) {
		status = end_by(THREADS, anything, 0);
		ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
		expect_right(_metadata, &call, status);
		if (WIFEXITED(status))
			ends[WEXITSTATUS(status) & 3]++;
		else
			ends[0]++;
	}
	TH_LOG("%u killed, %u and %u by a thread's exit_group()", ends[0],
	       ends[1], ends[2]);
	EXPECT_LT(0, ends[0]);
	EXPECT_LT(0, ends[1]);
	EXPECT_LT(0, ends[2]);
}

static char *newborn_stacks;

static int newborn(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/* Threads that make threads, whose numbers the kernel notes before they run,
 * until one ends the process
 */
static void multiply(int place)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		    CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID;
	const int enough = 5 + work_luck(round_no, 2, 20);
	int slot;

	if (place == 1) {
		/* On a busy host the others may take their time to begin. */
		while (__atomic_load_n(&roll->n, __ATOMIC_RELAXED) < enough)
			work_dawdle(1);
		work_dawdle(work_luck(round_no, 1, 200));
		syscall(SYS_exit_group, STATUS);
	}
	for (;;) {
		slot = __atomic_fetch_add(&roll->n, 1, __ATOMIC_RELAXED);
		if (slot >= ROLL_MAX)
			work_stay();
		clone(newborn, newborn_stacks + (slot + 1) * WORK_STACK, flags,
		      NULL, &roll->tid[slot]);
	}
}

/* Takes out the places of those that were not born after all. */
static void close_ranks(void)
{
	int n = 0;
	int i;

	for (i = 0; i < roll->n && i < ROLL_MAX; i++)
		if (roll->tid[i])
			roll->tid[n++] = roll->tid[i];
	roll->n = n;
}

/* R12 R13 R27: a process is ended while its threads make more of them: also
 * those that never ran have a record
 */
TEST_F(group, ended_while_it_grows)
{
	struct roll_call call;
	const unsigned int rounds = sys_fewer(ROUNDS / 3);
	unsigned int born = 0;
	int status;
	pid_t pid;

	newborn_stacks = work_stacks(ROLL_MAX);
	for (round_no = 0; round_no < rounds; round_no++) {
		pid = roll_start(roll, 3, multiply);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(STATUS << 8, status);
		close_ranks();
		born += roll->n - 4;
		ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
		expect_right(_metadata, &call, status);
	}
	TH_LOG("%u threads made meanwhile", born);
	EXPECT_LT(rounds, born);
}

#define LINGER "/sys/module/linger/parameters/"
#define MEETING 3

static void stay_apart(int place)
{
	work_pin(place % 2);
	work_stay();
}

static unsigned int have_stayed(void)
{
	char text[16];

	return sys_read(LINGER "stayed", text, sizeof(text)) > 0 ? atoi(text) : 0;
}

/* R25 R26: what was kept of the thread that ends first goes to its process. Threads that
 * hand it over at the same time (tests/linger has each stay before the lock, and the first
 * once more) have a record each, and nothing is let go of that another uses: KASAN tells.
 */
TEST_F(group, ends_meet)
{
	const char *const load[] = { "modprobe", "linger", "us=100000",
				     "function=taskacct_tgid_keep", NULL };
	struct roll_call call;
	char text[16];
	int status;
	pid_t pid;

	NEED_VM();
	NEED_CPUS(2);
	if (!sys_file_has("/proc/kallsyms", " kasan_report\n"))
		SKIP(return, "without KASAN nothing tells");
	ASSERT_EQ(0, sys_run(load));
	for (round_no = 0; round_no < 10; round_no++) {
		pid = roll_start(roll, MEETING, stay_apart);
		roll_wait(roll, MEETING + 1);
		snprintf(text, sizeof(text), "%d", pid);
		ASSERT_EQ(0, sys_write(LINGER "process", text));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
		expect_right(_metadata, &call, status);
	}
	TH_LOG("%u have stayed", have_stayed());
	EXPECT_LT(round_no, have_stayed());
	EXPECT_EQ(0, module_run("rmmod", "linger"));
}

FIXTURE(traced) {
	struct acct_sock listener;
	struct acct_sock s;
};

FIXTURE_SETUP(traced)
{
	roll = roll_new();
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(traced)
{
	acct_close(&self->s);
	acct_close(&self->listener);
}

static void wait_and_exit(int place)
{
	work_wait_for(&roll->gate, 1);
	work_raw_exit(place + 1);
}

static void all_but_one_exit(int place)
{
	work_wait_for(&roll->gate, 1);
	if (place == TRACED)
		work_stay();
	work_raw_exit(place + 1);
}

static void wait_and_execute(int place)
{
	static const char *const argv[] = { "false", NULL };

	work_wait_for(&roll->gate, 1);
	if (place == TRACED)
		syscall(SYS_execve, "/bin/false", argv, NULL);
	work_stay();
}

/* Traces all tasks on the roll; returns 0 or a negative errno. */
static int seize(long options)
{
	int i;

	for (i = 0; i < roll->n; i++)
		if (ptrace(PTRACE_SEIZE, roll->tid[i], NULL, options))
			return -errno;
	return 0;
}

/* Waits until so many have stopped on their way out. */
static int wait_stopped(int n)
{
	int status;

	while (n--)
		if (waitpid(-1, &status, __WALL) < 0 ||
		    status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8))
			return -ECHILD;
	return 0;
}

/* Lets all that stop go on until none is left; returns the status of one. */
static int shepherd(pid_t pid)
{
	int found = -1;
	int status;
	pid_t tid;
	long sig;

	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			sig = status >> 16 ? 0 : WSTOPSIG(status);
			ptrace(PTRACE_CONT, tid, NULL, sig);
		} else if (tid == pid) {
			found = status;
		}
	}
	return found;
}

static pid_t start_traced(struct __test_metadata *_metadata,
			  roll_part_fn part, long options)
{
	pid_t pid;

	pid = roll_start(roll, TRACED, part);
	roll_wait(roll, TRACED + 1);
	ASSERT_EQ(0, seize(options));
	return pid;
}

/* One that is held in its exit has not passed: nobody is told. Others may exit. */
static void expect_silence(struct __test_metadata *_metadata,
			   struct acct_sock *listener)
{
	const int64_t end = sys_now_ns() + QUIET_MS * 1000000LL;
	struct roll_call none = { 0 };
	struct acct_exit e;

	while (sys_now_ns() < end) {
		if (!acct_next_exit(listener, &e, QUIET_MS)) {
			EXPECT_FALSE(roll_take(roll, &none, &e));
		}
	}
}

/* Lets one go on, and hears of it. */
static void let_exit(struct __test_metadata *_metadata,
		     struct acct_sock *listener, int place, bool last,
		     struct roll_call *call)
{
	struct acct_exit e;

	ASSERT_EQ(0, ptrace(PTRACE_CONT, roll->tid[place], NULL, 0));
	ASSERT_EQ(0, acct_wait_exit(listener, roll->tid[place], &e));
	EXPECT_EQ((place + 1) << 8, (int)e.task.ac_exitcode);
	EXPECT_EQ(last, e.has_tgid);
	roll_take(roll, call, &e);
}

/* R12 R25 R27: a debugger lets the threads out one at a time, the leader first,
 * and then keeps them as zombies: a record when it does, that of the process
 * with the last; what it keeps is counted once, and forgotten with them
 */
TEST_F(traced, one_by_one)
{
	struct roll_call call = { 0 };
	struct taskstats before = { 0 };
	struct taskstats now;
	const struct field *f;
	struct acct_stat st;
	const char *wrong;
	pid_t pid;
	int i;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_wait_freed(&self->s, &st));
	pid = start_traced(_metadata, wait_and_exit, PTRACE_O_TRACEEXIT);
	work_wake(&roll->gate, 1);
	ASSERT_EQ(0, wait_stopped(TRACED + 1));
	expect_silence(_metadata, &self->listener);
	for (i = 0; i <= TRACED; i++) {
		let_exit(_metadata, &self->listener, i ? TRACED + 1 - i : 0,
			 i == TRACED, &call);
		ASSERT_EQ(0, acct_query_tgid(&self->s, pid, &now));
		f = record_smaller(&now, &before);
		EXPECT_EQ(NULL, f) TH_LOG("%s went backwards", f->name);
		before = now;
		record_forget_mm(&before);
	}
	wrong = roll_wrong(roll, &call);
	EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
	for_each_field(f) {
		EXPECT_EQ(record_get(f, &call.total), record_get(f, &now))
			TH_LOG("%s", f->name);
	}
	ASSERT_EQ(0, acct_stat_get(&self->s, &st));
	EXPECT_EQ(1, st.groups);
	EXPECT_EQ(TRACED + 1, st.threads);
	EXPECT_EQ((int)now.ac_exitcode, shepherd(pid));
	EXPECT_EQ(0, acct_wait_freed(&self->s, &st));
}

/* R12 R27: held on their way out, all but one, they are killed. Where all are
 * on their way the kernel takes no signal any more.
 */
TEST_F(traced, killed_in_the_stop)
{
	struct roll_call call;
	int status;
	pid_t pid;

	pid = start_traced(_metadata, all_but_one_exit, PTRACE_O_TRACEEXIT);
	work_wake(&roll->gate, 1);
	ASSERT_EQ(0, wait_stopped(TRACED));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	status = shepherd(pid);
	EXPECT_EQ(SIGKILL, status);
	ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
	expect_right(_metadata, &call, status);
}

/* R12 R13 R27: a thread executes a program while a debugger holds all others,
 * and the leader, on their way out
 */
TEST_F(traced, executes)
{
	struct roll_call call;
	int status;
	pid_t pid;

	pid = start_traced(_metadata, wait_and_execute,
			   PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC);
	work_wake(&roll->gate, 1);
	status = shepherd(pid);
	EXPECT_EQ(1 << 8, status);
	ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
	expect_right(_metadata, &call, status);
	EXPECT_EQ(2, call.times[0]);
	EXPECT_STREQ("false", call.total.ac_comm);
}

/* Orders: s seize all and let them go, w wait until they have stopped */
static int debugger(int fd, void *arg)
{
	char order;

	while ((order = work_order(fd))) {
		if (order == 's' && seize((long)arg))
			return 1;
		if (order == 'w' && wait_stopped(roll->n))
			return 2;
		work_send(fd, 'd');
	}
	return 0;
}

static pid_t start_with_debugger(struct __test_metadata *_metadata,
				 struct work *w, long options)
{
	pid_t pid;

	ASSERT_EQ(0, work_start(w, debugger, (void *)options));
	pid = roll_start(roll, TRACED, wait_and_exit);
	roll_wait(roll, TRACED + 1);
	work_tell(w, 's');
	ASSERT_EQ('d', work_hear(w));
	return pid;
}

/* Returns the status of those that it traced. */
static int kill_debugger(struct __test_metadata *_metadata, struct work *w,
			 pid_t pid, struct acct_sock *listener)
{
	struct roll_call call;
	int status;

	kill(w->pid, SIGKILL);
	EXPECT_EQ(SIGKILL, work_wait(w));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, roll_call(listener, roll, &call));
	expect_right(_metadata, &call, status);
	return status;
}

/* R12 R27: the debugger is killed while it holds them on their way out: they go
 * on, and it takes no status with it
 */
TEST_F(traced, tracer_dies)
{
	struct work w;
	pid_t pid;

	pid = start_with_debugger(_metadata, &w, PTRACE_O_TRACEEXIT);
	work_wake(&roll->gate, 1);
	work_tell(&w, 'w');
	ASSERT_EQ('d', work_hear(&w));
	expect_silence(_metadata, &self->listener);
	EXPECT_TRUE(WIFEXITED(kill_debugger(_metadata, &w, pid,
					    &self->listener)));
}

/* R12 R27: the debugger is killed, and they with it, as it wanted */
TEST_F(traced, tracer_takes_them_along)
{
	struct work w;
	pid_t pid;

	pid = start_with_debugger(_metadata, &w, PTRACE_O_EXITKILL);
	EXPECT_EQ(SIGKILL, kill_debugger(_metadata, &w, pid,
					 &self->listener));
}

/* A pid namespace: its first process, and so many others of so many threads */
#define NS_NAME "in-a-namespace"
#define NS_PROCESSES 20
#define NS_THREADS 4
#define NS_TASKS ((NS_PROCESSES + 1) * NS_THREADS)

static int stay_as_thread(void *arg)
{
	(void)arg;
	work_stay();
	return 0;
}

static void add_threads(void)
{
	char *stacks = work_stacks(NS_THREADS);
	int i;

	for (i = 1; i < NS_THREADS; i++)
		if (work_raw_thread(stay_as_thread, NULL,
				    stacks + i * WORK_STACK, NULL) < 0)
			abort();
}

static void first_of_namespace(void)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, NS_NAME);
	for (i = 0; i < NS_PROCESSES; i++) {
		if (fork() == 0) {
			add_threads();
			work_stay();
		}
	}
	add_threads();
	work_wait_for(&roll->gate, 1);
	_exit(STATUS);
}

FIXTURE(pidns) {
	struct acct_sock listener;
};

FIXTURE_VARIANT(pidns) {
	int status;
};

FIXTURE_VARIANT_ADD(pidns, first_is_killed) {
	.status = SIGKILL,
};

FIXTURE_VARIANT_ADD(pidns, first_exits) {
	.status = STATUS << 8,
};

FIXTURE_SETUP(pidns)
{
	(void)variant;
	roll = roll_new();
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(pidns)
{
	(void)variant;
	acct_close(&self->listener);
}

static void scan_namespace(struct __test_metadata *_metadata)
{
	int i;

	for (i = 0; i < 600; i++) {
		roll->n = 0;
		if (roll_scan(roll, NS_NAME) == NS_TASKS)
			break;
		usleep(50000);
	}
	ASSERT_EQ(NS_TASKS, roll->n);
}

/* R12: the first process of a pid namespace ends, and everything in it with it:
 * each task has one record, by its number outside, and each process one
 */
TEST_F(pidns, ends_with_all_its_tasks)
{
	struct clone_args args = { .flags = CLONE_NEWPID, .exit_signal = SIGCHLD };
	struct roll_call call;
	int status;
	pid_t pid;
	int i;

	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		first_of_namespace();
	ASSERT_LT(0, pid);
	scan_namespace(_metadata);
	if (variant->status == SIGKILL)
		kill(pid, SIGKILL);
	else
		work_wake(&roll->gate, 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(variant->status, status);
	ASSERT_EQ(0, roll_call(&self->listener, roll, &call));
	EXPECT_EQ(NS_TASKS, call.tasks);
	EXPECT_EQ(NS_PROCESSES + 1, call.processes);
	for (i = 0; i < NS_TASKS; i++) {
		EXPECT_EQ(1, call.times[i]) TH_LOG("task %d", roll->tid[i]);
		EXPECT_STREQ(NS_NAME, call.of[i].ac_comm);
		if (call.of[i].ac_ppid != (uint32_t)pid) {
			EXPECT_EQ((uint32_t)getpid(), call.of[i].ac_ppid);
			EXPECT_EQ((uint32_t)status, call.of[i].ac_exitcode);
			continue;
		}
		EXPECT_EQ(SIGKILL, call.of[i].ac_exitcode);
	}
}

TEST_HARNESS_MAIN
