// SPDX-License-Identifier: GPL-2.0-only
/*
 * counters A B N: read counters A and B of all CPUs N times, and tell how often
 * they were not what they have to be: B is minus A, and the halves of A are
 * equal. Built for 32 bits and for 64.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <taskacct.h>

#define DELTA 0x100000001LL

static long wrong, stale;

/* What goes from A to B in between is seen in both, or in neither. */
static int read_once(struct taskacct_counters *c, unsigned int cpu, int first,
		     unsigned int n)
{
	int64_t values[64];
	int err = taskacct_counters_read_some(c, cpu, (unsigned int)first, n,
					      values);

	if (err)
		return err;
	wrong += values[0] % DELTA || values[0] + values[n - 1];
	return 0;
}

int main(int argc, char **argv)
{
	struct taskacct_counters *c;
	long i, n;
	int a, b, err;

	if (argc != 4 || taskacct_counters_open(&c))
		return 2;
	a = taskacct_counters_find(c, argv[1]);
	b = taskacct_counters_find(c, argv[2]);
	n = atol(argv[3]);
	if (a < 0 || b <= a || b - a >= 64)
		return 2;
	for (i = 0; i < n; i++) {
		err = read_once(c, (unsigned int)i % taskacct_counters_cpus(c),
				a, (unsigned int)(b - a + 1));
		if (err == -ESTALE && taskacct_counters_refresh(c) >= 0)
			stale++;
		else if (err)
			return 3;
	}
	taskacct_counters_close(c);
	printf("%zu bits: %ld readings, %ld given up, %ld wrong\n",
	       8 * sizeof(void *), n, stale, wrong);
	return wrong || stale == n;
}
