/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What getdelays said, looked at: its status, its messages, its tables, and
 * the lines of its JSON output. For programs with the test harness.
 */
#ifndef SELFTESTS_LINES_H
#define SELFTESTS_LINES_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static inline void expect_status(struct __test_metadata *_metadata,
				 const struct run *r, int status)
{
	EXPECT_EQ(status, r->status) TH_LOG("it said: %s", r->err);
}

static inline void expect_words(struct __test_metadata *_metadata,
				const struct run *r, const char *words)
{
	EXPECT_NE(NULL, strstr(r->err, words))
		TH_LOG("'%s' is not in: %s", words, r->err);
}

/* The lines of a JSON output, each of which has to be an object */
struct lines {
	struct json_object **v;
	int n;
};

static inline void parse(struct __test_metadata *_metadata, const char *text,
			 struct lines *l)
{
	const char *end;
	char *line;

	l->v = NULL;
	for (l->n = 0; *text; text = end + 1, l->n++) {
		end = strchr(text, '\n');
		ASSERT_NE(NULL, end) TH_LOG("no newline after: %s", text);
		line = strndup(text, end - text);
		l->v = realloc(l->v, (l->n + 1) * sizeof(*l->v));
		l->v[l->n] = json_tokener_parse(line);
		ASSERT_NE(NULL, l->v[l->n]) TH_LOG("no JSON: %s", line);
		ASSERT_TRUE(json_object_is_type(l->v[l->n], json_type_object));
		free(line);
	}
}

static inline void forget(struct lines *l)
{
	while (l->n)
		json_object_put(l->v[--l->n]);
	free(l->v);
}

static inline int64_t number(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value) || !value)
		return -1;
	return json_object_get_int64(value);
}

/* The first line that has this number under this key, or NULL */
static inline struct json_object *line_with(const struct lines *l,
					    const char *key, int64_t value)
{
	int i;

	for (i = 0; i < l->n; i++)
		if (number(l->v[i], key) == value)
			return l->v[i];
	return NULL;
}

static inline bool has(struct json_object *o, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(o, key, &value);
}

static inline const char *word(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value) || !value)
		return "";
	return json_object_get_string(value);
}

/* Whether there is such a key, and nothing under it */
static inline bool is_null(struct json_object *o, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(o, key, &value) && !value;
}

/* A value as JSON has it, or what tells that there is none */
static inline const char *json_of(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		return "(no such key)";
	if (!value)
		return "null";
	return json_object_to_json_string_ext(value,
					      JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
}

static inline int longest_line(const char *text)
{
	int longest = 0;
	int len;

	while (*text) {
		len = strcspn(text, "\n");
		longest = len > longest ? len : longest;
		text += len + (text[len] == '\n');
	}
	return longest;
}

#endif /* SELFTESTS_LINES_H */
