// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module goes and comes while everything that it does is going on. In
 * storm_test it does so many more times.
 */
#include <sys/syscall.h>
#include <time.h>

#include "test.h"
#include "module.h"
#include "storm.h"

#define ROUNDS 20

static int listen_all(struct acct_sock *l)
{
	char all[32];

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	return acct_listen(l, all, 1 << 20);
}

/* "Unloading with listeners registered, queries running and tasks exiting is
 * safe and leaves nothing behind": ENODEV for the listeners, no symbol, no
 * hook
 */
TEST(under_load)
{
	const unsigned int rounds = sys_quick(ROUNDS);
	const char *wrong;
	struct storm storm;

	NEED_LOADED(sys_module_loaded());
	wrong = storm_begin(&storm);
	while (!wrong && storm.round < rounds)
		wrong = storm_round(&storm);
	ASSERT_EQ(NULL, wrong) TH_LOG("round %u: %s", storm.round, wrong);
	wrong = storm_end(&storm);
	EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
}

FIXTURE(hook) {
	bool loaded;
};

FIXTURE_SETUP(hook)
{
	self->loaded = sys_in_vm() && sys_module_loaded();
}

FIXTURE_TEARDOWN(hook)
{
	if (self->loaded && sys_module_loaded()) {
		EXPECT_EQ(0, sys_module_unload());
	}
	if (self->loaded) {
		EXPECT_EQ(0, sys_module_load(NULL));
	}
}

/* The hook in force begins with this name, and tells of exits */
static void expect_hears(struct __test_metadata *_metadata, const char *name)
{
	struct acct_stat st;
	struct acct_sock l;
	struct acct_sock s;
	struct acct_exit e;

	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, acct_stat_get(&s, &st));
	EXPECT_EQ(0, strncmp(st.hook, name, strlen(name))) {
		TH_LOG("hook %s", st.hook);
	}
	ASSERT_EQ(0, listen_all(&l));
	EXPECT_EQ(0, acct_wait_exit(&l, work_exit_process(0), &e));
	acct_close(&l);
	acct_close(&s);
}

static void expect_hook(struct __test_metadata *_metadata, const char *param,
			const char *name)
{
	ASSERT_EQ(0, sys_module_load(param));
	EXPECT_TRUE(module_traces());
	expect_hears(_metadata, name);
}

static void expect_no_hook(struct __test_metadata *_metadata, const char *param)
{
	EXPECT_EQ(-EOPNOTSUPP, module_insert(param));
	EXPECT_FALSE(module_traces());
	ASSERT_EQ(0, sys_module_load(NULL));
	expect_hears(_metadata, sys_traces_functions() ? "ftrace:" : "tracepoint:");
}

/* The hook that is asked for is the one in force, it is seen where the kernel
 * lists it, it tells of exits, and it goes with the module. A kprobe that would be a
 * breakpoint is refused: without ftrace, and on arm64.
 */
TEST_F(hook, each_one)
{
	const char *const hooks[] = { "ftrace", "kprobe", "tracepoint" };
	char param[32];
	size_t i;

	NEED_LOADED(self->loaded);
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ASSERT_EQ(0, sys_module_unload());
		EXPECT_FALSE(module_traces());
		snprintf(param, sizeof(param), "hook=%s", hooks[i]);
		if (!sys_has_hook(hooks[i]))
			expect_no_hook(_metadata, param);
		else
			expect_hook(_metadata, param, hooks[i]);
	}
	ASSERT_EQ(0, sys_module_unload());
	EXPECT_NE(0, sys_module_load("hook=nonsense"));
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(module_traces());
	ASSERT_EQ(0, sys_module_load(NULL));
}

/* What the kernel does not keep of a thread that it has released */
#define DROPPED (1ULL << TASKACCT_HAS_RUN_QUEUE | 1ULL << TASKACCT_HAS_IO | \
		 1ULL << TASKACCT_HAS_STORAGE | 1ULL << TASKACCT_HAS_INTEGRAL | \
		 1ULL << TASKACCT_HAS_THREADS)
#define WAITS (1ULL << TASKACCT_HAS_BLKIO | 1ULL << TASKACCT_HAS_SWAPIN)

/*
 * It sleeps, so that it leaves a context switch behind: what it ran may not have
 * been counted yet when it ends, and then there would be nothing at all.
 */
