// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options
 *
 * An option that is given twice is refused: which of the two counts is not for
 * the program to guess. So is a pair of which one makes the other void.
 */
#include <getopt.h>
#include <limits.h>
#include <linux/taskacct.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/point.h"
#include "fields/names.h"
#include "logs/kept.h"
#include "record/keeper.h"
#include "options.h"

#define SECOND UINT64_C(1000000000)

/* What record keeps where it is not said */
#define MAX_SIZE (UINT64_C(1) << 30)
#define KEEP_NS (14 * 86400 * SECOND)

enum option_id {
	OPT_COLUMNS,
	OPT_FILTER,
	OPT_SINCE,
	OPT_UNTIL,
	OPT_BY,
	OPT_SORT,
	OPT_REVERSE,
	OPT_LIMIT,
	OPT_TREE,
	OPT_LIST,
	OPT_TASKS,
	OPT_HTML,
	OPT_TRACE,
	OPT_TO,
	OPT_BATCH,
	OPT_ROUNDS,
	OPT_DELAY,
	OPT_PER_CPU,
	OPT_DIR,
	OPT_MAX_SIZE,
	OPT_KEEP,
	OPT_ROTATE,
	OPT_NETLINK,
	OPT_KEYED,
	OPT_JSON,
	OPT_CSV,
	OPT_NO_HEADINGS,
	OPT_NUMERIC,
	OPT_COLOR,
	OPT_NAMES,
	OPT_RCVBUF,
	OPT_FAMILY,
	OPT_HELP,
	OPTIONS,
};

#define READERS (VERB_EXITS | VERB_REPORT)
#define RECORDS (READERS | VERB_LIST | VERB_TOP)
#define LIVE \
	(VERB_TOP | VERB_EXITS | VERB_RUN | VERB_SHOW | VERB_LIST | \
	 VERB_STATUS | VERB_AUDIT | VERB_RECORD | VERB_USERS)
#define LISTENERS (VERB_TOP | VERB_EXITS | VERB_RUN | VERB_AUDIT | VERB_RECORD)
#define NUMBERS (VERB_AUDIT | VERB_CPU | VERB_COUNTERS)
#define TABLES                                                            \
	(READERS | VERB_LIST | VERB_STATUS | VERB_SHOW | VERB_RUN | NUMBERS | \
	 VERB_USERS)
#define INTERVALS (VERB_TOP | VERB_CPU | VERB_USERS)
#define ALL (RECORDS | LIVE | NUMBERS | VERB_HELP)

