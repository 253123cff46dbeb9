// SPDX-License-Identifier: GPL-2.0-only
/*
 * What exits, queries and a reading of users cost where the module keeps much: of
 * 100,000 processes whose 500,000 threads have ended and are not released
 */
#include <linux/taskacct.h>
#include <stdio.h>
#include <unistd.h>

#include "exits.h"
#include "groups.h"
#include "kept.h"
#include "module.h"
#include "netlink.h"
#include "tasks.h"
#include "util.h"

#define BUFFER	(1 << 20)

#define FEW	10
#define MANY	100000

/* Of a process that is queried; of one whose tasks are read with all users' */
#define THREADS	100
#define LIVE	5000

#define QUERIES	100

/* About 12 KiB of each task that has ended, and the rest of the guest */
#define MIN_KIB	7500000UL

static int fd, family;
static pid_t asked;

static void check_memory(void)
{
	unsigned long kib;
	char line[64];

	bench_read_line("/proc/meminfo", line, sizeof(line));
	if (sscanf(line, "MemTotal: %lu", &kib) != 1 || kib < MIN_KIB)
		bench_die("the guest has too little memory: %s", line);
}

static void make_room(void)
{
	if (bench_write_file("/proc/sys/kernel/threads-max", "1000000") ||
	    bench_write_file("/proc/sys/kernel/pid_max", "4194304"))
		bench_die("set kernel.threads-max and pid_max");
}

static void measure_exits(struct bench_results *results,
			  enum bench_amount amount)
{
	enum bench_kind kind;

	for (kind = 0; kind < BENCH_KINDS; kind++)
		bench_add(results,
			  BENCH_LOAD((enum bench_load)kind, amount),
			  bench_exits_unlistened(kind, results->exits));
}

static void measure_query(struct bench_results *results, unsigned int series,
			  int attr, pid_t pid)
{
	bench_settle();
	bench_netlink_check(fd, family, attr, pid);
	bench_add(results, series,
		  (double)bench_netlink_query(fd, family, attr, pid, QUERIES) /
			  QUERIES);
}

static double read_users(void)
{
	unsigned int users;

	bench_settle();
	return bench_netlink_users(fd, family, &users);
}

/*
 * Of live tasks, and not of those that have ended and are only passed. The first
 * who asks has something kept of each.
 */
static double measure_users(void)
{
	const pid_t pid = bench_tasks_park(LIVE, 0);
	double with;

	read_users();
	with = read_users();
	bench_tasks_unpark(pid);
	/* What is left of them is given back meanwhile. */
	read_users();
	return (with - read_users()) / LIVE;
}

static void measure(struct bench_results *results, enum bench_amount amount,
		    const struct bench_groups *groups)
{
	measure_exits(results, amount);
	measure_query(results, BENCH_LOAD(BENCH_LOAD_PID, amount),
		      TASKSTATS_CMD_ATTR_PID, asked);
	measure_query(results, BENCH_LOAD(BENCH_LOAD_TGID, amount),
		      TASKSTATS_CMD_ATTR_TGID, asked);
	measure_query(results, BENCH_LOAD(BENCH_LOAD_DEAD, amount),
		      TASKSTATS_CMD_ATTR_TGID, groups->one);
	bench_add(results, BENCH_LOAD(BENCH_LOAD_USERS, amount),
		  measure_users());
}

static void expect_kept(unsigned int n)
{
	unsigned int groups, threads;

	bench_netlink_kept(fd, family, &groups, &threads);
	fprintf(stderr, "bench: %u groups and %u exited threads\n", groups, threads);
	if (groups < n || threads < n * BENCH_DEAD_THREADS)
		bench_die("not %u groups of %u", n, BENCH_DEAD_THREADS);
}

static void measure_all(struct bench_results *results,
			enum bench_amount amount, unsigned int n)
{
	struct bench_groups groups;

	bench_groups_start(&groups, n);
	/* The last of them may still be on their way. */
	bench_settle();
	expect_kept(n);
	measure(results, amount, &groups);
	bench_groups_end(&groups);
}

void bench_kept(struct bench_results *results, const char *module)
{
	check_memory();
	make_room();
	asked = bench_tasks_park(THREADS, 0);
	bench_module_load(module, "uid=1");
	fd = bench_netlink_open(BUFFER);
	family = bench_netlink_family(fd, TASKACCT_GENL_NAME);
	if (!family)
		bench_die("no family " TASKACCT_GENL_NAME);
	measure_all(results, BENCH_LITTLE_KEPT, FEW);
	measure_all(results, BENCH_MUCH_KEPT, MANY);
	close(fd);
	bench_tasks_unpark(asked);
	bench_module_unload();
}
