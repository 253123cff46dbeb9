// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per user: once, or what they used in each interval
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "handle.h"
#include "stop.h"
#include "users.h"

#define REST ((uint32_t)-1)

/* All users, as they were at one time, from the smallest number up */
struct users {
	struct taskacct_user *v;
	size_t n;
	size_t room;
};

/* A value of struct taskacct_used, as programs have it */
struct value {
	const char *foreground;
	const char *background;
	size_t offset;
	enum taskacct_unit unit;
};

#define SUFFIX_NS "_ns"
#define SUFFIX_COUNT ""
#define SUFFIX_BYTES ""

#define VALUE(name, member, kind)                                    \
	{ "fg_" name, "bg_" name,                                    \
	  offsetof(struct taskacct_used, member), TASKACCT_UNIT_##kind },
#define SUM(name, member, kind, ...) \
	VALUE(#member SUFFIX_##kind, value.member, kind)
#define ONLY(member, kind, name) \
	VALUE(#name SUFFIX_##kind, value.member, kind)
#define WAIT(kind, name, ...)                                         \
	VALUE(#name "_count", wait[TASKACCT_WAIT_##kind].count, COUNT) \
	VALUE(#name "_delay_ns", wait[TASKACCT_WAIT_##kind].total, NS)

static const struct value values[] = {
	TASKACCT_USER_SUMS(SUM)
	TASKACCT_USER_ONLY(ONLY)
	TASKACCT_EACH_WAIT(WAIT)
};

#undef SUM

#define VALUES (sizeof(values) / sizeof(*values))

static uint64_t value_of(const struct taskacct_used *usage, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)usage + offset, sizeof(value));
	return value;
}

static uint64_t sum_of(const struct taskacct_user *user, size_t offset)
{
	return value_of(&user->foreground, offset) +
	       value_of(&user->background, offset);
}

#define SUM(user, member) \
	sum_of(user, offsetof(struct taskacct_used, member))

/* An older module does not have all; not every kernel lets fsync() be counted. */
static bool is_valid(const struct value *v, const struct taskacct_used *usage,
		     const struct taskacct_uid_record *record)
{
	const size_t end = v->offset + sizeof(uint64_t);

	if (v->offset == offsetof(struct taskacct_used, value.fsync) &&
	    (record->flags & TASKACCT_UID_NO_FSYNC))
		return false;
	return v->offset >= offsetof(struct taskacct_used, wait) ||
	       end - offsetof(struct taskacct_used, value) <= usage->length;
}

static void print_value(struct out *out, const char *key,
			const struct value *v,
			const struct taskacct_uid_record *record,
			const struct taskacct_used *usage)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .unit = v->unit,
					  .valid = is_valid(v, usage, record),
					  .value = value_of(usage,
							    v->offset) });
}

static void print_values(struct out *out, const struct taskacct_user *user)
{
	const struct value *v;

	for (v = values; v < values + VALUES; v++)
		print_value(out, v->foreground, v, &user->record,
			    &user->foreground);
	for (v = values; v < values + VALUES; v++)
		print_value(out, v->background, v, &user->record,
			    &user->background);
}

static void print_sum(struct out *out, const char *head,
		      enum taskacct_unit unit, uint64_t value)
{
	out_u64(out, NULL, head, 6, unit, value);
}

static void print_name(struct out *out, const struct taskacct_uid_record *r)
{
	const bool rest = r->flags & TASKACCT_UID_REST;

	out_cell(out, &(struct out_cell){ .key = "uid",
					  .unit = TASKACCT_UNIT_NUMBER,
					  .valid = !rest,
					  .value = r->uid });
	if (rest)
		out_text(out, NULL, "USER", 10, "(others)");
	else
		out_u64(out, NULL, "USER", 10, TASKACCT_UNIT_NUMBER, r->uid);
}

