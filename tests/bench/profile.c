// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was measured when, and which functions are where, for tests/bench/profile
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "marks.h"
#include "profile.h"
#include "results.h"
#include "util.h"

static const char *to;
static FILE *values;
static unsigned int loads;

void bench_profile_to(const char *dir)
{
	char path[256];

	to = dir;
	snprintf(path, sizeof(path), "%s/values", dir);
	values = fopen(path, "we");
	if (!values)
		bench_die("create %s", path);
}

/* So that nothing is kept back where the run ends early */
static void note(const char *what, double value)
{
	fprintf(values, "%s %.1f\n", what, value);
	if (fflush(values))
		bench_die("write what was measured");
}

static void copy_symbols(const char *path)
{
	const int from = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	static char some[65536];
	ssize_t n;

	while ((n = read(from, some, sizeof(some))) > 0)
		if (write(file, some, n) != n)
			n = -1;
	if (n)
		bench_die("copy symbols to %s", path);
	close(from);
	close(file);
}

void bench_profile_loaded(void)
{
	char path[256];

	if (!to)
		return;
	snprintf(path, sizeof(path), "%s/symbols.%u", to, loads++);
	copy_symbols(path);
	note("load", 0);
}

void bench_profile_added(unsigned int series, double value)
{
	char name[64];

	bench_mark_added();
	if (!to)
		return;
	bench_name(series, name, sizeof(name));
	note(name, value);
}
