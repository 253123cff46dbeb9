// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits that take long at one place, while others ask or register: module fail
 * (tests/fail) holds a task where it calls a certain function, until it is told to
 * let it go.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "test.h"
#include "extended.h"
#include "fail.h"
#include "module.h"

/* Others that a sum has: it takes a while to add them up. */
#define IDLE 400
#define ROUNDS 20

/* How long the sum is held, and how long an exit at most, in ms */
#define SUM_MS 20
#define EXIT_MS 20000

/* Those who register each time, and how often an exit is held */
#define COMERS 2
#define TIMES 3

/* So often they are tried. */
#define TRIES 3

#define CPU 1
#define OTHER_CPU 0

#define READ(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

FIXTURE(slow_exit) {
	bool able;
};

FIXTURE_SETUP(slow_exit)
{
	self->able = sys_in_vm() && sys_module_loaded() && sys_traces_functions();
	if (!self->able)
		return;
	ASSERT_EQ(0, fail_begin());
	ASSERT_EQ(0, module_insert(NULL));
}

FIXTURE_TEARDOWN(slow_exit)
{
	if (self->able) {
		EXPECT_EQ(0, fail_end());
	}
}

#define NEED_FAIL() do {						\
	NEED_VM();							\
	NEED_FTRACE();							\
	ASSERT_TRUE(self->able);					\
} while (0)

static int stand_still(void *arg)
{
	work_wait_for(arg, 1);
	work_raw_exit(0);
	return 0;
}

/* What the processes of a test share */
struct shared {
	pid_t tid;
	int stop;
	unsigned int answers;
};

/* It exits a little after an answer, while the next one is added up. */
static int exit_after_answers(void *arg)
{
	struct shared *shared = arg;
	const unsigned int last = READ(shared->answers) + 2;

	while ((int)(READ(shared->answers) - last) < 0 && !READ(shared->stop))
		;
	work_dawdle(work_luck(last, 0, 20));
	work_raw_exit(0);
	return 0;
}

/* Threads exit one after the other; the others sleep. */
static int exit_one_by_one(int fd, void *arg)
{
	char *stacks = work_stacks(IDLE + 1);
	static int idle[IDLE], never;
	struct shared *shared = arg;
	int i, gone;

	for (i = 0; i < IDLE; i++)
		if (work_raw_thread(stand_still, &never, stacks + i * WORK_STACK,
				    &idle[i]) < 0)
			return 1;
	work_send(fd, 'r');
	if (!work_order(fd))
		return 2;
	for (i = 0; i < ROUNDS; i++) {
		shared->tid = work_raw_thread(exit_after_answers, shared,
					      stacks + IDLE * WORK_STACK, &gone);
		if (shared->tid < 0)
			return 3;
		work_raw_join(&gone);
	}
	work_send(fd, 'e');
	work_order(fd);
	return 0;
}

/*
 * To change a thread's nice value brings up to date what is known of its CPU time,
 * though its CPU does nothing for that.
 */
static int renice(int fd, void *arg)
{
	struct shared *shared = arg;
	int nice = 0;

	(void)fd;
	while (!READ(shared->stop)) {
		setpriority(PRIO_PROCESS, READ(shared->tid), nice);
		nice = !nice;
	}
	return 0;
}

static bool has_ended(const struct work *w)
{
	char word;

	return recv(w->fd, &word, 1, MSG_DONTWAIT) == 1;
}

/* Threads are held where they call a function; no sum is less than one before. */
static void compare_sums(struct __test_metadata *_metadata, const char *function)
{
	const struct fail_function f = { .name = function };
	struct taskstats now, before = { 0 };
	const struct field *less = NULL;
	struct work w, renicer;
	struct shared *shared;
	struct acct_sock s;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, work_start(&w, exit_one_by_one, shared));
	ASSERT_EQ('r', work_hear(&w));
	shared->tid = w.pid;
	ASSERT_EQ(0, work_start(&renicer, renice, shared));
	ASSERT_EQ(0, fail_watch(f.name));
	ASSERT_EQ(0, fail_hold(f.name, SUM_MS, w.pid));
	ASSERT_EQ(0, work_tell(&w, 'g'));
	while (!has_ended(&w) && !less) {
		ASSERT_EQ(0, acct_query_tgid(&s, w.pid, &now));
		before.hiwater_rss = 0;
		less = record_smaller(&now, &before);
		EXPECT_EQ(NULL, less) {
			TH_LOG("answer %u: %s: %lu after %lu", shared->answers,
			       less->name, record_get(less, &now),
			       record_get(less, &before));
		}
		before = now;
		__atomic_add_fetch(&shared->answers, 1, __ATOMIC_RELAXED);
	}
	TH_LOG("%u answers, held %u times", shared->answers,
	       fail_calls(&f).failed);
	EXPECT_LE(ROUNDS, shared->answers);
	EXPECT_LE(ROUNDS, fail_calls(&f).failed);
	shared->stop = 1;
	EXPECT_EQ(0, work_wait(&renicer));
	EXPECT_EQ(0, work_tell(&w, 'e'));
	EXPECT_EQ(0, work_wait(&w));
	munmap(shared, sizeof(*shared));
	acct_close(&s);
}

