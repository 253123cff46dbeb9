// SPDX-License-Identifier: GPL-2.0-only
/*
 * What taskacct costs beside in-tree taskstats, on the same kernel in the same
 * run, in guest instructions. Runs in the test VM, see tests/bench/run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "exits.h"
#include "module.h"
#include "queries.h"
#include "report.h"
#include "times.h"
#include "util.h"

#define DEFAULT_ROUNDS	20
#define DEFAULT_EXITS	200

/* What the guest is still busy with after its start is done by then. */
#define SETTLE_SECONDS	5

static struct bench_results results = {
	.rounds = DEFAULT_ROUNDS,
	.exits = DEFAULT_EXITS,
};

static void usage(void)
{
	fputs("usage: bench [-r ROUNDS] [-e EXITS] [-p PARAMETERS] [-C COMMIT] [-Q QEMU]\n"
	      "             [-o FILE] MODULE\n"
	      "\n"
	      "Measure taskacct.ko MODULE, loaded with PARAMETERS, beside in-tree\n"
	      "taskstats, in a VM that counts instructions, and write the results to FILE\n"
	      "as well, as JSON.\n"
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

static const char *parse(int argc, char **argv, const char **output)
{
	int option;

	while ((option = getopt(argc, argv, "r:e:p:C:Q:o:")) != -1) {
		switch (option) {
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
		default:
			usage();
		}
	}
	if (optind != argc - 1)
		usage();
	return argv[optind];
}

static void note_conditions(void)
{
	static char rounds[64];
	static struct utsname uts;

	uname(&uts);
	bench_report_condition("kernel", "kernel", uts.release);
	bench_report_condition("kernel_build", "built", uts.version);
	bench_report_condition("hook", "hook", bench_module_hook());
	snprintf(rounds, sizeof(rounds), "%u of %u exits, medians",
		 results.rounds, results.exits);
	bench_report_condition("rounds", "rounds", rounds);
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
	unsigned int i;

	prepare();
	for (i = 0; i < results.rounds; i++) {
		fprintf(stderr, "bench: exits, round %u of %u\n", i + 1,
			results.rounds);
		bench_exits_round(&results, module);
	}
	fputs("bench: queries\n", stderr);
	bench_queries(&results, module);
	fputs("bench: time per CPU\n", stderr);
	bench_times(&results, module);

	note_conditions();
	status = bench_report_judge(&results);
	bench_report_table(&results, status);
	if (output)
		bench_report_json(&results, status, output);
	return status;
}
