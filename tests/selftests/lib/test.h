/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every test program starts with: the kselftest harness, with a time
 * limit that suits an emulated machine, and the helpers of this directory.
 */
#ifndef SELFTESTS_TEST_H
#define SELFTESTS_TEST_H

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "limit.h"
#include "sys.h"

/*
 * The harness ends a test by alarm(), after a time that is a constant; what it
 * does then is done as soon as limit.c says so.
 */
static void __timeout_handler(int sig, siginfo_t *info, void *ucontext);

static void test_second(int sig, siginfo_t *info, void *ucontext)
{
	if (limit_reached())
		__timeout_handler(sig, info, ucontext);
}

static inline unsigned int test_alarm(unsigned int seconds)
{
	const struct sigaction action = { .sa_sigaction = test_second,
					  .sa_flags = SA_SIGINFO | SA_RESTART };
	const struct itimerval timer = {
		.it_value.tv_sec = !!seconds,
		.it_interval.tv_sec = !!seconds,
	};

	if (seconds) {
		limit_start(seconds);
		sigaction(SIGALRM, &action, NULL);
	}
	return setitimer(ITIMER_REAL, &timer, NULL);
}

#define alarm test_alarm
#include <kselftest_harness.h>
#undef alarm

/* Thirty seconds, the harness's own limit, are not enough under emulation. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT LIMIT_WORKING

#include "acct.h"
#include "cgroup.h"
#include "extended.h"
#include "record.h"
#include "rights.h"
#include "roll.h"
#include "work.h"

/*
 * Long enough for anything that is going to happen on a loaded host, and less
 * than a test may stand still.
 */
#define PATIENCE_MS (45000 * sys_slow())

/* Long enough for something wrong to show that should not happen at all. */
#define QUIET_MS 300

/* Skips a test, also while it is set up: with SKIP(return) the harness of some kernels
 * goes on with it.
 */
#define SKIP_NOW(...) SKIP(longjmp(_metadata->env, 1), __VA_ARGS__)

/*
 * Tests that load modules or switch CPUs off are for the virtual machine
 * only, never for the machine that somebody happens to try them on.
 */
#define NEED_VM() do {							\
	if (!sys_in_vm())						\
		SKIP_NOW("changes the running kernel: run it by tests/vm/run"); \
} while (0)

/* For a fixture that takes the module away, which a VM has loaded: whether it had
 * found it there
 */
#define NEED_LOADED(was_loaded) do {					\
	NEED_VM();							\
	ASSERT_TRUE(was_loaded);					\
} while (0)

/* By default users may ask about the process that asks alone. */
#define LET_USERS_ASK(yes) \
	sys_write("/sys/module/taskacct/parameters/unprivileged", \
		  (yes) ? "1" : "0")

/* What only taskacct has cannot be asked of another family. */
#define NEED_TASKACCT() do {						\
	if (strcmp(acct_family_name(), "TASKSTATS") == 0)		\
		SKIP_NOW("family TASKSTATS does not have it");	\
} while (0)

#define NEED_CGROUP(name) do {						\
	if (cgroup_make(name) == -ENOENT)				\
		SKIP_NOW("no cgroup v2 hierarchy is mounted");	\
} while (0)

/* What builds on CONFIG_TASKSTATS a kernel without it does not count. */
#define NEED_COUNTS() do {						\
	if (!sys_counts())						\
		SKIP_NOW("no CONFIG_TASKSTATS: neither I/O nor waits counted"); \
} while (0)

/* hook=ftrace */
#define NEED_FTRACE() do {						\
	if (!sys_traces_functions())					\
		SKIP_NOW("no CONFIG_FUNCTION_TRACER: neither ftrace nor kprobes"); \
} while (0)

/* hook=kprobe */
#define NEED_KPROBES() do {						\
	NEED_FTRACE();							\
	if (!sys_has_kprobes())						\
		SKIP_NOW("kprobes are breakpoints here, which are refused"); \
} while (0)

#define NEED_HOOK(params) do {						\
	if (!sys_has_hook(params))					\
		NEED_KPROBES();						\
} while (0)

/* Programs and their arguments in records of exits */
#define NEED_EXIT_MM() do {						\
	if (!sys_exit_has_mm())						\
		SKIP_NOW("exits are seen when the address space is gone"); \
} while (0)

/* What a task has run, to the end; the module is loaded. */
#define NEED_WHOLE_RUNTIME() do {					\
	if (sys_deducts_irqs())						\
		SKIP_NOW("the kernel takes the time of interrupts from tasks"); \
} while (0)

#define NEED_CPUS(n) do {						\
	if (sys_cpus_online() < (n))					\
		SKIP_NOW("needs %d CPUs online, has %d", (n),	\
		     sys_cpus_online());				\
} while (0)

#endif /* SELFTESTS_TEST_H */
