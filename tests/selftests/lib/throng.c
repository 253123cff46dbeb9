// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process of very many threads
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys.h"
#include "throng.h"
#include "work.h"

/* A thread that sleeps calls two functions; that is all there is to its stack. */
#define SMALL_STACK	2048

#define CHURNING	16

enum { SLEEP, EXIT };

static struct throng *throng;
static int zero_fd;
static int *orders;
static int *gone;
static pid_t *tids;
static char *stacks;

/* Before and after, so that at any time the sum is between the two. */
static void read_some(void)
{
	char bytes[THRONG_BYTES];
	int i;

	__atomic_add_fetch(&throng->begun, THRONG_READS, __ATOMIC_SEQ_CST);
	for (i = 0; i < THRONG_READS; i++)
		syscall(SYS_read, zero_fd, bytes, sizeof(bytes));
	__atomic_add_fetch(&throng->done, THRONG_READS, __ATOMIC_SEQ_CST);
}

static int sleeper(void *arg)
{
	work_wait_for(arg, EXIT);
	read_some();
	work_raw_exit(0);
	return 0;
}

/* Where work_raw_thread() has the stack begin that ends there */
static void *stack_below(void *end)
{
	return (void *)((uintptr_t)end - WORK_STACK);
}

static int start_sleeper(unsigned int i)
{
	return work_raw_thread(sleeper, &orders[i],
			       stack_below(stacks + (i + 1UL) * SMALL_STACK),
			       &gone[i]);
}

static bool is_over(void)
{
	return __atomic_load_n(&throng->stop, __ATOMIC_ACQUIRE);
}

/* Each wait() writes the stats_lock of all of them. */
static int have_children(void *arg)
{
	char *stack = arg;
	pid_t pid;

	while (!is_over()) {
		pid = clone(work_raw_end, stack + WORK_STACK,
			    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
		if (pid > 0)
			syscall(SYS_wait4, pid, NULL, __WALL, NULL);
		throng->children++;
	}
	work_raw_exit(0);
	return 0;
}

static int read_and_exit(void *arg)
{
	(void)arg;
	read_some();
	work_raw_exit(0);
	return 0;
}

static int churn(void *arg)
{
	char *first = arg;
	int left[CHURNING] = { 0 };
	unsigned int i;

	for (i = 0; !is_over(); i = (i + 1) % CHURNING) {
		work_raw_join(&left[i]);
		if (work_raw_thread(read_and_exit, NULL, first + i * WORK_STACK,
				    &left[i]) < 0)
			continue;
		throng->exits++;
	}
	for (i = 0; i < CHURNING; i++)
		work_raw_join(&left[i]);
	work_raw_exit(0);
	return 0;
}

static void exit_one(unsigned int i)
{
	int64_t begin = sys_now_ns();

	work_wake(&orders[i], EXIT);
	work_raw_join(&gone[i]);
	/* Its word is cleared before the hook: until it is off the list. */
	while (syscall(SYS_tgkill, getpid(), tids[i], 0) == 0)
		sched_yield();
	throng->exit_ns = sys_now_ns() - begin;
}

/**
 * throng_lead() - body of a child: start the threads, then do as told
 * @fd: for orders
 * @arg: the struct throng
 */
int throng_lead(int fd, void *arg)
{
	char *room = work_stacks(CHURNING + 3);
	int left[2] = { 0 };
	unsigned int next = 0;
	unsigned int i;
	char order;

	/* To find a function for the first time takes more stack than they have. */
	syscall(SYS_getpid);
	throng = arg;
	zero_fd = open("/dev/zero", O_RDONLY);
	orders = calloc(throng->threads, sizeof(*orders));
	gone = calloc(throng->threads, sizeof(*gone));
	tids = calloc(throng->threads, sizeof(*tids));
	stacks = work_stacks((throng->threads + 1UL) * SMALL_STACK / WORK_STACK + 1);
	for (i = 0; i < throng->threads; i++) {
		tids[i] = start_sleeper(i);
		if (tids[i] < 0)
			return 1;
	}
	work_send(fd, 'r');
	while ((order = work_order(fd))) {
		if (order == 'v')
			work_raw_thread(have_children, room,
					room + WORK_STACK, &left[0]);
		else if (order == 'c')
			work_raw_thread(churn, room + 3 * WORK_STACK,
					room + 2 * WORK_STACK, &left[1]);
		else if (order == 'x')
			exit_one(next++);
		if (order == 's') {
			__atomic_store_n(&throng->stop, 1, __ATOMIC_RELEASE);
			work_raw_join(&left[0]);
			work_raw_join(&left[1]);
			throng->stop = 0;
		}
		work_send(fd, '.');
	}
	return 0;
}

/**
 * throng_new() - memory for a process and the test
 * @threads: how many it is to have
 */
struct throng *throng_new(unsigned int threads)
{
	struct throng *new = mmap(NULL, sizeof(*new), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (new == MAP_FAILED)
		abort();
	new->threads = threads;
	return new;
}

/* Small kernels have no more numbers than that; so many are for others, and on their way. */
#define SMALL_PID_MAX	32768
#define SPARE_PIDS	5000

static int write_number(const char *path, unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return sys_write(path, text);
}

/**
 * throng_make_room() - let there be so many threads on this machine
 * @threads: how many
 *
 * Return: 0 or a negative errno.
 */
int throng_make_room(unsigned int threads)
{
	const unsigned int n = 2 * threads + 10000;
	int err;

	err = write_number("/proc/sys/kernel/threads-max", n);
	if (err)
		return err;
	err = write_number("/proc/sys/kernel/pid_max", n);
	if (err == -EINVAL && threads <= SMALL_PID_MAX - SPARE_PIDS)
		err = write_number("/proc/sys/kernel/pid_max", SMALL_PID_MAX);
	return err;
}
