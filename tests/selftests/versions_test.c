// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delays in every version of struct taskstats: those of a process are those of its
 * threads. <linux/taskstats.h> of where this is built may lack fields that the kernel
 * has: the library decodes them.
 */
#include <pthread.h>

#include <taskacct.h>

#include "test.h"

#define THREADS 3

/* How a process's value comes from those of its threads */
enum how { SUM, LARGEST, SMALLEST };

static const struct {
	enum taskacct_field field;
	enum how how;
} fields[] = {
	{ TASKACCT_F_CPU_COUNT, SUM },
	{ TASKACCT_F_CPU_TOTAL, SUM },
	{ TASKACCT_F_BLKIO_COUNT, SUM },
	{ TASKACCT_F_BLKIO_TOTAL, SUM },
	{ TASKACCT_F_SWAPIN_COUNT, SUM },
	{ TASKACCT_F_SWAPIN_TOTAL, SUM },
	{ TASKACCT_F_FREEPAGES_COUNT, SUM },
	{ TASKACCT_F_FREEPAGES_TOTAL, SUM },
	{ TASKACCT_F_THRASHING_COUNT, SUM },
	{ TASKACCT_F_THRASHING_TOTAL, SUM },
	{ TASKACCT_F_COMPACT_COUNT, SUM },
	{ TASKACCT_F_COMPACT_TOTAL, SUM },
	{ TASKACCT_F_WPCOPY_COUNT, SUM },
	{ TASKACCT_F_WPCOPY_TOTAL, SUM },
	{ TASKACCT_F_IRQ_COUNT, SUM },
	{ TASKACCT_F_IRQ_TOTAL, SUM },
	{ TASKACCT_F_CPU_MAX, LARGEST },
	{ TASKACCT_F_CPU_MIN, SMALLEST },
	{ TASKACCT_F_BLKIO_MAX, LARGEST },
	{ TASKACCT_F_BLKIO_MIN, SMALLEST },
	{ TASKACCT_F_SWAPIN_MAX, LARGEST },
	{ TASKACCT_F_SWAPIN_MIN, SMALLEST },
	{ TASKACCT_F_FREEPAGES_MAX, LARGEST },
	{ TASKACCT_F_FREEPAGES_MIN, SMALLEST },
	{ TASKACCT_F_THRASHING_MAX, LARGEST },
	{ TASKACCT_F_THRASHING_MIN, SMALLEST },
	{ TASKACCT_F_COMPACT_MAX, LARGEST },
	{ TASKACCT_F_COMPACT_MIN, SMALLEST },
	{ TASKACCT_F_WPCOPY_MAX, LARGEST },
	{ TASKACCT_F_WPCOPY_MIN, SMALLEST },
	{ TASKACCT_F_IRQ_MAX, LARGEST },
	{ TASKACCT_F_IRQ_MIN, SMALLEST },
};

FIXTURE(versions) {
	struct taskacct *ta;
	struct work w;
	pid_t tids[8];
	int n;
};

static void *member(void *arg)
{
	work_mix((uintptr_t)arg);
	work_switch(100);
	pause();
	return NULL;
}

static int crew(int fd, void *arg)
{
	pthread_t thread;
	uintptr_t i;

	(void)arg;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, member, (void *)i))
			return 1;
	work_send(fd, 'r');
	work_order(fd);
	return 0;
}

FIXTURE_SETUP(versions)
{
	if (strcmp(acct_family_name(), TASKACCT_GENL_NAME))
		return;
	sys_delayacct(true);
	ASSERT_EQ(0, taskacct_open(&self->ta, TASKACCT_GENL_NAME));
	ASSERT_EQ(0, work_start(&self->w, crew, NULL));
	ASSERT_EQ('r', work_hear(&self->w));
	do {
		self->n = sys_tids(self->w.pid, self->tids, 8);
	} while (self->n != THREADS + 1);
	ASSERT_EQ(0, work_settle(self->w.pid));
}

FIXTURE_TEARDOWN(versions)
{
	if (!self->ta)
		return;
	work_wait(&self->w);
	taskacct_close(self->ta);
}

static uint64_t add(uint64_t to, uint64_t value, enum how how)
{
	if (how == SUM)
		return to + value;
	if (how == LARGEST)
		return value > to ? value : to;
	/* 0 is that there was none. */
	return value && (!to || value < to) ? value : to;
}

/* R13, R16, R29: sums are sums, the longest wait is a thread's, and the shortest; and
 * each field is there from its version on, and not before
 */
TEST_F(versions, live_threads)
{
	struct taskacct_classic tasks[THREADS + 1], process;
	const struct taskacct_field_info *info;
	uint64_t expected, version;
	size_t f;
	int i;

	NEED_TASKACCT();
	for (i = 0; i < THREADS + 1; i++)
		ASSERT_EQ(0, taskacct_query(self->ta, TASKACCT_PID,
					    self->tids[i], &tasks[i], NULL,
					    NULL));
	ASSERT_EQ(0, taskacct_query(self->ta, TASKACCT_TGID, self->w.pid,
				    &process, NULL, NULL));
	version = process.stats.v[TASKACCT_F_VERSION];
	for (f = 0; f < ARRAY_SIZE(fields); f++) {
		info = taskacct_field_info(fields[f].field);
		EXPECT_EQ(version >= info->since,
			  taskacct_has(&process.stats, fields[f].field))
			TH_LOG("%s", info->name);
		if (version < info->since)
			continue;
		expected = 0;
		for (i = 0; i < THREADS + 1; i++)
			expected = add(expected,
				       tasks[i].stats.v[fields[f].field],
				       fields[f].how);
		EXPECT_EQ(expected, process.stats.v[fields[f].field])
			TH_LOG("%s", info->name);
	}
	/* How often a task waited for a CPU is not counted there. */
	if (!sys_counts())
		return;
	EXPECT_LT(0, process.stats.v[TASKACCT_F_CPU_COUNT]);
	if (taskacct_has(&process.stats, TASKACCT_F_CPU_MAX)) {
		EXPECT_LT(0, process.stats.v[TASKACCT_F_CPU_MAX]);
		EXPECT_GE(process.stats.v[TASKACCT_F_CPU_MAX],
			  process.stats.v[TASKACCT_F_CPU_MIN]);
	}
}

TEST_HARNESS_MAIN
