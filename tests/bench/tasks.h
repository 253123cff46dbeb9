/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <sys/types.h>

/* Threads of the process that bench_tasks_group() starts and ends */
#define BENCH_GROUP_THREADS 3

#define BENCH_FIRST_UID 100000

/**
 * bench_tasks_thread() - start a thread of this process and let it exit
 */
void bench_tasks_thread(void);

/**
 * bench_tasks_process() - start a process with one thread and let it exit
 *
 * It shares this one's address space, so that nothing is copied or torn down.
 */
void bench_tasks_process(void);

/**
 * bench_tasks_group() - start a process with several threads and let it exit
 *
 * The leader is the last one to exit.
 */
void bench_tasks_group(void);

/**
 * bench_tasks_park() - start a process that sleeps
 * @threads: how many threads it has
 * @users: how many users those behind the first are of in turn, from
 *	BENCH_FIRST_UID up; 0: of ours
 *
 * Return: its id; all its threads are there, if not each its user's yet.
 */
pid_t bench_tasks_park(unsigned int threads, unsigned int users);

/**
 * bench_tasks_unpark() - end a process that sleeps
 * @pid: its id
 */
void bench_tasks_unpark(pid_t pid);

#endif /* BENCH_TASKS_H */
