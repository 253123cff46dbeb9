// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values with their names
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "pairs.h"

struct pair pair_number(const char *name, enum unit unit, uint64_t n,
			const char *doc)
{
	return (struct pair){ name, unit, { .n = n }, doc };
}

struct pair pair_text(const char *name, const char *s, const char *doc)
{
	const struct value value = { .state = s ? TASKACCT_VALID :
						  TASKACCT_ABSENT,
				     .s = s,
				     .length = s ? strlen(s) : 0 };

	return (struct pair){ name, UNIT_TEXT, value, doc };
}

static void print_json(FILE *file, const struct out_style *style,
		       const char *title, const struct pair *pairs, size_t n)
{
	size_t i;

	fprintf(file, "{\"%s\":{", title);
	for (i = 0; i < n; i++) {
		fprintf(file, "%s\"%s\":", i ? "," : "", pairs[i].name);
		out_json_value(file, pairs[i].unit, &pairs[i].value,
			       style->exact);
	}
	fputs("}}\n", file);
	out_flush(file);
}

static void print_csv(FILE *file, const struct out_style *style,
		      const char *title, const struct pair *pairs, size_t n)
{
	struct out_column *columns = alloc(n, sizeof(*columns));
	struct value *values = alloc(n, sizeof(*values));
	struct out *out;
	size_t i;

	for (i = 0; i < n; i++) {
		columns[i].name = pairs[i].name;
		columns[i].unit = pairs[i].unit;
		values[i] = pairs[i].value;
	}
	out = out_open(file, title, style, columns, n);
	out_row(out, values, NULL, NULL);
	out_close(out);
	free(columns);
	free(values);
}

static struct value text(const char *s)
{
	return pair_text(NULL, s ? s : "", NULL).value;
}

static void print_table(FILE *file, const struct out_style *style,
			const char *title, const struct pair *pairs, size_t n)
{
	static const struct out_column columns[] = {
		{ "name", "NAME", UNIT_TEXT, 20 },
		{ "value", "VALUE", UNIT_TEXT, 10 },
		{ "doc", "WHAT IT IS", UNIT_TEXT, 40 },
	};
	struct out_style its = *style;
	char number[UNITS_MAX];
	struct value row[3];
	struct out *out;
	size_t n_columns = 2, i;

	for (i = 0; i < n; i++)
		if (pairs[i].doc)
			n_columns = 3;
	/* Where a value is too long, so be it. */
	its.wrap = n_columns == 3 ? 45 : 0;
	out = out_open(file, title, &its, columns, n_columns);
	for (i = 0; i < n; i++) {
		row[0] = text(pairs[i].name);
		row[1] = pairs[i].value;
		row[2] = text(pairs[i].doc);
		if (!units_is_text(pairs[i].unit) &&
		    row[1].state == TASKACCT_VALID) {
			units_format(number, pairs[i].unit, row[1].n);
			row[1] = text(number);
		}
		out_row(out, row, NULL, NULL);
	}
	out_close(out);
}

void pairs_print(FILE *file, const struct out_style *style, const char *title,
		 const struct pair *pairs, size_t n)
{
	switch (style->form) {
	case OUT_TABLE:
		print_table(file, style, title, pairs, n);
		break;
	case OUT_CSV:
		print_csv(file, style, title, pairs, n);
		break;
	default:
		print_json(file, style, title, pairs, n);
	}
}
