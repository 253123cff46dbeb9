// SPDX-License-Identifier: GPL-2.0-only
/*
 * Very many processes of two threads, one of which has ended
 */
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "multitude.h"
#include "work.h"

/* They call three functions; that is all there is to their stacks. */
#define SMALL_STACK 2048

static const struct multitude *multitude;

/* They come one after the other, and share the stack of the thread that ends. */
static char *thread_stack;
static int ready;
static int failed;

static int lose_a_thread(void *arg)
{
	const unsigned int i = (uintptr_t)arg;
	const uint32_t uid = multitude->uid + i % multitude->users;
	int gone;

	if (syscall(SYS_setresuid, uid, uid, uid) ||
	    work_raw_thread(work_raw_end, NULL, thread_stack, &gone) < 0)
		failed = 1;
	else
		work_raw_join(&gone);
	work_wake(&ready, i + 1);
	work_stay();
	return 0;
}

static pid_t start(unsigned int i, char *stacks)
{
	return clone(lose_a_thread, stacks + (i + 1UL) * SMALL_STACK,
		     CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD,
		     (void *)(uintptr_t)i);
}

static void kill_all(void)
{
	/* All but this one, which is of the group as well. */
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
}

/**
 * multitude_lead() - body of a child that starts these processes
 * @fd: sends '.' there when all have lost a thread; kills them when anything comes
 * @arg: the struct multitude
 *
 * Return: 0, or 1 where there cannot be so many.
 */
int multitude_lead(int fd, void *arg)
{
	unsigned int i;
	char *stacks;

	multitude = arg;
	/* Nobody waits for them. They do not have this: handlers are not shared. */
	signal(SIGCHLD, SIG_IGN);
	setpgid(0, 0);
	syscall(SYS_getpid);
	thread_stack = work_stacks(1);
	stacks = work_stacks((multitude->processes + 1UL) * SMALL_STACK /
			     WORK_STACK + 1);
	for (i = 0; i < multitude->processes; i++) {
		if (start(i, stacks) < 0)
			return 1;
		work_wait_for(&ready, i + 1);
		if (failed)
			return 1;
	}
	work_send(fd, '.');
	work_order(fd);
	kill_all();
	return 0;
}
