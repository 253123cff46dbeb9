// SPDX-License-Identifier: GPL-2.0-only
/*
 * A row of totals as text, and as a record of what its records have in common
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "note.h"
#include "sums.h"

/* More than any row has */
#define ROW_MAX (64 << 10)

static void add_number(struct json_object *o, const char *name, uint64_t n)
{
	json_object_object_add(o, name, json_object_new_uint64(n));
}

static void add_text(struct json_object *o, const char *name, const char *text)
{
	json_object_object_add(o, name, json_object_new_string(text));
}

static struct json_object *pair_of(const struct sums_value *value)
{
	struct json_object *pair = json_object_new_array();

	json_object_array_add(pair, json_object_new_uint64(value->n));
	json_object_array_add(pair, json_object_new_uint64(value->v));
	return pair;
}

/* Each field that some of the records have: how many, and their value */
static struct json_object *values_object(const struct sums_row *row)
{
	struct json_object *o = json_object_new_object();
	const size_t n = field_count();
	size_t i;

	for (i = 0; i < n; i++)
		if (row->values[i].n)
			json_object_object_add(o, field_at(i)->name,
					       pair_of(&row->values[i]));
	return o;
}

static struct json_object *row_object(const struct sums_row *row)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "process",
			       json_object_new_boolean(row->process));
	json_object_object_add(o, "task", json_object_new_boolean(row->task));
	if (!row->other) {
		add_text(o, "comm", row->comm);
		add_number(o, "uid", row->uid);
	}
	if (row->cgroup)
		add_text(o, "cgroup", row->cgroup);
	add_number(o, "from", row->from_ns);
	add_number(o, "to", row->to_ns);
	add_number(o, "count", row->count);
	add_number(o, "failed", row->failed);
	json_object_object_add(o, "values", values_object(row));
	return o;
}

char *sums_print(const struct sums_row *row)
{
	struct json_object *o = json_object_new_object();
	const int flags = JSON_C_TO_STRING_PLAIN |
			  JSON_C_TO_STRING_NOSLASHESCAPE;
	char *text;

	json_object_object_add(o, "totals", row_object(row));
	text = copy(json_object_to_json_string_ext(o, flags));
	json_object_put(o);
	return text;
}

static uint64_t number_of(struct json_object *o, const char *name)
{
	return json_object_get_uint64(json_object_object_get(o, name));
}

static uint64_t number_in(struct json_object *pair, size_t i)
{
	return json_object_get_uint64(json_object_array_get_idx(pair, i));
}

static void take_values(struct sums_row *row, struct json_object *o)
{
	struct sums_value *value;
	struct json_object *pair;
	const size_t n = field_count();
	size_t i;

	for (i = 0; i < n; i++) {
		value = &row->values[i];
		pair = json_object_object_get(o, field_at(i)->name);
		if (field_at(i)->sum == SUM_NONE ||
		    !json_object_is_type(pair, json_type_array))
			continue;
		value->n = number_in(pair, 0);
		value->v = number_in(pair, 1);
		/* No more can have it than there are. */
		if (value->n > row->count)
			value->n = row->count;
	}
}

static struct sums_row *take(struct json_object *o)
{
	struct sums_row *row = alloc(1, sizeof(*row));
	const char *comm =
		json_object_get_string(json_object_object_get(o, "comm"));
	const char *cgroup =
		json_object_get_string(json_object_object_get(o, "cgroup"));

	row->process =
		json_object_get_boolean(json_object_object_get(o, "process"));
	row->task = json_object_get_boolean(json_object_object_get(o, "task"));
	row->other = !comm;
	if (comm)
		strncpy(row->comm, comm, sizeof(row->comm) - 1);
	row->uid = (uint32_t)number_of(o, "uid");
	row->cgroup = cgroup ? copy(cgroup) : NULL;
	row->from_ns = number_of(o, "from");
	row->to_ns = number_of(o, "to");
	row->count = number_of(o, "count");
	row->failed = number_of(o, "failed");
	row->values = alloc(field_count(), sizeof(*row->values));
	take_values(row, json_object_object_get(o, "values"));
	return row;
}

/* It is of some records, of a kind, over a time that does not end before it begins. */
static bool is_row(struct json_object *o)
{
	return note_member(o, "values", json_type_object) &&
	       number_of(o, "count") &&
	       number_of(o, "from") <= number_of(o, "to");
}

struct sums_row *sums_parse(const char *text, size_t length)
{
	struct json_object *o = note_parse(text, length, ROW_MAX);
	struct json_object *totals = note_member(o, "totals", json_type_object);
	struct sums_row *row = is_row(totals) ? take(totals) : NULL;

	json_object_put(o);
	return row;
}

void sums_rec(const struct sums_row *row, struct rec *rec, uint64_t end_ns)
{
	memset(rec, 0, sizeof(*rec));
	rec->x.length = sizeof(rec->x.r);
	rec->x.r.kind = row->process ? TASKACCT_KIND_PROCESS :
				       TASKACCT_KIND_TASK;
	rec->x.r.uid = row->uid;
	rec->x.r.real_end = end_ns;
	memcpy(rec->x.r.comm, row->comm, sizeof(row->comm));
	if (row->cgroup) {
		rec->cgroup.text = row->cgroup;
		rec->cgroup.length = strlen(row->cgroup);
	}
}

bool sums_has_key(const char *name)
{
	static const char *const keys[] = { "comm",   "uid",	   "user",
					    "unit",   "user_unit", "container",
					    "cgroup", "day",	   "hour" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(name, keys[i]))
			return true;
	return false;
}
