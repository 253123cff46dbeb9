// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large a regular expression becomes
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "regex_size.h"

/* Characters, written out, that there may be, and brackets in brackets */
#define SIZE_MAX_ALLOWED 20000
#define DEPTH_MAX 100

/* What is in the brackets at hand: all of it, and what the next repeats */
struct level {
	uint64_t all;
	uint64_t last;
};

/* Behind a list of characters, in which a bracket may come first */
static const char *skip_list(const char *at)
{
	at++;
	at += *at == '^';
	at += *at == ']';
	while (*at && *at != ']')
		at++;
	return *at ? at : at - 1;
}

/* The larger number between braces, and where they end */
static uint64_t read_braces(const char **at)
{
	uint64_t least, most;
	char *end;

	least = strtoul(*at + 1, &end, 10);
	most = *end == ',' ? strtoul(end + 1, &end, 10) : least;
	if (*end == '}')
		*at = end;
	if (most < least)
		most = least;
	/* So much is refused in any case. */
	return (most < SIZE_MAX_ALLOWED ? most : SIZE_MAX_ALLOWED) + 1;
}

static void repeat(struct level *level, uint64_t times)
{
	level->all += level->last * times - level->last;
	level->last *= times;
}

static void add(struct level *level, uint64_t size)
{
	level->last = size;
	level->all += size;
}

bool regex_is_small(const char *expression)
{
	struct level levels[DEPTH_MAX] = { { 0, 0 } }, *level = levels;
	const char *at;

	for (at = expression; *at; at++) {
		if (*at == '+') {
			repeat(level, 2);
		} else if (*at == '{') {
			repeat(level, read_braces(&at));
		} else if (*at == '(') {
			if (++level == levels + DEPTH_MAX)
				return false;
			*level = (struct level){ 0, 0 };
		} else if (*at == ')' && level > levels) {
			level--;
			add(level, level[1].all + 1);
		} else if (*at == '[') {
			at = skip_list(at);
			add(level, 1);
		} else if (*at != '*' && *at != '?') {
			at += *at == '\\' && at[1];
			add(level, 1);
		}
		if (level->all > SIZE_MAX_ALLOWED)
			return false;
	}
	return true;
}
