// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that the kernel makes for itself: its threads, and the programs that
 * it runs. Their exits are told like any other's.
 */
#include <linux/acct.h>
#include <sys/socket.h>

#include "test.h"

#define RCVBUF (32 << 20)
#define HELPER "/proc/sys/kernel/modprobe"
#define CALLS 20
/* No kernel has a protocol family of this number, so it asks for a module. */
#define NO_FAMILY 13

/* Kernel threads work off these, by the niceness that is set here. */
#define NICE "/sys/devices/virtual/workqueue/writeback/nice"
#define CHANGES 19
#define KTHREADD 2
#define LAST_MS 3000

FIXTURE(kernel) {
	struct acct_sock listener;
	char helper[256];
	char nice[16];
};

FIXTURE_SETUP(kernel)
{
	if (!sys_in_vm())
		return;
	ASSERT_LT(0, sys_read(HELPER, self->helper, sizeof(self->helper)));
	ASSERT_LT(0, sys_read(NICE, self->nice, sizeof(self->nice)));
	ASSERT_EQ(0, acct_listen_all(&self->listener, RCVBUF));
}

FIXTURE_TEARDOWN(kernel)
{
	if (!sys_in_vm())
		return;
	EXPECT_EQ(0, sys_write(HELPER, self->helper));
	EXPECT_EQ(0, sys_write(NICE, self->nice));
	acct_close(&self->listener);
}

/* R9 R10: a program that the kernel runs: one record for each time, of a
 * process with an address space and a status
 */
TEST_F(kernel, runs_a_program)
{
	struct acct_exit e;
	pid_t sentinel = 0;
	int reported = 0;
	int i;

	NEED_VM();
	ASSERT_EQ(0, sys_write(HELPER, "/bin/false"));
	for (i = 0; i < CALLS; i++) {
		ASSERT_GT(0, socket(NO_FAMILY, SOCK_STREAM, 0));
	}
	/* The kernel has waited for each, which may be before the record is made. */
	for (;;) {
		ASSERT_EQ(0, acct_next_exit(&self->listener, &e, PATIENCE_MS));
		if (sentinel && e.pid == (uint32_t)sentinel)
			break;
		if (strcmp(e.task.ac_comm, "false"))
			continue;
		if (++reported == CALLS)
			sentinel = work_exit_process(0);
		EXPECT_EQ(1 << 8, e.task.ac_exitcode);
		EXPECT_EQ(0, e.task.ac_flag & (AFORK | AXSIG));
		EXPECT_EQ(0, e.task.ac_uid);
		EXPECT_FALSE(e.has_tgid);
		EXPECT_EQ(sys_exit_has_mm(), e.task.hiwater_rss > 0);
		EXPECT_NE((uint32_t)getpid(), e.task.ac_ppid);
	}
	EXPECT_EQ(CALLS, reported);
}

/* Whose parent is kthreadd */
static bool is_kernel_thread(pid_t pid)
{
	struct sys_task t;
	char path[64];
	char buf[8];

	/* Processes have arguments. */
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	return sys_proc_task(pid, &t) == 0 && t.ppid == KTHREADD &&
	       sys_read(path, buf, sizeof(buf)) == 0;
}

static void expect_kernel_thread(struct __test_metadata *_metadata,
				 const struct acct_exit *e)
{
	EXPECT_FALSE(e->has_tgid);
	EXPECT_EQ(e->pid, e->task.ac_pid);
	EXPECT_EQ(0, e->task.ac_exitcode);
	EXPECT_EQ(0, e->task.ac_uid);
	EXPECT_EQ(0, e->task.hiwater_rss);
	EXPECT_EQ(0, e->task.hiwater_vm);
	EXPECT_EQ(0, e->task.ac_minflt);
	EXPECT_EQ(e->pid, record_or("ac_tgid", &e->task, e->pid));
	EXPECT_EQ(0, record_or("ac_exe_inode", &e->task, 0));
}

static bool is_there(const pid_t *list, int n, pid_t pid)
{
	while (n-- > 0)
		if (list[n] == pid)
			return true;
	return false;
}

#define MAX_TASKS 1024

/* Returns how many kernel threads there are. */
static int kernel_threads(pid_t *list)
{
	static pid_t pids[MAX_TASKS];
	int total = sys_pids(pids, MAX_TASKS);
	int n = 0;
	int i;

	for (i = 0; i < total && i < MAX_TASKS; i++)
		if (is_kernel_thread(pids[i]))
			list[n++] = pids[i];
	return n;
}

/* Adds those that are not on a list yet. */
static int add_kernel_threads(pid_t *list, int n)
{
	static pid_t now[MAX_TASKS];
	int total = kernel_threads(now);
	int i;

	for (i = 0; i < total && n < MAX_TASKS; i++)
		if (!is_there(list, n, now[i]))
			list[n++] = now[i];
	return n;
}

/* Reads what is told of workers that end, behind the @n it is known of. */
static int hear_of_workers(struct __test_metadata *_metadata,
			   struct acct_sock *listener, pid_t *reported, int n,
			   int last_ms)
{
	struct acct_exit e;

	while (n < MAX_TASKS &&
	       !acct_next_exit(listener, &e,
			       n < CHANGES ? PATIENCE_MS : last_ms)) {
		if (strncmp(e.task.ac_comm, "kworker/", 8))
			continue;
		EXPECT_EQ(KTHREADD, e.task.ac_ppid);
		EXPECT_FALSE(is_there(reported, n, e.pid)) TH_LOG("%u", e.pid);
		expect_kernel_thread(_metadata, &e);
		reported[n++] = e.pid;
	}
	return n;
}

/* R9 R10: kernel threads: of each that was seen and has gone there is one
 * record, without an address space, and of none that is still there
 */
TEST_F(kernel, ends_threads)
{
	static pid_t seen[MAX_TASKS];
	static pid_t after[MAX_TASKS];
	static pid_t reported[MAX_TASKS];
	int n_seen = 0;
	int n_after;
	int n_reported;
	char nice[8];
	int gone = 0;
	int i;

	NEED_VM();
	for (i = 0; i <= CHANGES; i++) {
		snprintf(nice, sizeof(nice), "%d", i - CHANGES);
		ASSERT_EQ(0, sys_write(NICE, nice));
		n_seen = add_kernel_threads(seen, n_seen);
	}
	/* They end in their own time, and one may do so at any. */
	n_reported = hear_of_workers(_metadata, &self->listener, reported, 0, LAST_MS);
	n_after = kernel_threads(after);
	for (i = 0; i < n_reported; i++) {
		EXPECT_FALSE(is_there(after, n_after, reported[i]))
			TH_LOG("%d is there", reported[i]);
	}
	n_reported = hear_of_workers(_metadata, &self->listener, reported, n_reported, 0);
	for (i = 0; i < n_seen; i++) {
		if (is_there(after, n_after, seen[i]))
			continue;
		gone++;
		EXPECT_TRUE(is_there(reported, n_reported, seen[i]))
			TH_LOG("%d is gone", seen[i]);
	}
	TH_LOG("%d kernel threads seen, %d of them gone, %d told of", n_seen,
	       gone, n_reported);
	EXPECT_LE(CHANGES / 2, gone);
}

TEST_HARNESS_MAIN
