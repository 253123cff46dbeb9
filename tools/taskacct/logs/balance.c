// SPDX-License-Identifier: GPL-2.0-only
/*
 * A balance as text: an object of JSON, whose numbers are nanoseconds, bytes and
 * messages
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "balance.h"
#include "note.h"

static const char *const losses[LOSSES] = {
	[LOST_QUEUE] = "queue",	  [LOST_MEMORY] = "memory",
	[LOST_RING] = "ring",	  [LOST_UNREAD] = "unread",
	[LOST_DISK] = "disk",	  [LOST_GONE] = "gone",
};

static const char *const sources[BALANCE_SOURCES] = {
	[BALANCE_NONE] = "none",
	[BALANCE_NETLINK] = "netlink",
	[BALANCE_RING] = "ring",
};

static const char *const whys[WHYS] = {
	[WHY_NONE] = "none",	   [WHY_STOPPED] = "stopped",
	[WHY_CRASHED] = "crashed", [WHY_MODULE] = "module",
	[WHY_SIZE] = "size",	   [WHY_HOUR] = "hour",
	[WHY_ROTATED] = "rotated", [WHY_CLOCK] = "clock",
};

/* The object's own numbers; lost ones and those of times away have their own */
static const struct number {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "segment", offsetof(struct balance, segment) },
	{ "from", offsetof(struct balance, from_ns) },
	{ "to", offsetof(struct balance, to_ns) },
	{ "first", offsetof(struct balance, first_ns) },
	{ "last", offsetof(struct balance, last_ns) },
	{ "made", offsetof(struct balance, made) },
	{ "kept", offsetof(struct balance, kept) },
	{ "totals", offsetof(struct balance, totals) },
	{ "away_from", offsetof(struct balance, away_from_ns) },
	{ "away_to", offsetof(struct balance, away_to_ns) },
	{ "removed", offsetof(struct balance, removed) },
	{ "removed_bytes", offsetof(struct balance, removed_bytes) },
	{ "removed_records", offsetof(struct balance, removed_records) },
};

#define NUMBERS (sizeof(numbers) / sizeof(*numbers))

static uint64_t *number_at(struct balance *b, size_t i)
{
	return (uint64_t *)((char *)b + numbers[i].offset);
}

static void add_number(struct json_object *o, const char *name, uint64_t n)
{
	json_object_object_add(o, name, json_object_new_uint64(n));
}

static void add_text(struct json_object *o, const char *name, const char *text)
{
	json_object_object_add(o, name, json_object_new_string(text));
}

static struct json_object *lost_object(const struct balance *b)
{
	struct json_object *o = json_object_new_object();
	int i;

	for (i = 0; i < LOSSES; i++)
		add_number(o, losses[i], b->lost[i]);
	return o;
}

void balance_print(char *text, const struct balance *b)
{
	struct json_object *o = json_object_new_object();
	struct balance numbered = *b;
	size_t i;
	int n;

	add_text(o, "boot", b->boot);
	add_text(o, "source", sources[b->source]);
	for (i = 0; i < NUMBERS; i++)
		add_number(o, numbers[i].name, *number_at(&numbered, i));
	json_object_object_add(o, "lost", lost_object(b));
	json_object_object_add(o, "waiting", json_object_new_int64(b->waiting));
	json_object_object_add(o, "clock", json_object_new_int64(b->clock_ns));
	add_text(o, "away", whys[b->away]);
	add_text(o, "closed", whys[b->closed]);
	n = snprintf(text, BALANCE_MAX, "%s",
		     json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	/* 21 numbers of 20 digits with their names: it never is. */
	if (n >= BALANCE_MAX)
		die(STATUS_REFUSED, "a balance of %d bytes", n);
}

static uint64_t number_of(struct json_object *o, const char *name)
{
	return json_object_get_uint64(json_object_object_get(o, name));
}

/* The number of a word; that of the first for one that is not known */
static int word_of(struct json_object *o, const char *name,
		   const char *const *words, int n)
{
	const char *text =
		json_object_get_string(json_object_object_get(o, name));
	int i;

	for (i = 0; text && i < n; i++)
		if (!strcmp(text, words[i]))
			return i;
	return 0;
}

static enum balance_why why_of(struct json_object *o, const char *name)
{
	return (enum balance_why)word_of(o, name, whys, WHYS);
}

static void take(struct balance *b, struct json_object *o)
{
	struct json_object *lost = json_object_object_get(o, "lost");
	size_t i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < NUMBERS; i++)
		*number_at(b, i) = number_of(o, numbers[i].name);
	for (i = 0; i < LOSSES; i++)
		b->lost[i] = number_of(lost, losses[i]);
	snprintf(b->boot, sizeof(b->boot), "%s",
		 json_object_get_string(json_object_object_get(o, "boot")));
	b->source = (enum balance_source)word_of(o, "source", sources,
						 BALANCE_SOURCES);
	b->waiting =
		json_object_get_int64(json_object_object_get(o, "waiting"));
	b->clock_ns = json_object_get_int64(json_object_object_get(o, "clock"));
	b->away = why_of(o, "away");
	b->closed = why_of(o, "closed");
}

static bool is_balance(struct json_object *o)
{
	return note_member(o, "lost", json_type_object) &&
	       note_member(o, "boot", json_type_string);
}

bool balance_parse(struct balance *b, const char *text, size_t length)
{
	struct json_object *o = note_parse(text, length, BALANCE_MAX);
	const bool is = is_balance(o);

	if (is)
		take(b, o);
	json_object_put(o);
	return is;
}

void balance_away(struct balance *b, enum balance_why why, uint64_t from_ns,
		  uint64_t to_ns)
{
	if (b->away == WHY_NONE || from_ns < b->away_from_ns)
		b->away_from_ns = from_ns;
	if (to_ns > b->away_to_ns)
		b->away_to_ns = to_ns;
	b->away = why;
}

uint64_t balance_lost(const struct balance *b)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < LOSSES; i++)
		sum += b->lost[i];
	return sum;
}