static void print_user(struct out *out, const struct taskacct_user *user,
		       const char *kind)
{
	const struct taskacct_uid_record *r = &user->record;
	const bool background = r->state == TASKACCT_UID_BACKGROUND;

	out_begin(out, kind, kind, NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	print_name(out, r);
	out_text(out, "state", NULL, 0, background ? "bg" : "fg");
	out_u64(out, "tasks", "TASKS", 6, TASKACCT_UNIT_COUNT, r->tasks);
	out_u64(out, "ended", "ENDED", 7, TASKACCT_UNIT_COUNT, r->ended);
	out_u64(out, "first_ns", NULL, 0, TASKACCT_UNIT_NS, r->first);
	out_u64(out, "last_ns", NULL, 0, TASKACCT_UNIT_NS, r->last);
	print_sum(out, "CPU", TASKACCT_UNIT_NS,
		  SUM(user, value.utime) + SUM(user, value.stime));
	print_sum(out, "READ", TASKACCT_UNIT_BYTES, SUM(user, value.read_bytes));
	print_sum(out, "WRITE", TASKACCT_UNIT_BYTES, SUM(user, value.write_bytes));
	print_sum(out, "RCHAR", TASKACCT_UNIT_BYTES, SUM(user, value.rchar));
	print_sum(out, "WCHAR", TASKACCT_UNIT_BYTES, SUM(user, value.wchar));
	print_sum(out, "W-CPU", TASKACCT_UNIT_NS,
		  SUM(user, wait[TASKACCT_WAIT_CPU].total));
	print_sum(out, "W-IO", TASKACCT_UNIT_NS,
		  SUM(user, wait[TASKACCT_WAIT_BLKIO].total));
	print_values(out, user);
	out_end(out);
}

static uint64_t key_of(enum sort_key sort, const struct taskacct_user *user)
{
	switch (sort) {
	case SORT_CPU:
		return SUM(user, value.utime) + SUM(user, value.stime);
	case SORT_READ:
		return SUM(user, value.read_bytes);
	case SORT_WRITE:
		return SUM(user, value.write_bytes);
	case SORT_WAIT_CPU:
		return SUM(user, wait[TASKACCT_WAIT_CPU].total);
	case SORT_WAIT_IO:
		return SUM(user, wait[TASKACCT_WAIT_BLKIO].total);
	case SORT_COUNT:
		return user->record.ended;
	default: /* by number */
		return 0;
	}
}

static enum sort_key sorted_by;

/* The largest first, equals by number */
static int compare(const void *a, const void *b)
{
	const struct taskacct_user *left = a, *right = b;
	const uint64_t one = key_of(sorted_by, left);
	const uint64_t other = key_of(sorted_by, right);

	if (one != other)
		return one < other ? 1 : -1;
	return left->record.uid < right->record.uid ?
		       -1 :
		       left->record.uid > right->record.uid;
}

static void add(const struct taskacct_user *user, void *arg)
{
	struct users *users = arg;

	if (users->n == users->room) {
		users->room = users->room ? 2 * users->room : 64;
		users->v =
			reallocarray(users->v, users->room, sizeof(*users->v));
		if (!users->v)
			message_die(EXIT_REFUSED, "out of memory");
	}
	users->v[users->n++] = *user;
}

static void print_users(struct out *out, const struct users *users,
			const char *kind)
{
	size_t i;

	for (i = 0; i < users->n; i++)
		print_user(out, &users->v[i], kind);
}

static int by_number(const void *a, const void *b)
{
	const struct taskacct_user *left = a, *right = b;

	return left->record.uid < right->record.uid ?
		       -1 :
		       left->record.uid > right->record.uid;
}

static void take_away(struct taskacct_used *from,
		      const struct taskacct_used *what)
{
	uint64_t now, before;
	size_t i;

	for (i = 0; i < VALUES; i++) {
		now = value_of(from, values[i].offset);
		before = value_of(what, values[i].offset);
		/* Less where it was removed meanwhile: then all is new. */
		now -= now < before ? 0 : before;
		memcpy((char *)from + values[i].offset, &now, sizeof(now));
	}
}

/* What users have used since; of those that were not there, all of it */
static void subtract(struct users *now, const struct users *before)
{
	const struct taskacct_user *old;
	struct taskacct_user *user;

	for (user = now->v; user < now->v + now->n; user++) {
		old = before->n ? bsearch(user, before->v, before->n,
					  sizeof(*before->v), by_number) :
				  NULL;
		if (!old)
			continue;
		user->record.ended -= user->record.ended < old->record.ended ?
					      0 :
					      old->record.ended;
		take_away(&user->foreground, &old->foreground);
		take_away(&user->background, &old->background);
	}
}

static int show_intervals(const struct options *opt, struct taskacct *ta,
			  struct out *out)
{
	struct users before = { .n = 0 }, now = { .n = 0 }, shown;
	struct timespec due;
	int err;

	stop_catch();
	clock_gettime(CLOCK_MONOTONIC, &due);
	err = taskacct_users(ta, add, &before);
	/* The time does not depend on how long the printing took. */
	while (!err && !out_failed(out) &&
	       !stop_sleep(&due, opt->interval_ns)) {
		now.n = 0;
		err = taskacct_users(ta, add, &now);
		if (err || stop_told())
			break;
		shown = (struct users){ .n = 0 };
		while (shown.n < now.n)
			add(&now.v[shown.n], &shown);
		subtract(&shown, &before);
		if (shown.n)
			qsort(shown.v, shown.n, sizeof(*shown.v), compare);
		print_users(out, &shown, "uid_delta");
		out_flush(out);
		free(shown.v);
		shown = before;
		before = now;
		now = shown;
	}
	free(before.v);
	free(now.v);
	return err;
}

static int show_once(struct taskacct *ta, struct out *out)
{
	struct users users = { .n = 0 };
	int err;

	err = taskacct_users(ta, add, &users);
	if (!err && users.n)
		qsort(users.v, users.n, sizeof(*users.v), compare);
	if (!err)
		print_users(out, &users, "uid");
	free(users.v);
	return err;
}

static int show_one(const struct options *opt, struct taskacct *ta,
		    struct out *out)
{
	struct taskacct_user user;
	int err;

	err = taskacct_get_user(ta, opt->uid, &user);
	if (!err)
		print_user(out, &user, "uid");
	return err;
}

enum exit_status users_run(const struct options *opt, struct out *out)
{
	struct taskacct *ta;
	int err;

	ta = handle_open(opt->family);
	if (!ta)
		return EXIT_REFUSED;
	sorted_by = opt->sort;
	out_stream(out);
	if (opt->one_user)
		err = show_one(opt, ta, out);
	else if (opt->interval_ns)
		err = show_intervals(opt, ta, out);
	else
		err = show_once(ta, out);
	if (err)
		message_failed(err, taskacct_error(ta));
	taskacct_close(ta);
	return err ? EXIT_REFUSED : EXIT_DONE;
}
