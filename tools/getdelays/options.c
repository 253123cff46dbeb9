// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line: the letters that users of the kernel's own getdelays
 * know, a word for each, and more
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/taskacct.h>

#include "base/point.h"
#include "fields/names.h"
#include "message.h"
#include "options.h"
#include "view.h"

static const char help[] =
	"Usage: getdelays [OPTION]...         What tasks used, and what they waited for.\n"
	"  -p, --pid PID   -t, --tgid TGID   a task, a process; may be given again\n"
	"  -c, --command CMD... run a command, tell what it used;  -C, --cgroup FOLDER\n"
	"  -l, --listen         tell of every task that exits, until interrupted\n"
	"  -m, --cpumask CPUS   only exits on these CPUs, as in 1-3,5; one without -l\n"
	"      --per-cpu        one on each CPU;  --ring, --netlink  shared memory or not\n"
	"      --filter FILTER  only some: 'user=www-data and cpu>1s and exit!=0', as\n"
	"                       taskacct has it;  --one-in N  one in so many of these\n"
	"      --processes      only their records, or only those of --threads\n"
	"      --extended       all there is to know; - is not known, -v says why\n"
	"  -d, --delays    -i, --io    -q, --switches    only these parts of a record\n"
	"  -w, --write FILE     log what is received, as pcap; goes on with a log\n"
	"  -R, --read FILE      read a log instead of asking the kernel\n"
	"      --json, --csv    for programs;  --family NAME  TASKSTATS: kernel's own\n"
	"  -r, --rcvbuf BYTES   receive buffer, for 10,000 exits;  --batch BYTES,TIME\n"
	"Examples:\n"
	"  getdelays -d -c ls -R /usr/share\n"
	"  getdelays -p 1 --extended\n"
	"  getdelays -l -w /tmp/exits.pcap -c sh -c 'ls | sort | tail -1'\n"
	"Exit status: 0 done, 1 wrong usage, 2 refused, 3 records lost, 4 output lost or\n"
	"log torn. Also -v, --verbose, --help, --version; man getdelays. Who listens, all\n"
	"tasks, users, what a log adds up to: taskacct status, list, users, report\n";

/* Options without a letter */
enum {
	OPT_PER_CPU = 256,
	OPT_RING,
	OPT_NETLINK,
	OPT_JSON,
	OPT_CSV,
	OPT_FAMILY,
	OPT_FILTER,
	OPT_ONE_IN,
	OPT_PROCESSES,
	OPT_THREADS,
	OPT_EXTENDED,
	OPT_BATCH,
	OPTIONS_END,
};

static const char letters[] = "+:p:t:c:C:lm:diqw:R:r:vhV";

static const struct option words[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "tgid", required_argument, NULL, 't' },
	{ "command", required_argument, NULL, 'c' },
	{ "cgroup", required_argument, NULL, 'C' },
	{ "listen", no_argument, NULL, 'l' },
	{ "cpumask", required_argument, NULL, 'm' },
	{ "per-cpu", no_argument, NULL, OPT_PER_CPU },
	{ "ring", no_argument, NULL, OPT_RING },
	{ "netlink", no_argument, NULL, OPT_NETLINK },
	{ "filter", required_argument, NULL, OPT_FILTER },
	{ "one-in", required_argument, NULL, OPT_ONE_IN },
	{ "processes", no_argument, NULL, OPT_PROCESSES },
	{ "threads", no_argument, NULL, OPT_THREADS },
	{ "extended", no_argument, NULL, OPT_EXTENDED },
	{ "delays", no_argument, NULL, 'd' },
	{ "io", no_argument, NULL, 'i' },
	{ "switches", no_argument, NULL, 'q' },
	{ "write", required_argument, NULL, 'w' },
	{ "read", required_argument, NULL, 'R' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "rcvbuf", required_argument, NULL, 'r' },
	{ "batch", required_argument, NULL, OPT_BATCH },
	{ "family", required_argument, NULL, OPT_FAMILY },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn, format(printf, 1, 2)))
wrong(const char *fmt, ...)
{
	va_list args;
	char line[768];

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	message_die(EXIT_USAGE, "%s; see getdelays --help", line);
}

