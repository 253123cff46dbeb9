// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of tasks that are used again and again, as fast as can be: every
 * record is of who it says it is, and nothing outlives what it was kept for.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "test.h"

#define PID_MAX "/proc/sys/kernel/pid_max"
/* After a wrap the kernel begins at 300: this leaves 150 numbers. */
#define SMALL "450"
#define WRAPS 64

#define PROCESSES 8000
#define MAKERS 2
#define BATCH 8
#define THREADS 2
#define RCVBUF (128 << 20)

#define NAME "reuse"

/* What is known of a process, by the number in its name, which is never used
 * again
 */
struct life {
	pid_t pid;
	pid_t maker;
	int64_t before_ns;
	int64_t begun_ns;
	int64_t over_ns;
	int64_t before_s;
	unsigned int leader;
	unsigned int total;
	uint64_t reads;
};

/* What was found out; counters of those who ask are their own */
struct finding {
	unsigned long messages;
	unsigned long tasks;
	unsigned long answers;
	unsigned long wrong;
	char first[160];
};

struct shared {
	int stop;
	struct finding asked;
	struct finding comers;
	unsigned int latest[MAKERS];
	struct life lives[PROCESSES];
};

static struct shared *shared;
static unsigned int processes;
static int zero_fd;
static bool counts;

static unsigned int reads_of(unsigned int serial)
{
	return 1 + serial % 61;
}

/* What is reported of so many reads */
static unsigned int reported(unsigned int reads)
{
	return counts ? reads : 0;
}

static int status_of(unsigned int serial)
{
	return 1 + serial % 250;
}

static bool has_threads(unsigned int serial)
{
	return serial % 4 >= 2;
}

static bool leader_goes_first(unsigned int serial)
{
	return serial % 4 == 3;
}

static void read_zeros(unsigned int n)
{
	static char buf[16];

	while (n--)
		syscall(SYS_read, zero_fd, buf, sizeof(buf));
}

static int thread_body(void *arg)
{
	unsigned int serial = (uintptr_t)arg;

	read_zeros(1);
	if (leader_goes_first(serial))
		work_dawdle(serial % 7);
	work_raw_exit(status_of(serial));
	return 0;
}

static char *stack_of(unsigned int serial, unsigned int thread)
{
	static char *stacks;

	if (!stacks)
		stacks = work_stacks(BATCH * (THREADS + 1));
	return stacks + (serial / MAKERS % BATCH * (THREADS + 1) + thread) *
		       WORK_STACK;
}

static int process_body(void *arg)
{
	unsigned int serial = (uintptr_t)arg;
	struct life *l = &shared->lives[serial];
	int i;

	l->begun_ns = sys_now_ns();
	read_zeros(reads_of(serial));
	for (i = 1; has_threads(serial) && i <= THREADS; i++)
		work_raw_thread(thread_body, arg, stack_of(serial, i), NULL);
	l->over_ns = sys_now_ns();
	syscall(leader_goes_first(serial) ? SYS_exit : SYS_exit_group,
		status_of(serial));
	return 0;
}

static int64_t wall_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

/* The name is there before the process is; the kernel notes its number. */
static int make(unsigned int serial)
{
	struct life *l = &shared->lives[serial];
	char *stack = stack_of(serial, 0);
	char name[16];
	pid_t pid;

	snprintf(name, sizeof(name), NAME "%05u", serial);
	prctl(PR_SET_NAME, name);
	l->maker = getpid();
	l->before_s = wall_s();
	l->before_ns = sys_now_ns();
	pid = clone(process_body, stack + WORK_STACK,
		    CLONE_VM | CLONE_PARENT_SETTID | SIGCHLD,
		    (void *)(uintptr_t)serial, &l->pid);
	__atomic_store_n(&shared->latest[serial % MAKERS], serial,
			 __ATOMIC_RELEASE);
	return pid;
}

/* Makes every MAKERS-th process, a batch at a time. */
static int make_all(int fd, void *arg)
{
	unsigned int serial = (uintptr_t)arg;
	int i;

	if (work_order(fd) != 'g')
		return 1;
	while (serial < processes) {
		for (i = 0; i < BATCH; i++, serial += MAKERS)
			if (make(serial) < 0)
				return 2;
		for (i = 0; i < BATCH; i++)
			if (wait(NULL) < 0)
				return 3;
	}
	return 0;
}