static int end_soon(void *arg)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	(void)arg;
	syscall(SYS_nanosleep, &ms, NULL);
	work_raw_exit(0);
	return 0;
}

static int lose_a_thread(int fd, void *arg)
{
	pid_t tids[2];
	int gone;

	(void)arg;
	work_raw_thread(end_soon, NULL, work_stacks(1), &gone);
	work_raw_join(&gone);
	while (sys_tids(getpid(), tids, 2) != 1)
		usleep(1000);
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

static int just_wait(int fd, void *arg)
{
	(void)arg;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

static void start_waiting(struct __test_metadata *_metadata, struct work *w,
			  work_fn fn)
{
	ASSERT_EQ(0, work_start(w, fn, NULL));
	ASSERT_EQ('r', work_hear(w));
}

/* Delay accounting is off, then on: that of a task that began before is off,
 * and late as soon as it is known that others that came later have it.
 */
static void expect_waits(struct __test_metadata *_metadata, struct acct_sock *s,
			 pid_t early)
{
	struct taskacct_record r;
	struct work later;

	ASSERT_EQ(0, ext_query_task(s, early, &r));
	EXPECT_EQ(WAITS, r.off & WAITS);
	ASSERT_EQ(0, sys_delayacct(true));
	start_waiting(_metadata, &later, just_wait);
	ASSERT_EQ(0, ext_query_task(s, later.pid, &r));
	EXPECT_EQ(WAITS, r.valid & WAITS);
	ASSERT_EQ(0, ext_query_task(s, early, &r));
	EXPECT_EQ(WAITS, r.late & WAITS);
	EXPECT_EQ(0, r.off & WAITS);
	work_wait(&later);
	ASSERT_EQ(0, sys_delayacct(false));
}

/* What began before the module was there, and before delay accounting was: the
 * extended record says which values lack that
 */
TEST_F(hook, began_too_late)
{
	struct taskacct_record r;
	struct acct_sock s;
	struct work w[2];
	bool can_switch;

	NEED_LOADED(self->loaded);
	can_switch = !sys_delayacct(false);
	ASSERT_EQ(0, sys_module_unload());
	start_waiting(_metadata, &w[0], lose_a_thread);
	start_waiting(_metadata, &w[1], just_wait);
	ASSERT_EQ(0, sys_module_load(NULL));
	ASSERT_EQ(0, acct_open(&s));
	ASSERT_EQ(0, ext_query_process(&s, w[0].pid, &r));
	EXPECT_EQ(DROPPED, (r.late | r.absent) & DROPPED);
	EXPECT_TRUE(r.late & 1ULL << TASKACCT_HAS_THREADS);
	EXPECT_TRUE(r.valid & 1ULL << TASKACCT_HAS_FAULTS);
	ASSERT_EQ(0, ext_query_process(&s, w[1].pid, &r));
	EXPECT_EQ(0, r.late);
	EXPECT_EQ(1, r.threads);
	if (can_switch)
		expect_waits(_metadata, &s, w[1].pid);
	acct_close(&s);
	work_wait(&w[0]);
	work_wait(&w[1]);
}

static void expect_refused_while_off(struct __test_metadata *_metadata)
{
	EXPECT_EQ(-EBUSY, module_insert("hook=ftrace"));
	EXPECT_FALSE(sys_module_loaded());
	/* What is a breakpoint is refused first. */
	EXPECT_EQ(sys_has_kprobes() ? -EBUSY : -EOPNOTSUPP,
		  module_insert("hook=kprobe"));
	EXPECT_FALSE(sys_module_loaded());
	ASSERT_EQ(0, sys_module_load(NULL));
	expect_hears(_metadata, "tracepoint:sched_process_exit");
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_write(SYS_FTRACE_ENABLED, "1"));
}

/* Where ftrace is switched off the hooks that need it would not be called: they
 * are refused, the tracepoint takes their place, and while ftrace is in use it
 * cannot be switched off; from 7.3 on it never can
 */
TEST_F(hook, never_deaf)
{
	int in_use, off;

	NEED_LOADED(self->loaded);
	NEED_FTRACE();
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load("hook=ftrace"));
	in_use = sys_write(SYS_FTRACE_ENABLED, "0");
	ASSERT_EQ(0, sys_module_unload());
	off = sys_write(SYS_FTRACE_ENABLED, "0");
	if (off == -EOPNOTSUPP) {
		EXPECT_EQ(-EOPNOTSUPP, in_use);
	} else {
		EXPECT_EQ(-EBUSY, in_use);
		ASSERT_EQ(0, off);
		expect_refused_while_off(_metadata);
	}
	/* A hook that nobody knows is refused as well. */
	EXPECT_NE(0, sys_module_load("hook=telepathy"));
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(module_traces());
	ASSERT_EQ(0, sys_module_load(NULL));
}

