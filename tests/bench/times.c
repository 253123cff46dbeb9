// SPDX-License-Identifier: GPL-2.0-only
/*
 * What time per CPU costs at each context switch, and what it costs to read it
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taskacct.h>

#include "module.h"
#include "times.h"
#include "util.h"

#define PARAMETER "/sys/module/taskacct/parameters/cputime"

/* In a round, of each */
#define TRIPS	1000
#define READS	1000
#define FILES	50

/* From a task to the other, and back */
static int there[2], back[2];
static pid_t other;

static struct taskacct_counters *counters;
static int class;

static void pass(int fd)
{
	char byte = 0;

	if (write(fd, &byte, 1) != 1)
		bench_die("write to a pipe");
}

static void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		bench_die("read from a pipe");
}

static void start_other(void)
{
	if (pipe(there) || pipe(back))
		bench_die("make pipes");
	other = fork();
	if (other < 0)
		bench_die("fork");
	while (!other) {
		take(there[0]);
		pass(back[1]);
	}
}

static void end_other(void)
{
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

/* Each way there is one switch. */
static double measure_switch(const char *mode)
{
	uint64_t begin;
	int i;

	if (bench_write_file(PARAMETER, mode))
		bench_die("set cputime=%s", mode);
	bench_settle();
	bench_align();
	begin = bench_now();
	for (i = 0; i < TRIPS; i++) {
		pass(there[1]);
		take(back[0]);
	}
	return (double)(bench_now() - begin) / (2 * TRIPS);
}

static double measure_nothing(void)
{
	uint64_t begin = bench_now();
	int i;

	for (i = 0; i < READS; i++)
		__asm__ volatile("" ::: "memory");
	return (double)(bench_now() - begin) / READS;
}

static double measure_one(void)
{
	uint64_t begin = bench_now();
	int64_t value;
	int i;

	for (i = 0; i < READS; i++)
		if (taskacct_counters_read(counters, 0, class, &value))
			bench_die("read a counter");
	return (double)(bench_now() - begin) / READS;
}

static double measure_cpu(void)
{
	uint64_t ns[TASKACCT_CPU_CLASSES];
	uint64_t begin = bench_now();
	int i;

	for (i = 0; i < READS; i++)
		if (taskacct_counters_cpu_time(counters, 0, ns))
			bench_die("read a CPU's time");
	return (double)(bench_now() - begin) / READS;
}

/* As a monitor does: the file stays open. */
static double measure_file(const char *path)
{
	static char text[1 << 16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t begin;
	int i;

	if (fd < 0)
		bench_die("open %s", path);
	bench_settle();
	begin = bench_now();
	for (i = 0; i < FILES; i++)
		if (pread(fd, text, sizeof(text), 0) <= 0)
			bench_die("read %s", path);
	begin = bench_now() - begin;
	close(fd);
	return (double)begin / FILES;
}

static void round_of_all(struct bench_results *results)
{
	static const struct {
		enum bench_time series;
		const char *mode;
	} switches[] = {
		{ BENCH_SWITCH_OFF, "off" },
		{ BENCH_SWITCH_ON, "switch" },
		{ BENCH_SWITCH_FULL, "full" },
		{ BENCH_SWITCH_OFF_AGAIN, "off" },
	};
	unsigned int i;

	for (i = 0; i < 4; i++)
		bench_add(results, BENCH_TIME(switches[i].series),
			  measure_switch(switches[i].mode));
	if (bench_write_file(PARAMETER, "switch"))
		bench_die("set cputime=switch");
	bench_add(results, BENCH_TIME(BENCH_READ_NOTHING), measure_nothing());
	bench_add(results, BENCH_TIME(BENCH_READ_ONE), measure_one());
	bench_add(results, BENCH_TIME(BENCH_READ_CPU), measure_cpu());
	bench_add(results, BENCH_TIME(BENCH_READ_OURS),
		  measure_file("/proc/taskacct/stat"));
	bench_add(results, BENCH_TIME(BENCH_READ_THEIRS),
		  measure_file("/proc/stat"));
}

void bench_times(struct bench_results *results, const char *module)
{
	unsigned int round;

	bench_module_load(module, "");
	if (taskacct_counters_open(&counters))
		bench_die("open the counters");
	class = taskacct_counters_find(counters, "cpu.user");
	start_other();
	for (round = 0; round < results->rounds; round++)
		round_of_all(results);
	end_other();
	taskacct_counters_close(counters);
	bench_module_unload();
}
