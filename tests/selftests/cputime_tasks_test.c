// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time of tasks when there are more of them than the module has places for: all of
 * it is told, or that it is not known.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <taskacct.h>

/* Behind the harness, whose macros it has */
#include "cputime.h"

/*
 * There are 10,240 places in sets of ten, and which set a task has is up to chance:
 * so many at a time until a few have found no place
 */
#define BATCH 1000
#define CROWD (11 * BATCH)
#define FEW 4
#define BURN_NS (SECOND / 50)

/* What limits tasks, and is set back; small kernels have 4,096 numbers. */
static const char *const limits[] = {
	"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max",
};

#define LIMITS 2
#define LIMIT "32768"

/* What a thread is told to do; it sets WAIT when it has. */
enum { WAIT, BURN, END };

/**
 * struct thread - one of the crowd
 * @order: what it is to do
 * @gone: cleared when it has ended
 * @tid: its number
 */
struct thread {
	int order;
	int gone;
	pid_t tid;
};

static int obey(void *arg)
{
	struct thread *t = arg;
	int order;

	for (;;) {
		order = __atomic_load_n(&t->order, __ATOMIC_ACQUIRE);
		if (order == END)
			work_raw_exit(0);
		if (order == BURN) {
			work_burn(BURN_NS);
			work_wake(&t->order, WAIT);
		}
		syscall(SYS_futex, &t->order, FUTEX_WAIT, WAIT, NULL, NULL, 0);
	}
	return 0;
}

static void burn(struct thread *t)
{
	work_wake(&t->order, BURN);
	work_wait_for(&t->order, WAIT);
}

static void end(struct thread *t)
{
	work_wake(&t->order, END);
	work_raw_join(&t->gone);
}

FIXTURE(cputime_tasks) {
	struct acct_sock s;
	struct thread *threads;
	char *stacks;
	char limits[LIMITS][32];
	bool able;
};

FIXTURE_SETUP(cputime_tasks)
{
	int i;

	self->able = sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	for (i = 0; i < LIMITS; i++) {
		ASSERT_LT(0, sys_read(limits[i], self->limits[i],
				      sizeof(self->limits[i])));
		ASSERT_EQ(0, sys_write(limits[i], LIMIT));
	}
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, acct_open(&self->s));
	self->threads = calloc(CROWD + 1, sizeof(*self->threads));
	ASSERT_NE(NULL, self->threads);
	self->stacks = work_stacks(CROWD + 1);
}

FIXTURE_TEARDOWN(cputime_tasks)
{
	int i;

	if (!self->able)
		return;
	free(self->threads);
	acct_close(&self->s);
	EXPECT_EQ(0, set_mode("off"));
	for (i = 0; i < LIMITS; i++)
		EXPECT_EQ(0, sys_write(limits[i], self->limits[i]));
}

static void start(struct __test_metadata *_metadata, struct thread *t,
		  char *stack)
{
	t->tid = work_raw_thread(obey, t, stack, &t->gone);
	ASSERT_LT(0, t->tid);
}

/* All of them have run, and wait. */
static void start_batch(struct __test_metadata *_metadata, struct thread *t,
			char *stack)
{
	int i;

	for (i = 0; i < BATCH; i++)
		start(_metadata, &t[i], stack + (size_t)i * WORK_STACK);
	for (i = 0; i < BATCH; i++)
		while (sys_state(getpid(), t[i].tid) != 'S')
			usleep(1000);
}

static bool is_reported(struct __test_metadata *_metadata, struct acct_sock *s,
			pid_t tid, struct taskacct_record *r)
{
	const uint64_t bit = 1ULL << TASKACCT_HAS_ON_CPU;

	ASSERT_EQ(0, ext_query_task(s, tid, r));
	EXPECT_EQ(bit, (r->valid ^ r->late ^ r->gone) & bit);
	return !(r->gone & bit);
}

/* Finds those that are not reported, until there are a few */
static int pick(struct __test_metadata *_metadata, struct acct_sock *s,
		struct thread *batch, struct thread **few, int n)
{
	struct taskacct_record r;
	int i;

