// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values written for people: three digits and a unit; for programs: all of it
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "units.h"

#define NS_PER_S UINT64_C(1000000000)

/* A unit, and how many of it make one of the next; 0 for the last */
struct step {
	const char *name;
	double next;
};

static const struct step times[] = {
	{ "ns", 1000 },
	{ "us", 1000 },
	{ "ms", 1000 },
	{ "s", 0 },
};

static const struct step sizes[] = {
	{ "B", 1024 }, { "K", 1024 }, { "M", 1024 }, { "G", 1024 },
	{ "T", 1024 }, { "P", 1024 }, { "E", 0 },
};

static const struct step counts[] = {
	{ "", 1000 },  { "k", 1000 }, { "M", 1000 }, { "G", 1000 },
	{ "T", 1000 }, { "P", 1000 }, { "E", 0 },
};

/* Three digits at most; what is whole in its own unit stays whole. */
static void scale(char *text, const struct step *step, double x)
{
	bool whole = true;
	int digits = 0;

	for (; step->next && x >= 999.5; step++, whole = false)
		x /= step->next;
	if (!whole && x < 99.95)
		digits = x < 9.995 ? 2 : 1;
	snprintf(text, UNITS_MAX, "%.*f%s", digits, x, step->name);
}

static void format_duration(char *text, uint64_t ns)
{
	const uint64_t s = ns / NS_PER_S;

	if (!ns)
		snprintf(text, UNITS_MAX, "0");
	else if (s < 100)
		scale(text, times, (double)ns);
	else if (s < 3600)
		snprintf(text, UNITS_MAX, "%" PRIu64 "m%02us", s / 60,
			 (unsigned int)(s % 60));
	else if (s < 100 * 3600)
		snprintf(text, UNITS_MAX, "%" PRIu64 "h%02um", s / 3600,
			 (unsigned int)(s % 3600 / 60));
	else
		snprintf(text, UNITS_MAX, "%" PRIu64 "d%02uh", s / 86400,
			 (unsigned int)(s % 86400 / 3600));
}

static void format_count(char *text, uint64_t n)
{
	if (n < 100000)
		snprintf(text, UNITS_MAX, "%" PRIu64, n);
	else
		scale(text, counts, (double)n);
}

static void format_date(char *text, uint64_t ns)
{
	const time_t when = (time_t)(ns / NS_PER_S);
	struct tm tm;

	if (!ns || !localtime_r(&when, &tm) ||
	    !strftime(text, UNITS_MAX, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(text, UNITS_MAX, "-");
}

/* KiB times us, written as MiB times s */
static void format_integral(char *text, uint64_t n)
{
	snprintf(text, UNITS_MAX, "%.3g", (double)n / 1024 / 1000000);
}

void units_format(char *text, enum unit unit, uint64_t n)
{
	switch (unit) {
	case UNIT_NS:
	case UNIT_BOOT:
		format_duration(text, n);
		break;
	case UNIT_BYTES:
		scale(text, n ? sizes : counts, (double)n);
		break;
	case UNIT_COUNT:
		format_count(text, n);
		break;
	case UNIT_DATE:
	case UNIT_EPOCH:
		format_date(text, n);
		break;
	case UNIT_KIB_US:
		format_integral(text, n);
		break;
	case UNIT_PERCENT:
		/* A hundred CPUs have 10,000 of them. */
		snprintf(text, UNITS_MAX, "%.*f", n < 9999950 ? 1 : 0,
			 (double)n / 1000);
		break;
	case UNIT_SIGNED:
		snprintf(text, UNITS_MAX, "%" PRId64, (int64_t)n);
		break;
	case UNIT_BOOL:
		snprintf(text, UNITS_MAX, "%s", n ? "yes" : "no");
		break;
	default:
		snprintf(text, UNITS_MAX, "%" PRIu64, n);
	}
}

static void format_rfc3339(char *text, uint64_t ns)
{
	const time_t when = (time_t)(ns / NS_PER_S);
	struct tm tm;
	size_t n = 0;

	if (gmtime_r(&when, &tm))
		n = strftime(text, UNITS_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, UNITS_MAX - n, ".%09" PRIu64 "Z", ns % NS_PER_S);
}

bool units_format_raw(char *text, enum unit unit, uint64_t n)
{
	switch (unit) {
	case UNIT_DATE:
		format_rfc3339(text, n);
		return false;
	case UNIT_SIGNED:
		snprintf(text, UNITS_MAX, "%" PRId64, (int64_t)n);
		return true;
	case UNIT_PERCENT:
		snprintf(text, UNITS_MAX, "%.3f", (double)n / 1000);
		return true;
	case UNIT_BOOL:
		snprintf(text, UNITS_MAX, "%s", n ? "true" : "false");
		return true;
	default:
		snprintf(text, UNITS_MAX, "%" PRIu64, n);
		return true;
	}
}
