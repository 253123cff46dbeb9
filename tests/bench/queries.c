// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a query costs, from sending it to having received the answer
 */
#include <linux/taskacct.h>
#include <unistd.h>

#include "module.h"
#include "netlink.h"
#include "queries.h"
#include "tasks.h"
#include "util.h"

#define BUFFER	(1 << 20)

/**
 * struct question - one of the questions
 * @attr: what is asked for
 * @threads: of the process that is asked about
 * @n: how many times in a round
 */
struct question {
	int attr;
	unsigned int threads;
	unsigned int n;
};

static const struct question questions[BENCH_QUESTIONS] = {
	[BENCH_EMPTY] = { 0, 0, 200 },
	[BENCH_PID] = { TASKSTATS_CMD_ATTR_PID, 1, 200 },
	[BENCH_TGID_1] = { TASKSTATS_CMD_ATTR_TGID, 1, 200 },
	[BENCH_TGID_100] = { TASKSTATS_CMD_ATTR_TGID, 100, 50 },
	[BENCH_TGID_1000] = { TASKSTATS_CMD_ATTR_TGID, 1000, 10 },
	[BENCH_TGID_5000] = { TASKSTATS_CMD_ATTR_TGID, 5000, 4 },
	[BENCH_MANY] = { TASKSTATS_CMD_ATTR_PID, 1, 6 * BENCH_PER_DATAGRAM },
	[BENCH_DUMP] = { 0, 1000, 1 },
};

static pid_t asked[BENCH_QUESTIONS];
static int fd[BENCH_FAMILIES];
static int family[BENCH_FAMILIES];

static void init(void)
{
	static const char *const names[BENCH_FAMILIES] = {
		[BENCH_TASKSTATS] = "TASKSTATS",
		[BENCH_TASKACCT] = TASKACCT_GENL_NAME,
	};
	unsigned int i;

	/* Enough for all the threads, whatever the guest's memory suggests */
	if (bench_write_file("/proc/sys/kernel/threads-max", "20000"))
		bench_die("set kernel.threads-max");
	for (i = 0; i < BENCH_FAMILIES; i++) {
		fd[i] = bench_netlink_open(BUFFER);
		family[i] = bench_netlink_family(fd[i], names[i]);
		if (!family[i])
			bench_die("no family %s", names[i]);
	}
	for (i = BENCH_PID; i <= BENCH_DUMP; i++)
		asked[i] = bench_tasks_park(questions[i].threads);
}

static double measure(enum bench_question i, enum bench_family j)
{
	const struct question *question = &questions[i];
	unsigned int tasks;
	uint64_t took;

	bench_settle();
	if (i == BENCH_DUMP) {
		took = bench_netlink_dump(fd[j], family[j], &tasks);
		if (tasks < question->threads)
			bench_die("a dump of %u tasks", tasks);
		return (double)took / tasks;
	}
	if (i == BENCH_MANY) {
		took = bench_netlink_many(fd[j], family[j], asked[i],
					  question->n);
	} else if (i == BENCH_EMPTY) {
		took = bench_netlink_empty(fd[j], question->n);
	} else {
		bench_netlink_check(fd[j], family[j], question->attr, asked[i]);
		took = bench_netlink_query(fd[j], family[j], question->attr,
					   asked[i], question->n);
	}
	return (double)took / question->n;
}

/*
 * With all the tasks that the other questions are about. The first who asks has
 * them kept; afterwards those that have slept since cost less.
 */
static void measure_users(struct bench_results *results, const char *module)
{
	unsigned int i, tasks, users;
	int number, socket;
	uint64_t took;

	bench_module_load(module, "uid=1");
	socket = bench_netlink_open(BUFFER);
	number = bench_netlink_family(socket, TASKACCT_GENL_NAME);
	bench_netlink_dump(socket, number, &tasks);
	for (i = BENCH_USERS_FIRST; i <= BENCH_USERS; i++) {
		bench_settle();
		took = bench_netlink_users(socket, number, &users);
		if (!users || tasks < 5000)
			bench_die("%u users, %u tasks", users, tasks);
		bench_add(results, BENCH_QUERY(i, BENCH_TASKACCT),
			  (double)took / tasks);
	}
	close(socket);
	bench_module_unload();
}

void bench_queries(struct bench_results *results, const char *module)
{
	unsigned int round, i, j;

	bench_module_load(module, "");
	init();
	for (round = 0; round < results->rounds; round++)
		for (i = 0; i <= BENCH_DUMP; i++)
			for (j = 0; j < BENCH_FAMILIES; j++)
				if (i != BENCH_DUMP || j == BENCH_TASKACCT)
					bench_add(results, BENCH_QUERY(i, j),
						  measure(i, j));
	bench_module_unload();
	for (round = 0; round < results->rounds; round++)
		measure_users(results, module);
	for (i = BENCH_PID; i <= BENCH_DUMP; i++)
		bench_tasks_unpark(asked[i]);
}
