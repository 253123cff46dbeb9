// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of exits goes wrong, with the module of tests/hookfault: another function
 * has the same name, exits come while a hook is looked for, a hook is silenced, cannot
 * be taken away, or is blocked in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "test.h"
#include "extended.h"
#include "fail.h"
#include "module.h"

#define PARAMETERS "/sys/module/hookfault/parameters/"
#define KPROBES_ENABLED "/sys/kernel/debug/kprobes/enabled"
#define ENABLED_FUNCTIONS "/sys/kernel/tracing/enabled_functions"

/* How long something is watched that must not happen */
#define WATCH_US 2000000
#define LEAVE_MS 60000
#define SEEN_MS 10000

/* A hook's exits are counted from a second after it was attached. */
#define COUNTED_US 1200000

static bool able(void)
{
	return sys_in_vm() && sys_module_loaded();
}

static void set_up(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_run("modprobe", "hookfault"));
}

static void tear_down(struct __test_metadata *_metadata)
{
	if (sys_module_loaded()) {
		EXPECT_EQ(0, module_remove());
	}
	EXPECT_EQ(0, module_run("rmmod", "hookfault"));
	EXPECT_EQ(0, module_insert(NULL));
}

FIXTURE(fault) {
	bool able;
};

FIXTURE_SETUP(fault)
{
	self->able = able();
	if (self->able)
		set_up(_metadata);
}

FIXTURE_TEARDOWN(fault)
{
	if (self->able)
		tear_down(_metadata);
}

FIXTURE_VARIANT(fault) {
	const char *params;
};

FIXTURE_VARIANT_ADD(fault, ftrace) {
	.params = "hook=ftrace",
};

FIXTURE_VARIANT_ADD(fault, kprobe) {
	.params = "hook=kprobe",
};

FIXTURE_VARIANT_ADD(fault, tracepoint) {
	.params = "hook=tracepoint",
};

/* How many messages about a task come in a while */
static int count_messages(struct acct_sock *l, pid_t pid, int timeout_ms)
{
	struct acct_exit e;
	int n = 0;

	while (!acct_next_exit(l, &e, timeout_ms))
		n += e.has_pid && e.pid == (uint32_t)pid;
	return n;
}

/* R10 R24: a function that has the name of the one that is hooked, as a livepatch's
 * may, is not taken for it: nobody is told of an exit that is none, and of one that
 * is once
 */
TEST_F(fault, namesake)
{
	struct acct_sock l;
	pid_t pid;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	ASSERT_EQ(0, module_insert(variant->params));
	EXPECT_FALSE(sys_file_has(ENABLED_FUNCTIONS, "[hookfault]"));
	ASSERT_EQ(0, acct_open(&l));
	ASSERT_EQ(0, acct_listen_all(&l, 1 << 20));
	ASSERT_EQ(0, sys_write(PARAMETERS "namesakes", "1"));
	pid = work_exit_process(0);
	EXPECT_EQ(0, count_messages(&l, getpid(), 500));
	ASSERT_EQ(0, sys_write(PARAMETERS "namesakes", "1"));
	pid = work_exit_process(0);
	EXPECT_EQ(1, count_messages(&l, pid, 500));
	acct_close(&l);
}

#define ENDING 200
#define BETWEEN_NS 5000000

/* Of each thread. The kernel keeps them, and on its way out a thread has no more. */
#define FAULTS 20

static int end_now;

/* They have something to be missed, and end one after the other when told to. */
static int end_in_turn(void *arg)
{
	const struct timespec wait = { .tv_nsec = BETWEEN_NS };
	long i;

	work_fault(FAULTS);
	work_wait_for(&end_now, 1);
	for (i = 0; i < (long)arg; i++)
		syscall(SYS_nanosleep, &wait, NULL);
	work_raw_exit(0);
	return 0;
}

/* Ends its threads while the module is loaded, and stays */
static int shrink(int fd, void *arg)
{
	const int ending = sys_quick(ENDING);
	char *stacks = work_stacks(ending);
	static int gone[ENDING];
	long i;

	(void)arg;
	for (i = 0; i < ending; i++)
		if (work_raw_thread(end_in_turn, (void *)i,
				    stacks + i * WORK_STACK, &gone[i]) < 0)
			return 1;
	work_send(fd, 'r');
	work_order(fd);
	work_wake(&end_now, 1);
	for (i = 0; i < ending; i++)
		work_raw_join(&gone[i]);
	work_send(fd, 'd');
	work_order(fd);
	return 0;
}

