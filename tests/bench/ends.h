/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_ENDS_H
#define BENCH_ENDS_H

#include "results.h"

/**
 * bench_ends() - measure exits up to their having been read by all readers
 * @results: where to
 * @module: taskacct.ko, which is loaded and unloaded in between
 */
void bench_ends(struct bench_results *results, const char *module);

#endif /* BENCH_ENDS_H */
