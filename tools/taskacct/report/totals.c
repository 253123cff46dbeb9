// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of records as a table
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "totals.h"

static bool is_time(const struct column *column)
{
	return !strcmp(column->out.name, "day") ||
	       !strcmp(column->out.name, "hour");
}

/* Where the column is not shown it is added behind those that are. */
static int find_column(struct columns *columns, const char *text)
{
	struct column wanted;
	size_t i;

	columns_parse_one(&wanted, text, strlen(text), text, true);
	for (i = 0; i < columns->n; i++)
		if (!strcmp(columns->v[i].out.name, wanted.out.name))
			return (int)i;
	columns->v = grow(columns->v, columns->n, sizeof(wanted));
	columns->v[columns->n] = wanted;
	return (int)columns->n++;
}

static bool is_key(const struct columns *keys, const struct field *field)
{
	size_t i;

	for (i = 0; field && i < keys->n; i++)
		if (keys->v[i].field == field)
			return true;
	return false;
}

/* A column that is a key as well has no second one, nor JSON a second member of its name. */
static void leave_out_keys(struct columns *columns, const struct columns *keys)
{
	size_t i, n = 0;

	for (i = 0; i < columns->n; i++)
		if (columns->v[i].stat != STAT_PLAIN || !is_key(keys, columns->v[i].field))
			columns->v[n++] = columns->v[i];
	columns->n = n;
}

static void choose_order(struct totals *t)
{
	const char *sort = t->opt->sort;

	t->sort = -1;
	if (!sort && !is_time(&t->keys.v[0]))
		sort = "cpu";
	if (sort && !is_key(&t->keys, field_find(sort, strlen(sort))))
		t->sort = find_column(&t->columns, sort);
}

void totals_open(struct totals *t, const struct options *opt, const char *by,
		 const char *usual)
{
	t->opt = opt;
	columns_parse(&t->keys, opt->by ? opt->by : by, NULL, false);
	columns_parse(&t->columns, opt->columns, usual, true);
	leave_out_keys(&t->columns, &t->keys);
	t->shown = t->columns.n;
	choose_order(t);
	if (opt->tree &&
	    (t->keys.n != 1 || strcmp(t->keys.v[0].out.name, "cgroup")))
		die(STATUS_USAGE, "--tree is of cgroups: --by cgroup");
	t->groups = groups_new(&t->keys, &t->columns);
}

static struct out_column *make_columns(const struct totals *t)
{
	const size_t n = t->keys.n;
	struct out_column *columns = alloc(n + t->shown, sizeof(*columns));
	size_t i;

	for (i = 0; i < n; i++)
		columns[i] = t->keys.v[i].out;
	for (i = 0; i < t->shown; i++)
		columns[n + i] = t->columns.v[i].out;
	return columns;
}

static void fill(struct totals *t, struct group *group, struct value *values)
{
	size_t i;

	memcpy(values, group->keys, t->keys.n * sizeof(*values));
	for (i = 0; i < t->shown; i++)
		groups_value(t->groups, group, i, &values[t->keys.n + i]);
}

/* For people a cgroup's name is enough: the tree says where it is. */
static void shorten(struct value *path)
{
	const char *slash = path->s && path->length > 1 ?
				    memrchr(path->s, '/', path->length) :
				    NULL;

	if (!slash)
		return;
	path->length -= (size_t)(slash + 1 - path->s);
	path->s = slash + 1;
}

static void print_group(struct totals *t, struct out *out, struct group *group)
{
	struct value values[t->keys.n + t->shown];

	if (group->row)
		return;
	/* What this is part of comes first. */
	if (group->parent)
		print_group(t, out, group->parent);
	fill(t, group, values);
	if (t->opt->tree && t->opt->style.form == OUT_TABLE)
		shorten(&values[0]);
	group->row = out_row(out, values,
			     group->parent ? group->parent->row : NULL, NULL);
}

static struct value word(const char *s)
{
	return (struct value){ TASKACCT_VALID, 0, s, strlen(s) };
}

/* A table's last line */
static void print_total(struct totals *t, struct out *out)
{
	struct value values[t->keys.n + t->shown];
	size_t i;

	fill(t, groups_total(t->groups), values);
	for (i = 0; i < t->keys.n; i++)
		values[i] = (struct value){ .state = TASKACCT_ABSENT };
	if (units_is_text(t->keys.v[0].out.unit))
		values[0] = word("(total)");
	out_row(out, values, NULL, "bold");
}

/* JSON's last line has all columns' names, so that it is read as the others. */
static void print_json_total(struct totals *t, FILE *file)
{
	const struct column *column;
	struct value value;
	size_t i;

	fprintf(file, "{\"total\":{");
	for (i = 0; i < t->shown; i++) {
		column = &t->columns.v[i];
		groups_value(t->groups, groups_total(t->groups), i, &value);
		fprintf(file, "%s\"%s\":", i ? "," : "", column->out.name);
		out_json_value(file, column->out.unit, &value,
			       t->opt->style.exact);
	}
	fputs("}}\n", file);
}

/* Where some have no value, what is reported is not of all. */
static void tell_partial(struct totals *t, FILE *file)
{
	const struct group *total = groups_total(t->groups);
	const struct column *column;
	size_t i;

	for (i = 0; i < t->shown; i++) {
		column = &t->columns.v[i];
		if (column->field && column->stat != STAT_VALID &&
		    !units_is_text(column->field->unit) &&
		    total->tallies[i].n < total->count)
			fprintf(file, "%s is of %llu of %llu records\n",
				column->out.name,
				(unsigned long long)total->tallies[i].n,
				(unsigned long long)total->count);
	}
}

void totals_print(struct totals *t, FILE *file)
{
	struct out_column *columns = make_columns(t);
	struct out_style style = t->opt->style;
	struct group **v;
	struct out *out;
	size_t i, n;

	if (t->opt->tree) {
		groups_roll_up(t->groups);
		style.tree = 0;
	}
	v = groups_sort(t->groups, t->sort, t->opt->reverse, &n);
	if (t->opt->limit && n > t->opt->limit)
		n = t->opt->limit;
	out = out_open(file, "groups", &style, columns, t->keys.n + t->shown);
	for (i = 0; i < n; i++)
		print_group(t, out, v[i]);
	if (style.form == OUT_TABLE && n)
		print_total(t, out);
	out_close(out);
	if (style.form == OUT_JSON)
		print_json_total(t, file);
	tell_partial(t, style.form == OUT_TABLE ? file : stderr);
	free(columns);
}

void totals_close(struct totals *t)
{
	groups_free(t->groups);
	free(t->keys.v);
	free(t->columns.v);
}
