// SPDX-License-Identifier: GPL-2.0-only
/*
 * UTF-8 checked, escaped and measured
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "message.h"
#include "text.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Lowest code point of each length, which rules out forms that are too long */
static const unsigned int lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/*
 * Takes one character. *point is what it is; returns its bytes, or 0 where
 * there is none.
 */
static size_t decode(const char *s, size_t length, unsigned int *point)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n, i;

	*point = u[0];
	if (u[0] < 0x80)
		return 1;
	n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || n > length)
		return 0;
	*point = u[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*point = *point << 6 | (u[i] & 0x3f);
	}
	if (*point < lowest[n] || *point > 0x10ffff ||
	    (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return n;
}

static bool is_control(unsigned int point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

/* A copy that is UTF-8 */
static char *copy_valid(const char *s, size_t length, bool controls)
{
	char *text = alloc(3 * length + 1, 1), *to = text;
	unsigned int point;
	size_t n;

	for (; length; s += n, length -= n) {
		n = decode(s, length, &point);
		if (n && is_control(point) && !controls) {
			*to++ = '?';
		} else if (n) {
			to = mempcpy(to, s, n);
		} else {
			to = mempcpy(to, REPLACEMENT, 3);
			n = 1;
		}
	}
	return text;
}

char *text_clean(const char *s, size_t length)
{
	return copy_valid(s, length, false);
}

char *text_valid(const char *s, size_t length)
{
	return copy_valid(s, length, true);
}

int text_columns(const char *s)
{
	size_t length = strlen(s), n;
	unsigned int point;
	int columns = 0, width;

	for (; length; s += n, length -= n) {
		n = decode(s, length, &point);
		width = n ? wcwidth((wchar_t)point) : 1;
		/* What the locale does not know has one, as most have. */
		columns += width < 0 ? 1 : width;
		n += !n;
	}
	return columns;
}

int text_clip(char *s, int columns)
{
	size_t length = strlen(s);
	int taken = text_columns(s);

	while (taken > columns && length) {
		while (length && (s[--length] & 0xc0) == 0x80)
			;
		s[length] = '\0';
		taken = text_columns(s);
	}
	return taken;
}

/* How a kind of output writes one character */
typedef void (*escape)(FILE *file, const char *s, size_t n, unsigned int point);

static void escape_all(FILE *file, const char *s, size_t length, escape one)
{
	unsigned int point;
	size_t n;

	for (; length; s += n, length -= n) {
		n = decode(s, length, &point);
		if (n) {
			one(file, s, n, point);
		} else {
			fwrite(REPLACEMENT, 1, 3, file);
			n = 1;
		}
	}
}

static void escape_json(FILE *file, const char *s, size_t n, unsigned int point)
{
	if (point == '"' || point == '\\')
		fprintf(file, "\\%c", (int)point);
	else if (is_control(point))
		fprintf(file, "\\u%04x", point);
	else
		fwrite(s, 1, n, file);
}

static void escape_csv(FILE *file, const char *s, size_t n, unsigned int point)
{
	if (point == '"')
		fputc('"', file);
	fwrite(s, 1, n, file);
}

static void escape_html(FILE *file, const char *s, size_t n, unsigned int point)
{
	if (point == '<')
		fputs("&lt;", file);
	else if (point == '&')
		fputs("&amp;", file);
	else if (point == '>')
		fputs("&gt;", file);
	else if (point == '"')
		fputs("&quot;", file);
	else if (is_control(point))
		fputc('?', file);
	else
		fwrite(s, 1, n, file);
}

void text_json(FILE *file, const char *s, size_t length)
{
	fputc('"', file);
	escape_all(file, s, length, escape_json);
	fputc('"', file);
}

void text_csv(FILE *file, const char *s, size_t length)
{
	bool quote = false;
	size_t i;

	for (i = 0; i < length; i++)
		quote |= !!strchr("\",\r\n", s[i]);
	if (quote)
		fputc('"', file);
	escape_all(file, s, length, escape_csv);
	if (quote)
		fputc('"', file);
}

void text_html(FILE *file, const char *s, size_t length)
{
	escape_all(file, s, length, escape_html);
}