static void add_id(struct options *opt, enum taskacct_kind kind,
		   const char *text)
{
	unsigned long id;
	char *end;

	errno = 0;
	id = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || !id ||
	    id > INT_MAX)
		wrong("'%s' is no %s", text,
		      kind == TASKACCT_TGID ? "tgid" : "pid");
	opt->ids = reallocarray(opt->ids, opt->n_ids + 1, sizeof(*opt->ids));
	if (!opt->ids)
		message_die(EXIT_REFUSED, "out of memory");
	opt->ids[opt->n_ids++] = (struct options_id){ kind, (uint32_t)id };
}

static int parse_bytes(const char *text)
{
	unsigned long n, unit = 1;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (*end == 'K' && !end[1])
		unit = 1024, end++;
	else if (*end == 'M' && !end[1])
		unit = 1024 * 1024, end++;
	/* The kernel doubles it, in an int. */
	if (!isdigit((unsigned char)*text) || *end || errno || !n ||
	    n > INT_MAX / 2 / unit)
		wrong("'%s' is no number of bytes, such as 1000000, 500K or 12M",
		      text);
	return (int)(n * unit);
}

static void set_form(struct options *opt, enum out_form form)
{
	if (opt->form != OUT_TABLE && opt->form != form)
		wrong("--json and --csv at once");
	opt->form = form;
}

static void set_filter(struct options *opt, const char *text)
{
	struct filter_error error;
	char why[400];

	if (!names_read_rules(NAMES_RULES, why, sizeof(why)))
		wrong("%s", why);
	opt->meant = filter_parse(text, &error);
	if (!opt->meant)
		die_at(text, error.at, error.length, error.why);
}

static void set_one_in(struct options *opt, const char *text)
{
	uint64_t n;
	const char *why;

	if (!units_parse(&n, UNIT_COUNT, text, &why) || !n || n > UINT32_MAX)
		wrong("--one-in: '%s' is no number from 1 up", text);
	opt->filter.one_in = (uint32_t)n;
	opt->filter.has |= 1 << TASKACCT_FILTER_ATTR_ONE_IN;
}

static uint32_t parse_wait(const char *text)
{
	const char *why;
	uint64_t ns;

	if (!units_parse(&ns, UNIT_NS, text, &why))
		wrong("--batch: '%s' is %s", text, why);
	ns /= 1000000;
	if (!ns || ns > TASKACCT_BATCH_MSECS_MAX)
		wrong("--batch: '%s' is not between 1ms and 60s", text);
	return (uint32_t)ns;
}

/* Bytes, a time, or both: a time is what ends with a small letter. */
static void set_batch(struct options *opt, const char *arg)
{
	char copy[64], *part, *rest = copy;
	size_t n;

	opt->batches = true;
	snprintf(copy, sizeof(copy), "%s", arg);
	while ((part = strsep(&rest, ","))) {
		n = strlen(part);
		if (n && islower((unsigned char)part[n - 1]))
			opt->batch.msecs = parse_wait(part);
		else
			opt->batch.bytes = (uint32_t)parse_bytes(part);
	}
	if (opt->batch.bytes > TASKACCT_BATCH_BYTES_MAX)
		wrong("--batch: %d bytes at most", TASKACCT_BATCH_BYTES_MAX);
}

static void add_kind(struct options *opt, uint32_t kind)
{
	opt->filter.has |= 1 << TASKACCT_FILTER_ATTR_KINDS;
	opt->filter.kinds |= kind;
}

static void set_family(struct options *opt, const char *name)
{
	if (!*name || strlen(name) > 15)
		wrong("'%s' is no name of a family: 1 to 15 characters", name);
	opt->family = name;
}

static void __attribute__((noreturn)) tell_and_exit(const char *what)
{
	if (fputs(what, stdout) == EOF || fflush(stdout))
		message_die(EXIT_LOG, "standard output: %s", strerror(errno));
	exit(EXIT_DONE);
}

static void set_ring(struct options *opt, enum options_ring ring)
{
	if (opt->ring != OPTIONS_RING_MAY && opt->ring != ring)
		wrong("--ring and --netlink exclude each other");
	opt->ring = ring;
}

