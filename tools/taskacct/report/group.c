// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records taken together
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "fields/field_get.h"
#include "fields/names.h"
#include "group.h"

struct groups {
	const struct columns *keys;
	const struct columns *columns;
	struct group **buckets;
	size_t size;
	size_t n;
	struct group *total;
	struct group **sorted;
	int by;
	bool reverse;
};

static struct group *make_group(const struct groups *groups)
{
	struct group *group = alloc(1, sizeof(*group));

	group->tallies = alloc(groups->columns->n, sizeof(*group->tallies));
	return group;
}

struct groups *groups_new(const struct columns *keys,
			  const struct columns *columns)
{
	struct groups *groups = alloc(1, sizeof(*groups));

	if (keys->n > GROUP_KEYS_MAX)
		die(STATUS_USAGE, "--by takes %d fields at most",
		    GROUP_KEYS_MAX);
	groups->keys = keys;
	groups->columns = columns;
	groups->size = 64;
	groups->buckets = alloc(groups->size, sizeof(*groups->buckets));
	groups->total = make_group(groups);
	return groups;
}

static uint64_t mix(uint64_t h, uint64_t n)
{
	return (h ^ n) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Texts have one copy each, so that pointers are compared. */
static uint64_t hash(const struct value *keys, size_t n)
{
	uint64_t h = 1;
	size_t i;

	for (i = 0; i < n; i++)
		h = mix(mix(h, keys[i].n), (uintptr_t)keys[i].s);
	return h ^ h >> 32;
}

static bool is_same(const struct value *a, const struct value *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i].s != b[i].s || a[i].n != b[i].n ||
		    a[i].state != b[i].state)
			return false;
	return true;
}

static void enlarge(struct groups *groups)
{
	struct group **old = groups->buckets, *group, *next;
	const size_t size = groups->size;
	size_t i, at;

	groups->size *= 2;
	groups->buckets = alloc(groups->size, sizeof(*groups->buckets));
	for (i = 0; i < size; i++) {
		for (group = old[i]; group; group = next) {
			next = group->next;
			at = hash(group->keys, groups->keys->n) &
			     (groups->size - 1);
			group->next = groups->buckets[at];
			groups->buckets[at] = group;
		}
	}
	free(old);
}

static struct group *find(struct groups *groups, const struct value *keys)
{
	const size_t n = groups->keys->n;
	struct group **bucket, *group;

	bucket = &groups->buckets[hash(keys, n) & (groups->size - 1)];
	for (group = *bucket; group; group = group->next)
		if (is_same(group->keys, keys, n))
			return group;
	group = make_group(groups);
	memcpy(group->keys, keys, n * sizeof(*keys));
	group->next = *bucket;
	*bucket = group;
	if (++groups->n > 2 * groups->size)
		enlarge(groups);
	return group;
}

static void count_value(const struct column *column, struct tally *t,
			uint64_t n)
{
	if (column->stat == STAT_PERCENTILE) {
		t->values = grow(t->values, t->n, sizeof(*t->values));
		t->values[t->n] = n;
		t->sorted = false;
	}
	t->sum += n;
	if (n > t->max)
		t->max = n;
	/* 0 is what a shortest wait is where there was none. */
	if (!t->n || (n < t->min && (n || column->field->sum != SUM_MIN)) ||
	    (!t->min && column->field->sum == SUM_MIN))
		t->min = n;
	t->n++;
}

static void count_text(struct tally *t, const char *text, size_t length)
{
	if (t->n++)
		t->mixed |= t->text != text;
	t->text = text;
	t->length = length;
}

static void count(const struct columns *columns, struct group *group,
		  const struct value *values, bool failed)
{
	const struct column *column;
	size_t i;

	group->count++;
	group->failed += failed;
	for (i = 0; i < columns->n; i++) {
		column = &columns->v[i];
		if (!column->field || values[i].state != TASKACCT_VALID)
			continue;
		if (units_is_text(column->field->unit))
			count_text(&group->tallies[i], values[i].s,
				   values[i].length);
		else
			count_value(column, &group->tallies[i], values[i].n);
	}
}

static void get(const struct column *column, const struct rec *rec,
		struct value *value)
{
	field_get(column->field, rec, value);
	if (value->s)
		value->s = names_intern(value->s, value->length);
	/* A text stands for itself; the number behind it need not be unique. */
	if (units_is_text(column->field->unit) ||
	    value->state != TASKACCT_VALID)
		value->n = 0;
	if (value->state != TASKACCT_VALID)
		value->state = TASKACCT_ABSENT;
}

struct group *groups_add(struct groups *groups, const struct rec *rec)
{
	struct value keys[GROUP_KEYS_MAX], values[groups->columns->n + 1];
	const bool failed = rec_has_failed(rec);
	struct group *group;
	size_t i;

