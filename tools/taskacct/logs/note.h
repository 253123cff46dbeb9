/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes in a log, as objects of JSON */
#ifndef TASKACCT_CMD_NOTE_H
#define TASKACCT_CMD_NOTE_H

#include <json-c/json.h>
#include <stddef.h>

/**
 * note_parse() - read a note
 * @text: what may be an object
 * @length: its bytes
 * @max: with more it is none
 *
 * Return: object, to be put; NULL where it is none.
 */
struct json_object *note_parse(const char *text, size_t length, size_t max);

/**
 * note_member() - look up a member of an object
 * @o: object, or NULL
 * @name: name
 * @type: that it is to have
 *
 * Return: it, which the object holds; NULL where there is none of that type.
 */
struct json_object *note_member(struct json_object *o, const char *name,
				enum json_type type);

#endif /* TASKACCT_CMD_NOTE_H */
