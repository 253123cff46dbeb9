// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of taskacct: whatever is in a record, each field has a value or a
 * reason, JSON is JSON, CSV has lines of one width, and sums are sums.
 *
 * The input's first byte says whether it is a message, or a record as it is
 * in memory with its names behind it.
 */
#include <assert.h>
#include <json-c/json.h>
#include <stdio.h>

#include "report/group.h"
#include "logs/logs.h"
#include "out/out.h"
#include "input.h"

static struct columns columns, keys, sums;
static struct out_column *outs;
static struct value *values;

/* All fields, once */
static void make_columns(void)
{
	char text[8192] = "";
	size_t i;

	if (columns.n)
		return;
	for (i = 0; i < field_count(); i++) {
		strcat(text, i ? "," : "");
		strcat(text, field_at(i)->name);
	}
	columns_parse(&columns, text, NULL, false);
	columns_parse(&keys, "comm,unit", NULL, false);
	columns_parse(&sums, "count,failed,cpu,peak,lifetime:p50,wait_blkio_min,args",
		      NULL, true);
	outs = columns_out(&columns);
	values = calloc(columns.n, sizeof(*values));
	assert(values);
}

static void print(enum out_form form, char **text, size_t *size)
{
	const struct out_style style = { .form = form, .tree = -1 };
	FILE *file = open_memstream(text, size);
	struct out *out;

	assert(file);
	out = out_open(file, "rows", &style, outs, columns.n);
	out_row(out, values, NULL, NULL);
	out_close(out);
	fclose(file);
}

static void check_json(void)
{
	struct json_object *object;
	char *text;
	size_t size;

	print(OUT_JSON, &text, &size);
	assert(size && text[size - 1] == '\n' && strchr(text, '\n') == text + size - 1);
	object = json_tokener_parse(text);
	assert(object && json_object_object_length(object) == (int)columns.n);
	json_object_put(object);
	free(text);
}

/* Commas that are in no quotes, of each line that begins in none */
static void check_csv(void)
{
	size_t size, commas[2] = { 0, 0 }, line = 0, i;
	bool quoted = false;
	char *text;

	print(OUT_CSV, &text, &size);
	for (i = 0; i < size; i++) {
		quoted ^= text[i] == '"';
		if (!quoted && text[i] == '\n')
			line++;
		else if (!quoted && text[i] == ',')
			commas[line]++;
	}
	assert(!quoted && line == 2 && commas[0] == commas[1] &&
	       commas[0] == columns.n - 1);
	free(text);
}

static void take(const struct rec *rec, void *arg)
{
	struct groups *groups = arg;
	size_t i;

	for (i = 0; i < columns.n; i++) {
		field_get(columns.v[i].field, rec, &values[i]);
		assert(values[i].state <= TASKACCT_GONE);
		assert(values[i].state != TASKACCT_VALID || values[i].s ||
		       !units_is_text(columns.v[i].out.unit));
	}
	check_json();
	check_csv();
	groups_add(groups, rec);
	groups_add(groups, rec);
}

static void try_message(struct input *in, struct groups *groups)
{
	const struct taker taker = { .kinds = (enum rec_kinds)(input_u8(in) % 2),
				     .rec = take,
				     .arg = groups };
	struct taskacct_event event = {
		.type = (enum taskacct_event_type)(input_u8(in) % 2)
	};
	struct books books = { .records = 0 };
	struct nlmsghdr *nlh;
	char *words;

	if (in->left < 16)
		return;
	nlh = malloc(in->left);
	assert(nlh);
	memcpy(nlh, in->data, in->left);
	*(uint32_t *)nlh = (uint32_t)in->left;
	event.nlh = nlh;
	books_event(&books, &event, &taker);
	words = books_tell(&books, 0, UINT64_MAX);
	assert(*words);
	free(words);
	free(books.losses);
	free(nlh);
}

static void take_name(struct input *in, struct taskacct_name *name)
{
	size_t n = input_u8(in);

	if (n > in->left)
		n = in->left;
	name->text = n ? (const char *)in->data : NULL;
	name->length = n;
	in->data += n;
	in->left -= n;
}

static void try_record(struct input *in, struct groups *groups)
{
	struct rec rec = { .classic = input_u8(in) % 2 };

	if (rec.classic) {
		input_take(in, &rec.c.stats, 512);
		rec.c.stats.comm[sizeof(rec.c.stats.comm) - 1] = '\0';
	} else {
		rec.x.length = sizeof(rec.x.r);
		input_take(in, &rec.x.r, sizeof(rec.x.r));
		rec.x.r.comm[sizeof(rec.x.r.comm) - 1] = '\0';
	}
	take_name(in, &rec.exe);
	take_name(in, &rec.cgroup);
	take_name(in, &rec.cmdline);
	take(&rec, groups);
}

/* All of it is in one group, and what is counted is what was added. */
static void check_groups(struct groups *groups)
{
	struct group **v, *total = groups_total(groups);
	struct value value;
	size_t n, i;

	v = groups_sort(groups, 2, false, &n);
	if (!n)
		return;
	assert(n == 1 && v[0]->count == total->count && total->count == 2);
	for (i = 0; i < sums.n; i++)
		groups_value(groups, v[0], i, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct groups *groups;

	make_columns();
	groups = groups_new(&keys, &sums);
	if (input_u8(&in) % 4)
		try_record(&in, groups);
	else
		try_message(&in, groups);
	check_groups(groups);
	groups_free(groups);
	return 0;
}
