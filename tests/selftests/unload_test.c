// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module goes and comes while everything that it does is going on.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "test.h"

#define ROUNDS 20
#define LISTENERS 3

FIXTURE(unload) {
	struct work load[2];
	struct work query[2];
	bool loaded;
};

static int end_at_once(void *arg)
{
	(void)arg;
	work_raw_exit(0);
	return 0;
}

/* Processes with and without threads, one after the other */
static int exits(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char *stacks = work_stacks(4);
	pid_t pid;
	int i;

	(void)arg;
	work_send(fd, 'r');
	while (poll(&pfd, 1, 0) == 0) {
		pid = fork();
		if (pid == 0) {
			for (i = 0; i < 4; i++)
				work_raw_thread(end_at_once, NULL,
						stacks + i * WORK_STACK, NULL);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}

/* Queries, figures and dumps, whether the family is there or not */
static int queries(int fd, void *arg)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct acct_listener l[8];
	struct taskstats st;
	struct acct_stat stat;
	struct acct_sock s;
	unsigned int good = 0;

	(void)arg;
	work_send(fd, 'r');
	while (poll(&pfd, 1, 0) == 0) {
		if (acct_open(&s))
			continue;
		while (!acct_query_tgid(&s, getpid(), &st) &&
		       !acct_query_pid(&s, getppid(), &st) &&
		       !acct_stat_get(&s, &stat) &&
		       acct_listener_dump(&s, l, 8) >= 0 &&
		       poll(&pfd, 1, 0) == 0)
			good++;
		acct_close(&s);
	}
	return good ? 0 : 1;
}

FIXTURE_SETUP(unload)
{
	int i;

	self->loaded = sys_in_vm() && sys_module_loaded();
	for (i = 0; self->loaded && i < 2; i++) {
		ASSERT_EQ(0, work_start(&self->load[i], exits, NULL));
		ASSERT_EQ('r', work_hear(&self->load[i]));
		ASSERT_EQ(0, work_start(&self->query[i], queries, NULL));
		ASSERT_EQ('r', work_hear(&self->query[i]));
	}
}

FIXTURE_TEARDOWN(unload)
{
	if (!self->loaded)
		return;
	if (!sys_module_loaded()) {
		EXPECT_EQ(0, sys_module_load(NULL));
	}
}

static int listen_all(struct acct_sock *l)
{
	char all[32];

	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	return acct_listen(l, all, 1 << 20);
}

static bool traces_left(void)
{
	mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	return sys_file_has("/proc/kallsyms", "[taskacct]") ||
	       sys_file_has("/proc/modules", "taskacct") ||
	       sys_file_has("/sys/kernel/tracing/enabled_functions",
			    "taskstats_exit") ||
	       sys_file_has("/sys/kernel/tracing/enabled_functions",
			    "exit_mm_release");
}

/* Waits out a dump that is under way: it holds the module. */
static int unload_soon(void)
{
	int err = 1;
	int i;

	for (i = 0; err && i < 10000; i++) {
		err = syscall(SYS_delete_module, "taskacct", O_NONBLOCK);
		if (err && errno != EAGAIN)
			return -errno;
		if (err)
			usleep(1000);
	}
	return err;
}

/* Reads on until an error other than that of a loss */
static int error_of(struct acct_sock *l, int timeout_ms)
{
	struct acct_exit e;
	int err;

	do {
		err = acct_next_exit(l, &e, timeout_ms);
	} while (!err || err == -ENOBUFS);
	return err;
}

static void one_round(struct __test_metadata *_metadata)
{
	struct acct_sock l[LISTENERS];
	struct acct_sock s;
	struct acct_exit e;
	char buf[64];
	int i;

	for (i = 0; i < LISTENERS; i++) {
		ASSERT_EQ(0, listen_all(&l[i]));
		ASSERT_EQ(0, acct_next_exit(&l[i], &e, PATIENCE_MS));
	}
	ASSERT_EQ(0, unload_soon());
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(traces_left());
	EXPECT_EQ(-ENOENT, acct_open(&s));
	for (i = 0; i < LISTENERS; i++) {
		/* Once; what was queued before can still be read. */
		EXPECT_EQ(-ENODEV, error_of(&l[i], PATIENCE_MS));
		EXPECT_EQ(-EAGAIN, error_of(&l[i], 1));
	}
	ASSERT_EQ(0, sys_module_load(NULL));
	/* A listener of the old module is none of the new one. */
	work_exit_process(0);
	for (i = 0; i < LISTENERS; i++) {
		EXPECT_EQ(-EAGAIN, acct_recv(l[i].fd, buf, sizeof(buf), 1));
		acct_close(&l[i]);
	}
}

/* "Unloading with listeners registered, queries running and tasks exiting is
 * safe and leaves nothing behind": ENODEV for the listeners, no symbol, no
 * hook
 */
TEST_F(unload, under_load)
{
	struct acct_stat st;
	struct acct_sock s;
	int i;

	NEED_VM();
	if (!self->loaded)
		SKIP(return, "the module is not loaded");
	for (i = 0; i < ROUNDS && _metadata->passed; i++)
		one_round(_metadata);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, work_wait(&self->load[i]));
		EXPECT_EQ(0, work_wait(&self->query[i]));
	}
	ASSERT_EQ(0, acct_open(&s));
	for (i = 0; i < 600; i++) {
		ASSERT_EQ(0, acct_stat_get(&s, &st));
		if (!st.groups && !st.threads)
			break;
		usleep(100000);
	}
	EXPECT_EQ(0, st.groups);
	EXPECT_EQ(0, st.threads);
	EXPECT_EQ(0, st.listeners);
	acct_close(&s);
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