	for (i = 0; i < groups->keys->n; i++)
		get(&groups->keys->v[i], rec, &keys[i]);
	for (i = 0; i < groups->columns->n; i++)
		if (groups->columns->v[i].field)
			get(&groups->columns->v[i], rec, &values[i]);
	group = find(groups, keys);
	count(groups->columns, group, values, failed);
	count(groups->columns, groups->total, values, failed);
	return group;
}

/* Whether totals have what a column is to tell */
static bool is_in_sums(const struct column *column)
{
	const enum field_sum sum = column->field->sum;

	switch (column->stat) {
	case STAT_PLAIN:
	case STAT_VALID:
		return sum != SUM_NONE;
	case STAT_MAX:
		return sum == SUM_MAX;
	case STAT_MIN:
		return sum == SUM_MIN || sum == SUM_FIRST;
	case STAT_PERCENTILE:
		return false;
	default:
		return sum == SUM_TOTAL;
	}
}

static void count_sums(const struct columns *columns, struct group *group,
		       const struct sums_row *row)
{
	const struct column *column;
	struct sums_value value;
	struct tally *t;
	size_t i;

	group->count += row->count;
	group->failed += row->failed;
	for (i = 0; i < columns->n; i++) {
		column = &columns->v[i];
		t = &group->tallies[i];
		if (!column->field)
			continue;
		/* A text need not be that of the others. */
		if (units_is_text(column->field->unit))
			t->mixed = true;
		value = row->values[column->field - field_at(0)];
		if (!value.n || !is_in_sums(column))
			continue;
		count_value(column, t, value.v);
		t->n += value.n - 1;
	}
}

/* What the records of a row have in common; false where that may differ */
static bool get_keys(const struct columns *columns, const struct sums_row *row,
		     struct value *keys)
{
	struct rec first, last;
	struct value other;
	size_t i;

	sums_rec(row, &first, row->from_ns);
	sums_rec(row, &last, row->to_ns);
	for (i = 0; i < columns->n; i++) {
		if (!sums_has_key(columns->v[i].field->name))
			return false;
		get(&columns->v[i], &first, &keys[i]);
		get(&columns->v[i], &last, &other);
		if (!is_same(&keys[i], &other, 1))
			return false;
	}
	return true;
}

static bool is_time(const struct field *field)
{
	return field->get == field_get_day || field->get == field_get_hour;
}

static void set_other(const struct columns *columns, struct value *keys)
{
	static const char name[] = "(other)";
	size_t i;

	for (i = 0; i < columns->n; i++) {
		if (is_time(columns->v[i].field))
			continue;
		memset(&keys[i], 0, sizeof(keys[i]));
		keys[i].state = TASKACCT_ABSENT;
		if (!units_is_text(columns->v[i].field->unit))
			continue;
		keys[i].state = TASKACCT_VALID;
		keys[i].s = names_intern(name, strlen(name));
		keys[i].length = strlen(name);
	}
}

bool groups_add_sums(struct groups *groups, const struct sums_row *row)
{
	struct value keys[GROUP_KEYS_MAX];

	if (!get_keys(groups->keys, row, keys))
		return false;
	if (row->other)
		set_other(groups->keys, keys);
	count_sums(groups->columns, find(groups, keys), row);
	count_sums(groups->columns, groups->total, row);
	return true;
}

static void merge_tally(const struct column *column, struct tally *to,
			const struct tally *from)
{
	uint64_t i;

	if (!from->n)
		return;
	if (column->stat == STAT_PERCENTILE) {
		for (i = 0; i < from->n; i++)
			count_value(column, to, from->values[i]);
		return;
	}
	to->mixed |= from->mixed || (to->n && to->text != from->text);
	to->text = from->text;
	to->length = from->length;
	to->sum += from->sum;
	if (from->max > to->max)
		to->max = from->max;
	if (!to->n || from->min < to->min)
		to->min = from->min;
	to->n += from->n;
}

static void merge(const struct columns *columns, struct group *to,
		  const struct group *from)
{
	size_t i;

	to->count += from->count;
	to->failed += from->failed;
	for (i = 0; i < columns->n; i++)
		if (columns->v[i].field)
			merge_tally(&columns->v[i], &to->tallies[i],
				    &from->tallies[i]);
}

/* The cgroup above one, or NULL above the topmost */
static struct group *find_above(struct groups *groups,
				const struct group *group)
{
	struct value key = group->keys[0];
	const char *slash;

	if (!key.s || key.length <= 1)
		return NULL;
	slash = memrchr(key.s, '/', key.length);
	if (!slash)
		return NULL;
	key.length = slash == key.s ? 1 : (size_t)(slash - key.s);
	key.s = names_intern(key.s, key.length);
	return find(groups, &key);
}

static struct group **list(struct groups *groups)
{
	struct group *group, **v = alloc(groups->n + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < groups->size; i++)
		for (group = groups->buckets[i]; group; group = group->next)
			v[n++] = group;
	return v;
}

