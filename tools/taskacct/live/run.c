// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct run: what a command used, with all its descendants that ended
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "logs/logs.h"
#include "out/pairs.h"
#include "report/totals.h"
#include "child.h"
#include "live.h"
#include "tree.h"

#define MS UINT64_C(1000000)

/* The end of the command is awaited for so long, and then quiet for so long. */
#define PATIENCE_MS 10000
#define QUIET_MS 20
#define QUIET_MAX_MS 1000

/* What is reported of each command's name, and of all together */
#define USUAL "count,cpu,wait_cpu,wait_io,read,write,peak"
#define ALL                                                             \
	"count,failed,cpu,utime,stime,peak,wait_cpu,wait_io,wait_swap," \
	"wait_reclaim,wait_thrash,wait_compaction,wait_copy,wait_irqs," \
	"read,write,rchar,wchar,min_flt,maj_flt,nvcsw,nivcsw"

struct run {
	struct options *opt;
	struct child child;
	struct taskacct *ta;
	struct tree *tree;
	struct books books;
	struct totals parts;
	struct totals all;
	uint64_t started;
	uint64_t wall;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) +
	       (uint64_t)now.tv_nsec;
}

static void take_member(const struct rec *rec, void *arg)
{
	struct run *run = arg;

	groups_add(run->parts.groups, rec);
	groups_add(run->all.groups, rec);
}

static void take(const struct rec *rec, void *arg)
{
	struct run *run = arg;

	tree_take(run->tree, rec);
}

static void handle(const struct taskacct_event *event, void *arg)
{
	struct run *run = arg;
	const struct taker taker = { .kinds = REC_PROCESSES, .rec = take, .arg = run };

	books_event(&run->books, event, &taker);
}

static int wait_for(struct run *run, int ms)
{
	struct pollfd fds[] = {
		{ .fd = taskacct_fd(run->ta), .events = POLLIN },
		{ .fd = run->child.signals, .events = POLLIN },
	};
	int n = poll(fds, 2, ms);

	if (n < 0 && errno != EINTR)
		die(STATUS_REFUSED, "poll: %s", strerror(errno));
	live_receive(run->ta);
	child_look(&run->child);
	return n;
}

/*
 * The command's record is made at its end, which may be after it has ended for
 * us; and so it is with those that it has waited for.
 */
static void await_records(struct run *run)
{
	const uint64_t from = now_ns();

	while (!tree_has_ended(run->tree, (uint32_t)run->child.pid) &&
	       !run->books.lost && now_ns() - from < PATIENCE_MS * MS)
		wait_for(run, QUIET_MS);
	if (!tree_has_ended(run->tree, (uint32_t)run->child.pid))
		message("the command's own record did not come");
	while (wait_for(run, QUIET_MS) > 0 &&
	       now_ns() - from < QUIET_MAX_MS * MS)
		;
}

static void listen_while_running(struct run *run)
{
	struct taskacct_filter filter = live_kinds(REC_PROCESSES);

	run->ta = live_open(run->opt->family);
	taskacct_set_handler(run->ta, handle, run);
	live_subscribe(run->ta, run->opt->rcvbuf, &filter, LIVE_WANT);
	run->started = now_ns();
	child_start(&run->child, run->opt->words);
	while (!run->child.ended)
		wait_for(run, -1);
	run->wall = now_ns() - run->started;
	await_records(run);
}

static const char *how_it_ended(const struct run *run, char *text)
{
	const int number = run->child.status & 0x7f;
	const char *name = number ? sigabbrev_np(number) : NULL;

	if (!number)
		snprintf(text, UNITS_MAX, "%d", run->child.status >> 8);
	else
		snprintf(text, UNITS_MAX, name ? "SIG%s" : "signal",
			 name ? name : "");
	return text;
}

/* In the order in which the arguments were given, with blanks between them */
static char *command_line(char **argv)
{
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		die(STATUS_REFUSED, "out of memory");
	for (; *argv; argv++)
		fprintf(file, "%s%s", *argv, argv[1] ? " " : "");
	if (fclose(file))
		die(STATUS_REFUSED, "out of memory");
	return text;
}

static void print_all(struct run *run, FILE *file)
{
	struct totals *t = &run->all;
	struct pair *pairs = alloc(t->columns.n + 5, sizeof(*pairs));
	char ended[UNITS_MAX];
	char *command = command_line(run->opt->words);
	size_t n = 0, i;

	if (run->opt->style.form == OUT_TABLE)
		fprintf(file, "%s\n\n", command);
	else
		pairs[n++] = pair_text("command", command, NULL);
	pairs[n++] = pair_text("exit", how_it_ended(run, ended), NULL);
	pairs[n++] = pair_number("wall", UNIT_NS, run->wall, NULL);
	pairs[n++] = pair_number("lost", UNIT_COUNT, run->books.lost, NULL);
	for (i = 0; i < t->columns.n; i++) {
		const struct column *c = &t->columns.v[i];

		pairs[n].name = c->out.name;
		pairs[n].unit = c->out.unit;
		groups_value(t->groups, groups_total(t->groups), i,
			     &pairs[n++].value);
	}
	pairs_print(file, &run->opt->style, "run", pairs, n);
	free(command);
	free(pairs);
}

static void tell_missing(struct run *run, unsigned int alive)
{
	unsigned int unknown = tree_free(run->tree);

	if (alive)
		message("%u descendants still run: what they use is not in it",
			alive);
	if (!run->books.lost)
		return;
	message("%" PRIu64 " records were lost: more may have been used",
		run->books.lost);
	if (unknown)
		message("%u processes ended that may have been descendants",
			unknown);
}

static void report(struct run *run)
{
	const char *to = run->opt->to;
	FILE *file = to ? fopen(to, "we") : stderr;
	unsigned int alive = tree_alive() - 1;

	if (!file)
		die(STATUS_OUTPUT, "%s: %s", to, strerror(errno));
	print_all(run, file);
	if (run->opt->style.form == OUT_TABLE)
		fputc('\n', file);
	/* An array, or CSV, is of one thing. */
	if (run->opt->style.form == OUT_TABLE ||
	    run->opt->style.form == OUT_JSON)
		totals_print(&run->parts, file);
	if (to && fclose(file))
		die_output(to, errno);
	tell_missing(run, alive);
}

enum status run_run(struct options *opt)
{
	struct options all = { .columns = ALL, .by = "kind", .sort = "kind" };
	struct run run = { .opt = opt };

	if (!opt->n)
		die(STATUS_USAGE, "which command? taskacct run -- COMMAND");
	if (!opt->limit)
		opt->limit = 10;
	totals_open(&run.parts, opt, "comm", USUAL);
	totals_open(&run.all, &all, "kind", ALL);
	run.tree = tree_new(take_member, &run);
	listen_while_running(&run);
	report(&run);
	child_end(&run.child);
}
