// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct status: what the module did, and who listens
 */
#include <errno.h>
#include <string.h>

#include "out/pairs.h"
#include "live.h"
#include "options.h"

static void print_status(const struct options *opt,
			 const struct taskacct_status *s)
{
	const struct pair pairs[] = {
		pair_text("hook", s->hook, "what tells the module of exits"),
		pair_text("end_hook", s->end_hook,
			  "what tells it of tasks at their end"),
		pair_text("uid_hook", s->uid_hook,
			  "what tells it of a task that changes its user"),
		pair_text("fsync_hook", s->fsync_hook,
			  "what tells it of calls of fsync()"),
		pair_number("listeners", UNIT_COUNT, s->listeners,
			    "listeners now"),
		pair_number("exits", UNIT_COUNT, s->exits,
			    "exits that needed any work"),
		pair_number("exits_missed", UNIT_COUNT, s->exits_missed,
			    "exits that the hook was not called for"),
		pair_number("made", UNIT_COUNT, s->made,
			    "exit messages, one for each listener"),
		pair_number("delivered", UNIT_COUNT, s->delivered,
			    "of these, queued"),
		pair_number("filtered", UNIT_COUNT, s->filtered,
			    "of these, refused by a socket's own filter"),
		pair_number("lost_queue", UNIT_COUNT, s->lost_queue,
			    "of these, lost for want of room"),
		pair_number("lost_memory", UNIT_COUNT, s->lost_memory,
			    "of these, lost for want of memory"),
		pair_number("queries", UNIT_COUNT, s->queries,
			    "queries answered"),
		pair_number("groups", UNIT_COUNT, s->groups,
			    "processes whose dead threads are kept"),
		pair_number("threads", UNIT_COUNT, s->threads,
			    "dead threads kept"),
		pair_number("group_nomem", UNIT_COUNT, s->group_nomem,
			    "dead threads not kept, for want of memory"),
		pair_number("uids", UNIT_COUNT, s->uids,
			    "users that are kept apart"),
		pair_number("uid_tasks", UNIT_COUNT, s->uid_tasks,
			    "tasks that are kept for their users"),
		pair_number("uid_rest", UNIT_COUNT, s->uid_rest,
			    "ended tasks counted for the rest of users"),
		pair_number("uid_nomem", UNIT_COUNT, s->uid_nomem,
			    "tasks not kept apart, for want of memory"),
	};

	pairs_print(stdout, &opt->style, "status", pairs,
		    sizeof(pairs) / sizeof(*pairs));
}

static void print_listener(const struct taskacct_listener *l, void *arg)
{
	const struct value values[] = {
		{ .n = l->pid },
		pair_text("", l->comm, NULL).value,
		{ .n = l->made },
		{ .n = l->delivered },
		{ .n = l->filtered },
		{ .n = l->lost_queue },
		{ .n = l->lost_memory },
		{ .n = l->waiting },
		pair_text("", l->cpumask, NULL).value,
	};

	out_row(arg, values, NULL,
		l->lost_queue + l->lost_memory ? "red" : NULL);
}

/* Who listens is not for everyone to know. */
static void print_listeners(const struct options *opt, struct taskacct *ta)
{
	static const struct out_column columns[] = {
		{ "pid", "PID", UNIT_ID, 7 },
		{ "comm", "LISTENER", UNIT_TEXT, 15 },
		{ "made", "MADE", UNIT_COUNT, 7 },
		{ "delivered", "DELIVERED", UNIT_COUNT, 9 },
		{ "filtered", "FILTERED", UNIT_COUNT, 8 },
		{ "lost_queue", "LOST-QUEUE", UNIT_COUNT, 10 },
		{ "lost_memory", "LOST-MEMORY", UNIT_COUNT, 11 },
		{ "waiting", "WAITING", UNIT_COUNT, 7 },
		{ "cpus", "CPUS", UNIT_TEXT, 7 },
	};
	struct out *out = out_open(stdout, "listeners", &opt->style, columns,
				   sizeof(columns) / sizeof(*columns));
	int err = taskacct_listeners(ta, print_listener, out);

	if (err && err != -EPERM)
		live_die(ta, err);
	out_close(out);
	if (err)
		message("%s", taskacct_error(ta));
}

enum status status_run(struct options *opt)
{
	struct taskacct *ta = live_open(opt->family);
	struct taskacct_status status;
	int err;

	err = taskacct_status(ta, &status);
	if (err)
		live_die(ta, err);
	print_status(opt, &status);
	/* CSV has lines of one width. */
	if (opt->style.form == OUT_TABLE)
		putchar('\n');
	if (opt->style.form != OUT_CSV)
		print_listeners(opt, ta);
	taskacct_close(ta);
	return status.lost_queue + status.lost_memory + status.exits_missed ?
		       STATUS_LOST :
		       STATUS_DONE;
}
