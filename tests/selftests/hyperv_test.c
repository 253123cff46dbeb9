// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU's timer whose interrupt has no tracepoint, as that of Hyper-V: tests/mute
 * takes taskacct's handlers off local_timer_entry and local_timer_exit. Samples are
 * noticed all the same, so that time is split as they are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <taskacct.h>

#include "module.h"
#include "test.h"

/* Behind the harness, whose macros it has */
#include "cputime.h"

/* Elsewhere the timer's interrupt is one of many, and has their tracepoints. */
#ifdef __x86_64__
#define HAS_VECTORS true
#else
#define HAS_VECTORS false
#endif

#define NEED_VECTORS() do {						\
	if (!HAS_VECTORS)						\
		SKIP(return, "no interrupts with tracepoints of their own"); \
	NEED_LOADED(self->able);					\
} while (0)

FIXTURE(hyperv) {
	struct taskacct_counters *c;
	bool able;
};

FIXTURE_SETUP(hyperv)
{
	self->able = HAS_VECTORS && sys_in_vm() && sys_module_loaded();
	if (!self->able)
		return;
	ASSERT_EQ(0, set_mode("switch"));
	ASSERT_EQ(0, module_run("modprobe", "mute"));
	ASSERT_EQ(0, taskacct_counters_open(&self->c));
}

FIXTURE_TEARDOWN(hyperv)
{
	if (!self->able)
		return;
	taskacct_counters_close(self->c);
	EXPECT_EQ(0, module_run("rmmod", "mute"));
	EXPECT_EQ(0, set_mode("off"));
}

/* All of it in the kernel, in system calls that take longer than ticks */
static int read_zeros(int fd, void *arg)
{
	static char buf[16 << 20];
	int zero = open("/dev/zero", O_RDONLY);

	(void)arg;
	work_pin(CPU);
	work_send(fd, 'r');
	while (read(zero, buf, sizeof(buf)) > 0)
		;
	return 1;
}

/* R97: a load in the kernel is in system, and the timer's interrupts are in irq. */
TEST_F(hyperv, ticks_are_seen)
{
	uint64_t ns[CLASSES];

	NEED_VECTORS();
	NEED_CPUS(2);
	run_alone(_metadata, self->c, read_zeros, ns);
	EXPECT_LT(0, ns[TASKACCT_CPU_IRQ]);
	EXPECT_GT(ns[TASKACCT_CPU_SYSTEM], ns[TASKACCT_CPU_USER])
		TH_LOG("user %llu, system %llu ns",
		       (unsigned long long)ns[TASKACCT_CPU_USER],
		       (unsigned long long)ns[TASKACCT_CPU_SYSTEM]);
}

/* R97: and one in user mode in user */
TEST_F(hyperv, ticks_of_user_mode)
{
	uint64_t ns[CLASSES];

	NEED_VECTORS();
	NEED_CPUS(2);
	run_alone(_metadata, self->c, spin, ns);
	EXPECT_GT(ns[TASKACCT_CPU_USER], ns[TASKACCT_CPU_SYSTEM]);
}

TEST_HARNESS_MAIN
