// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct status: what the module did, who listens, and who holds it
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/taskacct.h>
#include <stdarg.h>
#include <string.h>

#include "out/pairs.h"
#include "holders.h"
#include "live.h"
#include "options.h"
#include "stop.h"

/* Of a listener, and how many of them people see */
#define LISTENER_COLUMNS 13
#define PEOPLE_COLUMNS 11

static const struct out_column holder_columns[] = {
	{ "pid", "PID", UNIT_ID, 7 },
	{ "comm", "HOLDER", UNIT_TEXT, 15 },
	{ "device", "DEVICE", UNIT_TEXT, 22 },
};

#define HOLDER_COLUMNS (sizeof(holder_columns) / sizeof(*holder_columns))

/* A table of who has a device of the module, once there is one */
struct holders {
	const struct options *opt;
	struct out *out;
};

/* What was lost while it was looked at, of an option that asks for that */
static struct pair lost_now(const struct options *opt, uint64_t lost)
{
	struct pair pair = pair_number("lost_now", UNIT_COUNT, lost,
				       "lost while it was looked at");

	if (!opt->delay_ns)
		pair.value.state = TASKACCT_ABSENT;
	return pair;
}

static void print_status(const struct options *opt,
			 const struct taskacct_status *s, uint64_t lost)
{
	const struct pair pairs[] = {
		pair_text("hook", s->hook, "what tells the module of exits"),
		pair_text("end_hook", s->end_hook,
			  "what tells it of tasks at their end"),
		pair_text("uid_hook", s->uid_hook,
			  "what tells it of changed users"),
		pair_text("fsync_hook", s->fsync_hook,
			  "what tells it of calls of fsync()"),
		pair_number("listeners", UNIT_COUNT, s->listeners,
			    "listeners now"),
		pair_number("exits", UNIT_COUNT, s->exits,
			    "exits that needed any work"),
		pair_number("exits_missed", UNIT_COUNT, s->exits_missed,
			    "exits that the hook did not see"),
		pair_number("made", UNIT_COUNT, s->made,
			    "messages made, for each listener"),
		pair_number("delivered", UNIT_COUNT, s->delivered,
			    "of these, queued"),
		pair_number("filtered", UNIT_COUNT, s->filtered,
			    "of these, refused by socket filters"),
		pair_number("lost_queue", UNIT_COUNT, s->lost_queue,
			    "of these, lost for want of room"),
		pair_number("lost_memory", UNIT_COUNT, s->lost_memory,
			    "of these, lost for want of memory"),
		pair_number("queries", UNIT_COUNT, s->queries,
			    "queries answered"),
		pair_number("groups", UNIT_COUNT, s->groups,
			    "processes with dead threads kept"),
		pair_number("threads", UNIT_COUNT, s->threads,
			    "dead threads kept"),
		pair_number("group_nomem", UNIT_COUNT, s->group_nomem,
			    "dead threads not kept: no memory"),
		pair_number("uids", UNIT_COUNT, s->uids,
			    "users that are kept apart"),
		pair_number("uid_tasks", UNIT_COUNT, s->uid_tasks,
			    "tasks that are kept for their users"),
		pair_number("uid_rest", UNIT_COUNT, s->uid_rest,
			    "ended tasks of the rest of users"),
		pair_number("uid_nomem", UNIT_COUNT, s->uid_nomem,
			    "tasks not kept apart: no memory"),
		lost_now(opt, lost),
	};

	pairs_print(stdout, &opt->style, "status", pairs,
		    sizeof(pairs) / sizeof(*pairs));
}

/* Part of a text that is put together */
struct writer {
	char text[256];
	size_t n;
};

