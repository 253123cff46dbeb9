// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values as people read them: three digits and a unit, six columns at most
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "units.h"

/* A unit, and how many of it make one of the next */
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
	{ "B", 1024 },	 { "KiB", 1024 }, { "MiB", 1024 },
	{ "GiB", 1024 }, { "TiB", 1024 }, { "PiB", 0 },
};

static const struct step counts[] = {
	{ "", 1000 },  { "k", 1000 }, { "M", 1000 },
	{ "G", 1000 }, { "T", 1000 }, { "P", 0 },
};

/* Whole in the unit that it came in, else with as many digits as fit */
static void scale(char *text, const struct step *step, uint64_t value,
		  int digits)
{
	double x = (double)value;
	bool whole = true;

	for (; step->next && x >= 999.5; step++, whole = false)
		x /= step->next;
	if (whole || x >= (digits == 3 ? 99.95 : 9.95))
		digits = 0;
	else
		digits = digits == 3 && x < 9.995 ? 2 : 1;
	snprintf(text, UNITS_SCALED_MAX, "%.*f%s", digits, x, step->name);
}

static void format_long_time(char *text, uint64_t s)
{
	if (s < 3600)
		snprintf(text, UNITS_SCALED_MAX, "%" PRIu64 "m%02us", s / 60,
			 (unsigned int)(s % 60));
	else if (s < 100 * 3600)
		snprintf(text, UNITS_SCALED_MAX, "%" PRIu64 "h%02um", s / 3600,
			 (unsigned int)(s % 3600 / 60));
	else
		snprintf(text, UNITS_SCALED_MAX, "%" PRIu64 "d%02uh", s / 86400,
			 (unsigned int)(s % 86400 / 3600));
}

static void format_time(char *text, uint64_t value, const struct step *unit,
			uint64_t per_second)
{
	if (!value)
		snprintf(text, UNITS_SCALED_MAX, "0");
	else if (value / per_second < 100)
		scale(text, unit, value, 3);
	else
		format_long_time(text, value / per_second);
}

static void format_epoch(char *text, time_t when)
{
	struct tm tm;

	if (!when || !localtime_r(&when, &tm) ||
	    !strftime(text, UNITS_SCALED_MAX, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(text, UNITS_SCALED_MAX, "-");
}

static void format_count(char *text, uint64_t value, int width)
{
	if (snprintf(text, UNITS_SCALED_MAX, "%" PRIu64, value) > width)
		scale(text, counts, value, 3);
}

void units_scale(char *text, enum taskacct_unit unit, uint64_t value,
		  int width)
{
	switch (unit) {
	case TASKACCT_UNIT_NS:
		format_time(text, value, &times[0], 1000000000);
		break;
	case TASKACCT_UNIT_US:
		format_time(text, value, &times[1], 1000000);
		break;
	case TASKACCT_UNIT_BYTES:
		scale(text, value ? &sizes[0] : &counts[0], value, 2);
		break;
	case TASKACCT_UNIT_KIB:
		scale(text, value ? &sizes[1] : &counts[0], value, 2);
		break;
	case TASKACCT_UNIT_EPOCH:
		format_epoch(text, (time_t)value);
		break;
	case TASKACCT_UNIT_EPOCH_NS:
		format_epoch(text, (time_t)(value / 1000000000));
		break;
	case TASKACCT_UNIT_MIB_US:
		snprintf(text, UNITS_SCALED_MAX, "%.3g", (double)value / 1000000);
		break;
	case TASKACCT_UNIT_KIB_US:
		snprintf(text, UNITS_SCALED_MAX, "%.3g",
			 (double)value / 1024 / 1000000);
		break;
	case TASKACCT_UNIT_BOOT_NS:
		format_time(text, value, &times[0], 1000000000);
		break;
	case TASKACCT_UNIT_COUNT:
		format_count(text, value, width);
		break;
	case TASKACCT_UNIT_SIGNED:
		snprintf(text, UNITS_SCALED_MAX, "%" PRId64, (int64_t)value);
		break;
	default:
		snprintf(text, UNITS_SCALED_MAX, "%" PRIu64, value);
	}
}

/* Bytes of the character at the start of a text, 0 if it is not UTF-8 */
static int utf8_length(const unsigned char *s)
{
	int n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Too long a form, a surrogate, beyond the last character */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* C0, DEL, and C1 in its two bytes: what a terminal may obey */
static bool is_control(const unsigned char *s)
{
	return s[0] < 0x20 || s[0] == 0x7f ||
	       (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0);
}

void units_clean(char *text, size_t size, const char *from, char controls)
{
	const unsigned char *s = (const unsigned char *)from;
	const char *end = text + size - 4;
	int n;

	for (; *s && text < end; s += n) {
		n = utf8_length(s);
		if (n && controls && is_control(s)) {
			*text++ = controls;
		} else if (n) {
			memcpy(text, s, (size_t)n);
			text += n;
		} else {
			memcpy(text, "\xef\xbf\xbd", 3);
			text += 3;
			n = 1;
		}
	}
	*text = '\0';
}

/* The character at the start of a text, of so many bytes */
static wchar_t character(const unsigned char *s, int length)
{
	wchar_t c = length < 2 ? s[0] : s[0] & (0xff >> (length + 1));
	int i;

	for (i = 1; i < length; i++)
		c = (c << 6) | (s[i] & 0x3f);
	return c;
}

int units_columns(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int n = 0, length, width;

	for (; *s; s += length) {
		length = utf8_length(s);
		width = length ? wcwidth(character(s, length)) : 1;
		/* What the locale does not know has one, as most have. */
		n += width < 0 ? 1 : width;
		if (!length)
			length = 1;
	}
	return n;
}