/* Number of the process that a name belongs to, or -1 */
static int serial_of(const char *comm)
{
	unsigned int serial;

	if (sscanf(comm, NAME "%5u", &serial) != 1 || serial >= PROCESSES)
		return -1;
	return serial;
}

#define check(r, condition, serial, format, ...) do {			\
	if (!(condition) && !(r)->wrong++)				\
		snprintf((r)->first, sizeof((r)->first),		\
			 "process %d: " format, (serial), __VA_ARGS__);	\
} while (0)

/* A record's own time: it began after the fork was, and before the first thing
 * that it did.
 */
static void check_times(struct finding *r, int serial,
			const struct taskstats *st)
{
	const struct life *l = &shared->lives[serial];
	int64_t least = l->over_ns - l->begun_ns;
	int64_t most = sys_now_ns() - l->before_ns;
	int64_t ns = st->ac_etime * 1000;
	int64_t latest = l->before_s + 1 +
			 (l->begun_ns - l->before_ns) / 1000000000;

	check(r, ns + 999 >= least && ns <= most, serial,
	      "%ld ns old, not %ld to %ld", ns, least, most);
	check(r, (int64_t)st->ac_btime64 >= l->before_s &&
	      (int64_t)st->ac_btime64 <= latest, serial,
	      "began at %lu, not %ld to %ld", (unsigned long)st->ac_btime64,
	      l->before_s, latest);
}

static void check_leader(struct finding *r, int serial,
			 const struct taskstats *st)
{
	struct life *l = &shared->lives[serial];

	l->leader++;
	check(r, st->ac_exitcode == (uint32_t)status_of(serial) << 8, serial,
	      "status %#x", st->ac_exitcode);
	check(r, st->read_syscalls == reported(reads_of(serial)), serial,
	      "%lu reads, not %u", (unsigned long)st->read_syscalls,
	      reported(reads_of(serial)));
	check(r, st->ac_ppid == (uint32_t)l->maker, serial, "parent %u, not %d",
	      st->ac_ppid, l->maker);
	check_times(r, serial, st);
}

static void check_total(struct finding *r, int serial,
			const struct acct_exit *e)
{
	struct life *l = &shared->lives[serial];

	l->total++;
	check(r, e->tgid == (uint32_t)l->pid &&
	      e->group.ac_pid == (uint32_t)l->pid, serial,
	      "it is %d, told of %u and %u", l->pid, e->tgid, e->group.ac_pid);
	check(r, serial_of(e->group.ac_comm) == serial, serial, "is called %s",
	      e->group.ac_comm);
	check(r, e->group.ac_exitcode == (uint32_t)status_of(serial) << 8,
	      serial, "status %#x of all", e->group.ac_exitcode);
	check(r, e->group.read_syscalls == l->reads, serial,
	      "%lu reads of all, not %lu", (unsigned long)e->group.read_syscalls,
	      (unsigned long)l->reads);
	check_times(r, serial, &e->group);
}

static void check_exit(struct finding *r, const struct acct_exit *e)
{
	int serial = serial_of(e->task.ac_comm);
	struct life *l;

	r->messages++;
	if (serial < 0)
		return;
	l = &shared->lives[serial];
	/* The makers have the name of the last that they made. */
	if (e->pid == (uint32_t)l->maker)
		return;
	r->tasks++;
	l->reads += e->task.read_syscalls;
	check(r, e->task.ac_pid == e->pid, serial, "task %u is %u", e->pid,
	      e->task.ac_pid);
	check(r, record_or("ac_tgid", &e->task, l->pid) == (uint64_t)l->pid,
	      serial, "it is %d, told of %u", l->pid, e->task.ac_tgid);
	if (e->pid == (uint32_t)l->pid)
		check_leader(r, serial, &e->task);
	else
		check(r, has_threads(serial) && e->task.read_syscalls <= 1,
		      serial, "thread %u with %lu reads", e->pid,
		      (unsigned long)e->task.read_syscalls);
	check(r, has_threads(serial) || !e->has_tgid, serial,
	      "record of a process %u", e->tgid);
	if (e->has_tgid)
		check_total(r, serial, e);
}

