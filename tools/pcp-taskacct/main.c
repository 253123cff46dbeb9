// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcp taskacct - what ended on a machine, or on one that was recorded, and what it used
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"
#include "sums.h"
#include "table.h"

/* Some of what ended is in no total: as taskacct's own commands end then */
#define STATUS_LOST 3
#define INTERVAL_S 10

static struct table_wants wants = { .keys = 3, .sort = VALUE_RUNTIME };

static pmLongOptions long_options[] = {
	PMAPI_OPTIONS_HEADER("General options"),
	PMOPT_HOST,
	PMOPT_ARCHIVE,
	PMOPT_START,
	PMOPT_FINISH,
	PMOPT_INTERVAL,
	PMOPT_SAMPLES,
	PMOPT_TIMEZONE,
	PMOPT_HOSTZONE,
	PMOPT_DEBUG,
	PMOPT_VERSION,
	PMOPT_HELP,
	PMAPI_OPTIONS_HEADER("What is shown"),
	{ "by", 1, 'b', "KEYS", "a row for each unit, command, outcome, or several, or user" },
	{ "sort", 1, 'k', "COLUMN", "the largest first: cpu count wait-cpu wait-io read write" },
	{ "limit", 1, 'l', "ROWS", "no more rows than this" },
	PMAPI_OPTIONS_END
};

static pmOptions options = {
	.flags = PM_OPTFLAG_BOUNDARIES | PM_OPTFLAG_STDOUT_TZ,
	.short_options = "a:b:D:h:k:l:S:s:T:t:VZ:z?",
	.long_options = long_options,
	.short_usage = "[options]",
};

static void parse_limit(const char *text)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	wants.limit = n;
	if (errno || *end || *text < '0' || *text > '9' || n > UINT_MAX) {
		pmprintf("%s: '%s' is no number of rows\n", pmGetProgname(), text);
		options.errors++;
	}
}

static void refuse(const char *text, const char *allowed)
{
	pmprintf("%s: '%s': allowed are: %s\n", pmGetProgname(), text, allowed);
	options.errors++;
}

static void parse_option(int c)
{
	char *by;

	switch (c) {
	case 'b':
		by = strdup(options.optarg);
		if (!by)
			samples_fail("options", -ENOMEM);
		if (!table_parse_by(&wants, by))
			refuse(options.optarg, "unit command outcome, with commas, or user");
		free(by);
		break;
	case 'k':
		if (!table_parse_sort(&wants, options.optarg))
			refuse(options.optarg, "cpu count wait-cpu wait-io read write");
		break;
	case 'l':
		parse_limit(options.optarg);
		break;
	default:
		options.errors++;
	}
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = pmGetOptions(argc, argv, &options)) != EOF)
		parse_option(c);
	if (options.optind < argc) {
		pmprintf("%s: '%s' is too much\n", pmGetProgname(), argv[options.optind]);
		options.errors++;
	}
	if (options.flags & PM_OPTFLAG_EXIT) {
		pmflush();
		exit(0);
	}
	if (options.errors) {
		pmUsageMessage(&options);
		exit(1);
	}
}

static void print_time(const struct timeval *when)
{
	const time_t s = when->tv_sec;
	char text[32];
	struct tm tm;

	pmLocaltime(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s.%03ld", text, (long)when->tv_usec / 1000);
}

/* Return: whether it is complete */
static bool print_interval(const struct timeval *from, const struct timeval *to)
{
	const uint64_t lost = samples_lost();

	printf("%s from ", samples_host());
	print_time(from);
	printf(" to ");
	print_time(to);
	putchar('\n');
	table_print(&wants);
	if (lost)
		printf("%" PRIu64 " processes that ended are in no total\n", lost);
	else if (!wants.users)
		puts("complete");
	sums_clear();
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: output: %s\n", pmGetProgname(), strerror(errno));
		exit(1);
	}
	return !lost;
}

/* Whether @to is as far from @from as was asked for */
static bool is_due(const struct timeval *from, const struct timeval *to)
{
	struct timeval due;

	timeradd(from, &options.interval, &due);
	return !samples_is_before(to, &due);
}

static void fail_without_samples(void)
{
	fprintf(stderr, "%s: fewer than two samples in that time: nothing to compare\n",
		pmGetProgname());
	exit(1);
}

/* All of the archive, or a table each time that the interval is over */
static bool show_archive(void)
{
	const bool split = timerisset(&options.interval);
	const int wanted = options.samples ?: -1;
	struct timeval from, to, now;
	bool complete = true, more;
	int left = wanted;

	if (!samples_next(&from))
		fail_without_samples();
	to = from;
	do {
		more = samples_next(&now);
		if (more)
			to = now;
		if (more ? split && is_due(&from, &to) : samples_is_before(&from, &to)) {
			complete &= print_interval(&from, &to);
			from = to;
			left--;
		}
	} while (more && left);
	if (left == wanted)
		fail_without_samples();
	return complete;
}

static void wait_until(const struct timeval *due)
{
	struct timeval now, left;
	struct timespec time;

	gettimeofday(&now, NULL);
	timersub(due, &now, &left);
	if (left.tv_sec < 0)
		return;
	time.tv_sec = left.tv_sec;
	time.tv_nsec = left.tv_usec * 1000;
	nanosleep(&time, NULL);
}

static bool show_host(void)
{
	struct timeval from, to, due;
	bool complete = true;
	int left = options.samples ?: -1;

	if (!timerisset(&options.interval))
		options.interval.tv_sec = INTERVAL_S;
	samples_next(&from);
	gettimeofday(&due, NULL);
	do {
		timeradd(&due, &options.interval, &due);
		wait_until(&due);
		samples_next(&to);
		complete &= print_interval(&from, &to);
		from = to;
	} while (--left);
	return complete;
}

int main(int argc, char **argv)
{
	bool complete;

	pmSetProgname(argv[0]);
	parse_options(argc, argv);
	samples_open(&options, wants.users);
	complete = options.narchives ? show_archive() : show_host();
	return complete ? 0 : STATUS_LOST;
}
