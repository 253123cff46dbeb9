// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that exit at once, and tasks that only are there
 *
 * Cloned without libpthread, so that nothing but the kernel is measured. The
 * child runs on a stack of its own within our memory and makes no use of
 * libc's data: its thread-local storage is ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tasks.h"
#include "util.h"

#define STACK_SIZE	16384
#define PARKED_STACK	4096

#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM)
#define JOINED_FLAGS	(THREAD_FLAGS | CLONE_PARENT_SETTID | \
			 CLONE_CHILD_CLEARTID)
#define PROCESS_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD)

/* One for a task of the measuring process, one for a task of that task */
static char stacks[2][STACK_SIZE] __attribute__((aligned(16)));

static int exit_at_once(void *unused)
{
	return 0;
}

/* Returns a thread's exit when its last use of the stack is over. */
static void run_thread(char *stack)
{
	atomic_int tid = 0;
	int seen;

	if (clone(exit_at_once, stack + STACK_SIZE, JOINED_FLAGS, NULL, &tid,
		  NULL, &tid) < 0)
		bench_die("clone a thread");
	while ((seen = atomic_load(&tid)))
		syscall(SYS_futex, &tid, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void run_process(int (*run)(void *unused))
{
	pid_t pid = clone(run, stacks[0] + STACK_SIZE, PROCESS_FLAGS, NULL);

	if (pid < 0)
		bench_die("clone a process");
	if (waitpid(pid, NULL, 0) != pid)
		bench_die("wait for a process");
}

void bench_tasks_thread(void)
{
	run_thread(stacks[0]);
}

void bench_tasks_process(void)
{
	run_process(exit_at_once);
}

static int run_group(void *unused)
{
	int i;

	for (i = 1; i < BENCH_GROUP_THREADS; i++)
		run_thread(stacks[1]);
	return 0;
}

void bench_tasks_group(void)
{
	run_process(run_group);
}

static int sleep_for_ever(void *unused)
{
	for (;;)
		syscall(SYS_pause);
	return 0;
}

/* Of this task alone: the C library would have all threads change theirs. */
static int become_and_sleep(void *uid)
{
	if (syscall(SYS_setresuid, (uid_t)(uintptr_t)uid, -1, -1))
		bench_die("become a user");
	return sleep_for_ever(NULL);
}

static int start_parked(unsigned int i, unsigned int users, char *stack)
{
	const uintptr_t uid = users ? BENCH_FIRST_UID + i % users : 0;

	return clone(users ? become_and_sleep : sleep_for_ever, stack,
		     THREAD_FLAGS, (void *)uid);
}

static void park(unsigned int threads, unsigned int users, int ready)
{
	char *stack;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stack = mmap(NULL, (size_t)threads * PARKED_STACK,
		     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (stack == MAP_FAILED)
		bench_die("memory for the stacks of %u threads", threads);
	while (--threads) {
		stack += PARKED_STACK;
		if (start_parked(threads, users, stack) < 0)
			bench_die("clone a thread that sleeps");
	}
	if (write(ready, "", 1) != 1)
		bench_die("write to a pipe");
	sleep_for_ever(NULL);
}

pid_t bench_tasks_park(unsigned int threads, unsigned int users)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		bench_die("pipe");
	pid = fork();
	if (pid < 0)
		bench_die("fork");
	if (!pid)
		park(threads, users, ready[1]);
	close(ready[1]);
	errno = 0;
	if (read(ready[0], &byte, 1) != 1)
		bench_die("no process with %u threads", threads);
	close(ready[0]);
	return pid;
}

void bench_tasks_unpark(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