/* The hook that is asked for is the one in force, it is seen where the kernel
 * lists it, it tells of exits, and it goes with the module
 */
TEST_F(hook, each_one)
{
	const char *const hooks[] = { "ftrace", "kprobe", "tracepoint" };
	char param[32];
	size_t i;

	NEED_VM();
	if (!self->loaded)
		SKIP(return, "the module is not loaded");
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ASSERT_EQ(0, sys_module_unload());
		EXPECT_FALSE(traces_left());
		snprintf(param, sizeof(param), "hook=%s", hooks[i]);
		ASSERT_EQ(0, sys_module_load(param));
		EXPECT_TRUE(traces_left());
		expect_hears(_metadata, hooks[i]);
	}
	ASSERT_EQ(0, sys_module_unload());
	EXPECT_NE(0, sys_module_load("hook=nonsense"));
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(traces_left());
	ASSERT_EQ(0, sys_module_load(NULL));
}

#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

/* Where ftrace is switched off the hooks that need it would not be called: they
 * are refused, the tracepoint takes their place, and while ftrace is in use it
 * cannot be switched off
 */
TEST_F(hook, never_deaf)
{
	const char *const params[] = { "hook=ftrace", "hook=kprobe" };
	size_t i;

	NEED_VM();
	if (!self->loaded)
		SKIP(return, "the module is not loaded");
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_module_load("hook=ftrace"));
	EXPECT_EQ(-EBUSY, sys_write(FTRACE_ENABLED, "0"));
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_write(FTRACE_ENABLED, "0"));
	for (i = 0; i < ARRAY_SIZE(params); i++) {
		EXPECT_NE(0, sys_module_load(params[i]));
		EXPECT_FALSE(sys_module_loaded());
	}
	ASSERT_EQ(0, sys_module_load(NULL));
	expect_hears(_metadata, "tracepoint:sched_process_exit");
	ASSERT_EQ(0, sys_module_unload());
	ASSERT_EQ(0, sys_write(FTRACE_ENABLED, "1"));
	/* A hook that nobody knows is refused as well. */
	EXPECT_NE(0, sys_module_load("hook=telepathy"));
	EXPECT_FALSE(sys_module_loaded());
	EXPECT_FALSE(traces_left());
	ASSERT_EQ(0, sys_module_load(NULL));
}

TEST_HARNESS_MAIN
