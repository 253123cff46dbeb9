// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a query costs, from sending it to having received the answer
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/taskacct.h>
#include <stdio.h>
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

/* As many processes as a dump has tasks */
#define LOOKED_AT	1000

#define FEW_TASKS	5000
#define MANY_USERS	10000
#define MANY_PROCESSES	3

/**
 * struct crowd - the tasks and their users that are there when it is asked
 *	about users
 * @tasks: how many tasks at least
 * @users: of how many users at least
 * @first: what is measured: what the first pays who asks
 * @again: the next
 * @file: and who reads Android's file then
 */
struct crowd {
	unsigned int tasks;
	unsigned int users;
	enum bench_question first;
	enum bench_question again;
	enum bench_question file;
};

static const struct crowd few = {
	.tasks = FEW_TASKS,
	.users = 1,
	.first = BENCH_USERS_FIRST,
	.again = BENCH_USERS,
	.file = BENCH_USERS_FILE,
};

static const struct crowd many = {
	.tasks = MANY_USERS * MANY_PROCESSES,
	.users = MANY_USERS,
	.first = BENCH_MANY_USERS_FIRST,
	.again = BENCH_MANY_USERS,
	.file = BENCH_MANY_USERS_FILE,
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

	bench_room_for_tasks();
	for (i = 0; i < BENCH_FAMILIES; i++) {
		fd[i] = bench_netlink_open(BUFFER);
		family[i] = bench_netlink_family(fd[i], names[i]);
		if (!family[i])
			bench_die("no family %s", names[i]);
	}
	for (i = BENCH_PID; i <= BENCH_DUMP; i++)
		asked[i] = bench_tasks_park(questions[i].threads, 0);
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

/* Returns how many processes there were. */
static unsigned int look_at_processes(void)
{
	char path[280], text[512];
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	unsigned int n = 0;
	int file;

	if (!dir)
		bench_die("open /proc");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (file >= 0 && read(file, text, sizeof(text)) > 0)
			n++;
		close(file);
	}
	closedir(dir);
	return n;
}

static void measure_looks(struct bench_results *results)
{
	pid_t pids[LOOKED_AT];
	unsigned int i, n;
	uint64_t start;

	for (i = 0; i < LOOKED_AT; i++)
		pids[i] = bench_tasks_park(1, 0);
	for (i = 0; i < results->rounds; i++) {
		bench_settle();
		start = bench_now();
		n = look_at_processes();
		start = bench_now() - start;
		if (n < LOOKED_AT)
			bench_die("/proc has %u processes", n);
		bench_add(results, BENCH_QUERY(BENCH_PROC, BENCH_TASKSTATS), (double)start / n);
	}
	for (i = 0; i < LOOKED_AT; i++)
		bench_tasks_unpark(pids[i]);
}

static uint64_t read_file(const char *path)
{
	static char text[65536];
	uint64_t start = bench_now();
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	do {
		length = read(file, text, sizeof(text));
		if (length < 0)
			bench_die("read %s", path);
	} while (length);
	close(file);
	return bench_now() - start;
}

static void add_per_task(struct bench_results *results,
			 enum bench_question question, uint64_t took,
			 unsigned int tasks)
{
	bench_add(results, BENCH_QUERY(question, BENCH_TASKACCT),
		  (double)took / tasks);
}

/*
 * The first who asks has all tasks kept; afterwards those that have slept since
 * cost less.
 */
static void measure_users(struct bench_results *results, const char *module,
			  const struct crowd *crowd)
{
	unsigned int tasks, users;
	int number, socket;
	uint64_t took;

	bench_module_load(module, "uid=1");
	socket = bench_netlink_open(BUFFER);
	number = bench_netlink_family(socket, TASKACCT_GENL_NAME);
	bench_netlink_dump(socket, number, &tasks);
	bench_settle();
	took = bench_netlink_users(socket, number, &users);
	if (users < crowd->users || tasks < crowd->tasks)
		bench_die("%u users, %u tasks", users, tasks);
	add_per_task(results, crowd->first, took, tasks);
	bench_settle();
	add_per_task(results, crowd->again,
		     bench_netlink_users(socket, number, &users), tasks);
	bench_settle();
	add_per_task(results, crowd->file, read_file("/proc/uid_io/stats"),
		     tasks);
	close(socket);
	bench_module_unload();
}

static void measure_few_users(struct bench_results *results,
			      const char *module)
{
	pid_t pid = bench_tasks_park(FEW_TASKS, 0);
	unsigned int i;

	for (i = 0; i < results->rounds; i++)
		measure_users(results, module, &few);
	bench_tasks_unpark(pid);
}

static void measure_many_users(struct bench_results *results,
			       const char *module)
{
	pid_t pids[MANY_PROCESSES];
	unsigned int i;

	for (i = 0; i < MANY_PROCESSES; i++)
		pids[i] = bench_tasks_park(MANY_USERS + 1, MANY_USERS);
	bench_settle();
	for (i = 0; i < results->rounds; i++)
		measure_users(results, module, &many);
	for (i = 0; i < MANY_PROCESSES; i++)
		bench_tasks_unpark(pids[i]);
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
	for (i = BENCH_PID; i <= BENCH_DUMP; i++)
		bench_tasks_unpark(asked[i]);
	measure_looks(results);
}

void bench_users(struct bench_results *results, const char *module)
{
	bench_room_for_tasks();
	measure_few_users(results, module);
	measure_many_users(results, module);
}