/* Those that take no argument; true if it was one */
static bool set_switch(struct options *opt, int letter)
{
	switch (letter) {
	case 'l':
		opt->listen = true;
		return true;
	case 'd':
		opt->sections |= VIEW_DELAYS;
		return true;
	case 'i':
		opt->sections |= VIEW_IO;
		return true;
	case 'q':
		opt->sections |= VIEW_SWITCHES;
		return true;
	case 'v':
		opt->verbose = true;
		return true;
	case OPT_PER_CPU:
		opt->per_cpu = true;
		return true;
	case OPT_RING:
		set_ring(opt, OPTIONS_RING_ONLY);
		return true;
	case OPT_NETLINK:
		set_ring(opt, OPTIONS_RING_NOT);
		return true;
	case OPT_EXTENDED:
		opt->extended = true;
		return true;
	case OPT_PROCESSES:
		add_kind(opt, TASKACCT_KIND_PROCESS);
		return true;
	case OPT_THREADS:
		add_kind(opt, TASKACCT_KIND_TASK);
		return true;
	default:
		return false;
	}
}

/*
 * A letter that is no option. Where it stands in a word with others, getopt
 * has not gone on to the next word yet.
 */
static bool unknown_letter(void)
{
	const struct option *word;

	for (word = words; word->name; word++)
		if (word->val == optopt)
			return false;
	return optopt;
}

/* getopt's own words name neither the cure nor the program as others do. */
static void __attribute__((noreturn)) wrong_option(char **argv, bool missing)
{
	const char *option = argv[optind - 1];
	const struct option *word;
	char list[512];
	size_t n = 0;

	if (missing)
		wrong("%s needs a value", option);
	for (word = words; word->name && n < sizeof(list); word++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, " --%s",
				      word->name);
	if (unknown_letter())
		message("no such option: -%c; there are:%s", optopt, list);
	else
		message("no such option: %s; there are:%s", option, list);
	exit(EXIT_USAGE);
}

static void set_option(struct options *opt, int letter, char *arg)
{
	switch (letter) {
	case 'p':
		add_id(opt, TASKACCT_PID, arg);
		break;
	case 't':
		add_id(opt, TASKACCT_TGID, arg);
		break;
	case 'm':
		opt->cpus = arg;
		break;
	case 'w':
		opt->log = arg;
		break;
	case 'R':
		opt->read = arg;
		break;
	case 'r':
		opt->rcvbuf = parse_bytes(arg);
		break;
	case OPT_FILTER:
		set_filter(opt, arg);
		break;
	case OPT_ONE_IN:
		set_one_in(opt, arg);
		break;
	case OPT_BATCH:
		set_batch(opt, arg);
		break;
	case 'C':
		opt->cgroup = arg;
		break;
	case OPT_JSON:
		set_form(opt, OUT_JSON);
		break;
	case OPT_CSV:
		set_form(opt, OUT_CSV);
		break;
	case OPT_FAMILY:
		set_family(opt, arg);
		break;
	case 'h':
		tell_and_exit(help);
	case 'V':
		tell_and_exit("getdelays " VERSION "\n");
	}
}

/* Whether shared memory has all that is asked for */
static bool can_ring(const struct options *opt)
{
	return opt->listen && opt->extended && !opt->cpus && !opt->per_cpu &&
	       !opt->log && !opt->filter.has && !opt->meant && !opt->batches &&
	       !opt->rcvbuf && !opt->family;
}

/* Those that say what is looked at */
static void check_what(const struct options *opt)
{
	const bool listens = opt->listen || opt->cpus || opt->per_cpu;
	const bool asks = listens || opt->n_ids || opt->command || opt->cgroup;

	if (opt->read && (asks || opt->log || opt->family))
		wrong("-R reads a log; it goes with -d, -i, -q, -v, --extended, --filter, --processes, --threads, --json and --csv only");
	if (!asks && !opt->read)
		wrong("nothing to do: -p, -t, -c, -C, -l, -m or -R");
}

