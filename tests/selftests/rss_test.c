// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a process whose threads have touched little on each of several CPUs:
 * less than the kernel adds to its sums at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "test.h"

#define PAGE 4096
/* Of each CPU; batches are of 32 pages at least. */
#define PAGES 20
/* Up to 6.1 each thread keeps its own for as long as these were few. */
#define OF_A_THREAD 64

FIXTURE(rss) {
	struct acct_sock s;
};

FIXTURE_SETUP(rss)
{
	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&self->s));
}

FIXTURE_TEARDOWN(rss)
{
	acct_close(&self->s);
}

/**
 * struct toucher - a thread that touches pages on one CPU
 * @cpu: the CPU
 * @mem: the pages
 * @done: set when it has
 * @end: it may end
 * @gone: its number, until it has ended
 */
struct toucher {
	int cpu;
	char *mem;
	int done;
	int end;
	int gone;
};

static int touch(void *arg)
{
	struct toucher *t = arg;
	int i;

	work_pin(t->cpu);
	for (i = 0; i < PAGES; i++)
		t->mem[i * PAGE] = 1;
	work_wake(&t->done, 1);
	work_wait_for(&t->end, 1);
	return 0;
}

/* Its memory stands still once it has said so. */
static int be_touched(int fd, void *arg)
{
	const int cpus = sys_cpus_online();
	struct toucher *t = calloc(cpus, sizeof(*t));
	char *stacks = work_stacks(cpus);
	int i;

	(void)arg;
	for (i = 0; i < cpus; i++) {
		t[i].cpu = i;
		t[i].mem = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (work_raw_thread(touch, &t[i], stacks + i * WORK_STACK,
				    &t[i].gone) < 0)
			return 1;
		work_wait_for(&t[i].done, 1);
	}
	work_send(fd, 'r');
	work_order(fd);
	for (i = 0; i < cpus; i++) {
		work_wake(&t[i].end, 1);
		work_raw_join(&t[i].gone);
	}
	return 0;
}

/* What the kernel finds in the page tables, in bytes */
static uint64_t mapped(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	return sys_number(path, name) * 1024;
}

/* MEMORY, PEAK_RSS: exact to the page where the kernel's own sum is not */
TEST_F(rss, counted_by_cpu)
{
	const uint64_t slack = sys_rss_by_cpu() ? 0 :
			(1 + sys_cpus_online()) * OF_A_THREAD * PAGE;
	struct taskacct_record r;
	uint64_t rss, now;
	struct work w;

	NEED_CPUS(2);
	ASSERT_EQ(0, work_start(&w, be_touched, NULL));
	ASSERT_EQ('r', work_hear(&w));
	ASSERT_EQ(0, work_settle(w.pid));
	ASSERT_EQ(0, ext_query_process(&self->s, w.pid, &r));
	now = mapped(w.pid, "Anonymous");
	rss = r.rss_anon;
	ASSERT_LT(0, now);
	EXPECT_LE(now, rss + slack) TH_LOG("%llu, %llu",
		(unsigned long long)now, (unsigned long long)rss);
	EXPECT_GE(now + slack, rss) TH_LOG("%llu, %llu",
		(unsigned long long)now, (unsigned long long)rss);
	EXPECT_LE(rss, r.peak_rss);
	EXPECT_EQ(0, work_wait(&w));
}

TEST_HARNESS_MAIN
