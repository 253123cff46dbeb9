// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes used since the last look, those that have ended included
 *
 * Of each process it is kept what it had used. What has ended since is told by
 * its exit record, so that nothing between two looks is missed.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "top.h"

#define BUCKETS 8192

/* A text that is shorter has room in its line. */
#define TEXT_ROOM 20

/* A process, and what it had used */
struct known {
	struct known *next;
	uint32_t pid;
	uint64_t start;
	bool ended;
	uint64_t seen;
	uint64_t n[];
};

struct top_memory {
	struct known *known[BUCKETS];
	uint64_t round;
	uint32_t heard;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

static bool is_held(const char *name)
{
	static const char *const held[] = { "lifetime", "threads",  "rss",
					    "rss_anon", "rss_file", "rss_shmem",
					    "swap" };
	size_t i;

	for (i = 0; i < sizeof(held) / sizeof(*held); i++)
		if (!strcmp(name, held[i]))
			return true;
	return false;
}

bool top_is_rate(const struct column *column)
{
	return column->field->sum == SUM_TOTAL && !is_held(column->field->name);
}

/* In one piece: there are thousands at each look. */
static struct top_row *make_row(const struct top *top, const char *key)
{
	const size_t n = top->columns.n, length = strlen(key) + 1;
	struct top_row *row;

	row = alloc(1, sizeof(*row) +
			       n * (sizeof(*row->n) + sizeof(*row->text) +
				    sizeof(*row->known) + TEXT_ROOM) +
			       length);
	row->n = (uint64_t *)(row + 1);
	row->text = (char **)(row->n + n);
	row->known = (bool *)(row->text + n);
	row->room = (char *)(row->known + n);
	row->key = row->room + n * TEXT_ROOM;
	memcpy(row->key, key, length);
	return row;
}

static void free_row(const struct top *top, struct top_row *row)
{
	size_t i;

	for (i = 0; i < top->columns.n; i++)
		if (row->text[i] != row->room + i * TEXT_ROOM)
			free(row->text[i]);
	free(row);
}

static void open_set(const struct top *top, struct top_set *set)
{
	memset(set, 0, sizeof(*set));
	set->total = make_row(top, "");
}

static void close_set(const struct top *top, struct top_set *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		free_row(top, set->rows[i]);
	if (set->total)
		free_row(top, set->total);
	free(set->rows);
	free(set->buckets);
	memset(set, 0, sizeof(*set));
}

static size_t hash(const char *key)
{
	size_t h = 5381;

	for (; *key; key++)
		h = h * 33 + (unsigned char)*key;
	return h;
}

static void enlarge(struct top_set *set)
{
	size_t i, at;

	free(set->buckets);
	set->size = set->size ? 2 * set->size : 256;
	set->buckets = alloc(set->size, sizeof(*set->buckets));
	for (i = 0; i < set->n; i++) {
		at = hash(set->rows[i]->key);
		while (set->buckets[at % set->size])
			at++;
		set->buckets[at % set->size] = set->rows[i];
	}
}

static struct top_row *find_row(struct top *top, const char *key)
{
	struct top_set *set = &top->next;
	struct top_row *row;
	size_t at;

	if (2 * set->n >= set->size)
		enlarge(set);
	for (at = hash(key); (row = set->buckets[at % set->size]); at++)
		if (!strcmp(row->key, key))
			return row;
	row = make_row(top, key);
	row->number = set->n;
	set->rows = grow(set->rows, set->n, sizeof(*set->rows));
	set->rows[set->n++] = row;
	set->buckets[at % set->size] = row;
	return row;
}

/* A process's number and its start are its own for ever. */
static struct known *recall(struct top *top, const struct rec *rec,
			    bool *is_new)
{
	uint64_t pid, start;
	struct known **bucket, *k;

	rec_member(rec,
		   top->opt->kinds == REC_TASKS ? TASKACCT_R_PID :
						  TASKACCT_R_TGID,
		   &pid);
	rec_member(rec, TASKACCT_R_START, &start);
	bucket = &top->memory->known[pid % BUCKETS];
	for (k = *bucket; k; k = k->next)
		if (k->pid == pid && k->start == start)
			break;
	*is_new = !k;
	if (k)
		return k;
	k = alloc(1, sizeof(*k) + top->columns.n * sizeof(*k->n));
	k->pid = (uint32_t)pid;
	k->start = start;
	k->next = *bucket;
	*bucket = k;
	return k;
}

/* Those that were not seen this time, and have been reported, are forgotten. */
static void forget(struct top_memory *m, bool all)
{
	struct known **at, *k;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (at = &m->known[i]; (k = *at);) {
			if (!all && k->seen == m->round) {
				at = &k->next;
				continue;
			}
			*at = k->next;
			free(k);
		}
	}
}

