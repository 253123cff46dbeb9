// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel's CLOCK_MONOTONIC, which in a time namespace is another than that of
 * the caller
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

/* The number of the initial namespace is a constant of the kernel. */
#define INITIAL "time:[4026531834]"

#define NS_PER_SECOND 1000000000LL

/* A link of /proc/self/ns; returns its length or a negative errno */
static int read_link(const char *path, char *text, size_t size)
{
	const ssize_t n = readlink(path, text, size - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return (int)n;
}

static int read_offset(int64_t *ns)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	long long seconds, rest;
	char clock[16];
	int err = -EOPNOTSUPP;

	if (!file)
		return err;
	while (err && fscanf(file, "%15s %lld %lld", clock, &seconds, &rest) == 3)
		if (!strcmp(clock, "monotonic")) {
			*ns = seconds * NS_PER_SECOND + rest;
			err = 0;
		}
	fclose(file);
	return err;
}

/**
 * ta_clock_offset() - how far CLOCK_MONOTONIC is ahead of the kernel's own
 * @ns: receives it, 0 outside of time namespaces
 *
 * Return: 0, or -EOPNOTSUPP where that cannot be found out.
 */
int ta_clock_offset(int64_t *ns)
{
	char own[32], children[32];
	int n;

	*ns = 0;
	n = read_link("/proc/self/ns/time", own, sizeof(own));
	/* A kernel without time namespaces, not a place without /proc */
	if (n == -ENOENT && !access("/proc/self/ns/uts", F_OK))
		return 0;
	if (n < 0)
		return -EOPNOTSUPP;
	if (!strcmp(own, INITIAL))
		return 0;
	/* The file tells of the namespace of children, which may be another. */
	n = read_link("/proc/self/ns/time_for_children", children,
		      sizeof(children));
	if (n < 0 || strcmp(own, children))
		return -EOPNOTSUPP;
	return read_offset(ns);
}
