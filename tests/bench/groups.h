/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_GROUPS_H
#define BENCH_GROUPS_H

#include <sys/types.h>

/* Threads of each process, the first included */
#define BENCH_DEAD_THREADS 5

/**
 * struct bench_groups - processes that have ended, and are not taken away
 * @root: the process whose end takes them away
 * @fd: a pipe to it
 * @one: the number of one of them
 */
struct bench_groups {
	pid_t root;
	int fd;
	pid_t one;
};

/**
 * bench_groups_start() - have processes of several threads end
 * @groups: receives them
 * @n: how many there shall be
 *
 * All of their threads have ended, and none of them is released: somebody traces
 * them, and does not wait for them.
 */
void bench_groups_start(struct bench_groups *groups, unsigned int n);

/**
 * bench_groups_end() - have them taken away
 * @groups: from bench_groups_start()
 */
void bench_groups_end(struct bench_groups *groups);

#endif /* BENCH_GROUPS_H */
