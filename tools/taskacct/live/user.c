// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tasks of a user have used, in columns and in pairs
 *
 * The values come from the table that the module and the library have them from.
 */
#include <stddef.h>
#include <string.h>

#include "base/message.h"
#include "fields/field.h"
#include "fields/names.h"
#include "user.h"

/* A value of struct taskacct_used, once for each state of the user */
static const struct used {
	const char *foreground;
	const char *background;
	enum unit unit;
	size_t offset;
} useds[] = {
#define USED(name, kind, member)                      \
	{ "fg_" name, "bg_" name, UNIT_##kind,        \
	  offsetof(struct taskacct_used, member) },
#define SUM(number, NAME, member, kind, ...) USED(#member, kind, value.member)
#define ONLY(member, kind, name) USED(#name, kind, value.member)
#define WAIT(number, NAME, kind, ...)                                      \
	USED("wait_" #kind "_count", COUNT, wait[TASKACCT_WAIT_##NAME].count) \
	USED("wait_" #kind "_total", NS, wait[TASKACCT_WAIT_##NAME].total)
	TASKACCT_USER_SUMS(SUM)
	TASKACCT_USER_ONLY(ONLY)
	TASKACCT_EACH_WAIT(WAIT)
};

#define USEDS (sizeof(useds) / sizeof(*useds))

/* What only users have; all else is explained with the fields of records. */
static const char *const docs[][2] = {
	{ "user", "of the runtime, the part in user mode, as /proc/PID/stat divides it" },
	{ "system", "the part in the kernel" },
	{ "written_bytes", "bytes sent to storage and not cancelled, by task" },
	{ "fsync", "calls of fsync() and its like" },
};

/* For people: the sums of both states that they ask for. The first three are no sums. */
enum { NAME_COLUMN, TASKS_COLUMN, ENDED_COLUMN, FIRST_SUM };

static const struct column_for_people {
	struct out_column out;
	size_t offset;
} people_columns[] = {
#define AT(member) offsetof(struct taskacct_used, member)
	{ { "user", "USER", UNIT_TEXT, 10 }, 0 },
	{ { "tasks", "TASKS", UNIT_COUNT, 6 }, 0 },
	{ { "ended", "ENDED", UNIT_COUNT, 7 }, 0 },
	{ { "cpu", "CPU", UNIT_NS, 6 }, AT(value.runtime) },
	{ { "read", "READ", UNIT_BYTES, 6 }, AT(value.read_bytes) },
	{ { "write", "WRITE", UNIT_BYTES, 6 }, AT(value.write_bytes) },
	{ { "rchar", "RCHAR", UNIT_BYTES, 6 }, AT(value.rchar) },
	{ { "wchar", "WCHAR", UNIT_BYTES, 6 }, AT(value.wchar) },
	{ { "wait_cpu", "W-CPU", UNIT_NS, 6 }, AT(wait[TASKACCT_WAIT_CPU].total) },
	{ { "wait_io", "W-IO", UNIT_NS, 6 }, AT(wait[TASKACCT_WAIT_BLKIO].total) },
};

#define PEOPLE (sizeof(people_columns) / sizeof(*people_columns))

/* For programs, before the values of each state */
static const struct out_column facts[] = {
	{ "time", "TIME", UNIT_DATE, 19 },  { "uid", "UID", UNIT_UID, 6 },
	{ "user", "USER", UNIT_TEXT, 10 },  { "state", "STATE", UNIT_TEXT, 5 },
	{ "tasks", "TASKS", UNIT_COUNT, 6 }, { "ended", "ENDED", UNIT_COUNT, 7 },
	{ "first", "FIRST", UNIT_BOOT, 7 }, { "last", "LAST", UNIT_BOOT, 7 },
};

#define FACTS (sizeof(facts) / sizeof(*facts))

static uint64_t at(const struct taskacct_used *used, size_t offset)
{
	uint64_t n;

	memcpy(&n, (const char *)used + offset, sizeof(n));
	return n;
}

static uint64_t sum(const struct taskacct_user *user, size_t offset)
{
	return at(&user->foreground, offset) + at(&user->background, offset);
}

/* An older module does not have all; not every kernel lets fsync() be counted. */
static bool is_known(size_t offset, const struct taskacct_used *used,
		     const struct taskacct_user *user)
{
	const size_t end = offset + sizeof(uint64_t);

	if (offset == offsetof(struct taskacct_used, value.fsync) &&
	    (user->record.flags & TASKACCT_UID_NO_FSYNC))
		return false;
	return offset >= offsetof(struct taskacct_used, wait) ||
	       end - offsetof(struct taskacct_used, value) <= used->length;
}

static struct value of_state(size_t offset, const struct taskacct_used *used,
			     const struct taskacct_user *user)
{
	return (struct value){ .state = is_known(offset, used, user) ?
						TASKACCT_VALID :
						TASKACCT_ABSENT,
			       .n = at(used, offset) };
}

static bool is_rest(const struct taskacct_user *user)
{
	return user->record.flags & TASKACCT_UID_REST;
}

static struct value name_of(const struct taskacct_user *user)
{
	return pair_text(NULL,
			 is_rest(user) ? "(others)" :
					 names_user(user->record.uid),
			 NULL)
		.value;
}

static struct value state_of(const struct taskacct_user *user)
{
	const bool background = user->record.state == TASKACCT_UID_BACKGROUND;

	return pair_text(NULL, background ? "bg" : "fg", NULL).value;
}

size_t user_columns(struct out_column **columns, bool people)
{
	const size_t n = people ? PEOPLE : FACTS + 2 * USEDS;
	struct out_column *c = alloc(n, sizeof(*c));
	size_t i;

	*columns = c;
	for (i = 0; people && i < PEOPLE; i++)
		c[i] = people_columns[i].out;
	if (people)
		return n;
	memcpy(c, facts, sizeof(facts));
	for (i = 0; i < USEDS; i++) {
		c[FACTS + i] = (struct out_column){ useds[i].foreground, NULL,
						    useds[i].unit, 0 };
		c[FACTS + USEDS + i] = (struct out_column){
			useds[i].background, NULL, useds[i].unit, 0
		};
	}
	return n;
}

static void people_row(struct value *row, const struct taskacct_user *user)
{
	size_t i;

	row[NAME_COLUMN] = name_of(user);
	row[TASKS_COLUMN] = (struct value){ .n = user->record.tasks };
	row[ENDED_COLUMN] = (struct value){ .n = user->record.ended };
	for (i = FIRST_SUM; i < PEOPLE; i++)
		row[i] = (struct value){
			.n = sum(user, people_columns[i].offset)
		};
}

void user_row(struct value *row, const struct taskacct_user *user,
	      uint64_t now_ns, bool people)
{
	const struct taskacct_uid_record *r = &user->record;
	const struct value values[FACTS] = {
		{ .n = now_ns },
		{ .n = r->uid,
		  .state = is_rest(user) ? TASKACCT_ABSENT : TASKACCT_VALID },
		name_of(user),
		state_of(user),
		{ .n = r->tasks },
		{ .n = r->ended },
		{ .n = r->first },
		{ .n = r->last },
	};
	size_t i;

	if (people) {
		people_row(row, user);
		return;
	}
	memcpy(row, values, sizeof(values));
	for (i = 0; i < USEDS; i++) {
		row[FACTS + i] =
			of_state(useds[i].offset, &user->foreground, user);
		row[FACTS + USEDS + i] =
			of_state(useds[i].offset, &user->background, user);
	}
}

/* The name without the state before it, and what it means */
static struct pair sum_pair(const struct used *used,
			    const struct taskacct_user *user)
{
	const char *name = used->foreground + strlen("fg_");
	const struct field *field = field_find(name, strlen(name));
	struct pair pair = { .name = name, .unit = used->unit };
	size_t i;

	pair.value = of_state(used->offset, &user->foreground, user);
	pair.value.n = sum(user, used->offset);
	pair.doc = field ? field->doc : NULL;
	for (i = 0; i < sizeof(docs) / sizeof(*docs); i++)
		if (!strcmp(docs[i][0], name))
			pair.doc = docs[i][1];
	return pair;
}

static size_t fact_pairs(struct pair *pairs, const struct taskacct_user *user)
{
	const struct taskacct_uid_record *r = &user->record;
	const struct pair all[] = {
		{ "name", UNIT_TEXT, name_of(user), "the user's name" },
		pair_number("uid", UNIT_UID, r->uid, "and number"),
		{ "state", UNIT_TEXT, state_of(user),
		  "fg or bg: where what is used is counted now" },
		pair_number("tasks", UNIT_COUNT, r->tasks, "tasks that live"),
		pair_number("ended", UNIT_COUNT, r->ended,
			    "tasks that have ended"),
		pair_number("first", UNIT_BOOT, r->first,
			    "when a task of it was first seen"),
		pair_number("last", UNIT_BOOT, r->last, "and last"),
	};

	memcpy(pairs, all, sizeof(all));
	return sizeof(all) / sizeof(*all);
}

size_t user_pairs(struct pair **pairs, const struct taskacct_user *user,
		  bool people)
{
	struct pair *p = alloc(FACTS + 3 * USEDS, sizeof(*p));
	size_t n = fact_pairs(p, user), i;

	*pairs = p;
	for (i = 0; i < USEDS; i++)
		p[n++] = sum_pair(&useds[i], user);
	for (i = 0; !people && i < USEDS; i++) {
		p[n++] = (struct pair){ useds[i].foreground, useds[i].unit,
					of_state(useds[i].offset,
						 &user->foreground, user),
					NULL };
		p[n++] = (struct pair){ useds[i].background, useds[i].unit,
					of_state(useds[i].offset,
						 &user->background, user),
					NULL };
	}
	return n;
}

int user_key(const char *name)
{
	int i;

	for (i = 0; i < (int)PEOPLE; i++)
		if (!strcmp(people_columns[i].out.name, name))
			return i;
	return -1;
}

uint64_t user_sum(const struct taskacct_user *user, int key)
{
	switch (key) {
	case NAME_COLUMN:
		return user->record.uid;
	case TASKS_COLUMN:
		return user->record.tasks;
	case ENDED_COLUMN:
		return user->record.ended;
	default:
		return sum(user, people_columns[key].offset);
	}
}

static bool take_away(struct taskacct_used *from,
		      const struct taskacct_used *what)
{
	bool any = false;
	uint64_t n, before;
	size_t i;

	for (i = 0; i < USEDS; i++) {
		n = at(from, useds[i].offset);
		before = at(what, useds[i].offset);
		/* Of several that have one number here, one may have been removed. */
		n -= n < before ? n : before;
		memcpy((char *)from + useds[i].offset, &n, sizeof(n));
		any |= n;
	}
	return any;
}

bool user_subtract(struct taskacct_user *now,
		   const struct taskacct_user *before)
{
	const bool foreground =
		take_away(&now->foreground, &before->foreground);
	const bool background =
		take_away(&now->background, &before->background);

	now->record.ended -= now->record.ended < before->record.ended ?
				     now->record.ended :
				     before->record.ended;
	return foreground || background || now->record.ended;
}
