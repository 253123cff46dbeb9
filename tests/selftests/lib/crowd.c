// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many threads that do next to nothing.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crowd.h"
#include "work.h"

static const struct crowd *crowd;

/* What the process waits for, and its threads */
static int ready;
static int go;
static int gone[CROWD_MAX];

/* The calling thread alone, while the C library's would take all with it */
static int become(uint32_t uid)
{
	return syscall(SYS_setresuid, uid, 0, 0);
}

static int write_and_wait(void *arg)
{
	static char bytes[CROWD_MAX];
	const int i = (intptr_t)arg;
	int fd;

	if (crowd->apart && become(crowd->uid + i))
		work_raw_exit(1);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (write(fd, bytes, i + 1) == i + 1)
		__atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
	close(fd);
	syscall(SYS_futex, &ready, FUTEX_WAKE, 1, NULL, NULL, 0);
	work_wait_for(&go, 1);
	work_raw_exit(0);
	return 0;
}

/**
 * crowd_lead() - body of a child that has so many threads
 * @fd: sends '.' there when each has the user and has written, the first one
 *	byte and each one more than the one before; ends them when anything
 *	comes, and sends '.' again; then waits for its own end
 * @arg: the struct crowd
 *
 * The process itself is one of the user, or root where each has its own.
 *
 * Return: 0, or 1 where there cannot be so many.
 */
int crowd_lead(int fd, void *arg)
{
	char *stacks = work_stacks(CROWD_MAX);
	int i;

	crowd = arg;
	if (!crowd->apart && become(crowd->uid))
		return 1;
	for (i = 0; i < crowd->n; i++)
		if (work_raw_thread(write_and_wait, (void *)(intptr_t)i,
				    stacks + (size_t)i * WORK_STACK,
				    &gone[i]) < 0)
			return 1;
	work_wait_for(&ready, crowd->n);
	work_send(fd, '.');
	work_order(fd);
	work_wake(&go, 1);
	for (i = 0; i < crowd->n; i++)
		work_raw_join(&gone[i]);
	work_send(fd, '.');
	work_order(fd);
	return 0;
}
