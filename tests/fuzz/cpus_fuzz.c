// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of CPUs: what is one, and which CPUs it names.
 *
 * The input is the text, up to its first NUL.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "input.h"
#include "taskacct.h"

/* More than any kernel can be built for, as the library says */
#define CPUS 65536

static char *skip_digits(char *s, unsigned long *value)
{
	*value = 0;
	for (; isdigit((unsigned char)*s); s++)
		if (*value < CPUS)
			*value = *value * 10 + (unsigned long)(*s - '0');
	return s;
}

/*
 * A second opinion: is a text a list, and how many of its numbers, counted
 * with repeats, does it have? 0 where it is none.
 */
static unsigned long length_of(char *s)
{
	unsigned long from, to, n = 0;

	for (;; s++) {
		if (!isdigit((unsigned char)*s))
			return 0;
		s = skip_digits(s, &from);
		to = from;
		if (*s == '-') {
			if (!isdigit((unsigned char)s[1]))
				return 0;
			s = skip_digits(s + 1, &to);
		}
		if (from >= CPUS || to >= CPUS || to < from)
			return 0;
		n += to - from + 1;
		if (!*s)
			return n;
		if (*s != ',')
			return 0;
	}
}

static bool named(const char *s, unsigned int cpu)
{
	unsigned long from, to;
	char *end;

	for (;; s = end + 1) {
		from = strtoul(s, &end, 10);
		to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
		if (from <= cpu && cpu <= to)
			return true;
		if (!*end)
			return false;
	}
}

/* As few ranges as will do */
static char *print(const unsigned int *list, int n)
{
	size_t size = 16 * (size_t)n + 1, len = 0;
	char *text = malloc(size);
	int i, last;

	assert(text);
	for (i = 0; i < n; i = last + 1) {
		for (last = i; last + 1 < n && list[last + 1] == list[last] + 1;)
			last++;
		len += (size_t)snprintf(text + len, size - len,
					last > i ? "%s%u-%u" : "%s%u",
					i ? "," : "", list[i], list[last]);
	}
	return text;
}

static void check_list(const char *text, const unsigned int *list, int n,
		       unsigned long most)
{
	unsigned int *again;
	char *canonical;
	int i;

	assert(n > 0 && (unsigned long)n <= most);
	for (i = 0; i < n; i++) {
		assert(list[i] < CPUS && (!i || list[i] > list[i - 1]));
		/* Both ends of every run, and its neighbours */
		if (i && list[i] == list[i - 1] + 1 && i + 1 < n &&
		    list[i + 1] == list[i] + 1)
			continue;
		assert(named(text, list[i]));
		if (i && list[i] != list[i - 1] + 1)
			assert(!named(text, list[i] - 1));
		if (i + 1 == n || list[i + 1] != list[i] + 1)
			assert(!named(text, list[i] + 1));
	}
	canonical = print(list, n);
	assert(taskacct_parse_cpus(canonical, &again) == n);
	assert(!memcmp(again, list, (size_t)n * sizeof(*list)));
	free(canonical);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned long most;
	unsigned int *list;
	char *text;
	int n;

	text = malloc(size + 1);
	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	most = length_of(text);
	n = taskacct_parse_cpus(text, &list);
	if (most)
		check_list(text, list, n, most);
	else
		assert(n == -EINVAL && !list);
	free(list);
	free(text);
	return 0;
}
