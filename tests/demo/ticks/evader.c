// SPDX-License-Identifier: GPL-2.0-only
/*
 * evader CPU: burn four fifths of a CPU between its ticks, until killed. It says so
 * once it knows when they come.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "evade.h"

int main(int argc, char **argv)
{
	struct evade d;
	cpu_set_t cpus;

	if (argc != 2)
		return 1;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	evade_find_ticks(&d);
	if (puts("dodging") < 0 || fflush(stdout))
		return 1;
	evade_ticks(&d, INT64_MAX / 2);
	return 1;
}
