/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_TIMES_H
#define BENCH_TIMES_H

#include "results.h"

/**
 * bench_times() - measure time per CPU: what it costs, and to read it
 * @results: where to
 * @module: taskacct.ko, which is loaded meanwhile
 */
void bench_times(struct bench_results *results, const char *module);

#endif /* BENCH_TIMES_H */
