/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_TOP_H
#define BENCH_TOP_H

#include "results.h"

/**
 * bench_top() - measure what a refresh of taskacct top costs
 * @results: where to
 * @module: path of taskacct.ko
 */
void bench_top(struct bench_results *results, const char *module);

#endif /* BENCH_TOP_H */
