/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The roll of a process: which tasks it has, noted by themselves, to be called
 * when it has ended. It does without the tgid in a record, which version 12
 * brought.
 */
#ifndef SELFTESTS_ROLL_H
#define SELFTESTS_ROLL_H

#include <stdbool.h>
#include <sys/types.h>

#include "acct.h"

#define ROLL_MAX 1024

/**
 * struct roll - the tasks of a process, in memory that it shares with the test
 * @gate: 0 until the test lets go those who wait for it
 * @n: how many
 * @tid: their numbers, that of the leader first
 */
struct roll {
	int gate;
	int n;
	pid_t tid[ROLL_MAX];
};

/**
 * struct roll_call - what the exit messages of a process have reported
 * @sum: sum of the records of its tasks
 * @total: the record of the process
 * @tasks: records of tasks
 * @processes: records of the process
 * @late: records of tasks that came after that of the process
 * @agroup: records of tasks that say that they are the last
 * @times: how many records there are of each task, in the roll's order
 * @of: the last of them
 */
struct roll_call {
	struct taskstats sum;
	struct taskstats total;
	int tasks;
	int processes;
	int late;
	int agroup;
	int times[ROLL_MAX];
	struct taskstats of[ROLL_MAX];
};

/* What a thread does at the start, by its place on the roll, the leader's 0 */
typedef void (*roll_part_fn)(int place);

struct roll *roll_new(void);
void roll_clear(struct roll *roll);
int roll_enter(struct roll *roll);
void roll_wait(struct roll *roll, int n);
int roll_scan(struct roll *roll, const char *comm);
void roll_perform(struct roll *roll, int threads, roll_part_fn part)
	__attribute__((noreturn));
pid_t roll_start(struct roll *roll, int threads, roll_part_fn part);

bool roll_take(const struct roll *roll, struct roll_call *call,
	       const struct acct_exit *e);
int roll_call_many(struct acct_sock *s, struct roll *const *rolls,
		   struct roll_call *calls, int n);
int roll_call(struct acct_sock *s, struct roll *roll, struct roll_call *call);
const char *roll_wrong(const struct roll *roll, const struct roll_call *call);

#endif /* SELFTESTS_ROLL_H */