/* An option; letter 0 for none, arg NULL for none, in brackets if it may lack */
static const struct option_info {
	const char *name;
	char letter;
	unsigned int verbs;
	const char *arg;
	const char *doc;
} infos[OPTIONS] = {
	[OPT_COLUMNS] = { "output", 'o', RECORDS | VERB_RUN, "FIELDS",
			  "columns, with commas between them; + adds to the usual ones" },
	[OPT_FILTER] = { "filter", 'f', RECORDS, "FILTER",
			 "only records that meet it, as the argument FILTER" },
	[OPT_SINCE] = { "since", 'S', READERS, "TIME",
			"that ended at this time or later" },
	[OPT_UNTIL] = { "until", 'U', READERS, "TIME",
			"that ended before this time" },
	[OPT_BY] = { "by", 0, VERB_REPORT | VERB_RUN | VERB_TOP, "FIELDS",
		     "a row for each value of these fields" },
	[OPT_SORT] = { "sort", 's',
		       VERB_REPORT | VERB_LIST | VERB_TOP | VERB_RUN | VERB_USERS,
		       "FIELD",
		       "the largest of it first" },
	[OPT_REVERSE] = { "reverse", 'r',
			  VERB_REPORT | VERB_LIST | VERB_USERS, NULL,
			  "the smallest first" },
	[OPT_LIMIT] = { "limit", 'l',
			VERB_REPORT | VERB_LIST | VERB_RUN | VERB_TOP | VERB_USERS,
			"N",
			"so many rows at most" },
	[OPT_TREE] = { "tree", 0, VERB_REPORT | VERB_TOP, NULL,
		       "cgroups as a tree, each with all that is below it" },
	[OPT_LIST] = { "list", 0, VERB_REPORT, NULL,
		       "a row for each record, as lastcomm has it" },
	[OPT_TASKS] = { "tasks", 't', RECORDS, NULL,
			"tasks one by one in the place of processes" },
	[OPT_HTML] = { "html", 0, VERB_REPORT, "FILE",
		       "write a page with timelines and bars" },
	[OPT_TRACE] = { "trace", 0, VERB_REPORT, "FILE",
			"write lifetimes in Chrome's and Perfetto's format" },
	[OPT_TO] = { "to", 0, VERB_RUN, "FILE",
		     "write there and not to standard error" },
	[OPT_BATCH] = { "batch", 'b', VERB_TOP, NULL,
			"print screens one below the other" },
	[OPT_ROUNDS] = { "rounds", 'n', INTERVALS, "N",
			 "end after so many" },
	[OPT_DELAY] = { "delay", 'd', INTERVALS | VERB_STATUS, "TIME",
			"time between two looks: 3s for top, 1s for cpu" },
	[OPT_PER_CPU] = { "per-cpu", 0, VERB_COUNTERS, NULL,
			  "each CPU's value, too" },
	[OPT_DIR] = { "dir", 'D', READERS | VERB_RECORD, "DIR",
		      "where record keeps records; " KEPT_DIR },
	[OPT_MAX_SIZE] = { "max-size", 0, VERB_RECORD, "SIZE",
			   "of all segments together; 1G" },
	[OPT_KEEP] = { "keep", 0, VERB_RECORD, "TIME",
		       "how long segments are kept; 14d" },
	[OPT_ROTATE] = { "rotate", 0, VERB_RECORD, NULL,
			 "have the recorder of the directory close its segment" },
	[OPT_NETLINK] = { "netlink", 0, VERB_RECORD, NULL,
			  "have the family send records; it holds no device" },
	[OPT_KEYED] = { "keyed", 0, VERB_EXITS, NULL,
			"each with its key, for shippers that may deliver twice" },
	[OPT_JSON] = { "json", 'j', TABLES, "[lines|array|exact]",
		       "JSON: an object a line, or an array; exact quotes numbers" },
	[OPT_CSV] = { "csv", 'c', TABLES, NULL, "CSV as in RFC 4180" },
	[OPT_NO_HEADINGS] = { "no-headings", 'H', TABLES, NULL,
			      "no line of headings" },
	[OPT_NUMERIC] = { "numeric", 'N', RECORDS | VERB_RUN | VERB_SHOW | VERB_USERS,
			  NULL,
			  "numbers of users and groups, not their names" },
	[OPT_COLOR] = { "color", 0, TABLES | VERB_TOP, "auto|always|never",
			"colours; NO_COLOR=1 is against them too" },
	[OPT_NAMES] = { "names", 0, RECORDS, "FILE",
			"rules that name units and containers; " NAMES_RULES },
	[OPT_RCVBUF] = { "rcvbuf", 0, LISTENERS, "BYTES",
			 "what may wait to be taken; for 10,000 exits" },
	[OPT_FAMILY] = { "family", 0, LIVE, "NAME",
			 "generic netlink family; TASKACCT" },
	[OPT_HELP] = { "help", 'h', ALL, NULL, "print this" },
};

/* Pairs of which only one can be there */
static const enum option_id against[][2] = {
	{ OPT_JSON, OPT_CSV },	 { OPT_LIST, OPT_BY },
	{ OPT_LIST, OPT_TREE },	 { OPT_HTML, OPT_TRACE },
	{ OPT_HTML, OPT_LIST },	 { OPT_TRACE, OPT_LIST },
	{ OPT_TREE, OPT_CSV },	 { OPT_HTML, OPT_JSON },
	{ OPT_HTML, OPT_CSV },	 { OPT_HTML, OPT_TREE },
	{ OPT_TRACE, OPT_JSON }, { OPT_TRACE, OPT_CSV },
	{ OPT_TRACE, OPT_TREE }, { OPT_ROTATE, OPT_MAX_SIZE },
	{ OPT_ROTATE, OPT_KEEP }, { OPT_ROTATE, OPT_FAMILY },
	{ OPT_ROTATE, OPT_RCVBUF }, { OPT_ROTATE, OPT_NETLINK },
	{ OPT_KEYED, OPT_FILTER }, { OPT_KEYED, OPT_SINCE },
	{ OPT_KEYED, OPT_UNTIL }, { OPT_KEYED, OPT_DIR },
	{ OPT_KEYED, OPT_RCVBUF }, { OPT_KEYED, OPT_CSV },
};

