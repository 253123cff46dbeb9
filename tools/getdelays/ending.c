// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command that has ended for its parent, and may not be at its end
 *
 * A parent is told before its child has left its CPU for good. The record is made
 * there, mostly some microseconds later; but what takes the CPU from the child can
 * delay it for long.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/membarrier.h>
#include <linux/taskacct.h>

#include "ending.h"
#include "message.h"

/* A group of tasks with little CPU time to share may stand still for seconds. */
#define PATIENCE_S 10

/* Doubled each time, up to the longest */
#define FIRST_MS 1
#define LONGEST_MS 128

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void take_flags(const struct taskacct_event *event, void *arg)
{
	struct taskacct_message message;
	uint32_t *flags = arg;

	if (!taskacct_decode_message(&message, event->nlh) && message.n_records)
		*flags = message.records[0].r.flags;
}

/*
 * False as well where the kernel's own taskstats are asked, which tell of a task
 * before its parent is told, and where the kernel refuses to answer.
 */
static bool is_ending(struct taskacct *ta, pid_t pid)
{
	uint32_t flags = 0;
	int err;

	if (!taskacct_has_records(ta))
		return false;
	err = taskacct_ask(ta, TASKACCT_TGID, (uint32_t)pid,
			   TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE,
			   take_flags, &flags);
	if (err)
		message_verbose("%s: it is not known whether it is at its end",
				taskacct_error(ta));
	return !err && (flags & TASKACCT_RECORD_ENDING);
}

int ending_look(struct ending *ending)
{
	if (!is_ending(ending->ta, ending->pid))
		return -1;
	if (!ending->due_ns) {
		ending->due_ns = now_ns() + PATIENCE_S * UINT64_C(1000000000);
		ending->ms = FIRST_MS;
	} else if (now_ns() >= ending->due_ns) {
		message("process %d is still exiting after %d s: its last record is missing or not complete",
			(int)ending->pid, PATIENCE_S);
		ending->given_up = true;
		return -1;
	} else if (ending->ms < LONGEST_MS) {
		ending->ms *= 2;
	}
	return ending->ms;
}

/*
 * Between being waited for and its end a task stays in the kernel, and keeps its CPU unless
 * it is preempted. The barrier returns when each CPU has done something else. Where the
 * kernel has none (nohz_full) nobody is waited for, and a record may be missing.
 */
void ending_await_others(const struct ending *ending)
{
	if (!ending->given_up && taskacct_has_records(ending->ta))
		syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}
