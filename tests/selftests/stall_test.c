// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process of 25,000 threads (fewer on slow kernels) cannot delay whoever adds it
 * up, nor its own threads that exit. A user needs no more for it than threads, and
 * children to wait for.
 *
 * A total that waits until nothing changes under the kernel's stats_lock, which
 * wait() for a child writes, never comes back here: a soft lockup. The VM lets RCU's
 * own thread go first (rcutree.kthread_prio), since so many tasks that exit together
 * leave it no time.
 */
#include <sched.h>
#include <sys/mman.h>

#include "test.h"
#include "throng.h"

#define THREADS 25000

/* How often something is measured, of which the median counts */
#define TIMES 9

/* So many times of what a query takes at rest */
#define SLOWER 20

#define EXIT_NS 100000000LL

/* So many processes are tried for what each has once. */
#define PROCESSES 8

#define READERS 3
#define ROUNDS 40
#define RCVBUF (64 << 20)

FIXTURE(stall) {
	struct acct_sock s;
	struct throng *throng;
	struct work w;
};

static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(stall) *self)
{
	self->throng = throng_new(sys_fewer(THREADS));
	ASSERT_EQ(0, work_start(&self->w, throng_lead, self->throng));
	ASSERT_EQ('r', work_hear(&self->w));
}

static void end(FIXTURE_DATA(stall) *self)
{
	if (!self->w.pid)
		return;
	kill(self->w.pid, SIGKILL);
	work_wait(&self->w);
}

FIXTURE_SETUP(stall)
{
	if (!sys_in_vm())
		return;
	ASSERT_EQ(0, throng_make_room(sys_fewer(THREADS)));
	ASSERT_EQ(0, acct_open(&self->s));
	begin(_metadata, self);
}

FIXTURE_TEARDOWN(stall)
{
	if (!sys_in_vm())
		return;
	end(self);
	acct_close(&self->s);
}

static void tell(struct __test_metadata *_metadata, struct work *w, char order)
{
	ASSERT_EQ(0, work_tell(w, order));
	ASSERT_EQ('.', work_hear(w));
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *of, unsigned int n)
{
	qsort(of, n, sizeof(*of), by_size);
	return of[n / 2];
}

/* The scheduler's choice whom to run is not what is measured. */
static void go_first(struct __test_metadata *_metadata, bool first)
{
	const struct sched_param param = { .sched_priority = first };

	ASSERT_EQ(0, sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER,
					&param));
}

/* What a query takes, as the median of some */
static int64_t query_ns(struct __test_metadata *_metadata,
			FIXTURE_DATA(stall) *self)
{
	int64_t took[TIMES];
	struct taskstats st;
	int64_t begin;
	int i;

	go_first(_metadata, true);
	for (i = 0; i < TIMES; i++) {
		begin = sys_now_ns();
		EXPECT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &st));
		took[i] = sys_now_ns() - begin;
	}
	go_first(_metadata, false);
	return median(took, TIMES);
}

static int64_t exit_ns(struct __test_metadata *_metadata,
		       FIXTURE_DATA(stall) *self)
{
	int64_t took[TIMES];
	int i;

	for (i = 0; i < TIMES; i++) {
		tell(_metadata, &self->w, 'x');
		took[i] = self->throng->exit_ns;
	}
	return median(took, TIMES);
}