static void check_answer(struct finding *r, bool by_tgid, pid_t asked,
			 const struct taskstats *st)
{
	int serial = serial_of(st->ac_comm);
	const struct life *l;
	pid_t pid;

	if (serial < 0)
		return;
	l = &shared->lives[serial];
	pid = __atomic_load_n(&l->pid, __ATOMIC_ACQUIRE);
	if (!pid || asked == l->maker)
		return;
	r->answers++;
	check(r, st->ac_pid == (uint32_t)asked, serial, "asked for %d, told of %u",
	      asked, st->ac_pid);
	check(r, asked == pid || (!by_tgid && has_threads(serial)), serial,
	      "it is %d, asked for %d", pid, asked);
	check(r, st->read_syscalls <= reported(reads_of(serial) + THREADS), serial,
	      "%lu reads", (unsigned long)st->read_syscalls);
	check(r, !st->ac_ppid || st->ac_ppid == (uint32_t)l->maker, serial,
	      "parent %u", st->ac_ppid);
}

/* A number at or next to the last that a maker was given: most others are
 * nobody's
 */
static pid_t late_number(unsigned int i)
{
	unsigned int maker = work_luck(i, 5, MAKERS);
	unsigned int serial = __atomic_load_n(&shared->latest[maker],
					      __ATOMIC_ACQUIRE);

	return shared->lives[serial].pid - BATCH + work_luck(i, 7, 2 * BATCH);
}

/* Asks for whoever has a number just now. */
static int ask_on(int fd, void *arg)
{
	struct finding *r = &shared->asked;
	struct taskstats st;
	struct acct_sock s;
	unsigned int i;
	pid_t pid;
	int err;

	(void)fd;
	(void)arg;
	if (acct_open(&s))
		return 1;
	for (i = 0; !__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE); i++) {
		pid = late_number(i);
		if (pid < 300)
			pid = 300 + work_luck(i, 7, atoi(SMALL) - 300);
		err = i % 2 ? acct_query_tgid(&s, pid, &st) :
			      acct_query_pid(&s, pid, &st);
		if (!err)
			check_answer(r, i % 2, pid, &st);
		else if (err != -ESRCH)
			return 2;
	}
	return 0;
}

/* Listeners that are killed, whose numbers others have a moment later */
static int come_and_go(int fd, void *arg)
{
	struct finding *r = &shared->comers;
	static struct acct_listener l[64];
	struct acct_sock s;
	pid_t pid;
	int n;

	(void)fd;
	(void)arg;
	if (acct_open(&s))
		return 1;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
		pid = fork();
		if (pid == 0) {
			n = acct_listen_all(&s, 0);
			kill(getpid(), n ? SIGTERM : SIGKILL);
		}
		if (pid < 0 || waitpid(pid, &n, 0) != pid || n != SIGKILL)
			return 2;
		r->answers++;
		for (n = acct_listener_dump(&s, l, 64); n-- > 0;)
			check(r, l[n].pid != (uint32_t)pid, pid,
			      "registered as %u still", l[n].portid);
	}
	return 0;
}

FIXTURE(reuse) {
	struct acct_sock listener;
	struct acct_sock s;
	char pid_max[32];
};

FIXTURE_SETUP(reuse)
{
	if (!sys_in_vm())
		return;
	zero_fd = open("/dev/zero", O_RDONLY);
	counts = sys_counts();
	/* Whole batches, and fewer where sys_fewer() is content with less */
	processes = sys_slow() < 4 ? PROCESSES : PROCESSES / sys_slow();
	processes -= processes % (MAKERS * BATCH);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, acct_open(&self->s));
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
	ASSERT_LT(0, sys_read(PID_MAX, self->pid_max, sizeof(self->pid_max)));
}

FIXTURE_TEARDOWN(reuse)
{
	if (!sys_in_vm())
		return;
	EXPECT_EQ(0, sys_write(PID_MAX, self->pid_max));
	acct_close(&self->listener);
	acct_close(&self->s);
}

static bool have_ended(const struct work *makers)
{
	siginfo_t info;
	int i;

	for (i = 0; i < MAKERS; i++) {
		info.si_pid = 0;
		waitid(P_PID, makers[i].pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid != makers[i].pid)
			return false;
	}
	return true;
}

