/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that are asked about: one that stands still, and what /proc has of it. For
 * programs with the test harness.
 */
#ifndef SELFTESTS_ASKED_H
#define SELFTESTS_ASKED_H

#include <stdio.h>

#include "acct.h"
#include "sys.h"
#include "work.h"

/* A socket, and a task that stands still, with its number in @pid, for work_wait() */
static inline void asked_start(struct __test_metadata *_metadata, struct acct_sock *s,
			       struct work *w, char *pid, size_t size)
{
	ASSERT_EQ(0, acct_open(s));
	sys_delayacct(true);
	ASSERT_EQ(0, work_start(w, work_stand_still, NULL));
	ASSERT_EQ('r', work_hear(w));
	ASSERT_EQ(0, work_settle(w->pid));
	snprintf(pid, size, "%d", w->pid);
}

/* What a task and a process have, as /proc has it */
static inline void asked_as_in_proc(struct __test_metadata *_metadata,
				    const struct taskstats *st, const struct sys_task *t)
{
	EXPECT_EQ(t->minflt, st->ac_minflt);
	EXPECT_EQ(t->majflt, st->ac_majflt);
	EXPECT_EQ(t->rchar & ~1023ULL, st->read_char);
	EXPECT_EQ(t->wchar & ~1023ULL, st->write_char);
	EXPECT_EQ(t->syscr, st->read_syscalls);
	EXPECT_EQ(t->syscw, st->write_syscalls);
	EXPECT_EQ(t->read_bytes & ~1023ULL, st->read_bytes);
	EXPECT_EQ(t->write_bytes & ~1023ULL, st->write_bytes);
	EXPECT_EQ(t->cancelled & ~1023ULL, st->cancelled_write_bytes);
	EXPECT_GE(t->hwm_kb, st->hiwater_rss);
	EXPECT_LE(t->hwm_least_kb, st->hiwater_rss);
	EXPECT_EQ(t->peak_kb, st->hiwater_vm);
}

#endif /* SELFTESTS_ASKED_H */
