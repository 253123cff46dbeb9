// SPDX-License-Identifier: GPL-2.0-only
#include <stdbool.h>

#include "demo.h"

static bool is_prime(unsigned long n)
{
	unsigned long d;

	for (d = 2; d * d <= n; d++) {
		if (n % d == 0)
			return false;
	}
	return n > 1;
}

unsigned long demo_primes(unsigned long limit)
{
	unsigned long n, found = 0;

	for (n = 2; n < limit; n++)
		found += is_prime(n);
	return found;
}
