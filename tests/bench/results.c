// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "results.h"

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

double bench_median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), compare);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
