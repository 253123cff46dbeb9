// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lists of CPUs
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taskacct.h"

#define POSSIBLE "/sys/devices/system/cpu/possible"

/* More than any kernel can be built for */
#define CPUS_MAX 65536

char *taskacct_possible_cpus(void)
{
	FILE *file = fopen(POSSIBLE, "re");
	char *line = NULL;
	size_t size = 0;
	int saved;

	if (!file)
		return NULL;
	errno = 0;
	if (getline(&line, &size, file) < 0) {
		saved = errno ? errno : EIO;
		free(line);
		line = NULL;
		errno = saved;
	} else {
		line[strcspn(line, "\n")] = '\0';
	}
	fclose(file);
	return line;
}

static bool parse_number(const char **text, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	*number = strtoul(*text, &end, 10);
	*text = end;
	return *number < CPUS_MAX;
}

static bool mark_range(const char **text, bool *marks)
{
	unsigned long from, to;

	if (!parse_number(text, &from))
		return false;
	to = from;
	if (**text == '-') {
		(*text)++;
		if (!parse_number(text, &to) || to < from)
			return false;
	}
	memset(marks + from, true, to - from + 1);
	return true;
}

static bool mark_list(const char *text, bool *marks)
{
	do {
		if (!mark_range(&text, marks))
			return false;
	} while (*text++ == ',');
	return !text[-1];
}

static int collect(const bool *marks, unsigned int **list)
{
	unsigned int cpu;
	int n = 0;

	*list = calloc(CPUS_MAX, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (marks[cpu])
			(*list)[n++] = cpu;
	return n;
}

int taskacct_parse_cpus(const char *cpus, unsigned int **list)
{
	bool *marks = calloc(CPUS_MAX, sizeof(*marks));
	int n;

	*list = NULL;
	if (!marks)
		return -ENOMEM;
	n = mark_list(cpus, marks) ? collect(marks, list) : -EINVAL;
	free(marks);
	return n;
}