	for (i = 0; i < BATCH && n < FEW; i++)
		if (!is_reported(_metadata, s, batch[i].tid, &r))
			few[n++] = &batch[i];
	return n;
}

static void expect_unreported(struct __test_metadata *_metadata,
			      struct acct_sock *s, struct thread **few)
{
	struct taskacct_record r;
	int i;

	for (i = 0; i < FEW; i++) {
		EXPECT_FALSE(is_reported(_metadata, s, few[i]->tid, &r))
			TH_LOG("on_cpu %llu of %llu ns",
			       (unsigned long long)r.on_cpu,
			       (unsigned long long)r.runtime);
	}
}

static void burn_few(struct __test_metadata *_metadata, struct acct_sock *s,
		     struct thread **few)
{
	int i;

	for (i = 0; i < FEW; i++)
		burn(few[i]);
	expect_unreported(_metadata, s, few);
}

/* One that comes now is reported, with all of its time but for interrupts. */
static void expect_last_reported(struct __test_metadata *_metadata,
				 struct acct_sock *s, struct thread *last,
				 char *stack)
{
	struct taskacct_counters *c;
	struct taskacct_record r;
	int64_t interrupts;

	ASSERT_EQ(0, taskacct_counters_open(&c));
	interrupts = all_interrupts(c);
	start(_metadata, last, stack);
	burn(last);
	EXPECT_TRUE(is_reported(_metadata, s, last->tid, &r));
	interrupts = all_interrupts(c) - interrupts;
	EXPECT_LE(r.runtime * 9 / 10, r.on_cpu + interrupts);
	end(last);
	taskacct_counters_close(c);
}

/*
 * Those that have ended free their places after a grace period, for which there
 * is no limit: a thread is begun until one has a place.
 */
static void wait_for_place(struct __test_metadata *_metadata,
			   struct acct_sock *s, struct thread *t, char *stack)
{
	const int64_t end_ns = sys_now_ns() + PATIENCE_MS * 1000000LL;
	struct taskacct_record r;
	bool reported;

	do {
		start(_metadata, t, stack);
		burn(t);
		reported = is_reported(_metadata, s, t->tid, &r);
		end(t);
		memset(t, 0, sizeof(*t));
	} while (!reported && sys_now_ns() < end_ns);
	EXPECT_TRUE(reported);
}

/* Ends all but the few, which are in order. */
static void end_others(struct thread *threads, int n, struct thread **few)
{
	int i, kept = 0;

	for (i = 0; i < n; i++)
		if (kept < FEW && &threads[i] == few[kept])
			kept++;
		else
			end(&threads[i]);
}

/* R86: of thousands of tasks a few find no place: their on_cpu is not valid, and stays
 * so when the others have ended and they find one. One that comes then has all of its
 * time.
 */
TEST_F(cputime_tasks, crowd)
{
	struct thread *few[FEW];
	struct taskacct_record r;
	int i, begun, n = 0;

	NEED_LOADED(self->able);
	NEED_TASKACCT();
	for (begun = 0; begun < CROWD && n < FEW; begun += BATCH) {
		start_batch(_metadata, &self->threads[begun],
			    self->stacks + (size_t)begun * WORK_STACK);
		n = pick(_metadata, &self->s, &self->threads[begun], few, n);
	}
	TH_LOG("%d tasks", begun);
	ASSERT_EQ(FEW, n);
	burn_few(_metadata, &self->s, few);
	end_others(self->threads, begun, few);
	wait_for_place(_metadata, &self->s, &self->threads[CROWD],
		       self->stacks + (size_t)CROWD * WORK_STACK);
	expect_unreported(_metadata, &self->s, few);
	burn_few(_metadata, &self->s, few);

	expect_last_reported(_metadata, &self->s, &self->threads[CROWD],
			     self->stacks + (size_t)CROWD * WORK_STACK);
	/* And so is one that was there before all of them. */
	EXPECT_TRUE(is_reported(_metadata, &self->s, getpid(), &r));
	EXPECT_EQ(1ULL << TASKACCT_HAS_ON_CPU,
		  r.late & 1ULL << TASKACCT_HAS_ON_CPU);
	for (i = 0; i < FEW; i++)
		end(few[i]);
}

TEST_HARNESS_MAIN
