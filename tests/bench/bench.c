// SPDX-License-Identifier: GPL-2.0-only
/*
 * What taskacct costs beside in-tree taskstats, on the same kernel in the same
 * run, in guest instructions. Runs in the test VM, see tests/bench/run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "ends.h"
#include "exits.h"
#include "kept.h"
#include "module.h"
#include "profile.h"
#include "queries.h"
#include "report.h"
#include "storm.h"
#include "times.h"
#include "top.h"
#include "util.h"
#include "way.h"

#define DEFAULT_ROUNDS	20
#define DEFAULT_EXITS	200

/* What the guest is still busy with after its start is done by then. */
#define SETTLE_SECONDS	5

static struct bench_results results = {
	.rounds = DEFAULT_ROUNDS,
	.exits = DEFAULT_EXITS,
};

static void exits(struct bench_results *to, const char *module)
{
	unsigned int i;

	for (i = 0; i < to->rounds; i++) {
		fprintf(stderr, "bench: exits, round %u of %u\n", i + 1,
			to->rounds);
		bench_exits_round(to, module);
	}
}

static void brief(struct bench_results *to, const char *module)
{
	to->brief = true;
	exits(to, module);
}

/**
 * struct part - something that can be measured alone
 * @name: what -w calls it
 * @measure: measures all its rounds
 * @alone: it is part of another one, and measured where it is asked for only
 * @wanted: whether it is measured
 */
struct part {
	const char *name;
	void (*measure)(struct bench_results *to, const char *module);
	bool alone;
	bool wanted;
};

static struct part parts[] = {
	{ .name = "exits", .measure = exits },
	{ .name = "ends", .measure = bench_ends },
	{ .name = "storm", .measure = bench_storm },
	{ .name = "queries", .measure = bench_queries },
	{ .name = "users", .measure = bench_users },
	{ .name = "times", .measure = bench_times },
	{ .name = "kept", .measure = bench_kept },
	{ .name = "top", .measure = bench_top },
	{ .name = "brief", .measure = brief, .alone = true },
};

#define PARTS (sizeof(parts) / sizeof(*parts))

static void usage(void)
{
	fputs("usage: bench [-w PART]... [-r ROUNDS] [-e EXITS] [-p PARAMETERS] [-C COMMIT]\n"
	      "             [-Q QEMU] [-o FILE] [-P DIR] MODULE\n"
	      "\n"
	      "Measure taskacct.ko MODULE, loaded with PARAMETERS, beside in-tree\n"
	      "taskstats, in a VM that counts instructions, and write the results to FILE\n"
	      "as well, as JSON. PART is exits, ends, storm, queries,\n"
	      "users, times, kept or top; all without -w. brief is a few of exits.\n"
	      "-P leaves in DIR what a profile needs, see tests/bench/profile.\n"
	      "Exit status: 0 all targets met, 1 some missed, 2 void, 3 not measured.\n",
	      stderr);
	exit(BENCH_FAILED);
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || !n || n > max) {
		fprintf(stderr, "bench: %s: must be 1 to %u\n", text, max);
		exit(BENCH_FAILED);
	}
	return n;
}

static void want(const char *name)
{
	struct part *part;

	for (part = parts; part < parts + PARTS; part++) {
		if (!strcmp(part->name, name)) {
			part->wanted = true;
			return;
		}
	}
	usage();
}

static void want_all(void)
{
	struct part *part;

	for (part = parts; part < parts + PARTS; part++)
		part->wanted = !part->alone;
}

static const char *parse(int argc, char **argv, const char **output)
{
	bool all = true;
	int option;

	while ((option = getopt(argc, argv, "w:r:e:p:C:Q:o:P:")) != -1) {
		switch (option) {
		case 'w':
			want(optarg);
			all = false;
			break;
		case 'r':
			results.rounds = number(optarg, BENCH_MAX_ROUNDS);
			break;
		case 'e':
			results.exits = number(optarg, BENCH_MAX_EXITS);
			break;
		case 'p':
			bench_module_parameters(optarg);
			break;
		case 'C':
			bench_report_condition("commit", "commit", optarg);
			break;
		case 'Q':
			bench_report_condition("qemu", "QEMU", optarg);
			break;
		case 'o':
			*output = optarg;
			break;
		case 'P':
			bench_profile_to(optarg);
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1)
		usage();
	if (all)
		want_all();
	return argv[optind];
}

static void note_conditions(void)
{
	const char *missing = bench_way_bpf.missing();
	static char rounds[64];
	static struct utsname uts;

	uname(&uts);
	bench_report_condition("kernel", "kernel", uts.release);
	bench_report_condition("kernel_build", "built", uts.version);
	bench_report_condition("hook", "hook", bench_module_hook());
	snprintf(rounds, sizeof(rounds), "%u of %u exits, medians",
		 results.rounds, results.exits);
	bench_report_condition("rounds", "rounds", rounds);
	if (missing)
		bench_report_condition("bpf_not_measured", "no eBPF", missing);
}

static void prepare(void)
{
	const struct sched_param param = {};

	/* Batch tasks do not interrupt each other: a whole exit is measured. */
	if (sched_setscheduler(0, SCHED_BATCH, &param))
		bench_die("become a batch task");
	if (mlockall(MCL_CURRENT))
		bench_die("lock memory");
	bench_check_clock();
	bench_seed_random();
	bench_exits_init();
	sleep(SETTLE_SECONDS);
}

int main(int argc, char **argv)
{
	const char *output = NULL, *module = parse(argc, argv, &output);
	enum bench_status status;
	const struct part *part;

	prepare();
	for (part = parts; part < parts + PARTS; part++) {
		if (!part->wanted)
			continue;
		fprintf(stderr, "bench: %s\n", part->name);
		part->measure(&results, module);
	}
	note_conditions();
	status = bench_report_judge(&results);
	bench_report_table(&results, status);
	if (output)
		bench_report_json(&results, status, output);
	return status;
}