static unsigned long now(const unsigned long *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

/* A quick machine has asked before @others, who move on, have had a CPU. */
static void expect_quick(struct __test_metadata *_metadata,
			 FIXTURE_DATA(stall) *self, int64_t at_rest,
			 const unsigned long *others, const char *what)
{
	unsigned long before;
	int64_t took;

	do {
		before = now(others);
		took = query_ns(_metadata, self);
	} while (before == now(others));
	TH_LOG("%s: %ld us, at rest %ld us", what, took / 1000, at_rest / 1000);
	EXPECT_GE(SLOWER * at_rest, took);
}

/* What the first exit of the process takes, which is where its sum begins */
static int64_t first_exit_ns(struct __test_metadata *_metadata,
			     FIXTURE_DATA(stall) *self)
{
	tell(_metadata, &self->w, 'x');
	TH_LOG("a first exit: %ld us", self->throng->exit_ns / 1000);
	return self->throng->exit_ns;
}

/*
 * A process has one only, and the host may have been busy with something else: then
 * another process shows it.
 */
static void expect_quick_first(struct __test_metadata *_metadata,
			       FIXTURE_DATA(stall) *self)
{
	int64_t first = first_exit_ns(_metadata, self);
	int i;

	for (i = 1; i < PROCESSES && first > EXIT_NS; i++) {
		end(self);
		begin(_metadata, self);
		tell(_metadata, &self->w, 'v');
		first = first_exit_ns(_metadata, self);
	}
	EXPECT_GE(EXIT_NS, first);
}

/* R8: a process of which one thread has children and waits for them is added up
 * no matter how many other threads it has, before and after the first of them
 * exits; and they exit
 */
TEST_F(stall, children_come_and_go)
{
	int64_t at_rest, others;

	NEED_VM();
	at_rest = query_ns(_metadata, self);
	tell(_metadata, &self->w, 'v');
	expect_quick(_metadata, self, at_rest, &self->throng->children,
		     "with children");

	expect_quick_first(_metadata, self);
	others = exit_ns(_metadata, self);
	TH_LOG("an exit: %ld us", others / 1000);
	EXPECT_GE(EXIT_NS, others);
	expect_quick(_metadata, self, at_rest, &self->throng->children,
		     "after exits");
	tell(_metadata, &self->w, 's');
}

/* R8 R25: the same while threads begin and exit all the time */
TEST_F(stall, threads_come_and_go)
{
	int64_t at_rest, others;

	NEED_VM();
	at_rest = query_ns(_metadata, self);
	tell(_metadata, &self->w, 'v');
	tell(_metadata, &self->w, 'c');
	expect_quick(_metadata, self, at_rest, &self->throng->exits, "with exits");
	others = exit_ns(_metadata, self);
	TH_LOG("an exit: %ld us", others / 1000);
	EXPECT_GE(EXIT_NS, others);
	tell(_metadata, &self->w, 's');
}

/* What a reader has seen, in memory that it shares with the test */
struct reader {
	struct throng *throng;
	pid_t pid;
	unsigned long queries;
	unsigned long less;
	unsigned long more;
	unsigned long backwards;
	int err;
};

static void look(struct reader *r, struct acct_sock *s, struct taskstats *last)
{
	struct taskstats now;
	unsigned long least, most;
	const struct field *f;

	least = __atomic_load_n(&r->throng->done, __ATOMIC_SEQ_CST);
	r->err = acct_query_tgid(s, r->pid, &now);
	most = __atomic_load_n(&r->throng->begun, __ATOMIC_SEQ_CST);
	if (r->err)
		return;
	r->queries++;
	/* What the leader reads itself comes before all of it. */
	r->less += now.read_syscalls < least;
	r->more += now.read_syscalls > most + last[1].read_syscalls;
	record_forget_mm(&now);
	f = record_smaller(&now, last);
	r->backwards += !!f;
	last[0] = now;
}

static int ask_on(int fd, void *arg)
{
	struct taskstats last[2] = {};
	struct reader *r = arg;
	struct acct_sock s;

	if (acct_open(&s))
		return 1;
	acct_query_tgid(&s, r->pid, &last[1]);
	work_send(fd, 'r');
	while (!r->err && recv(fd, &(char){ 0 }, 1, MSG_DONTWAIT) < 0)
		look(r, &s, last);
	work_send(fd, 'd');
	return 0;
}

static void expect_right(struct __test_metadata *_metadata,
			 const struct reader *r)
{
	EXPECT_EQ(0, r->err);
	EXPECT_LT(0, r->queries);
	EXPECT_EQ(0, r->less);
	EXPECT_EQ(0, r->more);
	EXPECT_EQ(0, r->backwards);
}

/* R13 R25 R27: what several readers get meanwhile is never less than what the
 * threads had done before, never more than what they can have begun, and never
 * less than it was; the last record is exact
 */
TEST_F(stall, sums_are_right)
{
	struct reader *readers = mmap(NULL, sizeof(*readers) * READERS,
				      PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct acct_sock listener;
	struct work asking[READERS];
	struct taskstats before;
	struct acct_exit e;
	char all[32];
	int i;

	NEED_VM();
	NEED_COUNTS();
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_query_tgid(&self->s, self->w.pid, &before));
	for (i = 0; i < READERS; i++) {
		readers[i].throng = self->throng;
		readers[i].pid = self->w.pid;
		ASSERT_EQ(0, work_start(&asking[i], ask_on, &readers[i]));
		ASSERT_EQ('r', work_hear(&asking[i]));
	}
	tell(_metadata, &self->w, 'c');
	for (i = 0; i < sys_quick(ROUNDS); i++) {
		tell(_metadata, &self->w, 'x');
		usleep(10000);
	}
	tell(_metadata, &self->w, 's');
	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, work_tell(&asking[i], 'q'));
		ASSERT_EQ('d', work_hear(&asking[i]));
		EXPECT_EQ(0, work_wait(&asking[i]));
		expect_right(_metadata, &readers[i]);
		TH_LOG("%lu queries", readers[i].queries);
	}
	/* It ends: the socket of its orders, and then all who are left. */
	ASSERT_EQ(0, acct_listen(&listener, all, RCVBUF));
	work_wait(&self->w);
	do {
		ASSERT_EQ(0, acct_next_exit(&listener, &e, PATIENCE_MS));
	} while (!e.has_tgid || e.tgid != (uint32_t)self->w.pid);
	EXPECT_EQ(self->throng->done + before.read_syscalls,
		  e.group.read_syscalls);
	self->w.pid = 0;
	acct_close(&listener);
}

TEST_HARNESS_MAIN
