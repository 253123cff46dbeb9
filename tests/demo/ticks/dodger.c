// SPDX-License-Identifier: GPL-2.0-only
/*
 * dodger CPU SECONDS: burn four fifths of a CPU between its ticks for so long,
 * then wait to be killed.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "dodge.h"

int main(int argc, char **argv)
{
	struct dodge d;
	cpu_set_t cpus;

	if (argc != 3)
		return 1;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	dodge_find_ticks(&d);
	dodge_ticks(&d, atoi(argv[2]) * 1000000000LL);
	pause();
	return 0;
}