/* Reads on until the makers have come to their end and so has the queue. It is
 * never silent: other processes come and go meanwhile.
 */
static void drain(struct __test_metadata *_metadata, struct acct_sock *s,
		  struct work *makers, struct finding *r)
{
	struct acct_exit e;
	pid_t sentinel = 0;
	unsigned int n;
	int err;

	for (n = 0;; n++) {
		if (n % 64 == 0 && sentinel <= 0 && have_ended(makers))
			sentinel = work_exit_process(0);
		err = acct_next_exit(s, &e, 100);
		ASSERT_TRUE(!err || err == -EAGAIN) TH_LOG("error %d", err);
		if (err)
			continue;
		check_exit(r, &e);
		if (sentinel > 0 && e.pid == (uint32_t)sentinel)
			return;
	}
}

static unsigned int count_wraps(void)
{
	unsigned int wraps = 0;
	int i;

	for (i = 1; i < (int)processes / MAKERS; i++)
		wraps += shared->lives[i * MAKERS].pid <
			 shared->lives[(i - 1) * MAKERS].pid;
	return wraps;
}

static void check_lives(struct finding *r)
{
	const struct life *l;
	unsigned int i;

	for (i = 0; i < processes; i++) {
		l = &shared->lives[i];
		check(r, l->leader == 1 && l->total == has_threads(i), i,
		      "%u records, %u of all", l->leader, l->total);
	}
}

static void expect_nothing_kept(struct __test_metadata *_metadata,
				struct acct_sock *s, struct acct_sock *listener,
				const struct finding *r)
{
	struct acct_listener info;
	struct acct_listener l[4];
	struct acct_stat st;

	ASSERT_EQ(0, acct_listener_get(listener, &info));
	EXPECT_EQ(info.made, info.delivered);
	EXPECT_EQ(0, acct_wait_freed(s, &st));
	EXPECT_EQ(0, st.group_nomem);
	EXPECT_EQ(1, st.listeners);
	EXPECT_EQ(1, acct_listener_dump(s, l, 4));
	EXPECT_EQ((uint32_t)getpid(), l[0].pid);
	EXPECT_LE(r->messages, info.delivered);
}

/* R21 R26: a few hundred numbers go round and round under load: each record has
 * the name, the times, the status and the amounts of one process, and so has
 * each answer; nothing is kept of any of them afterwards
 */
TEST_F(reuse, each_record_is_of_one_process)
{
	struct finding r = { 0 };
	struct work makers[MAKERS];
	struct work asker;
	struct work comer;
	unsigned int wraps;
	intptr_t i;

	NEED_VM();
	NEED_TASKACCT();
	for (i = 0; i < MAKERS; i++) {
		ASSERT_EQ(0, work_start(&makers[i], make_all, (void *)i));
	}
	ASSERT_EQ(0, work_start(&asker, ask_on, NULL));
	ASSERT_EQ(0, work_start(&comer, come_and_go, NULL));
	ASSERT_EQ(0, sys_write(PID_MAX, SMALL));
	for (i = 0; i < MAKERS; i++) {
		work_tell(&makers[i], 'g');
	}
	drain(_metadata, &self->listener, makers, &r);
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < MAKERS; i++) {
		EXPECT_EQ(0, work_wait(&makers[i]));
	}
	EXPECT_EQ(0, work_wait(&asker));
	EXPECT_EQ(0, work_wait(&comer));
	check_lives(&r);
	wraps = count_wraps();
	TH_LOG("%u times round, %lu tasks, %lu answers, %lu listeners: %lu, %lu, %lu wrong %s%s%s",
	       wraps, r.tasks, shared->asked.answers, shared->comers.answers,
	       r.wrong, shared->asked.wrong, shared->comers.wrong, r.first,
	       shared->asked.first, shared->comers.first);
	EXPECT_LE(sys_fewer(WRAPS), wraps);
	EXPECT_LE(100, shared->asked.answers);
	EXPECT_LE(10, shared->comers.answers);
	EXPECT_EQ(0, r.wrong);
	EXPECT_EQ(0, shared->asked.wrong);
	EXPECT_EQ(0, shared->comers.wrong);
	expect_nothing_kept(_metadata, &self->s, &self->listener, &r);
}

TEST_HARNESS_MAIN
