// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading fails at every step at which it can, and leaves nothing behind.
 *
 * Module fail (tests/fail) makes calls of the module fail, on every kernel: it has a
 * kprobe on each kernel function that the module uses and that can fail, and lets it
 * return an error instead of doing its work. Which functions these are is read from
 * the symbols that taskacct.ko needs; one that by its name can fail and is not in the
 * table of lib/fail.c fails the test. Allocations inside the kernel's own functions
 * fail by the kernel's fault injection (fail-nth), which only the debug kernel has.
 */
#include "test.h"
#include "fail.h"
#include "module.h"
#include "storm.h"

/* The limit is that of the VM, which knows how slow the kernel is. */
#define TIMEOUT 7200

/* An allocation for each mark of the reserve, and room to spare */
#define MAX_ALLOCATIONS 3000

/* The exited threads are equal: after the first ones it is one in so many. A kernel that
 * looks for leaks allocates once more for each.
 */
#define FIRST 32
#define FIRST_CALLS 32
#define MARKS 512
#define STEP 48

/* What slabs may move by while nothing stays behind. */
#define DRIFT_KIB 256
#define ROUNDS 25
#define UNDER_LOAD sys_quick(10)
#define WARM_UP 5

/* Where time per CPU is accounted: set, and as it is in force */
#define CPUTIME "/sys/module/taskacct/parameters/cputime"

FIXTURE(init) {
	bool able;
};

FIXTURE_VARIANT(init) {
	const char *params;
};

FIXTURE_VARIANT_ADD(init, any_hook) {
	.params = "",
};

FIXTURE_VARIANT_ADD(init, ftrace) {
	.params = "hook=ftrace",
};

FIXTURE_VARIANT_ADD(init, kprobe) {
	.params = "hook=kprobe",
};

FIXTURE_VARIANT_ADD(init, tracepoint) {
	.params = "hook=tracepoint",
};

/* The best hook, and totals per user beside it */
FIXTURE_VARIANT_ADD(init, uid) {
	.params = "uid=1",
};

/* The best hook, and all that time per CPU is accounted at */
FIXTURE_VARIANT_ADD(init, cputime) {
	.params = "cputime=full",
};

FIXTURE_SETUP(init)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (self->able) {
		ASSERT_EQ(0, fail_begin());
		ASSERT_EQ(0, fail_none(getpid()));
	}
}

FIXTURE_TEARDOWN(init)
{
	if (self->able) {
		EXPECT_EQ(0, fail_end());
	}
}

