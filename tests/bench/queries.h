/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_QUERIES_H
#define BENCH_QUERIES_H

#include "results.h"

/**
 * bench_queries() - measure queries, all rounds
 * @results: where to
 * @module: taskacct.ko, which is loaded meanwhile
 */
void bench_queries(struct bench_results *results, const char *module);

/**
 * bench_users() - measure reading totals of all users, all rounds
 * @results: where to
 * @module: taskacct.ko, which is loaded meanwhile
 */
void bench_users(struct bench_results *results, const char *module);

#endif /* BENCH_QUERIES_H */