static void add_text(struct top_row *row, size_t i, const struct value *value)
{
	char *text = row->text[i];

	if (!value->s)
		return;
	if (text && !strncmp(text, value->s, value->length) &&
	    !text[value->length])
		return;
	/* Most fit into the line's own room. */
	if (!text && value->length < TEXT_ROOM) {
		row->text[i] = row->room + i * TEXT_ROOM;
		memcpy(row->text[i], value->s, value->length);
	} else if (!text) {
		row->text[i] = strndup(value->s, value->length);
	} else {
		strcpy(text, "*");
	}
}

/* What was used is added up; of what is held the ended hold nothing. */
static void add_number(const struct top *top, struct top_row *row, size_t i,
		       uint64_t n, bool ended)
{
	const struct column *column = &top->columns.v[i];

	if (column->field->sum == SUM_TOTAL) {
		if (!ended || top->rates[i])
			row->n[i] += n;
	} else if (column->field->sum == SUM_MAX) {
		row->n[i] = n > row->n[i] ? n : row->n[i];
	} else if (row->known[i] && row->n[i] != n) {
		/* A number that is not the same in all is none. */
		row->n[i] = UINT64_MAX;
	} else {
		row->n[i] = n;
	}
	row->known[i] = true;
}

static void add_to_row(const struct top *top, struct top_row *row,
		       const struct value *values, const uint64_t *used,
		       bool ended)
{
	size_t i;

	row->live += !ended;
	row->ended += ended;
	for (i = 0; i < top->columns.n; i++) {
		if (!units_is_text(top->columns.v[i].out.unit)) {
			if (values[i].state == TASKACCT_VALID)
				add_number(top, row, i, used[i], ended);
		} else if (row != top->next.total) {
			/* All together have none. */
			add_text(row, i, &values[i]);
		}
	}
}

/* The cgroups above one have what it has. */
static void add_above(struct top *top, struct top_row *row, const char *path,
		      const struct value *values, const uint64_t *used,
		      bool ended)
{
	char *above = copy(path), *slash;
	struct top_row *parent;
	unsigned int depth = 0;

	for (slash = above; (slash = strchr(slash + 1, '/'));)
		depth++;
	row->depth = path[1] ? depth + 1 : 0;
	while (above[0] == '/' && above[1]) {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0';
		parent = find_row(top, above);
		parent->depth = above[1] ? depth-- : 0;
		row->parent = parent;
		row = parent;
		add_to_row(top, row, values, used, ended);
	}
	free(above);
}

static void write_keys(const struct top *top, const struct rec *rec, char *key,
		       size_t size)
{
	struct value value;
	size_t n = 0, i;

	for (i = 0; i < top->by.n && n < size; i++) {
		field_get(top->by.v[i].field, rec, &value);
		if (value.s)
			n += (size_t)snprintf(key + n, size - n, "%s%.*s",
					      i ? "\t" : "", (int)value.length,
					      value.s);
		else
			n += (size_t)snprintf(key + n, size - n, "%s%s",
					      i ? "\t" : "", "-");
	}
}

