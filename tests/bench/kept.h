/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_KEPT_H
#define BENCH_KEPT_H

#include "results.h"

/**
 * bench_kept() - measure exits, queries and a reading of users where the module
 *	keeps little and where it keeps much
 * @results: where to: one round, as it takes long, and the next would hardly differ
 * @module: taskacct.ko, which is loaded meanwhile
 */
void bench_kept(struct bench_results *results, const char *module);

#endif /* BENCH_KEPT_H */