/*
 * R25 R28: threads end while a hook is looked for and attached. Whatever of them was
 * seen and was not, the sum is what the kernel has of the process, or is reported as LATE.
 */
TEST_F(fault, loads_while_threads_end)
{
	struct taskacct_record r;
	struct taskstats stats;
	struct acct_sock s;
	struct sys_task t;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, work_start(&w, shrink, NULL));
		ASSERT_EQ('r', work_hear(&w));
		work_tell(&w, 'e');
		ASSERT_EQ(0, module_insert(variant->params));
		ASSERT_EQ('d', work_hear(&w));
		ASSERT_EQ(0, work_settle(w.pid));
		ASSERT_EQ(0, acct_open(&s));
		ASSERT_EQ(0, acct_query_tgid(&s, w.pid, &stats));
		ASSERT_EQ(0, sys_proc_task(w.pid, &t));
		ASSERT_EQ(0, ext_query_process(&s, w.pid, &r));
		if (!(r.late & 1ULL << TASKACCT_HAS_FAULTS)) {
			EXPECT_EQ(t.minflt, stats.ac_minflt);
		}
		acct_close(&s);
		work_tell(&w, 'e');
		work_wait(&w);
		ASSERT_EQ(0, module_remove());
	}
}

static uint64_t missed(struct acct_sock *s)
{
	struct acct_stat st;

	return acct_stat_get(s, &st) ? UINT64_MAX : st.exits_missed;
}

/* While a kprobe is the hook ftrace, which it goes through, cannot be switched off. */
TEST(kprobe_keeps_ftrace)
{
	int in_use, off;

	NEED_LOADED(sys_module_loaded());
	NEED_KPROBES();
	ASSERT_EQ(0, module_remove());
	ASSERT_EQ(0, module_insert("hook=kprobe"));
	in_use = sys_write(SYS_FTRACE_ENABLED, "0");
	ASSERT_EQ(0, module_remove());
	off = sys_write(SYS_FTRACE_ENABLED, "0");
	EXPECT_EQ(off ? off : -EBUSY, in_use);
	if (!off) {
		EXPECT_EQ(-EBUSY, module_insert("hook=kprobe"));
		EXPECT_EQ(0, sys_write(SYS_FTRACE_ENABLED, "1"));
	}
	ASSERT_EQ(0, module_insert(NULL));
}

/* Exits that a kprobe is not called for are counted, each once, and no others. */
TEST_F(fault, silenced)
{
	const bool can_be = strstr(variant->params, "kprobe");
	struct acct_sock s;
	int i;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	ASSERT_EQ(0, module_insert(variant->params));
	ASSERT_EQ(0, acct_open(&s));
	usleep(COUNTED_US);
	for (i = 0; i < 20; i++)
		work_exit_process(0);
	EXPECT_EQ(0, missed(&s));
	ASSERT_EQ(0, sys_write(KPROBES_ENABLED, "0"));
	for (i = 0; i < 20; i++)
		work_exit_process(0);
	EXPECT_EQ(can_be, missed(&s) >= 20);
	EXPECT_EQ(0, sys_write(KPROBES_ENABLED, "1"));
	work_exit_process(0);
	EXPECT_EQ(can_be, missed(&s) > 0);
	acct_close(&s);
}

/* Where the kernel keeps something; 0 where it does not say */
static unsigned long address_of(const char *symbol)
{
	unsigned long at, found = 0;
	char line[512], name[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %255s", &at, name) == 2 &&
		    !strcmp(name, symbol))
			found = at;
	if (f)
		fclose(f);
	return found;
}

/* The real thing, and back */
static int kill_ftrace(bool dead)
{
	char text[32];

	snprintf(text, sizeof(text), "%#lx", address_of("ftrace_disabled"));
	if (sys_write(PARAMETERS "dead_at", text))
		return -ENOENT;
	return sys_write(PARAMETERS "dead", dead ? "1" : "0");
}

/* The kernel warns of the real thing: only its result. */
static int keep_kprobes(bool keep)
{
	return fail_plan(keep ? "unregister_kprobe 1/1 0" : " ");
}

FIXTURE(stuck) {
	bool able;
};

FIXTURE_VARIANT(stuck) {
	const char *params;
	int (*stick)(bool on);
};

FIXTURE_VARIANT_ADD(stuck, ftrace) {
	.params = "hook=ftrace uid=1",
	.stick = kill_ftrace,
};

FIXTURE_VARIANT_ADD(stuck, kprobe) {
	.params = "hook=kprobe uid=1",
	.stick = keep_kprobes,
};