void groups_roll_up(struct groups *groups)
{
	const size_t n = groups->n;
	struct group **v = list(groups), *above, *group, **own;
	size_t i;

	/* What each has by itself, before anything is added */
	own = alloc(n, sizeof(*own));
	for (i = 0; i < n; i++) {
		own[i] = make_group(groups);
		merge(groups->columns, own[i], v[i]);
	}
	for (i = 0; i < n; i++) {
		for (group = v[i]; group; group = above) {
			above = find_above(groups, group);
			group->parent = above;
			if (above)
				merge(groups->columns, above, own[i]);
		}
	}
	free(own);
	free(v);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a,
		       right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The smallest that so many are not above */
static uint64_t percentile(struct tally *t, unsigned int hundredths)
{
	uint64_t rank = (t->n * hundredths + 9999) / 10000;

	if (!t->sorted)
		qsort(t->values, t->n, sizeof(*t->values), compare_numbers);
	t->sorted = true;
	return t->values[rank ? rank - 1 : 0];
}

static uint64_t plain(const struct field *field, const struct tally *t,
		      struct value *value)
{
	switch (field->sum) {
	case SUM_TOTAL:
		return t->sum;
	case SUM_MAX:
		return t->max;
	case SUM_MIN:
	case SUM_FIRST:
		return t->min;
	default:
		if (t->min != t->max)
			value->state = TASKACCT_ABSENT;
		return t->min;
	}
}

static void tell_text(const struct tally *t, struct value *value)
{
	value->s = t->mixed ? "*" : t->text;
	value->length = t->mixed ? 1 : t->length;
}

static uint64_t share(const struct tally *t, const struct tally *total)
{
	return total->sum ? (uint64_t)(100000.0 * (double)t->sum /
					       (double)total->sum +
				       0.5) :
			    0;
}

void groups_value(struct groups *groups, struct group *group, size_t i,
		  struct value *value)
{
	const struct column *column = &groups->columns->v[i];
	struct tally *t = &group->tallies[i];

	memset(value, 0, sizeof(*value));
	value->state = column->field && !t->n && column->stat != STAT_VALID ?
			       TASKACCT_ABSENT :
			       TASKACCT_VALID;
	if (value->state != TASKACCT_VALID)
		return;
	switch (column->stat) {
	case STAT_COUNT:
		value->n = group->count;
		break;
	case STAT_FAILED:
		value->n = group->failed;
		break;
	case STAT_VALID:
		value->n = t->n;
		break;
	case STAT_SUM:
		value->n = t->sum;
		break;
	case STAT_MAX:
		value->n = t->max;
		break;
	case STAT_MIN:
		value->n = t->min;
		break;
	case STAT_AVG:
		value->n = t->sum / t->n;
		break;
	case STAT_SHARE:
		value->n = share(t, &groups->total->tallies[i]);
		break;
	case STAT_PERCENTILE:
		value->n = percentile(t, column->percentile);
		break;
	default:
		if (units_is_text(column->field->unit))
			tell_text(t, value);
		else
			value->n = plain(column->field, t, value);
	}
}

static int compare_values(const struct value *a, const struct value *b,
			  bool largest_first)
{
	/* What is not known comes last. */
	if (a->state != b->state)
		return a->state == TASKACCT_VALID ? -1 : 1;
	if (a->s && b->s)
		return strcmp(a->s, b->s);
	if (a->n == b->n)
		return 0;
	return (a->n < b->n) == largest_first ? 1 : -1;
}

static int compare_groups(const void *left, const void *right, void *arg)
{
	struct group *a = *(struct group *const *)left;
	struct group *b = *(struct group *const *)right;
	struct groups *groups = arg;
	struct value x, y;
	int order = 0;
	size_t i;

	if (groups->by >= 0) {
		groups_value(groups, a, (size_t)groups->by, &x);
		groups_value(groups, b, (size_t)groups->by, &y);
		order = compare_values(&x, &y, true);
	}
	for (i = 0; !order && i < groups->keys->n; i++)
		order = compare_values(&a->keys[i], &b->keys[i], false);
	return groups->reverse ? -order : order;
}

struct group **groups_sort(struct groups *groups, int column, bool reverse,
			   size_t *n)
{
	free(groups->sorted);
	groups->sorted = list(groups);
	groups->by = column;
	groups->reverse = reverse;
	*n = groups->n;
	qsort_r(groups->sorted, groups->n, sizeof(*groups->sorted),
		compare_groups, groups);
	return groups->sorted;
}

struct group *groups_total(struct groups *groups)
{
	return groups->total;
}

static void free_group(const struct groups *groups, struct group *group)
{
	size_t i;

	for (i = 0; i < groups->columns->n; i++)
		free(group->tallies[i].values);
	free(group->tallies);
	free(group);
}

void groups_free(struct groups *groups)
{
	struct group *group, *next;
	size_t i;

	if (!groups)
		return;
	for (i = 0; i < groups->size; i++) {
		for (group = groups->buckets[i]; group; group = next) {
			next = group->next;
			free_group(groups, group);
		}
	}
	free_group(groups, groups->total);
	free(groups->buckets);
	free(groups->sorted);
	free(groups);
}
