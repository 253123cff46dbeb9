/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_EXITS_H
#define BENCH_EXITS_H

#include "results.h"

/**
 * bench_exits_init() - open all the sockets
 */
void bench_exits_init(void);

/**
 * bench_exits_round() - measure exits once in every state, or in a few
 * @results: where to
 * @module: taskacct.ko, which is loaded and unloaded in between
 *
 * Ends the program where a message is neither received nor reported lost.
 */
void bench_exits_round(struct bench_results *results, const char *module);

/**
 * bench_exits_unlistened() - measure exits one by one, with no listener
 * @kind: who exits
 * @n: how many
 *
 * Their numbers are larger than any other.
 *
 * Return: instructions for one, the median.
 */
double bench_exits_unlistened(enum bench_kind kind, unsigned int n);

#endif /* BENCH_EXITS_H */
