// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that have ended, and whose threads the kernel keeps
 *
 * A thread that somebody traces stays until he waits for it, and its leader until
 * all others have gone. So each process here asks to be traced by its parent,
 * which is a keeper, begins threads that are traced as well, and ends. A keeper
 * waits for none of them, and when it is killed they are released, but for the
 * leaders: those go to the root of all keepers, which does not want them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

#define STACK_SIZE	16384

/* The kernel goes through all that a keeper traces at once, when it ends. */
#define PER_KEEPER	2000

/* Its parent goes on when it has left the memory that they share. */
#define PROCESS_FLAGS	(CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_FILES | \
			 SIGCHLD)
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_PTRACE)

/* Of one process at a time; its threads do not use theirs. */
static char process_stack[STACK_SIZE] __attribute__((aligned(16)));
static char thread_stack[STACK_SIZE] __attribute__((aligned(16)));

/* A thread that is traced from the beginning stops before it comes here. */
static int never(void *unused)
{
	return 0;
}

static int begin_and_end(void *unused)
{
	int i;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		bench_die("be traced");
	for (i = 1; i < BENCH_DEAD_THREADS; i++)
		if (clone(never, thread_stack + STACK_SIZE, THREAD_FLAGS,
			  NULL) < 0)
			bench_die("clone a thread that is traced");
	syscall(SYS_exit_group, 0);
	return 0;
}

static pid_t end_one(void)
{
	pid_t pid = clone(begin_and_end, process_stack + STACK_SIZE,
			  PROCESS_FLAGS, NULL);

	if (pid < 0)
		bench_die("clone a process that is traced");
	return pid;
}

static void keep(unsigned int n, int ready)
{
	pid_t pid = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (n--)
		pid = end_one();
	if (write(ready, &pid, sizeof(pid)) != sizeof(pid))
		bench_die("write to a pipe");
	for (;;)
		pause();
}

static pid_t start_keeper(unsigned int n, pid_t *one)
{
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		bench_die("pipe");
	pid = fork();
	if (pid < 0)
		bench_die("fork");
	if (!pid)
		keep(n, ready[1]);
	close(ready[1]);
	if (read(ready[0], one, sizeof(*one)) != sizeof(*one))
		bench_die("no processes that have ended");
	close(ready[0]);
	return pid;
}

/* Whatever becomes its child is not waited for, and nobody has to. */
static void be_root(unsigned int n, int ready, int order)
{
	const unsigned int keepers = (n + PER_KEEPER - 1) / PER_KEEPER;
	pid_t pids[keepers], one;
	unsigned int i;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, SIG_DFL);
	for (i = 0; i < keepers; i++)
		pids[i] = start_keeper(n / keepers, &one);
	if (write(ready, &one, sizeof(one)) != sizeof(one))
		bench_die("write to a pipe");
	if (read(order, &byte, 1) != 1)
		exit(BENCH_FAILED);
	signal(SIGCHLD, SIG_IGN);
	for (i = 0; i < keepers; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	_exit(0);
}

void bench_groups_start(struct bench_groups *groups, unsigned int n)
{
	int ready[2], order[2];

	if (pipe(ready) || pipe(order))
		bench_die("pipe");
	groups->root = fork();
	if (groups->root < 0)
		bench_die("fork");
	if (!groups->root) {
		close(ready[0]);
		close(order[1]);
		be_root(n, ready[1], order[0]);
	}
	close(ready[1]);
	close(order[0]);
	groups->fd = order[1];
	if (read(ready[0], &groups->one, sizeof(pid_t)) != sizeof(pid_t))
		bench_die("no %u processes that have ended", n);
	close(ready[0]);
}

void bench_groups_end(struct bench_groups *groups)
{
	if (write(groups->fd, "", 1) != 1)
		bench_die("write to a pipe");
	close(groups->fd);
	if (waitpid(groups->root, NULL, 0) != groups->root)
		bench_die("wait for processes that have ended");
}
