// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct: what tasks and processes used and waited for, and how they ended
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/pager.h"
#include "options.h"

/* More changes than so many, and another verb is meant by nobody. */
#define NEAR 3

const struct verb verbs[] = {
	{ "top", VERB_TOP, ARGS_FILTER, "[OPTION...] [FILTER]",
	  "Show what is used now, by those that live and those that ended",
	  "h says which keys there are.\n\n"
	  "examples:\n"
	  "  taskacct top --by unit --sort wait_io\n"
	  "  taskacct top -b -n 3 'user=www-data'\n",
	  top_run },
	{ "exits", VERB_EXITS, ARGS_FILTER_FILES,
	  "[OPTION...] [FILTER] [LOG...]",
	  "Print a line for each process that ends, or has ended in logs",
	  "examples:\n"
	  "  taskacct exits failed\n"
	  "  taskacct exits 'user=www-data and cpu>1s' -o time,pid,exit,cpu,args\n"
	  "  taskacct exits oom /var/log/taskacct\n",
	  exits_run },
	{ "report", VERB_REPORT, ARGS_FILTER_FILES,
	  "[OPTION...] [FILTER] [LOG...]",
	  "Say what processes used that have ended, from logs",
	  "examples:\n"
	  "  taskacct report --since 22:00 --until 6:00 --by unit --sort write LOG\n"
	  "  taskacct report --by cgroup --tree LOG...\n"
	  "  taskacct report -o +lifetime:p50,lifetime:p99 'comm=cc*' LOG\n"
	  "  taskacct report --list user=root LOG\n",
	  report_run },
	{ "record", VERB_RECORD, ARGS_NONE, "[OPTION...]",
	  "Keep a record of all that ends, in bounded space",
	  "report and exits read it. SIGHUP closes a segment, SIGTERM ends it.\n\n"
	  "examples:\n"
	  "  taskacct record --dir /var/log/taskacct --max-size 1G --keep 14d\n"
	  "  taskacct record --rotate\n",
	  record_run },
	{ "run", VERB_RUN, ARGS_COMMAND,
	  "[OPTION...] [--] COMMAND [ARGUMENT...]",
	  "Run a command and say what it used, with all its descendants that ended",
	  "It ends as the command does: with its status, or by its signal.\n\n"
	  "examples:\n"
	  "  taskacct run -- make -j8\n"
	  "  taskacct run --json --to build.json -- make -j8\n",
	  run_run },
	{ "show", VERB_SHOW, ARGS_WORDS,
	  "[OPTION...] PID | user:NAME | unit:NAME | cgroup:PATH",
	  "Say all that is known of a process, or of what is live in a unit",
	  NULL, show_run },
	{ "list", VERB_LIST, ARGS_FILTER, "[OPTION...] [FILTER]",
	  "List the processes that live",
	  "examples:\n"
	  "  taskacct list --sort wait_io --limit 10\n"
	  "  taskacct list --tasks unit=nginx -o pid,comm,cpu,wait_cpu\n",
	  list_run },
	{ "users", VERB_USERS, ARGS_NONE, "[OPTION...]",
	  "Say what users have used, or use in each interval",
	  "--sort takes a column: user, tasks, ended, cpu, read, write, rchar, wchar,\n"
	  "wait_cpu or wait_io. The module counts users with its parameter uid=1.\n\n"
	  "examples:\n"
	  "  taskacct users --sort write\n"
	  "  taskacct users -d 5s\n",
	  users_run },
	{ "audit", VERB_AUDIT, ARGS_WORDS, "[OPTION...] [TIME]",
	  "Hold what tasks use against what the kernel has booked",
	  "TIME is 10s where it is not given; Ctrl-C ends it before.\n"
	  "It ends with status 5 where a book does not close.\n\n"
	  "examples:\n"
	  "  taskacct audit\n"
	  "  taskacct audit --json 1m\n",
	  audit_run },
	{ "cpu", VERB_CPU, ARGS_NONE, "[OPTION...]",
	  "Say where the time of CPUs goes, by taskacct and by the kernel",
	  "examples:\n"
	  "  taskacct cpu\n"
	  "  taskacct cpu -d 10s -n 6 --csv\n",
	  cpu_run },
	{ "counters", VERB_COUNTERS, ARGS_WORDS, "[OPTION...] [NAME...]",
	  "Print the counters that programs read by mmap",
	  "examples:\n"
	  "  taskacct counters\n"
	  "  taskacct counters --per-cpu taskacct.exits\n",
	  counters_run },
	{ "status", VERB_STATUS, ARGS_NONE, "[OPTION...]",
	  "Say what the module did, and who listens",
	  "With -d it looks for so long, and ends with status 3 where anything is lost\n"
	  "in that time. What was lost before is told as well.\n\n"
	  "examples:\n"
	  "  taskacct status\n"
	  "  taskacct status -d 10s\n",
	  status_run },
	{ "help", VERB_HELP, ARGS_WORDS, "[VERB | fields]",
	  "Say how a verb is used, or which fields there are", NULL, help_run },
	{ NULL, 0, ARGS_NONE, NULL, NULL, NULL, NULL },
};

static const struct verb *find(const char *name)
{
	const struct verb *verb;

	for (verb = verbs; verb->name; verb++)
		if (!strcmp(verb->name, name))
			return verb;
	return NULL;
}

static const char *nearest(const char *name)
{
	const struct verb *verb, *best = NULL;
	unsigned int least = NEAR, distance;

	for (verb = verbs; verb->name; verb++) {
		distance = field_distance(name, strlen(name), verb->name);
		if (distance < least) {
			least = distance;
			best = verb;
		}
	}
	return best ? best->name : NULL;
}

const struct verb *verb_find(const char *name)
{
	const struct verb *verb = find(name);

	if (verb)
		return verb;
	if (nearest(name))
		die(STATUS_USAGE, "no verb '%s'; is %s meant?", name,
		    nearest(name));
	die(STATUS_USAGE, "no verb '%s': see taskacct help", name);
}

static const char *verb_of_option(const char *option)
{
	if (!strcmp(option, "-h") || !strcmp(option, "--help"))
		return "help";
	if (strcmp(option, "--version"))
		die(STATUS_USAGE, "a verb comes first: see taskacct help");
	printf("taskacct %s\n", VERSION);
	out_flush(stdout);
	exit(STATUS_DONE);
}

/* What has an end, and may be long */
static bool is_paged(const struct verb *verb, const struct options *opt)
{
	return verb->bit & (VERB_REPORT | VERB_LIST | VERB_SHOW | VERB_HELP) ||
	       (verb->bit == VERB_EXITS && (opt->n || opt->dir));
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	struct options opt;
	enum status status;
	const char *name;

	setlocale(LC_ALL, "");
	out_find_terminal();
	if (argc < 2) {
		help_run(&(struct options){ .n = 0 });
		return STATUS_USAGE;
	}
	name = *argv[1] == '-' ? verb_of_option(argv[1]) : argv[1];
	verb = verb_find(name);
	/* getopt's messages begin with it. */
	argv[1] = (char *)"taskacct";
	options_parse(&opt, verb, argc - 1, argv + 1);
	if (is_paged(verb, &opt))
		pager_start();
	status = verb->run(&opt);
	if (filter_tell_undecided() && status == STATUS_DONE)
		status = STATUS_LOST;
	out_flush(stdout);
	pager_end();
	return (int)status;
}
