// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes in a log: what a recorder says of itself, and of records that it has only totals of
 */
#include "note.h"

struct json_object *note_parse(const char *text, size_t length, size_t max)
{
	struct json_tokener *tokener;
	struct json_object *o;

	if (length > max)
		return NULL;
	tokener = json_tokener_new();
	if (!tokener)
		return NULL;
	o = json_tokener_parse_ex(tokener, text, (int)length);
	json_tokener_free(tokener);
	if (json_object_is_type(o, json_type_object))
		return o;
	json_object_put(o);
	return NULL;
}

struct json_object *note_member(struct json_object *o, const char *name,
				enum json_type type)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, name, &v);
	return json_object_is_type(v, type) ? v : NULL;
}