/* The table in getopt's form */
struct forms {
	struct option longs[OPTIONS + 1];
	char shorts[3 * OPTIONS + 2];
};

static bool may_lack(const struct option_info *info)
{
	return info->arg && *info->arg == '[';
}

static void make_forms(struct forms *forms, const struct verb *verb)
{
	const struct option_info *info;
	char *s = forms->shorts;
	size_t n = 0;
	int i;

	memset(forms, 0, sizeof(*forms));
	if (verb->arguments == ARGS_COMMAND)
		*s++ = '+';
	for (i = 0; i < OPTIONS; i++) {
		info = &infos[i];
		if (!(info->verbs & verb->bit))
			continue;
		forms->longs[n++] =
			(struct option){ info->name,
					 may_lack(info) ? optional_argument :
					 info->arg	? required_argument :
							  no_argument,
					 NULL, i + 256 };
		if (!info->letter)
			continue;
		*s++ = info->letter;
		if (info->arg && !may_lack(info))
			*s++ = ':';
	}
}

static int find_letter(const struct verb *verb, int letter)
{
	int i;

	for (i = 0; i < OPTIONS; i++)
		if ((infos[i].verbs & verb->bit) && infos[i].letter == letter)
			return i;
	return -1;
}

static uint64_t number(const char *name, enum unit unit, const char *text)
{
	const char *why;
	uint64_t n;

	if (!units_parse(&n, unit, text, &why))
		die(STATUS_USAGE, "--%s: '%s' is %s", name, text, why);
	return n;
}

static void set_json(struct options *opt, const char *how)
{
	const char *part = how;
	size_t n;

	opt->style.form = OUT_JSON;
	while (part && *part) {
		n = strcspn(part, ",");
		if (n == 5 && !strncmp(part, "array", n))
			opt->style.form = OUT_JSON_ARRAY;
		else if (n == 5 && !strncmp(part, "exact", n))
			opt->style.exact = true;
		else if (n != 5 || strncmp(part, "lines", n))
			die(STATUS_USAGE,
			    "--json=%s: lines, array and exact are known", how);
		part += n + !!part[n];
	}
}

static void set_filter(struct options *opt, const char *text)
{
	struct filter_error error;

	opt->filter = filter_parse(text, &error);
	if (!opt->filter)
		die_at(text, error.at, error.length, error.why);
}

static void read_rules(const char *path, bool must_be)
{
	char why[400];

	if (must_be && access(path, R_OK))
		die(STATUS_USAGE, "--names: %s cannot be read", path);
	if (!names_read_rules(path, why, sizeof(why)))
		die(STATUS_USAGE, "%s", why);
}

static void set_color(struct options *opt, const char *when)
{
	if (strcmp(when, "auto") && strcmp(when, "always") &&
	    strcmp(when, "never"))
		die(STATUS_USAGE,
		    "--color=%s: auto, always and never are known", when);
	opt->style.color = out_wants_color(when);
}

/* The kernel doubles it, in an int. */
static void set_rcvbuf(struct options *opt, const char *text)
{
	uint64_t bytes = number("rcvbuf", UNIT_BYTES, text);

	if (!bytes || bytes > INT_MAX / 2)
		die(STATUS_USAGE, "--rcvbuf: '%s' is not between 1 and 1G", text);
	opt->rcvbuf = (int)bytes;
}

static void set_max_size(struct options *opt, const char *arg)
{
	opt->max_size = number("max-size", UNIT_BYTES, arg);
	if (opt->max_size < KEEPER_MIN_SIZE)
		die(STATUS_USAGE, "--max-size: %s is less than 1M", arg);
}

static void set_keep(struct options *opt, const char *arg)
{
	opt->keep_ns = number("keep", UNIT_NS, arg);
	if (!opt->keep_ns)
		die(STATUS_USAGE, "--keep: %s keeps nothing", arg);
}

