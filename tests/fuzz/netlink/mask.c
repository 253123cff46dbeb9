// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of the kernel's lists of CPUs, from its documentation and from
 * what it does:
 *
 *	list	[separator] [range separator]... [range "\n" anything]
 *	range	number | (number "-" number | "all") [":" used "/" group]
 *
 * A separator is any number of blanks and commas. None is needed behind a
 * group.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mask.h"

struct range {
	unsigned int from;
	unsigned int to;
	unsigned int used;
	unsigned int group;
	bool grouped;
};

static bool is_separator(char c)
{
	/* The last is a blank in Latin-1, to which the kernel keeps. */
	return c == ',' || (c >= 9 && c <= 13) || c == ' ' ||
	       (unsigned char)c == 0xa0;
}

static bool is_end(char c)
{
	return !c || c == '\n';
}

static bool get_number(const struct mask_rules *rules, const char **s,
		       unsigned int *number)
{
	uint64_t n = 0;

	if (**s == 'N' && rules->knows_last) {
		*number = rules->cpus - 1;
		(*s)++;
		return true;
	}
	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++)
		if (n <= UINT_MAX)
			n = n * 10 + (uint64_t)(**s - '0');
	*number = (unsigned int)n;
	return n <= UINT_MAX;
}

static bool get_group(const struct mask_rules *rules, const char **s,
		      struct range *range)
{
	if (**s != ':')
		return false;
	(*s)++;
	range->grouped = true;
	if (!get_number(rules, s, &range->used) || **s != '/')
		return false;
	(*s)++;
	return get_number(rules, s, &range->group) && range->group &&
	       range->used <= range->group;
}

static bool get_range(const struct mask_rules *rules, const char **s,
		      struct range *range)
{
	range->used = 1;
	range->group = 1;
	range->grouped = false;
	if (rules->knows_all && !strncasecmp(*s, "all", 3)) {
		range->from = 0;
		range->to = rules->cpus - 1;
		*s += 3;
	} else {
		if (!get_number(rules, s, &range->from))
			return false;
		range->to = range->from;
		if (is_separator(**s) || is_end(**s))
			return true;
		if (*(*s)++ != '-' || !get_number(rules, s, &range->to))
			return false;
	}
	return is_separator(**s) || is_end(**s) || get_group(rules, s, range);
}

static bool set_range(const struct mask_rules *rules,
		      const struct range *range, uint64_t *mask)
{
	unsigned int cpu, i;

	if (range->to < range->from || range->to >= rules->cpus)
		return false;
	/* A group of nearly 2^32 wraps to the CPUs before it, in the kernel. */
	for (cpu = range->from; cpu <= range->to; cpu += range->group)
		for (i = 0; i < range->used && cpu + i <= range->to; i++)
			*mask |= UINT64_C(1) << (cpu + i);
	return true;
}

static bool parse(const struct mask_rules *rules, const char *s, uint64_t *mask)
{
	struct range range;

	*mask = 0;
	for (;;) {
		while (is_separator(*s))
			s++;
		if (is_end(*s))
			return true;
		if (!get_range(rules, &s, &range) ||
		    !set_range(rules, &range, mask))
			return false;
		/* Only here a line's end is an end. */
		if (!range.grouped && is_end(*s))
			return true;
	}
}

int mask_parse(const struct mask_rules *rules, const char *list, size_t length,
	       uint64_t *mask)
{
	char text[65536];

	if (length > rules->length_max)
		return -E2BIG;
	memcpy(text, list, length);
	text[length] = '\0';
	if (!parse(rules, text, mask))
		return -ERANGE;
	return *mask && !(*mask & ~rules->possible) ? 0 : -EINVAL;
}

void mask_print(char *text, size_t size, uint64_t mask)
{
	unsigned int cpu, last;
	size_t n = 0;

	text[0] = '\0';
	for (cpu = 0; cpu < 64; cpu = last + 1) {
		for (last = cpu; last < 63 && mask >> last & 1 &&
				 mask >> (last + 1) & 1;
		     last++)
			;
		if (!(mask >> cpu & 1))
			continue;
		n += (size_t)snprintf(text + n, size - n,
				      last > cpu ? "%s%u-%u" : "%s%u",
				      n ? "," : "", cpu, last);
	}
}
