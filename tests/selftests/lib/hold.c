// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hold.h"
#include "sys.h"

/* In /proc/PID/stat */
#define PF_EXITING 4

/* More than anything takes, in ms */
#define AWAIT_MS 120000

/* Children are born into the own namespace again. */
static int leave_namespace(void)
{
	int fd = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = setns(fd, CLONE_NEWPID) ? -errno : 0;
	close(fd);
	return err;
}

/* The second of the namespace; the first has to be there. */
static int have_key(pid_t *key)
{
	int err;

	*key = fork();
	if (*key == 0)
		_exit(0);
	err = *key < 0 ? -errno : 0;
	return leave_namespace() ?: err;
}

/**
 * hold_start() - start a child that waits for orders and will be held, once it exits
 * @h: the child
 * @fn: what it runs
 * @arg: for @fn
 *
 * Return: as work_start().
 */
int hold_start(struct hold *h, work_fn fn, void *arg)
{
	int err;

	if (unshare(CLONE_NEWPID))
		return -errno;
	err = work_start(&h->w, fn, arg);
	if (err) {
		leave_namespace();
		return err;
	}
	return have_key(&h->key);
}

/* Whoever exits alone in the namespace lets nobody in any more. */
static int exit_behind_key(int fd, void *arg)
{
	(void)arg;
	return work_order(fd) != 'x';
}

/**
 * hold_one() - have a process exit, and be held
 * @key: receives what lets it go, for hold_let_go()
 *
 * Return: its pid or a negative errno. hold_await() tells when it is held.
 */
pid_t hold_one(pid_t *key)
{
	struct hold h;
	int err = hold_start(&h, exit_behind_key, NULL);

	if (err)
		return err;
	*key = h.key;
	work_tell(&h.w, 'x');
	close(h.w.fd);
	return h.w.pid;
}

/* An exiting task sleeps like that nowhere else: idle, or before 6.1 for any signal. */
static bool is_held(pid_t pid, pid_t tid)
{
	char path[64], text[512] = "";
	unsigned int flags;
	const char *rest;
	char state;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (sys_read(path, text, sizeof(text)) <= 0)
		return false;
	rest = strrchr(text, ')');
	return rest && sscanf(rest, ") %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 &&
	       strchr("SI", state) && (flags & PF_EXITING);
}

/**
 * hold_await() - wait until a process is held
 * @pid: the process
 *
 * Return: whether one of its threads is.
 */
bool hold_await(pid_t pid)
{
	const int64_t end = sys_now_ns() + AWAIT_MS * 1000000LL * sys_slow();
	pid_t tids[8];
	int i, n;

	do {
		n = sys_tids(pid, tids, 8);
		for (i = 0; i < n; i++)
			if (is_held(pid, tids[i]))
				return true;
		usleep(1000);
	} while (sys_now_ns() < end);
	return false;
}

static void have_faults(void)
{
	work_fault(HOLD_FAULTS);
}

static int leave_it_behind(int fd, void *arg)
{
	const uid_t *uid = arg;

	return work_become(*uid) || work_leave_behind(fd, have_faults);
}

/**
 * hold_last() - have a process of two threads whose leader is dead and whose last thread
 *	is held
 * @h: receives it
 * @uid: whose it is
 *
 * Return: 0 or a negative errno.
 */
int hold_last(struct hold *h, uid_t uid)
{
	int err = hold_start(h, leave_it_behind, &uid);

	if (err)
		return err;
	if (work_hear(&h->w) != 'r')
		return -ECHILD;
	while (sys_state(h->w.pid, h->w.pid) != 'Z')
		usleep(1000);
	work_tell(&h->w, 'x');
	return hold_await(h->w.pid) ? 0 : -ETIME;
}

/**
 * hold_let_go() - let a process go to its end
 * @key: as from hold_one()
 */
void hold_let_go(pid_t key)
{
	waitpid(key, NULL, 0);
}

/**
 * hold_end() - let a child go, if it is still held, and wait for its end
 * @h: the child
 *
 * Return: its wait status.
 */
int hold_end(struct hold *h)
{
	hold_let_go(h->key);
	return work_wait(&h->w);
}