/* Those that say what is kept, and where */
static bool set_record(struct options *opt, enum option_id id, const char *arg)
{
	switch (id) {
	case OPT_DIR:
		opt->dir = arg;
		return true;
	case OPT_MAX_SIZE:
		set_max_size(opt, arg);
		return true;
	case OPT_KEEP:
		set_keep(opt, arg);
		return true;
	case OPT_ROTATE:
		opt->rotate = true;
		return true;
	case OPT_NETLINK:
		opt->netlink = true;
		return true;
	default:
		return false;
	}
}

/* Those that say how things look */
static void set_look(struct options *opt, enum option_id id, const char *arg)
{
	switch (id) {
	case OPT_JSON:
		set_json(opt, arg);
		break;
	case OPT_CSV:
		opt->style.form = OUT_CSV;
		break;
	case OPT_NO_HEADINGS:
		opt->style.no_headings = true;
		break;
	case OPT_NUMERIC:
		names_numeric();
		break;
	case OPT_COLOR:
		set_color(opt, arg);
		break;
	case OPT_NAMES:
		read_rules(arg, true);
		break;
	case OPT_BATCH:
		opt->batch = true;
		break;
	case OPT_ROUNDS:
		opt->rounds = number("rounds", UNIT_COUNT, arg);
		break;
	case OPT_DELAY:
		opt->delay_ns = number("delay", UNIT_NS, arg);
		break;
	case OPT_PER_CPU:
		opt->per_cpu = true;
		break;
	case OPT_RCVBUF:
		set_rcvbuf(opt, arg);
		break;
	case OPT_FAMILY:
		opt->family = arg;
		break;
	default:
		break;
	}
}

/* Those that say what is wanted */
static void set(struct options *opt, enum option_id id, const char *arg)
{
	switch (id) {
	case OPT_COLUMNS:
		opt->columns = arg;
		break;
	case OPT_FILTER:
		set_filter(opt, arg);
		break;
	case OPT_SINCE:
		opt->since = number("since", UNIT_DATE, arg);
		break;
	case OPT_UNTIL:
		opt->until = number("until", UNIT_DATE, arg);
		break;
	case OPT_BY:
		opt->by = arg;
		break;
	case OPT_SORT:
		opt->sort = arg;
		break;
	case OPT_REVERSE:
		opt->reverse = true;
		break;
	case OPT_LIMIT:
		opt->limit = number("limit", UNIT_COUNT, arg);
		break;
	case OPT_TREE:
		opt->tree = true;
		break;
	case OPT_KEYED:
		opt->keyed = true;
		break;
	case OPT_LIST:
		opt->list = true;
		break;
	case OPT_TASKS:
		opt->kinds = REC_TASKS;
		break;
	case OPT_HTML:
		opt->html = arg;
		break;
	case OPT_TRACE:
		opt->trace = arg;
		break;
	case OPT_TO:
		opt->to = arg;
		break;
	default:
		if (!set_record(opt, id, arg))
			set_look(opt, id, arg);
	}
}

/* A name that is there, or could only be that of a file */
static bool is_file(const char *word)
{
	static const char *const ends[] = { ".pcap", ".zst", ".gz" };
	const size_t n = strlen(word);
	size_t i, length;

	if (!strcmp(word, "-") || !access(word, F_OK))
		return true;
	if (strpbrk(word, "=<>~!()"))
		return false;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		length = strlen(ends[i]);
		if (n > length && !strcmp(word + n - length, ends[i]))
			return true;
	}
	return strchr(word, '/');
}

/* Words that are no files make up a filter. */
static void take_words(struct options *opt, const struct verb *verb,
		       char **words, int n)
{
	const bool files = verb->arguments == ARGS_FILTER_FILES;
	char *text = NULL, *longer;
	int i;

	opt->words = alloc((size_t)n + 1, sizeof(*opt->words));
	for (i = 0; i < n; i++) {
		if (verb->arguments >= ARGS_COMMAND ||
		    (files && is_file(words[i]))) {
			opt->words[opt->n++] = words[i];
			continue;
		}
		if (verb->arguments == ARGS_NONE)
			die(STATUS_USAGE, "%s takes no argument: '%s'",
			    verb->name, words[i]);
		if (asprintf(&longer, "%s%s%s", text ? text : "",
			     text ? " " : "", words[i]) < 0)
			die(STATUS_REFUSED, "out of memory");
		free(text);
		text = longer;
	}
	if (text && opt->filter)
		die(STATUS_USAGE,
		    "there are two filters, one with --filter: '%s'", text);
	if (text)
		set_filter(opt, text);
	free(text);
}

