// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regular expressions that end in bounded time
 *
 * Those of the C library are not: it writes out what is repeated when it compiles, and
 * \1 takes it time that doubles with each byte.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include <pcre2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "pattern.h"

/* Steps of a search, and KiB that it may have; both are of one text. */
#define STEPS_MAX 200000
#define KIB_MAX 4096

struct pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
};

struct pattern *pattern_new(const char *expression, char *why, size_t size)
{
	struct pattern *pattern = alloc(1, sizeof(*pattern));
	PCRE2_SIZE at;
	int err;

	pattern->code = pcre2_compile((PCRE2_SPTR)expression,
				      PCRE2_ZERO_TERMINATED, PCRE2_DOLLAR_ENDONLY,
				      &err, &at, NULL);
	if (!pattern->code) {
		if (pcre2_get_error_message(err, (PCRE2_UCHAR *)why, size) < 0)
			snprintf(why, size, "error %d", err);
		free(pattern);
		return NULL;
	}
	pattern->data = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	pattern->limits = pcre2_match_context_create(NULL);
	if (!pattern->data || !pattern->limits)
		die(STATUS_REFUSED, "out of memory");
	pcre2_set_match_limit(pattern->limits, STEPS_MAX);
	pcre2_set_heap_limit(pattern->limits, KIB_MAX);
	return pattern;
}

static void put_parts(const struct pattern *pattern, struct part *parts, size_t n)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(pattern->data);
	size_t known = pcre2_get_ovector_count(pattern->data), i;

	for (i = 0; i < n; i++) {
		const bool matched = i < known && at[2 * i] != PCRE2_UNSET &&
				     at[2 * i] < at[2 * i + 1];

		parts[i].from = matched ? at[2 * i] : 0;
		parts[i].length = matched ? at[2 * i + 1] - at[2 * i] : 0;
	}
}

enum answer pattern_match(const struct pattern *pattern, const char *text,
			  struct part *parts, size_t n)
{
	int result = pcre2_match(pattern->code, (PCRE2_SPTR)text, strlen(text), 0,
				 0, pattern->data, pattern->limits);

	if (result == PCRE2_ERROR_NOMATCH)
		return ANSWER_NO;
	if (result < 0)
		return ANSWER_UNDECIDED;
	put_parts(pattern, parts, n);
	return ANSWER_YES;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_match_data_free(pattern->data);
	pcre2_match_context_free(pattern->limits);
	pcre2_code_free(pattern->code);
	free(pattern);
}
