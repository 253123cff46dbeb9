// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a refresh of taskacct top costs, with 5,000 processes and 1,000 exits a second
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "module.h"
#include "tasks.h"
#include "top.h"
#include "util.h"

#define PROCESSES	5000
#define PROGRAM		"build/tools/taskacct"

/* Exits at a time, and ns between two such times */
#define EXITS		10
#define PAUSE_NS	10000000

/* Refreshes that are measured; one more is the first look. */
#define REFRESHES	4

static void make_room(void)
{
	if (bench_write_file("/proc/sys/kernel/threads-max", "50000") ||
	    bench_write_file("/proc/sys/kernel/pid_max", "65536"))
		bench_die("set kernel.threads-max and pid_max");
}

static void exit_for_ever(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int i;

	for (;;) {
		for (i = 0; i < EXITS; i++)
			bench_tasks_process();
		nanosleep(&pause, NULL);
	}
}

static pid_t start_exits(void)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork");
	if (!pid)
		exit_for_ever();
	return pid;
}

/* As on a screen: of all lines those are made that are seen. */
static void run_program(unsigned int looks)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", looks);
	if (!freopen("/dev/null", "w", stdout))
		_exit(127);
	execl(PROGRAM, "taskacct", "top", "-b", "-n", number, "-d", "3s", "--limit",
	      "50", NULL);
	_exit(127);
}

/* Its CPU time, as the scheduler counts it: a nanosecond is an instruction. */
static double cost_of(unsigned int looks)
{
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork");
	if (!pid)
		run_program(looks);
	if (wait4(pid, &status, 0, &used) != pid)
		bench_die("wait for %s", PROGRAM);
	if (status)
		bench_die("%s ended with %d", PROGRAM, status);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

static void park_processes(pid_t *pids)
{
	unsigned int i;

	for (i = 0; i < PROCESSES; i++)
		pids[i] = bench_tasks_park(1, 0);
}

void bench_top(struct bench_results *results, const char *module)
{
	static pid_t pids[PROCESSES];
	const unsigned int rounds = results->rounds < 3 ? results->rounds : 3;
	unsigned int i;
	pid_t exits;
	double cost;

	make_room();
	bench_module_load(module, "");
	park_processes(pids);
	exits = start_exits();
	for (i = 0; i < rounds; i++) {
		bench_settle();
		cost = cost_of(1 + REFRESHES) - cost_of(1);
		bench_add(results, BENCH_QUERY(BENCH_TOP, BENCH_TASKACCT),
			  cost / REFRESHES / PROCESSES);
	}
	kill(exits, SIGKILL);
	waitpid(exits, NULL, 0);
	for (i = 0; i < PROCESSES; i++)
		bench_tasks_unpark(pids[i]);
	bench_module_unload();
}