static void check_pairs(const bool *seen)
{
	size_t i;

	for (i = 0; i < sizeof(against) / sizeof(*against); i++)
		if (seen[against[i][0]] && seen[against[i][1]])
			die(STATUS_USAGE, "--%s and --%s exclude each other",
			    infos[against[i][0]].name,
			    infos[against[i][1]].name);
}

static int next_option(const struct verb *verb, int argc, char **argv,
		       const struct forms *forms)
{
	int c = getopt_long(argc, argv, forms->shorts, forms->longs, NULL);

	if (c < 0 || c >= 256)
		return c < 0 ? -1 : c - 256;
	if (c != '?')
		return find_letter(verb, c);
	fprintf(stderr, "See: taskacct help %s\n", verb->name);
	exit(STATUS_USAGE);
}

void options_parse(struct options *opt, const struct verb *verb, int argc,
		   char **argv)
{
	bool seen[OPTIONS] = { false };
	struct forms forms = { .shorts = "" };
	int id;

	memset(opt, 0, sizeof(*opt));
	opt->until = UINT64_MAX;
	opt->family = TASKACCT_GENL_NAME;
	opt->max_size = MAX_SIZE;
	opt->keep_ns = KEEP_NS;
	opt->delay_ns = verb->bit == VERB_TOP ? 3 * SECOND : SECOND;
	opt->style.tree = -1;
	opt->style.color = out_wants_color("auto");
	make_forms(&forms, verb);
	while ((id = next_option(verb, argc, argv, &forms)) >= 0) {
		if (id == OPT_HELP) {
			options_help(stdout, verb);
			exit(STATUS_DONE);
		}
		if (seen[id])
			die(STATUS_USAGE, "--%s is given twice",
			    infos[id].name);
		seen[id] = true;
		set(opt, (enum option_id)id, optarg);
	}
	check_pairs(seen);
	/* One interval, unless it was said otherwise */
	if (verb->bit == VERB_CPU && !seen[OPT_DELAY] && !seen[OPT_ROUNDS])
		opt->rounds = 1;
	if ((verb->bit & (VERB_USERS | VERB_STATUS)) && !seen[OPT_DELAY] &&
	    !seen[OPT_ROUNDS])
		opt->delay_ns = 0;
	if (!seen[OPT_NAMES])
		read_rules(NAMES_RULES, false);
	take_words(opt, verb, argv + optind, argc - optind);
	if (opt->dir && opt->n)
		die(STATUS_USAGE, "--dir and logs exclude each other: '%s'",
		    opt->words[0]);
}

void options_help(FILE *file, const struct verb *verb)
{
	const struct option_info *info;
	char left[40], letter[8];
	int i;

	fprintf(file, "usage: taskacct %s %s\n\n%s.\n\n", verb->name,
		verb->usage, verb->doc);
	for (i = 0; i < OPTIONS; i++) {
		info = &infos[i];
		if (!(info->verbs & verb->bit))
			continue;
		snprintf(letter, sizeof(letter), info->letter ? "-%c," : "   ",
			 info->letter);
		if (may_lack(info))
			snprintf(left, sizeof(left), "--%s[=HOW]", info->name);
		else
			snprintf(left, sizeof(left), "--%s%s%s", info->name,
				 info->arg ? "=" : "",
				 !info->arg		? "" :
				 strchr(info->arg, '|') ? "WHEN" :
							  info->arg);
		fprintf(file, "  %s %-18s %s\n", letter, left, info->doc);
	}
	if (verb->more)
		fprintf(file, "\n%s", verb->more);
}

void options_words(FILE *file, const struct verb *verb)
{
	int i;

	for (i = 0; i < OPTIONS; i++)
		if (infos[i].verbs & verb->bit)
			fprintf(file, "--%s%s\n", infos[i].name,
				infos[i].arg && !may_lack(&infos[i]) ? "=" :
								       "");
}
