// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct users: what users have used, or what they use in each interval
 *
 * A user that root removed begins anew, with all that its live tasks have used before: of
 * what it used in that interval nothing is known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "live.h"
#include "options.h"
#include "stop.h"
#include "user.h"

/* All users at one time, from the smallest number up */
struct users {
	struct taskacct_user *v;
	size_t n;
};

struct report {
	const struct options *opt;
	struct taskacct *ta;
	struct out *out;
	bool people;
	int sort;
	struct value *row;
	bool missing;
};

static void add(const struct taskacct_user *user, void *arg)
{
	struct users *users = arg;

	users->v = grow(users->v, users->n, sizeof(*users->v));
	users->v[users->n++] = *user;
}

static struct users ask(struct taskacct *ta)
{
	struct users users = { .n = 0 };
	int err = taskacct_users(ta, add, &users);

	if (err == -EOPNOTSUPP)
		die(STATUS_REFUSED, "%s: modprobe taskacct uid=1",
		    taskacct_error(ta));
	if (err)
		live_die(ta, err);
	return users;
}

static int by_number(const void *left, const void *right)
{
	const struct taskacct_user *a = left, *b = right;

	if (a->record.uid == b->record.uid)
		return 0;
	return a->record.uid < b->record.uid ? -1 : 1;
}

/* The largest first, and equals by number; those of no sum by number alone */
static int compare(const void *left, const void *right, void *arg)
{
	const struct report *r = arg;
	const uint64_t a = user_sum(left, r->sort), b = user_sum(right, r->sort);
	int order = 0;

	if (r->sort && a != b)
		order = a > b ? -1 : 1;
	if (!order)
		order = by_number(left, right);
	return r->opt->reverse ? -order : order;
}

static void print(struct report *r, struct users *users)
{
	size_t i, n = users->n;
	struct timespec now;
	uint64_t now_ns;

	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (n)
		qsort_r(users->v, n, sizeof(*users->v), compare, r);
	if (r->opt->limit && n > r->opt->limit)
		n = r->opt->limit;
	for (i = 0; i < n; i++) {
		user_row(r->row, &users->v[i], now_ns, r->people);
		out_row(r->out, r->row, NULL, NULL);
	}
	out_flush(stdout);
}

static const struct taskacct_user *find(const struct users *users,
					const struct taskacct_user *user)
{
	return users->n ? bsearch(user, users->v, users->n, sizeof(*users->v),
				  by_number) :
			  NULL;
}

/* It is gone, or another of its number is there. */
static bool is_removed(const struct taskacct_user *old, const struct users *now)
{
	const struct taskacct_user *user = find(now, old);

	return !user || user->record.first != old->record.first;
}

static void tell_removed(struct report *r, const struct users *now,
			 const struct users *before)
{
	size_t i;

	for (i = 0; i < before->n; i++) {
		if (!is_removed(&before->v[i], now))
			continue;
		message("user %" PRIu32
			" was removed: what it used in this interval is not known",
			before->v[i].record.uid);
		r->missing = true;
	}
}

/* What users have used since; of those that were not there, all of it */
static struct users subtract(const struct users *now,
			     const struct users *before)
{
	static const struct taskacct_user nothing;
	struct users left = { .n = 0 };
	const struct taskacct_user *old;
	struct taskacct_user user;
	size_t i;

	for (i = 0; i < now->n; i++) {
		user = now->v[i];
		old = find(before, &user);
		if (old && is_removed(old, now))
			continue;
		if (user_subtract(&user, old ? old : &nothing))
			add(&user, &left);
	}
	return left;
}

static void print_intervals(struct report *r)
{
	struct users before = ask(r->ta), now, used;
	const struct options *opt = r->opt;
	struct timespec due;
	uint64_t n;

	/* The time does not depend on how long the printing takes. */
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (n = 0; !opt->rounds || n < opt->rounds; n++) {
		if (stop_sleep(&due, opt->delay_ns))
			break;
		now = ask(r->ta);
		used = subtract(&now, &before);
		tell_removed(r, &now, &before);
		if (n && r->people)
			putchar('\n');
		print(r, &used);
		free(used.v);
		free(before.v);
		before = now;
	}
	free(before.v);
}

static int sort_of(const struct options *opt)
{
	const int key = opt->sort ? user_key(opt->sort) : 0;

	if (key < 0)
		die(STATUS_USAGE,
		    "cannot sort by '%s'; it can be user, tasks, ended, cpu, read, write, rchar, wchar, wait_cpu or wait_io",
		    opt->sort);
	return key;
}

enum status users_run(struct options *opt)
{
	struct report r = { .opt = opt, .sort = sort_of(opt) };
	struct out_column *columns;
	struct users users;
	size_t n;

	r.people = opt->style.form == OUT_TABLE;
	opt->style.stream = r.people && opt->delay_ns;
	r.ta = live_open(opt->family);
	stop_catch();
	n = user_columns(&columns, r.people);
	r.row = alloc(n, sizeof(*r.row));
	r.out = out_open(stdout, "users", &opt->style, columns, n);
	if (opt->delay_ns) {
		print_intervals(&r);
	} else {
		users = ask(r.ta);
		print(&r, &users);
		free(users.v);
	}
	out_close(r.out);
	taskacct_close(r.ta);
	free(columns);
	free(r.row);
	return r.missing ? STATUS_LOST : STATUS_DONE;
}