/* Whatever was left behind is called by this. */
static void exits(void)
{
	pid_t pid;

	work_exit_process(0);
	pid = fork();
	if (pid == 0) {
		work_raw_thread(work_raw_end, NULL, work_stacks(1), NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void expect_undone(struct __test_metadata *_metadata)
{
	struct acct_sock s;

	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(module_hooked());
	EXPECT_EQ(-ENOENT, acct_open(&s));
	exits();
}

static void expect_works(struct __test_metadata *_metadata)
{
	struct acct_sock l;
	struct acct_exit e;
	char all[32];

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_listen(&l, all, 0));
	EXPECT_EQ(0, acct_wait_exit(&l, work_exit_process(0), &e));
	acct_close(&l);
	ASSERT_EQ(0, module_remove());
}

static void note_calls(unsigned int *calls)
{
	size_t i;

	for (i = 0; fail_function(i); i++)
		calls[i] = fail_calls(fail_function(i)).calls;
}

/* Counts what is called when nothing fails, which also has to work. */
static void count_calls(struct __test_metadata *_metadata, const char *params,
			unsigned int *calls)
{
	const bool full = strstr(params, "cputime=full");

	ASSERT_EQ(0, fail_none(getpid()));
	ASSERT_EQ(0, module_insert(params));
	note_calls(calls);
	EXPECT_TRUE(sys_file_has(CPUTIME, full ? "full" : "off"));
	expect_works(_metadata);
}

/* Something else may do what these do, or they only are a trial. */
static bool has_spare(const struct fail_function *f)
{
	return strstr(f->name, "ftrace") || strstr(f->name, "probe");
}

static void expect_refused(struct __test_metadata *_metadata,
			   const struct fail_function *f, int err)
{
	if (!err && has_spare(f)) {
		expect_works(_metadata);
	} else {
		EXPECT_EQ(fail_error(f), err) TH_LOG("%s", f->name);
	}
	expect_undone(_metadata);
}

/* The table of what can fail has all that the module calls. */
TEST_F(init, every_function_is_known)
{
	NEED_LOADED(self->able);
	EXPECT_EQ(NULL, fail_unknown())
		TH_LOG("lib/fail.c: can %s fail?", fail_unknown());
}

/* Reserves are filled with many that are equal; so are tasks, and their users. */
static unsigned int step(unsigned int nth, unsigned int calls)
{
	const unsigned int first = sys_quick(FIRST_CALLS);

	return nth > first && nth + STEP < calls ? STEP : 1;
}

/* R96: with each hook, with totals per user, and with time per CPU, each call of init
 * fails in its turn. Loading fails with the error of that call, or another hook takes
 * its place and works. Nothing is left behind, and the module can be loaded, with the
 * mode that was asked for.
 */
TEST_F(init, each_call)
{
	const struct fail_function *f;
	unsigned int calls[64] = { 0 };
	unsigned int failures = 0;
	unsigned int nth;
	size_t i;
	int err;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	count_calls(_metadata, variant->params, calls);
	for (i = 0; (f = fail_function(i)); i++) {
		for (nth = 1; nth <= calls[i]; nth += step(nth, calls[i])) {
			ASSERT_EQ(0, fail_nth(f, nth, getpid()));
			err = module_insert(variant->params);
			EXPECT_EQ(1, fail_calls(f).failed);
			ASSERT_EQ(0, fail_none(getpid()));
			expect_refused(_metadata, f, err);
			failures++;
		}
	}
	EXPECT_FALSE(module_traces());
	count_calls(_metadata, variant->params, calls);
	TH_LOG("%u calls failed", failures);
	EXPECT_GE(failures, 7);
}

/* No way to be told of exits: the error of the last attempt. Frees are attached
 * before, through a tracepoint too.
 */
TEST_F(init, every_hook)
{
	unsigned int calls[64] = { 0 };
	const struct fail_function *f;
	char plan[512] = "";
	char one[80];
	size_t i;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	for (i = 0; (f = fail_function(i)); i++) {
		if (!has_spare(f))
			continue;
		snprintf(one, sizeof(one), "%s %s %ld;", f->name,
			 strstr(f->name, "tracepoint") ? "2" : "1/1", f->value);
		strcat(plan, one);
	}
	ASSERT_EQ(0, fail_plan(plan));
	EXPECT_GT(0, module_insert(variant->params));
	ASSERT_EQ(0, fail_none(getpid()));
	expect_undone(_metadata);
	count_calls(_metadata, variant->params, calls);
}

FIXTURE(again) {
	bool able;
};

FIXTURE_SETUP(again)
{
	self->able = sys_in_vm() && sys_module_loaded();
	if (self->able) {
		ASSERT_EQ(0, fail_begin());
	}
}

FIXTURE_TEARDOWN(again)
{
	if (self->able) {
		EXPECT_EQ(0, fail_end());
	}
}

/* Returns whether there was such an allocation */
static bool fail_allocation(struct __test_metadata *_metadata, int fd,
			    const char *params, unsigned int nth,
			    unsigned int *refused)
{
	unsigned int left;
	int err;

	ASSERT_EQ(0, fail_init_nth(nth));
	err = module_insert(params);
	left = fail_slab_left(fd);
	ASSERT_EQ(0, fail_slab_set(fd, 0));
	ASSERT_EQ(0, fail_init_nth(0));
	if (err) {
		EXPECT_EQ(-ENOMEM, err) TH_LOG("%s: allocation %u", params, nth);
		(*refused)++;
	} else {
		expect_works(_metadata);
	}
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(module_hooked());
	return !left;
}

/* Each allocation within init fails, those in the kernel's own functions
 * included; with the best hook, whose want another one makes up for
 */
TEST_F_TIMEOUT(again, each_allocation, TIMEOUT)
{
	unsigned int refused = 0;
	unsigned int nth = 1;
	int fd;

	NEED_LOADED(self->able);
	if (!fail_slab_begin())
		SKIP(return, "this kernel has no fault injection");
	fd = fail_slab_open(getpid(), work_tid());
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fail_hush(true));
	while (fail_allocation(_metadata, fd, "", nth, &refused) &&
	       nth < MAX_ALLOCATIONS)
		nth += nth > FIRST && nth < MARKS - STEP ? STEP : 1;
	TH_LOG("%u allocations, %u of them refused", nth - 1, refused);
	EXPECT_GT(MAX_ALLOCATIONS, nth);
	EXPECT_GT(nth, MARKS / 2);
	EXPECT_GT(refused, 10);
	EXPECT_EQ(0, fail_hush(false));
	EXPECT_TRUE(fail_locks_right());
	expect_undone(_metadata);
	EXPECT_FALSE(module_traces());
	close(fd);
}

/* Each call on the way from one mode to another fails: the error is the call's
 * own, and the mode is the one that it was
 */
static void fail_change(struct __test_metadata *_metadata, const char *from,
			const char *to, unsigned int *failures)
{
	const struct fail_function *f;
	unsigned int calls[64] = { 0 };
	unsigned int nth;
	size_t i;

	ASSERT_EQ(0, sys_write(CPUTIME, from));
	ASSERT_EQ(0, fail_none(getpid()));
	ASSERT_EQ(0, sys_write(CPUTIME, to));
	note_calls(calls);
	ASSERT_EQ(0, sys_write(CPUTIME, from));
	for (i = 0; (f = fail_function(i)); i++) {
		for (nth = 1; nth <= calls[i]; nth++) {
			ASSERT_EQ(0, fail_nth(f, nth, getpid()));
			EXPECT_EQ(fail_error(f), sys_write(CPUTIME, to))
				TH_LOG("%s, call %u", f->name, nth);
			ASSERT_EQ(0, fail_none(getpid()));
			EXPECT_TRUE(sys_file_has(CPUTIME, from));
			(*failures)++;
		}
	}
	EXPECT_EQ(0, sys_write(CPUTIME, to));
	EXPECT_TRUE(sys_file_has(CPUTIME, to));
}

/* R96: each call that is made when the parameter cputime is changed fails in its turn:
 * the error is that of the call, the mode is what it was, and then it can be changed
 */
TEST_F(again, each_call_of_a_mode)
{
	unsigned int failures = 0;

	NEED_LOADED(self->able);
	ASSERT_EQ(0, module_insert(NULL));
	fail_change(_metadata, "off", "switch", &failures);
	fail_change(_metadata, "off", "full", &failures);
	fail_change(_metadata, "switch", "full", &failures);
	TH_LOG("%u calls failed", failures);
	/* A table, four tracepoints at the least and a CPU's callback, twice;
	 * two of system calls, twice
	 */
	EXPECT_LE(2 * 6 + 2 * 2, failures);
	expect_works(_metadata);
	expect_undone(_metadata);
}

static void fail_each_step(struct __test_metadata *_metadata,
			   const unsigned int *calls)
{
	const struct fail_function *f;
	size_t i;

	for (i = 0; (f = fail_function(i)); i++) {
		if (!calls[i])
			continue;
		ASSERT_EQ(0, fail_nth(f, calls[i], getpid()));
		if (!module_insert(module_best_hook())) {
			ASSERT_EQ(0, module_remove());
		}
	}
}

/* Each step fails, again and again: memory does not grow; exactly, by kmemleak, on the
 * debug kernel
 */
TEST_F(again, leaks_nothing)
{
	const int rounds = WARM_UP + sys_quick(ROUNDS);
	unsigned int calls[64] = { 0 };
	long before = 0;
	long after;
	int n;

	NEED_LOADED(self->able);
	count_calls(_metadata, module_best_hook(), calls);
	for (n = 0; n < rounds; n++) {
		if (n == WARM_UP)
			before = sys_meminfo_kb("Slab");
		fail_each_step(_metadata, calls);
	}
	after = sys_meminfo_kb("Slab");
	TH_LOG("slab %ld KiB before, %ld after", before, after);
	EXPECT_LT(after - before, DRIFT_KIB);
}

/* The last step fails while tasks exit: they have been through the hook that
 * was there for a moment
 */
TEST_F(again, under_load)
{
	struct storm storm;
	const char *wrong;
	int n;

	NEED_LOADED(self->able);
	ASSERT_EQ(0, module_insert(NULL));
	wrong = storm_begin(&storm);
	for (n = 0; !wrong && n < UNDER_LOAD; n++) {
		ASSERT_EQ(0, module_remove());
		ASSERT_EQ(0, fail_none(getpid()));
		ASSERT_EQ(0, fail_plan("register_kprobe 1/1 -22"));
		EXPECT_EQ(-EINVAL, module_insert("hook=kprobe"));
		EXPECT_FALSE(sys_module_loaded());
		EXPECT_FALSE(module_hooked());
		ASSERT_EQ(0, fail_none(getpid()));
		ASSERT_EQ(0, module_insert(NULL));
	}
	if (!wrong)
		wrong = storm_end(&storm);
	EXPECT_EQ(NULL, wrong) TH_LOG("%s", wrong);
}

TEST_HARNESS_MAIN
