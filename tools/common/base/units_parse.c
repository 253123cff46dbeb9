// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values read as people write them
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "units.h"

#define NS_PER_S UINT64_C(1000000000)
#define DAY_NS (86400 * NS_PER_S)

/* Digits behind the point that still count */
#define PLACES_MAX 12

/* A unit by its names */
struct word {
	const char *name;
	uint64_t factor;
};

static const struct word durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "µs", 1000 },
	{ "ms", 1000000 },
	{ "s", NS_PER_S },
	{ "sec", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "min", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
	{ "d", DAY_NS },
	{ NULL, 0 },
};

static const struct word sizes[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", UINT64_C(1) << 10 },
	{ "KiB", UINT64_C(1) << 10 },
	{ "kB", 1000 },
	{ "M", UINT64_C(1) << 20 },
	{ "MiB", UINT64_C(1) << 20 },
	{ "MB", 1000000 },
	{ "G", UINT64_C(1) << 30 },
	{ "GiB", UINT64_C(1) << 30 },
	{ "GB", NS_PER_S },
	{ "T", UINT64_C(1) << 40 },
	{ "TiB", UINT64_C(1) << 40 },
	{ "TB", 1000 * NS_PER_S },
	{ NULL, 0 },
};

static const struct word counts[] = {
	{ "", 1 },	   { "k", 1000 }, { "M", 1000000 },
	{ "G", NS_PER_S }, { NULL, 0 },
};

static const struct word seconds[] = { { "", NS_PER_S }, { NULL, 0 } };

static uint64_t now_ns;

void units_set_now(uint64_t ns)
{
	now_ns = ns;
}

uint64_t units_now(void)
{
	struct timespec now;

	if (now_ns)
		return now_ns;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static const struct word *find_word(const struct word *words, const char *text)
{
	const bool exactly = words == durations;

	for (; words->name; words++)
		if (exactly ? !strcmp(words->name, text) :
			      !strcasecmp(words->name, text))
			return words;
	return NULL;
}

static bool take_digits(const char **text, uint64_t *n)
{
	const char *from = *text;

	for (; isdigit((unsigned char)**text); (*text)++)
		if (__builtin_mul_overflow(*n, 10, n) ||
		    __builtin_add_overflow(*n, (uint64_t)(**text - '0'), n))
			return false;
	return *text != from;
}

/* Digits behind a point, as so many of 10^-PLACES_MAX; further ones are cut off */
static bool take_fraction(const char **text, uint64_t *fraction)
{
	const char *from = *text;
	int place;

	*fraction = 0;
	for (place = 0; place < PLACES_MAX; place++) {
		*fraction *= 10;
		if (isdigit((unsigned char)**text))
			*fraction += (uint64_t)(*(*text)++ - '0');
	}
	while (isdigit((unsigned char)**text))
		(*text)++;
	return *text != from;
}

static bool parse_scaled(uint64_t *n, const struct word *words,
			 const char *text, const char **why)
{
	uint64_t whole = 0, fraction = 0;
	const struct word *word;

	if (!take_digits(&text, &whole)) {
		*why = isdigit((unsigned char)*text) ? "too large" :
						       "no number";
		return false;
	}
	if (*text == '.' && (text++, !take_fraction(&text, &fraction))) {
		*why = "digits are missing behind the point";
		return false;
	}
	/* Nothing at all has no unit. */
	word = !*text && !whole && !fraction ? &counts[0] :
					       find_word(words, text);
	if (!word) {
		*why = words == durations ?
			       "no duration: ns, us, ms, s, min, h and d are units" :
		       words == sizes ? "no size: B, K, M, G and T are units" :
					"no number";
		return false;
	}
	fraction = (uint64_t)((__uint128_t)fraction * word->factor /
			      UINT64_C(1000000000000));
	if (__builtin_mul_overflow(whole, word->factor, n) ||
	    __builtin_add_overflow(*n, fraction, n)) {
		*why = "too large";
		return false;
	}
	return true;
}

static bool parse_signed(uint64_t *n, const char *text, const char **why)
{
	const bool minus = *text == '-';

	if (!parse_scaled(n, counts, text + minus, why))
		return false;
	if (*n > INT64_MAX) {
		*why = "too large";
		return false;
	}
	if (minus)
		*n = -*n;
	return true;
}

/* Midnight, so many days from today */
static uint64_t midnight(int days)
{
	time_t when = (time_t)(units_now() / NS_PER_S);
	struct tm tm;

	localtime_r(&when, &tm);
	tm.tm_mday += days;
	tm.tm_hour = 0;
	tm.tm_min = 0;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (uint64_t)mktime(&tm) * NS_PER_S;
}

/*
 * A time of day is the last such that has been: who asks in the morning since
 * 22:00 means yesterday's.
 */
static bool parse_clock(uint64_t *n, const char *text)
{
	static const char *const forms[] = { "%H:%M:%S", "%H:%M" };
	struct tm tm, clock;
	const char *end;
	time_t when;
	size_t i;

	for (i = 0; i < 2; i++) {
		when = (time_t)(units_now() / NS_PER_S);
		localtime_r(&when, &tm);
		memset(&clock, 0, sizeof(clock));
		end = strptime(text, forms[i], &clock);
		if (!end || *end)
			continue;
		tm.tm_hour = clock.tm_hour;
		tm.tm_min = clock.tm_min;
		tm.tm_sec = clock.tm_sec;
		tm.tm_isdst = -1;
		if (mktime(&tm) > when) {
			tm.tm_mday--;
			tm.tm_isdst = -1;
		}
		*n = (uint64_t)mktime(&tm) * NS_PER_S;
		return true;
	}
	return false;
}

/* What may stand behind a date and time: a fraction, and Z for UTC */
static bool take_rest(const char *text, uint64_t *ns, bool *utc)
{
	uint64_t fraction = 0;

	if (*text == '.' && (text++, !take_fraction(&text, &fraction)))
		return false;
	*ns = fraction / 1000;
	*utc = *text == 'Z';
	return !text[*utc];
}

static bool parse_calendar(uint64_t *n, const char *text)
{
	static const char *const forms[] = { "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
					     "%Y-%m-%d" };
	uint64_t ns;
	const char *end;
	struct tm tm;
	time_t when;
	bool utc;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		memset(&tm, 0, sizeof(tm));
		end = strptime(text, forms[i], &tm);
		if (!end || !take_rest(end, &ns, &utc))
			continue;
		tm.tm_isdst = -1;
		when = utc ? timegm(&tm) : mktime(&tm);
		if (when < 0 || when > INT64_MAX / (int64_t)NS_PER_S)
			return false;
		*n = (uint64_t)when * NS_PER_S + ns;
		return true;
	}
	return false;
}

