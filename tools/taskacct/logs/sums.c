// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table of totals
 *
 * A record is added as a row of its own is merged. Rows never go, so that a slot that is
 * empty ends the search for one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "sums.h"

#define SLOTS (2 * SUMS_MAX)

/* Rows of others: of processes, of tasks, of both */
#define OTHERS 4

/**
 * struct sums - see sums.h
 * @slots: rows, by hash
 * @n: how many
 * @paths: bytes of their paths
 * @others: rows for what has none of its own, by which kinds it is of
 * @messages: that were added
 */
struct sums {
	struct sums_row *slots[SLOTS];
	size_t n;
	size_t paths;
	struct sums_row *others[OTHERS];
	uint64_t messages;
};

/* A row with what @key has in common, or NULL without memory */
static struct sums_row *copy_key(const struct sums_row *key)
{
	struct sums_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->process = key->process;
	row->task = key->task;
	row->uid = key->uid;
	memcpy(row->comm, key->comm, sizeof(row->comm));
	row->cgroup = key->cgroup ? strdup(key->cgroup) : NULL;
	row->values = calloc(field_count(), sizeof(*row->values));
	if (row->values && !row->cgroup == !key->cgroup)
		return row;
	sums_row_free(row);
	return NULL;
}

static struct sums_row *make_other(int kinds)
{
	struct sums_row *row = alloc(1, sizeof(*row));

	row->process = kinds & 1;
	row->task = kinds & 2;
	row->other = true;
	row->values = alloc(field_count(), sizeof(*row->values));
	return row;
}

struct sums *sums_new(void)
{
	struct sums *sums = alloc(1, sizeof(*sums));
	int i;

	for (i = 1; i < OTHERS; i++)
		sums->others[i] = make_other(i);
	/* The fields have their names from here on: threads only read them. */
	field_at(0);
	return sums;
}

static size_t hash(const struct sums_row *key)
{
	const char *texts[] = { key->comm, key->cgroup ? key->cgroup : "" }, *s;
	uint64_t h = key->uid * 4 + key->process * 2 + key->task;
	size_t i;

	for (i = 0; i < 2; i++)
		for (s = texts[i]; *s; s++)
			h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 32);
}

static bool is_same(const struct sums_row *a, const struct sums_row *b)
{
	if (a->uid != b->uid || a->process != b->process ||
	    a->task != b->task || strcmp(a->comm, b->comm))
		return false;
	if (!a->cgroup || !b->cgroup)
		return a->cgroup == b->cgroup;
	return !strcmp(a->cgroup, b->cgroup);
}

static struct sums_row *other_row(const struct sums *sums,
				  const struct sums_row *key)
{
	return sums->others[key->process + 2 * key->task];
}

static struct sums_row *find_row(struct sums *sums, const struct sums_row *key)
{
	const size_t path = key->cgroup ? strlen(key->cgroup) + 1 : 0;
	size_t at = hash(key) % SLOTS;

	if (key->other)
		return other_row(sums, key);
	for (; sums->slots[at]; at = (at + 1) % SLOTS)
		if (is_same(sums->slots[at], key))
			return sums->slots[at];
	if (sums->n == SUMS_MAX || sums->paths + path > SUMS_PATHS)
		return other_row(sums, key);
	sums->slots[at] = copy_key(key);
	if (!sums->slots[at])
		return other_row(sums, key);
	sums->n++;
	sums->paths += path;
	return sums->slots[at];
}

static uint64_t combine(enum field_sum sum, uint64_t a, uint64_t b)
{
	switch (sum) {
	case SUM_TOTAL:
		return a + b;
	case SUM_MAX:
		return a > b ? a : b;
	case SUM_MIN:
		/* 0 is what a shortest wait is where there was none. */
		if (!a || !b)
			return a + b;
		return a < b ? a : b;
	default:
		return a < b ? a : b;
	}
}

