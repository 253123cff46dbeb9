/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "results.h"
#include "util.h"

/**
 * bench_report_condition() - note a condition of the run
 * @key: its name in bench.json
 * @text: its name in the table
 * @value: its value; must stay
 */
void bench_report_condition(const char *key, const char *text,
			    const char *value);

/**
 * bench_report_judge() - compare the results with the targets
 * @results: the results
 *
 * Return: BENCH_MET, BENCH_MISSED or BENCH_VOID.
 */
enum bench_status bench_report_judge(const struct bench_results *results);

/**
 * bench_report_table() - print the results for people
 * @results: the results
 * @status: what bench_report_judge() returned
 */
void bench_report_table(const struct bench_results *results,
			enum bench_status status);

/**
 * bench_report_json() - write the results for programs
 * @results: the results
 * @status: what bench_report_judge() returned
 * @path: the file
 */
void bench_report_json(const struct bench_results *results,
		       enum bench_status status, const char *path);

#endif /* BENCH_REPORT_H */
