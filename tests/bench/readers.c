// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that read exits, each in a way of its own
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "readers.h"
#include "util.h"

/* It has slept for so long when it sleeps. */
#define ASLEEP_USECS	1000
/* Of readers that have to do with a few records */
#define AWAIT_MSECS	60000

/**
 * struct shared - what readers and the measuring process share
 * @gate: counts how often readers were let
 * @left: how many have not yet read what is expected
 * @sums: what each has read
 */
struct shared {
	uint32_t gate;
	uint32_t left;
	struct bench_read sums[BENCH_READERS_MAX];
};

static struct shared *shared;
static pid_t pids[BENCH_READERS_MAX];
static unsigned int n_readers;
/* Says that no reader is left. */
static int all_read = -1;
static volatile sig_atomic_t ending;

static void end(int signal)
{
	ending = 1;
}

static void tell_all_read(unsigned int records, const struct bench_read *sum, uint64_t *told)
{
	if (sum->exits - *told < records)
		return;
	*told = sum->exits;
	if (!__atomic_sub_fetch(&shared->left, 1, __ATOMIC_RELAXED) &&
	    eventfd_write(all_read, 1))
		_exit(BENCH_FAILED);
}

static void follow(const struct bench_way *way, unsigned int records, struct bench_read *sum)
{
	uint64_t told = 0;

	while (!ending) {
		way->wait();
		way->read(sum);
		tell_all_read(records, sum, &told);
	}
}

static void read_when_let(const struct bench_way *way, struct bench_read *sum)
{
	uint32_t gate = __atomic_load_n(&shared->gate, __ATOMIC_ACQUIRE);

	while (!ending) {
		syscall(SYS_futex, &shared->gate, FUTEX_WAIT, gate, NULL, NULL, 0);
		gate = __atomic_load_n(&shared->gate, __ATOMIC_ACQUIRE);
		way->read(sum);
	}
}

__attribute__((noreturn)) static void be_reader(const struct bench_way *way,
						const struct bench_ask *ask,
						enum bench_readers_do what, unsigned int i,
						int tell)
{
	const struct sigaction action = { .sa_handler = end };
	struct bench_read sum = {};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	way->open(ask);
	if (write(tell, "", 1) != 1)
		_exit(BENCH_FAILED);
	if (what == BENCH_LET)
		read_when_let(way, &sum);
	else if (what == BENCH_FOLLOW)
		follow(way, ask->records, &sum);
	while (!ending)
		way->wait();
	way->read(&sum);
	way->lose(&sum);
	shared->sums[i] = sum;
	_exit(0);
}

static void start(const struct bench_way *way, const struct bench_ask *ask,
		  enum bench_readers_do what, unsigned int i)
{
	int fds[2];
	char byte;

	if (pipe2(fds, O_CLOEXEC))
		bench_die("make a pipe");
	pids[i] = fork();
	if (pids[i] < 0)
		bench_die("start a reader");
	if (!pids[i])
		be_reader(way, ask, what, i, fds[1]);
	close(fds[1]);
	if (read(fds[0], &byte, 1) != 1)
		bench_die("a reader failed");
	close(fds[0]);
}

static void share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	all_read = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (shared == MAP_FAILED || all_read < 0)
		bench_die("share memory with readers");
}

void bench_readers_start(const struct bench_way *way, const struct bench_ask *ask,
			 unsigned int n, enum bench_readers_do what)
{
	if (!shared)
		share();
	bench_pids_aside();
	for (n_readers = 0; n_readers < n; n_readers++)
		start(way, ask, what, n_readers);
	usleep(ASLEEP_USECS);
	if (what != BENCH_STOP)
		return;
	while (n--)
		kill(pids[n], SIGSTOP);
}

void bench_readers_let(void)
{
	__atomic_add_fetch(&shared->gate, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &shared->gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void bench_readers_expect(void)
{
	__atomic_store_n(&shared->left, n_readers, __ATOMIC_RELAXED);
}

void bench_readers_await(void)
{
	struct pollfd pollfd = { .fd = all_read, .events = POLLIN };
	eventfd_t n;

	if (poll(&pollfd, 1, AWAIT_MSECS) != 1 || eventfd_read(all_read, &n))
		bench_die("%u readers did not read all", shared->left);
}

/* A signal that comes before the reader sleeps does not wake it. */
static void stop(pid_t pid)
{
	int status;

	do {
		kill(pid, SIGUSR1);
		kill(pid, SIGCONT);
		usleep(ASLEEP_USECS);
	} while (!waitpid(pid, &status, WNOHANG));
	if (status)
		bench_die("a reader failed");
}

void bench_readers_stop(struct bench_read *sum)
{
	unsigned int i;

	for (i = 0; i < n_readers; i++) {
		stop(pids[i]);
		if (!i || shared->sums[i].exits < sum->exits)
			*sum = shared->sums[i];
	}
	n_readers = 0;
}