FIXTURE_SETUP(stuck)
{
	self->able = able();
	if (!self->able)
		return;
	set_up(_metadata);
	ASSERT_EQ(0, module_run("modprobe", "fail"));
	ASSERT_EQ(0, sys_write("/sys/module/fail/parameters/functions",
			       "unregister_kprobe"));
}

FIXTURE_TEARDOWN(stuck)
{
	if (!self->able)
		return;
	tear_down(_metadata);
	EXPECT_EQ(0, module_run("rmmod", "fail"));
}

static int remove_it(int fd, void *arg)
{
	(void)fd;
	(void)arg;
	return module_remove() ? 1 : 0;
}

static bool is_leaving(void)
{
	return sys_file_has("/proc/modules", "Unloading");
}

/* Each kind of exit, past a hook whose module has nothing any more */
static void exit_past(void)
{
	int i;

	for (i = 0; i < 50; i++) {
		work_exit_process(0);
		work_exit_pair();
	}
}

/* The listener is told that there is nothing to listen to any more */
static int hear_the_end(struct acct_sock *l)
{
	struct acct_exit e;
	int err;

	do {
		err = acct_next_exit(l, &e, LEAVE_MS);
	} while (!err);
	return err;
}

/*
 * The kernel does not let go of a hook: the module stays until it does, and does
 * nothing. Listeners and the family are gone, and tasks exit.
 */
TEST_F(stuck, stays)
{
	struct acct_sock l, s;
	struct work w;
	int i;

	NEED_LOADED(self->able);
	NEED_HOOK(variant->params);
	if (variant->stick == kill_ftrace && !address_of("ftrace_disabled"))
		SKIP(return, "no CONFIG_KALLSYMS_ALL: ftrace cannot be stopped");
	ASSERT_EQ(0, module_insert(variant->params));
	ASSERT_EQ(0, acct_open(&l));
	ASSERT_EQ(0, acct_listen_all(&l, 1 << 20));
	ASSERT_EQ(0, variant->stick(true));
	ASSERT_EQ(0, work_start(&w, remove_it, NULL));
	for (i = 0; i < LEAVE_MS && !is_leaving(); i++)
		usleep(1000);
	EXPECT_EQ(-ENODEV, hear_the_end(&l));
	acct_close(&l);
	exit_past();
	usleep(WATCH_US);
	EXPECT_TRUE(is_leaving());
	EXPECT_NE('Z', sys_state(w.pid, w.pid));
	EXPECT_EQ(-ENOENT, acct_open(&s));
	exit_past();
	ASSERT_EQ(0, variant->stick(false));
	EXPECT_EQ(0, work_wait(&w));
	EXPECT_FALSE(module_traces());
	exit_past();
}

static int end_behind_gate(int fd, void *arg)
{
	(void)arg;
	work_send(fd, '.');
	return 0;
}

static int waiting(void)
{
	char text[32] = "";

	sys_read(PARAMETERS "waiting", text, sizeof(text));
	return atoi(text);
}

/*
 * A task blocks in the hook, at a lock that sleeps on PREEMPT_RT, while the module
 * goes: what it returns to is still there.
 */
TEST_F(stuck, blocked_in)
{
	struct work task, leaving;
	int i;

	NEED_LOADED(self->able);
	NEED_FTRACE();
	if (access("/sys/kernel/realtime", F_OK))
		SKIP(return, "no PREEMPT_RT: no lock sleeps");
	NEED_CPUS(2);
	ASSERT_EQ(0, module_insert("hook=ftrace"));
	ASSERT_EQ(0, sys_write(PARAMETERS "gate", "taskacct_exit"));
	ASSERT_EQ(0, sys_write(PARAMETERS "shut", "1"));
	ASSERT_EQ(0, work_start(&task, end_behind_gate, NULL));
	ASSERT_EQ('.', work_hear(&task));
	for (i = 0; i < SEEN_MS && !waiting(); i++)
		usleep(1000);
	ASSERT_LE(1, waiting());
	ASSERT_EQ(0, work_start(&leaving, remove_it, NULL));
	for (i = 0; i < LEAVE_MS && !is_leaving(); i++)
		usleep(1000);
	usleep(WATCH_US);
	EXPECT_TRUE(is_leaving());
	EXPECT_LE(1, waiting());
	ASSERT_EQ(0, sys_write(PARAMETERS "shut", "0"));
	EXPECT_EQ(0, work_wait(&leaving));
	EXPECT_EQ(0, waiting());
	EXPECT_EQ(0, work_wait(&task));
	EXPECT_FALSE(module_traces());
}

TEST_HARNESS_MAIN
