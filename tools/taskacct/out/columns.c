// SPDX-License-Identifier: GPL-2.0-only
/*
 * What -o says
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/point.h"
#include "fields/names.h"
#include "columns.h"

#define NAME_MAX_LENGTH 48

/* Columns that are about no field */
static const struct column own[] = {
	{ NULL, STAT_COUNT, 0, { "count", "COUNT", UNIT_COUNT, 6 } },
	{ NULL, STAT_FAILED, 0, { "failed", "FAILED", UNIT_COUNT, 6 } },
};

static const struct {
	const char *word;
	enum column_stat stat;
} stats[] = {
	{ "sum", STAT_SUM }, { "max", STAT_MAX },     { "min", STAT_MIN },
	{ "avg", STAT_AVG }, { "share", STAT_SHARE }, { "n", STAT_VALID },
};

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(text, word, length);
}

/* "p50", "p99", "p99.9" */
static bool parse_percentile(const char *text, size_t length,
			     unsigned int *percentile)
{
	unsigned int whole = 0, hundredths = 0;
	size_t i = 1;

	if (length < 2 || text[0] != 'p')
		return false;
	for (; i < length && isdigit((unsigned char)text[i]) && whole <= 100;
	     i++)
		whole = whole * 10 + (unsigned int)(text[i] - '0');
	if (i < length && text[i] == '.' && i + 2 >= length) {
		if (++i == length || !isdigit((unsigned char)text[i]))
			return false;
		hundredths = 10 * (unsigned int)(text[i++] - '0');
	}
	*percentile = 100 * whole + hundredths;
	return i == length && *percentile <= 10000;
}

static const char *intern_format(const char *a, const char *b, size_t n)
{
	char text[NAME_MAX_LENGTH];

	snprintf(text, sizeof(text), "%s%.*s", a, (int)n, b);
	return names_intern(text, strlen(text));
}

/* "p95" of cpu is cpu_p95, and CPU-P95 for people. */
static void name_stat(struct column *c, const char *stat, size_t n)
{
	char upper[NAME_MAX_LENGTH] = "";
	size_t i;

	c->out.name =
		intern_format(intern_format(c->out.name, "_", 1), stat, n);
	for (i = 0; i < n && i + 1 < sizeof(upper); i++)
		upper[i] = (char)toupper((unsigned char)stat[i]);
	c->out.head =
		c->stat == STAT_SHARE ?
			intern_format("%", c->field->head,
				      strlen(c->field->head)) :
			intern_format(intern_format(c->field->head, "-", 1),
				      upper, i);
	c->out.width = (int)strlen(c->out.head);
	if (c->stat == STAT_SHARE)
		c->out.unit = UNIT_PERCENT;
	if (c->stat == STAT_VALID)
		c->out.unit = UNIT_COUNT;
}

static bool parse_stat(struct column *c, const char *stat, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(stats) / sizeof(*stats); i++)
		if (is_word(stat, length, stats[i].word))
			c->stat = stats[i].stat;
	if (c->stat == STAT_PLAIN &&
	    parse_percentile(stat, length, &c->percentile))
		c->stat = STAT_PERCENTILE;
	if (c->stat == STAT_PLAIN)
		return false;
	name_stat(c, stat, length);
	return true;
}

static void die_no_field(const char *whole, const char *text, size_t length)
{
	const char *nearest = field_nearest(text, length);
	char why[120];

	if (!length)
		snprintf(why, sizeof(why), "a field's name is missing here");
	else if (nearest)
		snprintf(why, sizeof(why), "no field '%.*s'; is %s meant?",
			 (int)(length < 40 ? length : 40), text, nearest);
	else
		snprintf(why, sizeof(why),
			 "no field '%.*s': see taskacct help fields",
			 (int)(length < 40 ? length : 40), text);
	die_at(whole, (size_t)(text - whole), length, why);
}

void columns_parse_one(struct column *c, const char *text, size_t length,
		       const char *whole, bool grouped)
{
	const char *colon = memchr(text, ':', length);
	size_t name = colon ? (size_t)(colon - text) : length, i;

	for (i = 0; grouped && i < sizeof(own) / sizeof(*own); i++) {
		if (is_word(text, length, own[i].out.name)) {
			*c = own[i];
			return;
		}
	}
	memset(c, 0, sizeof(*c));
	c->field = field_find(text, name);
	if (!c->field)
		die_no_field(whole, text, name);
	c->out.name = c->field->name;
	c->out.head = c->field->head;
	c->out.unit = c->field->unit;
	c->out.width = c->field->width;
	if (!colon)
		return;
	if (!grouped)
		die_at(whole, (size_t)(colon - whole), length - name,
		       "statistics are of groups: see report --by");
	if (units_is_text(c->field->unit) || c->field->sum == SUM_NONE)
		die_at(whole, (size_t)(text - whole), name,
		       "this field has no statistics");
	if (!parse_stat(c, colon + 1, length - name - 1))
		die_at(whole, (size_t)(colon + 1 - whole), length - name - 1,
		       "no statistic: sum, max, min, avg, share, p50 or p99.9 are such");
}

static void append(struct columns *columns, const char *text, bool grouped)
{
	const char *from = text;
	struct column column;
	size_t length;

	for (;; from += length + 1) {
		length = strcspn(from, ",");
		columns_parse_one(&column, from, length, text, grouped);
		columns->v = grow(columns->v, columns->n, sizeof(column));
		columns->v[columns->n++] = column;
		if (!from[length])
			return;
	}
}

void columns_parse(struct columns *columns, const char *text, const char *usual,
		   bool grouped)
{
	memset(columns, 0, sizeof(*columns));
	if (!text || *text == '+')
		append(columns, usual, grouped);
	if (text)
		append(columns, text + (*text == '+'), grouped);
}

struct out_column *columns_out(const struct columns *columns)
{
	struct out_column *out = alloc(columns->n, sizeof(*out));
	size_t i;

	for (i = 0; i < columns->n; i++)
		out[i] = columns->v[i].out;
	return out;
}