/* Those that go with some of them only */
static void check_how(const struct options *opt)
{
	const uint32_t kinds = 1 << TASKACCT_FILTER_ATTR_KINDS;
	const bool listens = opt->listen || opt->cpus || opt->per_cpu;

	if (opt->filter.has & ~kinds && !listens)
		wrong("--one-in goes with -l or -m");
	if ((opt->filter.has || opt->meant) && !listens && !opt->read)
		wrong("--filter, --processes and --threads go with -l, -m or -R");
	if (opt->rcvbuf && !listens)
		wrong("-r goes with -l or -m");
	if (opt->ring == OPTIONS_RING_NOT && !listens)
		wrong("--netlink goes with -l or -m");
	if (opt->ring == OPTIONS_RING_ONLY && !can_ring(opt))
		wrong("--ring goes with -l and --extended, and without -m, --per-cpu, -w, -r, --filter, --one-in, --processes, --threads, --batch and --family");
	if (opt->batches && !listens)
		wrong("--batch goes with -l or -m");
	if (opt->per_cpu && !opt->listen)
		wrong("--per-cpu goes with -l");
	if (opt->log && !strcmp(opt->log, "-") &&
	    (opt->form != OUT_TABLE || opt->sections || opt->n_ids ||
	     opt->command || opt->cgroup))
		wrong("-w - takes standard output for the log");
}

/* Which of two was meant is not for the program to guess. */
static void check_once(bool *seen, int letter)
{
	const struct option *word;

	for (word = words; word->name && word->val != letter; word++)
		;
	if (!word->name || word->has_arg == no_argument || letter == 'p' ||
	    letter == 't')
		return;
	if (seen[letter])
		wrong("--%s is given twice", word->name);
	seen[letter] = true;
}

/* What the kernel decides by itself is its own; a log was made without it. */
static void ask_kernel(struct options *opt)
{
	if (opt->read || !filter_kernel(opt->meant, &opt->filter))
		return;
	filter_free(opt->meant);
	opt->meant = NULL;
}

/* The rest of the line is the command's. */
static void take_command(struct options *opt, int argc, char **argv)
{
	const bool dashes = !strcmp(optarg, "--");

	if (dashes && optind >= argc)
		wrong("-c -- needs a command");
	opt->command = argv + optind - !dashes;
	if (!dashes)
		opt->command[0] = optarg;
}

void options_parse(struct options *opt, int argc, char **argv)
{
	bool seen[OPTIONS_END] = { false };
	int letter;

	memset(opt, 0, sizeof(*opt));
	opterr = 0;
	while ((letter = getopt_long(argc, argv, letters, words, NULL)) >= 0) {
		if (letter == 'c') {
			take_command(opt, argc, argv);
			break;
		}
		if (letter == '?' || letter == ':')
			wrong_option(argv, letter == ':');
		check_once(seen, letter);
		if (!set_switch(opt, letter))
			set_option(opt, letter, optarg);
	}
	if (!opt->command && optind < argc)
		wrong("what is '%s'?", argv[optind]);
	check_what(opt);
	check_how(opt);
	/* When a command's last record is there is asked of the family. */
	if (opt->ring == OPTIONS_RING_MAY && (!can_ring(opt) || opt->command))
		opt->ring = OPTIONS_RING_NOT;
	ask_kernel(opt);
	if (!opt->family)
		opt->family = TASKACCT_GENL_NAME;
}

void options_free(struct options *opt)
{
	free(opt->ids);
	filter_free(opt->meant);
	if (opt->filter.has & 1 << TASKACCT_FILTER_ATTR_CGROUP_FD)
		close(opt->filter.cgroup_fd);
}

/* What a filter looks at that is decided here: of classic records much is not known. */
static uint32_t filter_wants(const struct filter *filter)
{
	static const struct {
		const char *field;
		uint32_t want;
	} names[] = {
		{ "exe", TASKACCT_WANT_EXE_PATH },
		{ "cgroup", TASKACCT_WANT_CGROUP_PATH },
		{ "args", TASKACCT_WANT_CMDLINE },
	};
	uint32_t want = filter ? TASKACCT_WANT_RECORD : 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (filter_uses(filter, names[i].field))
			want |= names[i].want;
	return want;
}

uint32_t options_want(const struct options *opt, bool listens)
{
	/* Lines of a table have no room for names. */
	const bool names = opt->form != OUT_TABLE || opt->log || !listens;
	uint32_t want = filter_wants(opt->meant);

	if (!opt->extended)
		return want;
	want |= TASKACCT_WANT_RECORD;
	if (listens)
		want |= TASKACCT_WANT_STREAM;
	/* A log is for others too, who know the classic records only. */
	if (!opt->log)
		want |= TASKACCT_WANT_BARE;
	if (names)
		want |= TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH |
			TASKACCT_WANT_CMDLINE;
	return want;
}
