// SPDX-License-Identifier: GPL-2.0-only
/*
 * The expression of --filter, and times: what is taken makes sense and means the
 * same behind another condition, what is refused is refused in words.
 *
 * The input's first byte says which it is, the rest is the text.
 */
#include <assert.h>
#include <stdio.h>

#include "filter.h"
#include "input.h"

#define HAS(f, what) ((f)->has & 1U << TASKACCT_FILTER_ATTR_##what)

#define KINDS ((uint32_t)(TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS))

/* A value without a condition is nobody's. */
static bool is_same(const struct taskacct_filter *a,
		    const struct taskacct_filter *b)
{
	return a->has == b->has && a->kinds == b->kinds &&
	       a->uid_min == b->uid_min && a->uid_max == b->uid_max &&
	       (!HAS(a, CGROUP_ID) || a->cgroup_id == b->cgroup_id) &&
	       a->min_lifetime == b->min_lifetime &&
	       a->min_cpu_time == b->min_cpu_time && a->one_in == b->one_in;
}

static void check_sense(const struct taskacct_filter *f)
{
	assert(f->has && !(f->kinds & ~KINDS));
	assert(!HAS(f, KINDS) == !f->kinds);
	assert(!HAS(f, UID_MIN) == !HAS(f, UID_MAX));
	assert(f->uid_min <= f->uid_max);
	assert(!HAS(f, ONE_IN) == !f->one_in);
	assert(!HAS(f, CGROUP_ID) || !HAS(f, CGROUP_FD));
	assert(HAS(f, MIN_LIFETIME) || !f->min_lifetime);
	assert(HAS(f, MIN_CPU_TIME) || !f->min_cpu_time);
}

static void check_behind(const struct taskacct_filter *f, const char *text)
{
	struct taskacct_filter again = { .has = 0 };
	char why[512], *longer;

	assert(asprintf(&longer, "failed,%s", text) > 0);
	assert(filter_parse(&again, longer, why, sizeof(why)));
	again.has &= f->has | ~(1U << TASKACCT_FILTER_ATTR_FAILED);
	assert(is_same(&again, f));
	filter_close(&again);
	free(longer);
}

static void try_filter(const char *text)
{
	struct taskacct_filter f = { .has = 0 };
	char why[256] = "";

	if (!filter_parse(&f, text, why, sizeof(why))) {
		assert(*why == '\'' && strlen(why) < sizeof(why));
	} else {
		check_sense(&f);
		check_behind(&f, text);
	}
	filter_close(&f);
	assert(!HAS(&f, CGROUP_FD));
}

/* Digits, then perhaps a point and digits; how many ns in exact arithmetic */
static bool read_time(const char *text, const char **unit, long double *number)
{
	long double place = 1;
	const char *at;

	*number = 0;
	for (at = text; *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (*at - '0');
	if (at == text)
		return false;
	if (*at == '.') {
		for (text = ++at; *at >= '0' && *at <= '9'; at++) {
			place /= 10;
			*number += place * (*at - '0');
		}
		if (at == text)
			return false;
	}
	*unit = at;
	return true;
}

/* Each of them so many of the one before it */
static uint64_t ns_of(const char *unit)
{
	static const char *const names[] = {
		"ns", "us", "ms", "s", "m", "h", "d",
	};
	static const uint64_t times[] = { 1, 1000, 1000, 1000, 60, 60, 24 };
	uint64_t ns = 1;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		ns *= times[i];
		if (!strcmp(unit, names[i]))
			return ns;
	}
	return 0;
}

static void try_time(const char *text)
{
	long double number, difference;
	char why[256] = "";
	const char *unit;
	uint64_t ns = 0;

	if (!filter_time(&ns, text, why, sizeof(why))) {
		assert(*why == '\'');
		return;
	}
	assert(read_time(text, &unit, &number));
	assert(ns_of(unit));
	/* Digits beyond a ns are cut off, each by itself. */
	difference = number * ns_of(unit) - ns;
	assert(difference > -2 && difference < 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const bool time = input_u8(&in) % 4 == 3;
	char *text = malloc(in.left + 1);

	assert(text);
	if (in.left)
		memcpy(text, in.data, in.left);
	text[in.left] = '\0';
	if (time)
		try_time(text);
	else
		try_filter(text);
	free(text);
	return 0;
}
