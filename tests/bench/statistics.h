/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>

#include "results.h"

/* Stands for a figure that there is not */
#define BENCH_NONE	(-1)

/* Off and off again may differ by so many instructions. */
#define BENCH_VOID_ABOVE	50

/* What a figure is measured by */
enum bench_target {
	BENCH_NO_TARGET,
	BENCH_AT_MOST,		/* the figure's limit */
	BENCH_HOOK_LIMIT,	/* what the hook in use allows */
	BENCH_INTREE,		/* in-tree's figure in the same run */
	BENCH_FIFTH,		/* a fifth of a series */
};

/**
 * struct bench_pair - one series less another
 * @one: number of a series, or BENCH_NONE
 * @other: the one to subtract, or BENCH_NONE for nothing
 */
struct bench_pair {
	int one;
	int other;
};

/**
 * struct bench_figure - a line of the table
 * @key: its name in bench.json, which does not change; NULL for a heading
 * @text: what it is
 * @of: how it comes from the series, by family
 * @other: who is measured beside taskacct, in bench.json; NULL: in-tree
 * @divisor: what the difference is divided by
 * @target: what it is measured by
 * @limit: for BENCH_AT_MOST
 * @whole: for BENCH_FIFTH: the series
 */
struct bench_figure {
	const char *key;
	const char *text;
	struct bench_pair of[BENCH_FAMILIES];
	const char *other;
	unsigned int divisor;
	enum bench_target target;
	double limit;
	int whole;
};

/* All of them, in the order of the table; ends where text is NULL */
extern const struct bench_figure bench_statistics[];

/* Off again less off, exits one by one: what makes a run void */
extern const struct bench_pair bench_controls[BENCH_KINDS];

/**
 * bench_figure_has() - whether there is a figure for a family
 * @results: what was measured
 * @statistic: the figure
 * @family: the family
 *
 * Return: true if there is.
 */
bool bench_figure_has(const struct bench_results *results,
		      const struct bench_figure *statistic,
		      enum bench_family family);

/**
 * bench_figure_value() - work out a figure
 * @results: what was measured
 * @statistic: the figure
 * @family: for which family; bench_figure_has() it
 *
 * Return: instructions.
 */
double bench_figure_value(const struct bench_results *results,
			  const struct bench_figure *statistic,
			  enum bench_family family);

/**
 * bench_figure_spread() - how far the middle half of the rounds of taskacct's figure is apart
 * @results: what was measured
 * @statistic: the figure; bench_figure_has() it
 *
 * Return: instructions.
 */
double bench_figure_spread(const struct bench_results *results,
			   const struct bench_figure *statistic);

/**
 * bench_figure_limit() - work out a figure's limit
 * @results: what was measured
 * @statistic: the figure; it has a target
 *
 * Return: instructions.
 */
double bench_figure_limit(const struct bench_results *results,
			  const struct bench_figure *statistic);

/**
 * bench_figure_met() - whether a figure meets its target
 * @results: what was measured
 * @statistic: the figure
 *
 * Return: true if it does, has none, or was not measured.
 */
bool bench_figure_met(const struct bench_results *results,
		      const struct bench_figure *statistic);

#endif /* BENCH_FIGURES_H */
