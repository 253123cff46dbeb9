// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the module did, and who listens
 */
#include <errno.h>

#include "filter.h"
#include "handle.h"
#include "status.h"

static void count(struct out *out, const char *key, const char *head, int width,
		  uint64_t value)
{
	out_u64(out, key, head, width, TASKACCT_UNIT_COUNT, value);
}

/* For people only where users are counted */
static void print_uids(struct out *out, const struct taskacct_status *s)
{
	const bool on = s->uids;

	out_group(out, NULL, 0);
	out_row(out, NULL);
	count(out, "uids", on ? "USERS" : NULL, 11, s->uids);
	count(out, "uid_tasks", on ? "TASKS" : NULL, 11, s->uid_tasks);
	count(out, "uid_rest", on ? "OF-REST" : NULL, 9, s->uid_rest);
	count(out, "uid_nomem", on ? "UNKEPT" : NULL, 10, s->uid_nomem);
	out_text(out, "uid_hook", on ? "SETUID" : NULL, -20, s->uid_hook);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "fsync_hook", on ? "FSYNC" : NULL, -40, s->fsync_hook);
}

static void print_status(struct out *out, const char *family,
			 const struct taskacct_status *s)
{
	out_begin(out, "status", "status", family);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "family", NULL, 0, family);
	out_text(out, "hook", "HOOK", -32, s->hook);
	count(out, "listeners", "LISTENERS", 9, s->listeners);
	count(out, "groups", "GROUPS", 8, s->groups);
	count(out, "threads", "THREADS", 8, s->threads);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "end_hook", "END", -32, s->end_hook);
	count(out, "exits", "EXITS", 11, s->exits);
	count(out, "queries", "QUERIES", 11, s->queries);
	count(out, "group_nomem", "UNKEPT", 8, s->group_nomem);
	count(out, "exits_missed", s->exits_missed ? "MISSED" : NULL, 8,
	      s->exits_missed);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	count(out, "made", "MADE", 11, s->made);
	count(out, "delivered", "DELIVERED", 11, s->delivered);
	count(out, "filtered", "FILTERED", 9, s->filtered);
	count(out, "lost_queue", "LOST-QUEUE", 10, s->lost_queue);
	count(out, "lost_memory", "LOST-MEMORY", 11, s->lost_memory);
	print_uids(out, s);
	out_end(out);
}

static void print_wants(struct out *out, const struct taskacct_listener *l)
{
	static const char *const names[] = { "record", "stream",  "exe",
					     "cgroup", "cmdline", "bare" };
	char filter[FILTER_TEXT_MAX] = "", list[64];
	size_t i, n = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (l->want & (1U << i))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s",
					      names[i]) +
			     1;
	filter_format(filter, sizeof(filter), &l->filter);
	if (l->extended)
		out_group(out, "", 7);
	if (l->extended)
		out_row(out, "");
	out_list(out, "want", l->extended ? "" : NULL,
		 l->extended ? list : NULL, n);
	out_text(out, "filter", l->extended ? "" : NULL, -1,
		 l->extended ? filter : NULL);
}

static void print_listener(const struct taskacct_listener *l, void *arg)
{
	struct out *out = arg;

	out_begin(out, "listener", "listeners", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_u64(out, "pid", "PID", 7, TASKACCT_UNIT_NUMBER, l->pid);
	out_text(out, "comm", "COMMAND", -15, l->comm);
	out_u64(out, "netns", NULL, 0, TASKACCT_UNIT_NUMBER, l->netns);
	out_u64(out, "portid", "PORTID", 10, TASKACCT_UNIT_NUMBER, l->portid);
	count(out, "made", "MADE", 7, l->made);
	count(out, "delivered", "RECEIVED", 8, l->delivered);
	count(out, "filtered", NULL, 0, l->filtered);
	count(out, "lost_queue", "LOST-Q", 6, l->lost_queue);
	count(out, "lost_memory", "LOST-M", 6, l->lost_memory);
	out_text(out, "cpumask", "CPUS", -7, l->cpumask);
	count(out, "waiting", NULL, 0, l->waiting);
	print_wants(out, l);
	out_end(out);
}

static int print_all(struct taskacct *ta, struct out *out,
		     const struct options *opt)
{
	struct taskacct_status status;
	int err;

	if (opt->status) {
		err = taskacct_status(ta, &status);
		if (err)
			return err;
		print_status(out, opt->family, &status);
	}
	out_stream(out);
	err = taskacct_listeners(ta, print_listener, out);
	/* The statistics are for everyone, who listens is not. */
	if (err == -EPERM && opt->status) {
		message("%s", taskacct_error(ta));
		return 0;
	}
	return err;
}

enum exit_status status_run(const struct options *opt, struct out *out)
{
	struct taskacct *ta;
	int err;

	ta = handle_open(opt->family);
	if (!ta)
		return EXIT_REFUSED;
	err = print_all(ta, out, opt);
	if (err)
		message_failed(err, taskacct_error(ta));
	taskacct_close(ta);
	return err ? EXIT_REFUSED : EXIT_DONE;
}