static void put(struct writer *w, const char *between, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void put(struct writer *w, const char *between, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (w->n)
		w->n += (size_t)snprintf(w->text + w->n, sizeof(w->text) - w->n,
					 "%s", between);
	w->n += (size_t)vsnprintf(w->text + w->n, sizeof(w->text) - w->n, fmt,
				  args);
	va_end(args);
}

/* What it wants of each message */
static void put_want(struct writer *w, uint32_t want)
{
	static const char *const names[] = { "record", "stream",  "exe",
					     "cgroup", "cmdline", "bare" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (want & (UINT32_C(1) << i))
			put(w, ",", "%s", names[i]);
}

static void put_number(struct writer *w, const char *field, enum unit unit,
		       uint64_t n)
{
	char number[UNITS_MAX];

	units_format(number, unit, n);
	put(w, " and ", "%s%s", field, number);
}

/* In the language of filters, but for a sample and a sum, which that does not have */
static void put_filter(struct writer *w, const struct taskacct_filter *filter)
{
	static const char *const kinds[] = { "no kind", "tasks", "processes",
					     "tasks and processes" };
#define HAS(name) (filter->has & (UINT32_C(1) << TASKACCT_FILTER_ATTR_##name))
	if (HAS(UID_MIN))
		put_number(w, "uid>=", UNIT_ID, filter->uid_min);
	if (HAS(UID_MAX))
		put_number(w, "uid<=", UNIT_ID, filter->uid_max);
	if (HAS(CGROUP_ID))
		put_number(w, "cgroup_id=", UNIT_ID, filter->cgroup_id);
	if (HAS(MIN_LIFETIME))
		put_number(w, "lifetime>=", UNIT_NS, filter->min_lifetime);
	if (HAS(MIN_CPU_TIME))
		put_number(w, "utime+stime>=", UNIT_NS, filter->min_cpu_time);
	if (HAS(FAILED))
		put(w, " and ", "failed");
	if (HAS(ONE_IN))
		put(w, ", ", "one in %" PRIu32, filter->one_in);
	if (HAS(KINDS))
		put(w, ", ", "%s", kinds[filter->kinds & 3]);
#undef HAS
}

static void print_listener(const struct taskacct_listener *l, void *arg)
{
	struct writer want = { .n = 0 }, filter = { .n = 0 };
	struct value values[LISTENER_COLUMNS] = {
		{ .n = l->pid },
		pair_text(NULL, l->comm, NULL).value,
		{ .n = l->made },
		{ .n = l->delivered },
		{ .n = l->filtered },
		{ .n = l->lost_queue },
		{ .n = l->lost_memory },
		{ .n = l->waiting },
		pair_text(NULL, l->cpumask, NULL).value,
	};

	put_want(&want, l->want);
	put_filter(&filter, &l->filter);
	/* Whoever said nothing gets what in-tree taskstats gives. */
	values[9] = pair_text(NULL, l->extended ? want.text : NULL, NULL).value;
	values[10] = pair_text(NULL, l->extended ? filter.text : NULL, NULL).value;
	values[11] = (struct value){ .n = l->portid };
	values[12] = (struct value){ .n = l->netns };
	out_row(arg, values, NULL,
		l->lost_queue + l->lost_memory ? "red" : NULL);
}

/* Who listens is not for everyone to know. */
static void print_listeners(const struct options *opt, struct taskacct *ta)
{
	static const struct out_column columns[LISTENER_COLUMNS] = {
		{ "pid", "PID", UNIT_ID, 7 },
		{ "comm", "LISTENER", UNIT_TEXT, 15 },
		{ "made", "MADE", UNIT_COUNT, 7 },
		{ "delivered", "DELIVERED", UNIT_COUNT, 9 },
		{ "filtered", "FILTERED", UNIT_COUNT, 8 },
		{ "lost_queue", "LOST-QUEUE", UNIT_COUNT, 10 },
		{ "lost_memory", "LOST-MEMORY", UNIT_COUNT, 11 },
		{ "waiting", "WAITING", UNIT_COUNT, 7 },
		{ "cpus", "CPUS", UNIT_TEXT, 7 },
		{ "want", "WANT", UNIT_TEXT, 20 },
		{ "filter", "FILTER", UNIT_TEXT, 20 },
		/* For programs alone */
		{ "portid", NULL, UNIT_ID, 0 },
		{ "netns", NULL, UNIT_ID, 0 },
	};
	const bool people = opt->style.form == OUT_TABLE;
	struct out *out = out_open(stdout, "listeners", &opt->style, columns,
				   people ? PEOPLE_COLUMNS : LISTENER_COLUMNS);
	int err = taskacct_listeners(ta, print_listener, out);

	if (err && err != -EPERM)
		live_die(ta, err);
	out_close(out);
	if (err)
		message("%s", taskacct_error(ta));
}

static void print_holder(pid_t pid, const char *comm, const char *device,
			 void *arg)
{
	const struct value values[] = {
		{ .n = (uint64_t)pid },
		pair_text(NULL, comm, NULL).value,
		pair_text(NULL, device, NULL).value,
	};
	struct holders *holders = arg;

	/* Most often there is none, and no table. */
	if (!holders->out && holders->opt->style.form == OUT_TABLE)
		putchar('\n');
	if (!holders->out)
		holders->out = out_open(stdout, "holders", &holders->opt->style,
					holder_columns, HOLDER_COLUMNS);
	out_row(holders->out, values, NULL, NULL);
}

static void print_holders(const struct options *opt)
{
	struct holders holders = { .opt = opt };

	holders_each(print_holder, &holders);
	if (holders.out)
		out_close(holders.out);
}

static struct taskacct_status ask(struct taskacct *ta)
{
	struct taskacct_status status;
	int err = taskacct_status(ta, &status);

	if (err)
		live_die(ta, err);
	return status;
}

static uint64_t lost_of(const struct taskacct_status *status)
{
	return status->lost_queue + status->lost_memory + status->exits_missed;
}

static void look_on(const struct options *opt)
{
	struct timespec due;

	clock_gettime(CLOCK_MONOTONIC, &due);
	stop_catch();
	stop_sleep(&due, opt->delay_ns);
}

/*
 * What was lost since the module was loaded does not go away: a status about it would
 * be the same for ever.
 */
enum status status_run(struct options *opt)
{
	struct taskacct *ta = live_open(opt->family);
	struct taskacct_status before = ask(ta), status = before;
	uint64_t lost;

	if (opt->delay_ns) {
		look_on(opt);
		status = ask(ta);
	}
	lost = lost_of(&status) - lost_of(&before);
	print_status(opt, &status, lost);
	/* CSV has lines of one width. */
	if (opt->style.form == OUT_TABLE)
		putchar('\n');
	if (opt->style.form != OUT_CSV) {
		print_listeners(opt, ta);
		print_holders(opt);
	}
	taskacct_close(ta);
	return lost ? STATUS_LOST : STATUS_DONE;
}