/* R10 R13 R25: the sum of a process never goes back while a thread is held where it is
 * noted as dead and the kernel goes on to count its CPU time
 */
TEST_F(slow_exit, never_less)
{
	NEED_FAIL();
	NEED_CPUS(3);
	compare_sums(_metadata, "taskacct_exited_insert");
}

/* R10 R13 R25: the same while it is held where its values are added */
TEST_F(slow_exit, never_less_at_end)
{
	NEED_FAIL();
	NEED_CPUS(3);
	/* Its values are read by then, and it is not in the sum yet. */
	compare_sums(_metadata, "taskacct_fill_add");
}

static const char *function_of(enum fail_kind kind)
{
	const struct fail_function *f;
	size_t i;

	for (i = 0; (f = fail_function(i)); i++)
		if (f->kind == kind && strcmp(f->name, "skb_copy"))
			return f->name;
	return "";
}

static int exit_when_reported(int fd, void *arg)
{
	(void)arg;
	return work_pin(CPU) || !work_order(fd);
}

/*
 * Waits until the exit is held, and lets it go on to where it is held again. Whatever
 * the kernel wants of its CPU meanwhile may have others wait for longer than it is held
 * at most: then it goes by. That it can be waited for says nothing: it is held behind that.
 */
static bool is_held(const struct fail_function *f)
{
	int64_t end = sys_now_ns() + 2 * EXIT_MS * 1000000LL;

	while (!fail_calls(f).failed)
		if (sys_now_ns() > end)
			return false;
	return true;
}

/*
 * While an exit is held its CPU does nothing else, and does not ask others to take over
 * what was put there to run: nobody who has to do with the exit may be.
 */
static void keep_away(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, work_pin(OTHER_CPU));
}

/* They come together. */
struct comers {
	struct acct_sock s[COMERS];
};

static void go(struct comers *l)
{
	int j;

	for (j = 0; j < COMERS; j++)
		acct_close(&l->s[j]);
}

static void come(struct __test_metadata *_metadata, struct comers *l)
{
	int j;

	for (j = 0; j < COMERS; j++)
		ASSERT_EQ(0, acct_listen(&l->s[j], "1", 0));
}

/*
 * A process exits that some hear; each time that messages have been made others come,
 * and the last time the very first goes, if it shall. Returns 0, and all are gone, if
 * it was not held for as long.
 */
static pid_t try_exit_and_come(struct __test_metadata *_metadata, struct comers *l,
			   bool first_goes)
{
	const struct fail_function f = { .name = function_of(FAIL_CLONE) };
	struct work w;
	int i;

	keep_away(_metadata);
	come(_metadata, &l[0]);
	ASSERT_EQ(0, work_start(&w, exit_when_reported, NULL));
	ASSERT_EQ(0, fail_hold(f.name, EXIT_MS, w.pid));
	ASSERT_EQ(0, work_tell(&w, 'x'));
	for (i = 1; i <= TIMES; i++) {
		if (!is_held(&f)) {
			work_wait(&w);
			while (i--)
				go(&l[i]);
			return 0;
		}
		if (i == TIMES && first_goes) {
			ASSERT_EQ(0, acct_deregister(&l[0].s[0], "1"));
		}
		come(_metadata, &l[i]);
		ASSERT_EQ(0, fail_hold(f.name, EXIT_MS, w.pid));
	}
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_EQ(0, fail_calls(&f).calls);
	return w.pid;
}

static pid_t exit_and_come(struct __test_metadata *_metadata, struct comers *l,
			   bool first_goes)
{
	pid_t pid = 0;
	int i;

	for (i = 0; i < TRIES && !pid; i++)
		pid = try_exit_and_come(_metadata, l, first_goes);
	EXPECT_LT(0, pid);
	return pid;
}

/* R32 R36: others come to hear a CPU each time that messages for an exit have been made:
 * of whom they were made for each gets its own, once; those for whom it was too late
 * are told of a loss
 */