#define ENDING 64
#define BETWEEN_NS 5000000
#define UNLOADS 8

static int end_now;

/* They have something to be missed, and end one after the other when told to. */
static int end_in_turn(void *arg)
{
	const struct timespec wait = { .tv_nsec = BETWEEN_NS * (long)arg };

	work_burn(3000000);
	work_wait_for(&end_now, 1);
	syscall(SYS_nanosleep, &wait, NULL);
	work_raw_exit(0);
	return 0;
}

static int shrink(int fd, void *arg)
{
	char *stacks = work_stacks(ENDING);
	int gone[ENDING + 1];
	long i;

	(void)arg;
	for (i = 0; i < ENDING; i++)
		if (work_raw_thread(end_in_turn, (void *)i,
				    stacks + i * WORK_STACK, &gone[i]) < 0)
			return 1;
	/* One has ended before, so that there is something kept of it. */
	work_raw_thread(end_soon, NULL, work_stacks(1), &gone[ENDING]);
	work_raw_join(&gone[ENDING]);
	work_send(fd, 'r');
	work_order(fd);
	work_wake(&end_now, 1);
	work_order(fd);
	return 0;
}

/* Asks until nobody answers any more; 1 if a sum went back */
static int ask_to_the_end(int fd, void *arg)
{
	const pid_t pid = *(pid_t *)arg;
	struct taskstats now = { 0 };
	uint64_t seen = 0;
	struct acct_sock s;

	if (acct_open(&s) || acct_query_tgid(&s, pid, &now))
		return 2;
	work_send(fd, 'r');
	do {
		if (now.cpu_run_virtual_total < seen)
			return 1;
		seen = now.cpu_run_virtual_total;
	} while (!acct_query_tgid(&s, pid, &now));
	return 0;
}

/* R25, R28: threads end while the module goes: as long as it answers no sum goes
 * back
 */
TEST_F(hook, right_to_the_end)
{
	const unsigned int rounds = sys_quick(UNLOADS);
	struct work shrinking, asking;
	unsigned int i;

	NEED_LOADED(self->loaded);
	for (i = 0; i < rounds; i++) {
		start_waiting(_metadata, &shrinking, shrink);
		ASSERT_EQ(0, work_start(&asking, ask_to_the_end,
					&shrinking.pid));
		ASSERT_EQ('r', work_hear(&asking));
		work_tell(&shrinking, 'e');
		ASSERT_EQ(0, sys_module_unload());
		EXPECT_EQ(0, work_wait(&asking)) TH_LOG("round %u", i);
		work_tell(&shrinking, 'e');
		work_wait(&shrinking);
		ASSERT_EQ(0, sys_module_load(NULL));
	}
}

static int end_as_pair(int fd, void *arg)
{
	char *stack = work_stacks(1);
	int gone;

	(void)arg;
	if (!work_order(fd) || work_raw_thread(work_raw_end, NULL, stack, &gone) < 0)
		return 1;
	work_raw_join(&gone);
	return 0;
}

/* A process of two threads was reported and is yet to be waited for: what was kept of it
 * goes with the module
 */
TEST_F(hook, before_it_is_waited_for)
{
	struct acct_sock l;
	struct acct_exit e;
	struct work w;

	NEED_LOADED(self->loaded);
	ASSERT_EQ(0, listen_all(&l));
	ASSERT_EQ(0, work_start(&w, end_as_pair, NULL));
	ASSERT_EQ(0, work_tell(&w, 'e'));
	do {
		ASSERT_EQ(0, acct_next_exit(&l, &e, PATIENCE_MS));
	} while (!e.has_tgid || e.tgid != (uint32_t)w.pid);
	/* A tracepoint reports it before it is at its end. */
	while (work_is_running(w.pid))
		usleep(1000);
	EXPECT_EQ(0, sys_module_unload());
	EXPECT_EQ(0, work_wait(&w));
	acct_close(&l);
}

TEST_HARNESS_MAIN
