// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

int main(int argc, char **argv)
{
	unsigned int milliseconds = argc > 1 ? atoi(argv[1]) : 500;

	printf("%lu primes, %ld lines, %d threads\n", demo_primes(50000),
	       demo_lines("/usr/include/stdio.h"),
	       demo_threads(64, milliseconds));
	return 0;
}
