/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdint.h>

#define BENCH_MAX_ROUNDS	100
#define BENCH_MAX_EXITS		1000

/* What exits */
enum bench_kind {
	BENCH_PROCESS,		/* a process with one thread */
	BENCH_THREAD,		/* a thread of a process that goes on */
	BENCH_GROUP,		/* a process with several threads */
	BENCH_KINDS,
};

/* Who is there to notice, in the order in which they are measured */
enum bench_state {
	BENCH_OFF,		/* module absent, nobody listens */
	BENCH_INTREE_1,		/* module absent, listeners of TASKSTATS */
	BENCH_INTREE_2,
	BENCH_INTREE_8,
	BENCH_IDLE,		/* module loaded, nobody listens */
	BENCH_TASKACCT_1,	/* module loaded, listeners of TASKACCT */
	BENCH_TASKACCT_2,
	BENCH_TASKACCT_8,
	BENCH_TASKACCT_FULL,	/* one listener, and its buffer is too small */
	BENCH_IDLE_AGAIN,
	BENCH_OFF_AGAIN,
	BENCH_STATES,
};

/* What is asked */
enum bench_question {
	BENCH_EMPTY,		/* nothing: netlink acknowledges it itself */
	BENCH_PID,
	BENCH_TGID_1,		/* a process with so many threads */
	BENCH_TGID_100,
	BENCH_TGID_1000,
	BENCH_TGID_5000,
	BENCH_QUESTIONS,
};

enum bench_family {
	BENCH_TASKSTATS,
	BENCH_TASKACCT,
	BENCH_FAMILIES,
};

/* Instructions per exit or per query, round by round */
typedef double bench_series[BENCH_MAX_ROUNDS];

/**
 * struct bench_losses - what became of the messages of exits
 * @sent: exits that a listener heard, summed over the listeners
 * @received: messages that arrived
 * @lost: messages that taskacct said were lost
 */
struct bench_losses {
	uint64_t sent;
	uint64_t received;
	uint64_t lost;
};

/**
 * struct bench_results - all that was measured
 * @rounds: how many entries of each series are valid
 * @exits: exits of each kind in a round
 * @exit: of an exit, from starting the task until it has been waited for
 * @whole: of an exit, with all that the kernel does later because of it, and
 *	the timer ticks of that time; not measured in every state
 * @query: of a query; empty ones do not differ between the families
 * @losses: by family
 */
struct bench_results {
	unsigned int rounds;
	unsigned int exits;
	bench_series exit[BENCH_STATES][BENCH_KINDS];
	bench_series whole[BENCH_STATES][BENCH_KINDS];
	bench_series query[BENCH_QUESTIONS][BENCH_FAMILIES];
	struct bench_losses losses[BENCH_FAMILIES];
};

/**
 * bench_median() - find the median
 * @values: of these; sorted afterwards
 * @n: how many, at least one
 *
 * Return: the median.
 */
double bench_median(double *values, unsigned int n);

#endif /* BENCH_RESULTS_H */
