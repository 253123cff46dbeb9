/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#include <stdint.h>

#include "marks.h"

/* What the program's exit status says */
enum bench_status {
	BENCH_MET = 0,		/* every target was met */
	BENCH_MISSED = 1,	/* at least one was not */
	BENCH_VOID = 2,		/* the statistics cannot be relied on */
	BENCH_FAILED = 3,	/* it could not be measured */
};

/**
 * bench_die() - end the run, since it could not be measured
 * @format: what went wrong; the error of errno is appended where it is not 0
 */
__attribute__((noreturn, format(printf, 1, 2)))
void bench_die(const char *format, ...);

/**
 * bench_clock() - read the guest's clock
 *
 * Under -icount shift=0 the time stamp counter counts instructions, the one
 * that reads it included; while the CPU is idle it jumps to the next timer.
 *
 * Return: instructions since some time.
 */
static inline uint64_t bench_clock(void)
{
	return __builtin_ia32_rdtsc();
}

/**
 * bench_now() - read the guest's clock where measuring begins, or ends
 *
 * It is called in turn for the one and the other.
 *
 * Return: as for bench_clock().
 */
static inline uint64_t bench_now(void)
{
	bench_mark_turn();
	return bench_clock();
}

/**
 * bench_spin() - keep the CPU busy
 * @loops: how long, at 2 instructions each
 */
static inline void bench_spin(uint64_t loops)
{
	__asm__ volatile("1:	dec %0\n\tjnz 1b" : "+r"(loops) : : "cc");
}

/**
 * bench_check_clock() - prove that the clock counts instructions
 *
 * Ends the program with BENCH_VOID where it does not.
 */
void bench_check_clock(void);

/**
 * bench_seed_random() - seed the guest's random number generator
 *
 * Until it is seeded, which in a guest without a source of entropy can take
 * for ever, each random number costs thousands of instructions, and the kernel
 * draws one for each slab of memory that it sets up.
 */
void bench_seed_random(void);

/**
 * bench_settle() - let the kernel finish what it has put off
 *
 * The pauses do it; membarrier() waits for RCU only where there is more than
 * one CPU.
 */
void bench_settle(void);

/**
 * bench_same_pids() - let the tasks to come have the same ids as those before
 *
 * What an id costs depends on its value, and on which others are in use: the kernel's tree
 * of them has nodes of 64 where one of these is.
 */
void bench_same_pids(void);

/**
 * bench_pids_aside() - let tasks that stay have ids far from those of bench_same_pids()
 */
void bench_pids_aside(void);

/**
 * bench_pids_above() - the same, with ids that are larger than those of a million
 *	other tasks
 */
void bench_pids_above(void);

/**
 * bench_room_for_tasks() - let there be some ten thousand of tasks, whatever the guest's
 *	memory suggests
 */
void bench_room_for_tasks(void);

/**
 * bench_align() - sleep until a fixed distance from the next timer tick
 */
void bench_align(void);

/**
 * bench_write_file() - write a string to a file that exists
 * @path: the file
 * @text: the string
 *
 * Return: 0 or -1 with errno.
 */
int bench_write_file(const char *path, const char *text);

/**
 * bench_read_line() - read a file's first line
 * @path: the file
 * @line: receives it without its end, empty where it cannot be read
 * @size: size of @line
 */
void bench_read_line(const char *path, char *line, int size);

#endif /* BENCH_UTIL_H */