static void merge_row(struct sums_row *to, const struct sums_row *from)
{
	const size_t n = field_count();
	struct sums_value *a;
	size_t i;

	if (!to->count || from->from_ns < to->from_ns)
		to->from_ns = from->from_ns;
	if (from->to_ns > to->to_ns)
		to->to_ns = from->to_ns;
	to->count += from->count;
	to->failed += from->failed;
	for (i = 0; i < n; i++) {
		a = &to->values[i];
		if (!from->values[i].n)
			continue;
		a->v = a->n ? combine(field_at(i)->sum, a->v,
				      from->values[i].v) :
			      from->values[i].v;
		a->n += from->values[i].n;
	}
}

static void get_values(struct sums_value *values, const struct rec *rec)
{
	const size_t n = field_count();
	const struct field *field;
	struct value value;
	size_t i;

	for (i = 0; i < n; i++) {
		field = field_at(i);
		values[i].n = 0;
		if (field->sum == SUM_NONE)
			continue;
		field_get(field, rec, &value);
		values[i].n = value.state == TASKACCT_VALID;
		values[i].v = value.n;
	}
}

/* A record, as a row that has no other */
static void add_rec(struct sums *sums, const struct rec *rec, bool process,
		    bool task)
{
	struct sums_value values[field_count()];
	char path[rec->cgroup.length + 1];
	struct sums_row row = {
		.process = process,
		.task = task,
		.cgroup = rec->cgroup.text ? path : NULL,
		.from_ns = rec_end(rec),
		.to_ns = rec_end(rec),
		.count = 1,
		.failed = rec_has_failed(rec),
		.values = values,
	};
	uint64_t uid;

	rec_member(rec, TASKACCT_R_UID, &uid);
	row.uid = (uint32_t)uid;
	strncpy(row.comm, rec_comm(rec), sizeof(row.comm) - 1);
	if (row.cgroup)
		memcpy(path, rec->cgroup.text, rec->cgroup.length);
	path[rec->cgroup.length] = '\0';
	get_values(values, rec);
	merge_row(find_row(sums, &row), &row);
}

bool sums_add(struct sums *sums, const struct nlmsghdr *nlh)
{
	struct taskacct_message m;
	struct rec process, task;
	bool has_process, has_task;

	if (taskacct_decode_message(&m, nlh))
		return false;
	has_process = rec_choose(&process, &m, REC_PROCESSES, 0);
	has_task = rec_choose(&task, &m, REC_TASKS, 0);
	/* That of a process's only thread is both. */
	if (has_process && has_task && !rec_is_process(&process)) {
		add_rec(sums, &process, true, true);
	} else {
		if (has_process)
			add_rec(sums, &process, true, false);
		if (has_task)
			add_rec(sums, &task, false, true);
	}
	sums->messages += has_process || has_task;
	return has_process || has_task;
}

static void merge_into(const struct sums_row *row, void *arg)
{
	merge_row(find_row(arg, row), row);
}

void sums_merge(struct sums *to, const struct sums *from)
{
	sums_each(from, merge_into, to);
	to->messages += from->messages;
}

uint64_t sums_messages(const struct sums *sums)
{
	return sums->messages;
}

void sums_each(const struct sums *sums,
	       void (*each)(const struct sums_row *row, void *arg), void *arg)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (sums->slots[i])
			each(sums->slots[i], arg);
	for (i = 1; i < OTHERS; i++)
		if (sums->others[i]->count)
			each(sums->others[i], arg);
}

void sums_free(struct sums *sums)
{
	size_t i;

	if (!sums)
		return;
	for (i = 0; i < SLOTS; i++)
		sums_row_free(sums->slots[i]);
	for (i = 1; i < OTHERS; i++)
		sums_row_free(sums->others[i]);
	free(sums);
}

void sums_row_free(struct sums_row *row)
{
	if (!row)
		return;
	free(row->cgroup);
	free(row->values);
	free(row);
}
