// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nothing stays behind: not of a process, not of a thread, not of a listener.
 */
#include <sys/syscall.h>

#include "test.h"

#define PROCESSES 100000
#define WARM_UP 10000
#define WORKERS 2
#define THREADS 3
#define BATCH 50

/* What the kernel's own caches may move by; an entry per process, or per
 * thread of the multi-threaded ones, would be a multiple of it.
 */
#define DRIFT_KIB 4096

/* KASAN keeps freed memory back, up to this part of all, where it counts as in
 * use. What is lost there is found by kmemleak, when the run is over.
 */
#define QUARANTINE 32

static long drift_kib(void)
{
	if (!sys_file_has("/proc/kallsyms", "kasan_quarantine_put"))
		return DRIFT_KIB;
	return DRIFT_KIB + sys_meminfo_kb("MemTotal") / QUARANTINE;
}

static int with_threads(void *arg)
{
	char *stacks = arg;
	int i;

	for (i = 1; i <= THREADS; i++)
		work_raw_thread(work_raw_end, NULL, stacks + i * WORK_STACK,
				NULL);
	syscall(SYS_exit_group, 0);
	return 0;
}

static int leader_first(void *arg)
{
	char *stacks = arg;

	work_raw_thread(work_raw_end, NULL, stacks + WORK_STACK, NULL);
	work_raw_exit(0);
	return 0;
}

static work_thread_fn kind_of(unsigned int n)
{
	if (n % 10 == 3)
		return with_threads;
	return n % 10 == 7 ? leader_first : work_raw_end;
}

/* They share the memory of this process, and are reaped a batch at a time. */
static int make_processes(int fd, void *arg)
{
	char *stacks = work_stacks(BATCH * (THREADS + 1));
	unsigned int n = (uintptr_t)arg;
	unsigned int i;
	char *stack;

	(void)fd;
	for (; n; n -= BATCH) {
		for (i = 0; i < BATCH; i++) {
			stack = stacks + i * (THREADS + 1) * WORK_STACK;
			if (work_raw_process(kind_of(i), stack, stack) < 0)
				return 1;
		}
		for (i = 0; i < BATCH; i++)
			if (wait(NULL) < 0)
				return 2;
	}
	return 0;
}

/* Whole batches, as many as the kernel can make in the time for n. */
static void run(struct __test_metadata *_metadata, unsigned int n)
{
	uintptr_t each = sys_fewer(n) / WORKERS / BATCH * BATCH;
	struct work w[WORKERS];
	int i;

	for (i = 0; i < WORKERS; i++) {
		ASSERT_EQ(0, work_start(&w[i], make_processes, (void *)each));
	}
	for (i = 0; i < WORKERS; i++) {
		EXPECT_EQ(0, work_wait(&w[i]));
	}
}

/* "Freed when the process ends: no leak after 100,000 processes (checked)" */
TEST(processes)
{
	struct acct_stat st;
	struct acct_sock s;
	long before;
	long after;

	NEED_TASKACCT();
	ASSERT_EQ(0, acct_open(&s));
	run(_metadata, WARM_UP);
	ASSERT_EQ(0, acct_wait_freed(&s, &st));
	before = sys_meminfo_kb("Slab");
	run(_metadata, PROCESSES);
	EXPECT_EQ(0, acct_wait_freed(&s, &st));
	EXPECT_EQ(0, st.group_nomem);
	after = sys_meminfo_kb("Slab");
	TH_LOG("%d processes: slab %ld KiB before, %ld after",
	       sys_fewer(PROCESSES), before, after);
	EXPECT_LT(after - before, drift_kib());
	acct_close(&s);
}

/* Listeners come and go, some with records in their queues: their memory goes
 * with them
 */
TEST(listeners)
{
	struct acct_sock l[20];
	struct acct_stat st;
	struct acct_sock s;
	char all[32];
	long before = 0;
	long after;
	int i;
	int j;

	NEED_TASKACCT();
	snprintf(all, sizeof(all), "0-%d", sys_cpus_possible() - 1);
	ASSERT_EQ(0, acct_open(&s));
	for (i = 0; i < 220; i++) {
		if (i == 20)
			before = sys_meminfo_kb("Slab");
		for (j = 0; j < 20; j++) {
			ASSERT_EQ(0, acct_listen(&l[j], j % 2 ? "0" : all, 0));
		}
		for (j = 0; j < 10; j++)
			work_exit_on(0);
		for (j = 0; j < 20; j++)
			acct_close(&l[j]);
	}
	ASSERT_EQ(0, acct_stat_get(&s, &st));
	EXPECT_EQ(0, st.listeners);
	/* The memory of sockets and queues goes back a while later. */
	for (i = 0; i < 100; i++) {
		after = sys_meminfo_kb("Slab");
		if (after - before < drift_kib())
			break;
		usleep(100000);
	}
	TH_LOG("4000 listeners: slab %ld KiB before, %ld after", before, after);
	EXPECT_LT(after - before, drift_kib());
	acct_close(&s);
}

TEST_HARNESS_MAIN
