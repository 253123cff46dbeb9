// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records one by one, in an order
 */
#include <stdlib.h>
#include <string.h>

#include "fields/names.h"
#include "out/columns.h"
#include "listing.h"

/* A record's values, and that which it is sorted by behind them */
struct row {
	struct value *values;
	uint64_t number;
};

struct listing {
	const struct options *opt;
	struct columns columns;
	struct column sort;
	bool oldest_first;
	struct row *rows;
	size_t n;
};

struct listing *listing_open(const struct options *opt, const char *usual,
			     const char *sort)
{
	struct listing *list = alloc(1, sizeof(*list));

	list->opt = opt;
	columns_parse(&list->columns, opt->columns, usual, false);
	if (opt->sort)
		sort = opt->sort;
	columns_parse_one(&list->sort, sort, strlen(sort), sort, false);
	list->oldest_first = list->sort.out.unit == UNIT_DATE ||
			     list->sort.out.unit == UNIT_EPOCH ||
			     list->sort.out.unit == UNIT_ID;
	return list;
}

static void get(const struct column *column, const struct rec *rec,
		struct value *value)
{
	field_get(column->field, rec, value);
	if (value->s)
		value->s = names_intern(value->s, value->length);
}

void listing_add(struct listing *list, const struct rec *rec)
{
	struct row row = { .number = list->n };
	size_t i;

	row.values = alloc(list->columns.n + 1, sizeof(*row.values));
	for (i = 0; i < list->columns.n; i++)
		get(&list->columns.v[i], rec, &row.values[i]);
	get(&list->sort, rec, &row.values[i]);
	list->rows = grow(list->rows, list->n, sizeof(row));
	list->rows[list->n++] = row;
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct row *a = left, *b = right;
	const struct listing *list = arg;
	const struct value *x = &a->values[list->columns.n];
	const struct value *y = &b->values[list->columns.n];
	int order = 0;

	if (x->state != y->state)
		return x->state == TASKACCT_VALID ? -1 : 1;
	if (x->s && y->s)
		order = strcmp(x->s, y->s);
	else if (x->n != y->n)
		order = (x->n < y->n) == list->oldest_first ? -1 : 1;
	if (!order)
		order = a->number < b->number ? -1 : 1;
	return list->opt->reverse ? -order : order;
}

void listing_close(struct listing *list, const char *name)
{
	struct out_column *columns = columns_out(&list->columns);
	size_t i, n = list->n;
	struct out *out;

	if (n)
		qsort_r(list->rows, n, sizeof(*list->rows), compare, list);
	if (list->opt->limit && n > list->opt->limit)
		n = list->opt->limit;
	out = out_open(stdout, name, &list->opt->style, columns,
		       list->columns.n);
	for (i = 0; i < n; i++)
		out_row(out, list->rows[i].values, NULL, NULL);
	out_close(out);
	for (i = 0; i < list->n; i++)
		free(list->rows[i].values);
	free(list->rows);
	free(list->columns.v);
	free(columns);
	free(list);
}