/* "2h ago" and "-2h" */
static bool parse_ago(uint64_t *n, const char *text)
{
	char number[32];
	const char *why;
	size_t length = strlen(text);
	uint64_t ago;

	if (*text == '-') {
		text++;
		length--;
	} else if (length > 4 && !strcmp(text + length - 4, " ago")) {
		length -= 4;
	} else {
		return false;
	}
	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (!parse_scaled(&ago, durations, number, &why) || ago > units_now())
		return false;
	*n = units_now() - ago;
	return true;
}

static bool parse_date(uint64_t *n, const char *text, const char **why)
{
	static const char *const days[] = { "yesterday", "today", "tomorrow" };
	int i;

	if (*text == '@')
		return parse_scaled(n, seconds, text + 1, why);
	if (!strcmp(text, "now")) {
		*n = units_now();
		return true;
	}
	for (i = 0; i < 3; i++) {
		if (strcmp(text, days[i]))
			continue;
		*n = midnight(i - 1);
		return true;
	}
	if (parse_clock(n, text) || parse_calendar(n, text) ||
	    parse_ago(n, text))
		return true;
	*why = "no time: 22:00, 2026-11-25 22:00, yesterday, -2h and @1700000000 are such";
	return false;
}

bool units_parse(uint64_t *n, enum unit unit, const char *text,
		 const char **why)
{
	*n = 0;
	switch (unit) {
	case UNIT_NS:
	case UNIT_BOOT:
		return parse_scaled(n, durations, text, why);
	case UNIT_BYTES:
		return parse_scaled(n, sizes, text, why);
	case UNIT_DATE:
	case UNIT_EPOCH:
		return parse_date(n, text, why);
	case UNIT_SIGNED:
		return parse_signed(n, text, why);
	default:
		return parse_scaled(n, counts, text, why);
	}
}
