// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output for programs: JSON, an object a record and line; CSV
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "message.h"
#include "out_forms.h"

/* Each key is given once, and is a constant */
#define NEW_KEY (JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_ADD_CONSTANT_KEY)
#define ONE_LINE (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

static struct json_object *json_text(const char *s, size_t length)
{
	char *text = text_valid(s, length);
	struct json_object *json = json_object_new_string(text);

	free(text);
	return json;
}

static struct json_object *json_list(const struct out_cell *cell)
{
	struct json_object *list = json_object_new_array();
	const char *from;
	size_t at, n;

	for (at = 0; at < cell->list_length; at += n + 1) {
		from = cell->list + at;
		n = strlen(from);
		json_object_array_add(list, json_text(from, n));
	}
	return list;
}

static struct json_object *json_value(const struct out_cell *cell)
{
	if (!cell->valid)
		return NULL;
	if (cell->list)
		return json_list(cell);
	if (cell->flag)
		return json_object_new_boolean(cell->value != 0);
	switch (cell->unit) {
	case TASKACCT_UNIT_TEXT:
		return json_text(cell->text, strlen(cell->text));
	case TASKACCT_UNIT_SIGNED:
		return json_object_new_int64((int64_t)cell->value);
	default:
		return json_object_new_uint64(cell->value);
	}
}

static void json_cell(struct out *out, const struct out_cell *cell)
{
	if (cell->key)
		json_object_object_add_ex(out->json, cell->key,
					  json_value(cell), NEW_KEY);
}

static void json_begin(struct out *out, const char *kind, const char *title)
{
	(void)title;
	out->json = json_object_new_object();
	if (!out->json)
		message_die(EXIT_REFUSED, "out of memory");
	out_text(out, "kind", NULL, 0, kind);
}

static void json_end(struct out *out)
{
	out_puts(out, json_object_to_json_string_ext(out->json, ONE_LINE));
	out_puts(out, "\n");
	json_object_put(out->json);
	out->json = NULL;
}

const struct out_ops out_json_ops = {
	.begin = json_begin,
	.cell = json_cell,
	.end = json_end,
};

/* As RFC 4180 quotes; lines end as everywhere else on this system. */
static void csv_append(struct out_text *line, const char *s)
{
	if (line->len)
		out_append(line, ",");
	if (!strpbrk(s, ",\"\r\n")) {
		out_append(line, "%s", s);
		return;
	}
	out_append(line, "\"");
	for (; *s; s++)
		out_append(line, *s == '"' ? "\"\"" : "%c", *s);
	out_append(line, "\"");
}

static void csv_cell(struct out *out, const struct out_cell *cell)
{
	char number[24] = "", *text = NULL;

	if (!cell->key)
		return;
	if (out->fresh)
		csv_append(&out->head, cell->key);
	if (cell->valid && cell->unit == TASKACCT_UNIT_TEXT)
		text = out_cell_text(cell, text_valid);
	else if (cell->valid && cell->unit == TASKACCT_UNIT_SIGNED)
		snprintf(number, sizeof(number), "%" PRId64,
			 (int64_t)cell->value);
	else if (cell->valid)
		snprintf(number, sizeof(number), "%" PRIu64, cell->value);
	csv_append(&out->line, text ? text : number);
	free(text);
}

static void csv_begin(struct out *out, const char *kind, const char *title)
{
	(void)title;
	out_reset(&out->head);
	out_reset(&out->line);
	out_text(out, "kind", NULL, 0, kind);
}

static void csv_end(struct out *out)
{
	if (out->fresh) {
		if (out->any)
			out_puts(out, "\n");
		out_puts(out, out->head.s);
		out_puts(out, "\n");
	}
	out_puts(out, out->line.s);
	out_puts(out, "\n");
}

const struct out_ops out_csv_ops = {
	.begin = csv_begin,
	.cell = csv_cell,
	.end = csv_end,
};