TEST_F(slow_exit, others_come)
{
	struct acct_listener info;
	struct comers l[TIMES + 1];
	struct acct_sock s;
	struct acct_exit e;
	pid_t pid;
	int i, j;

	NEED_FAIL();
	NEED_CPUS(2);
	ASSERT_EQ(0, acct_open(&s));
	pid = exit_and_come(_metadata, l, false);
	for (i = 0; i <= TIMES; i++) {
		for (j = 0; j < COMERS; j++) {
			EXPECT_EQ(i < TIMES ? 0 : -ENOBUFS,
				  acct_next_exit(&l[i].s[j], &e, PATIENCE_MS));
			if (i < TIMES) {
				EXPECT_EQ((uint32_t)pid, e.pid);
			}
			ASSERT_EQ(0, acct_listener_of(&s, l[i].s[j].port, &info));
			EXPECT_EQ(1, info.made);
			EXPECT_EQ(i < TIMES, info.delivered);
			EXPECT_EQ(i == TIMES, info.lost_memory);
			EXPECT_EQ(0, info.lost_queue);
		}
		go(&l[i]);
	}
	acct_close(&s);
}

/* R19: a message that was made for one who hears the CPU no more does not come behind
 * the acknowledgement of that, though others have come three times; those hear
 */
TEST_F(slow_exit, one_goes)
{
	struct comers l[TIMES + 1];
	struct acct_exit e;
	int i, err;
	pid_t pid;

	NEED_FAIL();
	NEED_CPUS(2);
	pid = exit_and_come(_metadata, l, true);
	EXPECT_EQ(0, acct_wait_exit(&l[0].s[1], pid, &e));
	while (!(err = acct_next_exit(&l[0].s[0], &e, 0))) {
		EXPECT_NE((uint32_t)pid, e.pid);
	}
	EXPECT_EQ(-EAGAIN, err);
	for (i = 0; i <= TIMES; i++)
		go(&l[i]);
}

/* What is told of a task and of its process */
struct seen {
	struct taskacct_record task;
	struct taskacct_record process;
};

static void see(struct __test_metadata *_metadata, struct acct_sock *s, pid_t pid,
		struct seen *seen)
{
	ASSERT_EQ(0, ext_query_task(s, pid, &seen->task));
	ASSERT_EQ(0, ext_query_process(s, pid, &seen->process));
}

/* False if the exit was not held any more when the first answer came */
static bool try_see(struct __test_metadata *_metadata, struct seen *held,
		    struct seen *gone_on)
{
	const struct fail_function f = { .name = function_of(FAIL_CLONE) };
	int64_t begin = sys_now_ns();
	struct acct_sock s;
	struct acct_exit e;
	struct comers l;
	siginfo_t info;
	struct work w;
	bool in_time;

	keep_away(_metadata);
	ASSERT_EQ(0, acct_open(&s));
	come(_metadata, &l);
	ASSERT_EQ(0, work_start(&w, exit_when_reported, NULL));
	ASSERT_EQ(0, fail_hold(f.name, EXIT_MS, w.pid));
	ASSERT_EQ(0, work_tell(&w, 'x'));
	ASSERT_EQ(0, waitid(P_PID, w.pid, &info, WEXITED | WNOWAIT));
	ASSERT_TRUE(is_held(&f));
	see(_metadata, &s, w.pid, held);
	in_time = sys_now_ns() - begin < EXIT_MS * 1000000LL;
	ASSERT_EQ(0, fail_none(0));
	ASSERT_EQ(0, acct_wait_exit(&l.s[0], w.pid, &e));
	see(_metadata, &s, w.pid, gone_on);
	EXPECT_EQ(0, work_wait(&w));
	go(&l);
	acct_close(&s);
	return in_time;
}

/* R6: a process that is held where its message is made can be waited for. A query of
 * the task, and of the process, says that it is not at its end; once it is, it does
 * not, and has no less CPU time
 */
TEST_F(slow_exit, ending)
{
	struct seen held, gone_on;
	int i;

	NEED_FAIL();
	NEED_CPUS(2);
	for (i = 0; i < TRIES; i++)
		if (try_see(_metadata, &held, &gone_on))
			break;
	EXPECT_GT(TRIES, i);
	EXPECT_TRUE(held.task.flags & TASKACCT_RECORD_ENDING);
	EXPECT_TRUE(held.process.flags & TASKACCT_RECORD_ENDING);
	EXPECT_FALSE(gone_on.task.flags & TASKACCT_RECORD_ENDING);
	EXPECT_FALSE(gone_on.process.flags & TASKACCT_RECORD_ENDING);
	EXPECT_LE(held.process.runtime, gone_on.process.runtime);
}

TEST_HARNESS_MAIN
