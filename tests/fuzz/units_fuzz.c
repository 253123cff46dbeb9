// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values as people write them: a duration that is taken is what exact arithmetic says,
 * one that is refused is refused in words; so is any other kind of value.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/units.h"
#include "input.h"

/* Digits, then perhaps a point and digits */
static bool read_number(const char *text, const char **unit, long double *number)
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

static uint64_t ns_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },	     { "us", 1000 },	     { "µs", 1000 },
		{ "ms", 1000000 },   { "s", 1000000000 },    { "sec", 1000000000 },
		{ "m", 60000000000 }, { "min", 60000000000 }, { "h", 3600000000000 },
		{ "d", 86400000000000 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

static void try_duration(const char *text)
{
	long double number, difference;
	const char *why = NULL, *unit;
	uint64_t ns = 0;

	if (!units_parse(&ns, UNIT_NS, text, &why)) {
		assert(why && *why);
		return;
	}
	assert(read_number(text, &unit, &number));
	assert(ns_of(unit) || (!*unit && !ns));
	/* Digits behind the twelfth are cut off, and what is finer than a ns. */
	difference = number * ns_of(unit) - ns;
	assert(difference > -2 && difference < 100);
}

static void try_unit(enum unit unit, const char *text)
{
	const char *why = NULL;
	uint64_t n = 0;

	assert(units_parse(&n, unit, text, &why) || (why && *why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	assert(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	units_set_now(UINT64_C(1764108000000000000));
	try_duration(text);
	try_unit(UNIT_BYTES, text);
	try_unit(UNIT_DATE, text);
	try_unit(UNIT_SIGNED, text);
	try_unit(UNIT_COUNT, text);
	free(text);
	return 0;
}
