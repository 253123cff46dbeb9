/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_STORM_H
#define BENCH_STORM_H

#include "results.h"

/**
 * bench_storm() - count what is lost when many threads end together
 * @results: where to; one round, for nothing here depends on chance
 * @module: taskacct.ko, which is loaded and unloaded in between
 */
void bench_storm(struct bench_results *results, const char *module);

#endif /* BENCH_STORM_H */
