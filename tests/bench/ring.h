/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <stdint.h>

#define BENCH_RING_MAX 64

/**
 * bench_ring_open() - have readers of the shared memory that sleep
 * @readers: how many, at most BENCH_RING_MAX
 * @want: TASKACCT_RING_*
 */
void bench_ring_open(unsigned int readers, uint32_t want);

/**
 * bench_ring_close() - end the readers
 *
 * Return: how many exits were written meanwhile.
 */
uint64_t bench_ring_close(void);

#endif /* BENCH_RING_H */