/* As "%u", and much cheaper */
static void write_number(char *key, unsigned int n)
{
	char digits[16], *at = digits + sizeof(digits);

	*--at = '\0';
	do {
		*--at = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	memcpy(key, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_to_screen(struct top *top, const struct rec *rec,
			  const struct known *k, const struct value *values,
			  const uint64_t *used, bool ended)
{
	struct top_row *row;
	char key[4096];

	if (top->by.n)
		write_keys(top, rec, key, sizeof(key));
	else if (ended)
		stpcpy(key, rec_comm(rec));
	else
		write_number(key, k->pid);
	row = find_row(top, key);
	add_to_row(top, row, values, used, ended);
	if (top->tree)
		add_above(top, row, key, values, used, ended);
	add_to_row(top, top->next.total, values, used, ended);
}

/*
 * What it used since the last look. One that is new has used all of it since,
 * but for those that were there before the first look.
 */
static void take(struct top *top, const struct rec *rec, bool ended)
{
	struct value values[top->columns.n];
	uint64_t used[top->columns.n];
	struct known *k;
	bool is_new;
	size_t i;

	k = recall(top, rec, &is_new);
	k->seen = top->memory->round;
	if (k->ended)
		return;
	k->ended = ended;
	is_new &= k->start < top->looked_ns;
	for (i = 0; i < top->columns.n; i++) {
		field_get(top->columns.v[i].field, rec, &values[i]);
		/* Texts are used again by the next field of their kind only. */
		used[i] = values[i].n;
		if (!top->rates[i])
			continue;
		used[i] = is_new || values[i].n < k->n[i] ?
				  0 :
				  values[i].n - k->n[i];
		k->n[i] = values[i].n;
	}
	if (filter_match(top->filter, rec))
		add_to_screen(top, rec, k, values, used, ended);
}

static void take_ended(const struct rec *rec, void *arg)
{
	take(arg, rec, true);
}

static void hear(const struct taskacct_event *event, void *arg)
{
	struct top *top = arg;
	const struct taker taker = { .kinds = top->opt->kinds,
				     .rec = take_ended,
				     .arg = top };

	books_event(&top->books, event, &taker);
}

static void take_live(const struct taskacct_event *event, void *arg)
{
	struct top *top = arg;
	struct rec rec;

	if (rec_take(&rec, event, top->opt->kinds) == 1)
		take(top, &rec, false);
}

static uint32_t wanted_for(const struct columns *columns)
{
	static const struct {
		const char *name;
		uint32_t want;
	} names[] = {
		{ "args", TASKACCT_WANT_CMDLINE },
		{ "exe", TASKACCT_WANT_EXE_PATH },
		{ "unit", TASKACCT_WANT_CGROUP_PATH },
		{ "user_unit", TASKACCT_WANT_CGROUP_PATH },
		{ "container", TASKACCT_WANT_CGROUP_PATH },
		{ "cgroup", TASKACCT_WANT_CGROUP_PATH },
	};
	uint32_t want = 0;
	size_t i, j;

	for (i = 0; i < columns->n; i++)
		for (j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (!strcmp(columns->v[i].out.name, names[j].name))
				want |= names[j].want;
	return want;
}

/* Names cost the kernel most: only those that are shown are asked for. */
static uint32_t wanted(const struct top *top)
{
	if (top->filter)
		return LIVE_WANT;
	return TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE |
	       wanted_for(&top->columns) | wanted_for(&top->by);
}

/* Those that ended meanwhile under the former order lack some names once. */
static void listen(struct top *top)
{
	const struct taskacct_filter filter = live_kinds(top->opt->kinds);
	const uint32_t want = wanted(top);

	if (want != top->memory->heard)
		live_subscribe(top->hears, top->opt->rcvbuf, &filter, want);
	top->memory->heard = want;
}

void top_look(struct top *top)
{
	struct taskacct_filter filter = live_kinds(top->opt->kinds);
	const uint64_t now = clock_ns(CLOCK_BOOTTIME);
	static uint64_t cost;
	bool changed;
	int err;

	top->memory->round++;
	live_receive(top->hears);
	listen(top);
	err = taskacct_dump(top->asks, wanted(top), &filter, take_live, top,
			    &changed);
	if (err)
		live_die(top->asks, err);
	forget(top->memory, false);
	top->interval_ns = now - top->looked_ns;
	top->looked_ns = now;
	top->cost_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cost;
	cost += top->cost_ns;
	close_set(top, &top->shown);
	top->shown = top->next;
	open_set(top, &top->next);
	top_sort(top);
}

/* It is asked for each column of each process. */
static void open_rates(struct top *top)
{
	size_t i;

	top->rates = alloc(top->columns.n, sizeof(*top->rates));
	for (i = 0; i < top->columns.n; i++)
		top->rates[i] = top_is_rate(&top->columns.v[i]);
}

void top_drop_columns(struct top *top)
{
	close_set(top, &top->shown);
	close_set(top, &top->next);
	forget(top->memory, true);
	free(top->rates);
	free(top->columns.v);
}

void top_take_columns(struct top *top)
{
	open_rates(top);
	open_set(top, &top->next);
	top_look(top);
}

void top_open(struct top *top)
{
	top->memory = alloc(1, sizeof(*top->memory));
	open_rates(top);
	top->asks = live_open(top->opt->family);
	top->hears = live_open(top->opt->family);
	open_set(top, &top->next);
	taskacct_set_handler(top->hears, hear, top);
	listen(top);
	top->looked_ns = clock_ns(CLOCK_BOOTTIME);
	top_look(top);
}

void top_restart(struct top *top)
{
	close_set(top, &top->next);
	open_set(top, &top->next);
}

void top_group(struct top *top, const char *by)
{
	free(top->by.v);
	memset(&top->by, 0, sizeof(top->by));
	top->by_name = by;
	if (by)
		columns_parse(&top->by, by, NULL, false);
	/* What was found so far has the other keys. */
	if (top->memory)
		top_restart(top);
}

void top_close(struct top *top)
{
	top_drop_columns(top);
	free(top->memory);
	free(top->by.v);
	taskacct_close(top->asks);
	taskacct_close(top->hears);
}
