// SPDX-License-Identifier: GPL-2.0-only
/*
 * An archive of a host that does not exist, with the metrics of taskacct's agent
 *
 *	pmdataskacct -L | host ARCHIVE NAME START SECONDS INTERVAL EXITS COMMANDS
 *
 * ARCHIVE is begun anew, of a host NAME, from START (seconds since 1970) for so many SECONDS,
 * with a sample each INTERVAL seconds. EXITS processes end each second, of COMMANDS commands:
 * half of them of the first, a quarter of the second and so on; of the sixteenth that is left
 * after four, each of the others as often. What each uses is random, and the same in each run.
 */
#include <pcp/pmapi.h>
#include <pcp/import.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOMAIN 498
#define CPUS 8
#define USERS 6
#define NAME_MAX_LENGTH 80
#define METRICS_MAX 128
#define COMMANDS_MAX 2000

/* Instance domains, and how many instances each has; 0 for none */
enum domain { NONE, CPU, USER, ENDED, DOMAINS };

/* @most: by how much an exit raises it at most */
struct metric {
	char name[NAME_MAX_LENGTH];
	enum domain domain;
	int most;
	int handles[COMMANDS_MAX];
	uint64_t n[COMMANDS_MAX];
};

static struct metric metrics[METRICS_MAX];
static int metrics_nr;
static int instances[DOMAINS] = { [NONE] = 1, [CPU] = CPUS, [USER] = USERS };

static void check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "host: %s: %s\n", what, pmiErrStr(ret));
	exit(1);
}

static enum domain domain_of(const char *name)
{
	static const char *const of_all[] = {
		"taskacct.ended.read", "taskacct.ended.lost", "taskacct.ended.instances",
	};
	size_t i;

	for (i = 0; i < sizeof(of_all) / sizeof(*of_all); i++)
		if (strcmp(name, of_all[i]) == 0)
			return NONE;
	if (strncmp(name, "taskacct.ended.outcome.", 23) == 0)
		return NONE;
	if (strncmp(name, "taskacct.ended.", 15) == 0)
		return ENDED;
	if (strncmp(name, "taskacct.user.", 14) == 0)
		return USER;
	return strncmp(name, "taskacct.cpu.", 13) == 0 ? CPU : NONE;
}

/* What is counted is raised by one, and nothing is lost. */
static int most_of(const char *name)
{
	static const char *const counts[] = {
		"taskacct.ended.count", "taskacct.ended.read", "taskacct.ended.outcome.ok",
	};
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (strcmp(name, counts[i]) == 0)
			return 1;
	return domain_of(name) == NONE ? 0 : 10000000;
}

static void instance_name(char *name, enum domain domain, int i)
{
	if (domain == ENDED)
		snprintf(name, NAME_MAX_LENGTH, "service%d.service::command%d::ok", i / 4, i);
	else
		snprintf(name, NAME_MAX_LENGTH, domain == CPU ? "cpu%d" : "%d", i);
}

static void add_instances(void)
{
	char name[NAME_MAX_LENGTH];
	int domain, i;

	for (domain = CPU; domain < DOMAINS; domain++) {
		for (i = 0; i < instances[domain]; i++) {
			instance_name(name, domain, i);
			check(pmiAddInstance(pmiInDom(DOMAIN, domain), name, i), name);
		}
	}
}

static void add_metric(struct metric *metric, const char *name)
{
	char instance[NAME_MAX_LENGTH];
	pmInDom indom;
	int ret, i;

	snprintf(metric->name, sizeof(metric->name), "%s", name);
	metric->domain = domain_of(name);
	metric->most = most_of(name);
	indom = metric->domain ? pmiInDom(DOMAIN, metric->domain) : PM_INDOM_NULL;
	check(pmiAddMetric(name, pmiID(DOMAIN, metric->domain, metrics_nr), PM_TYPE_U64, indom,
			   PM_SEM_COUNTER, pmiUnits(0, 0, 1, 0, 0, 0)),
	      name);
	for (i = 0; i < instances[metric->domain]; i++) {
		instance_name(instance, metric->domain, i);
		ret = pmiGetHandle(name, metric->domain ? instance : NULL);
		check(ret, name);
		metric->handles[i] = ret;
	}
	metrics_nr++;
}

/* Events are in no archive that pmlogconf makes. */
static void read_names(void)
{
	char line[NAME_MAX_LENGTH];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, " \n")] = '\0';
		if (*line && strncmp(line, "taskacct.exit.", 14) && metrics_nr < METRICS_MAX)
			add_metric(&metrics[metrics_nr], line);
	}
}

/* Which command ends next */
static int pick_command(void)
{
	const int all = instances[ENDED];
	int i = 0;

	while (i < 4 && i < all - 1 && random() % 2)
		i++;
	return i < 4 ? i : i + (int)(random() % (all - i));
}

/* One exit raises what is counted, and each of its values by something. */
static void end_one(void)
{
	const int command = pick_command();
	struct metric *metric;

	for (metric = metrics; metric < metrics + metrics_nr; metric++) {
		if (metric->domain == ENDED && metric->most > 1)
			metric->n[command] += (uint64_t)random() % metric->most;
		else if (metric->domain == ENDED || metric->domain == NONE)
			metric->n[metric->domain ? command : 0] += metric->most;
	}
}

static void run_others(void)
{
	struct metric *metric;
	int i;

	for (metric = metrics; metric < metrics + metrics_nr; metric++)
		if (metric->domain == CPU || metric->domain == USER)
			for (i = 0; i < instances[metric->domain]; i++)
				metric->n[i] += (uint64_t)random() % 1000000000;
}

static void put_sample(int when)
{
	char text[32];
	int i, k;

	for (i = 0; i < metrics_nr; i++) {
		for (k = 0; k < instances[metrics[i].domain]; k++) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)metrics[i].n[k]);
			check(pmiPutValueHandle(metrics[i].handles[k], text), metrics[i].name);
		}
	}
	check(pmiWrite(when, 0), "sample");
}

static void write_samples(int start, int seconds, int interval, int exits)
{
	int at, i;

	for (at = 0; at <= seconds; at += interval) {
		put_sample(start + at);
		for (i = 0; i < exits * interval; i++)
			end_one();
		run_others();
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: pmdataskacct -L | host ARCHIVE NAME START SECONDS INTERVAL EXITS "
			"COMMANDS\nINTERVAL is 1 or more, COMMANDS are 1 to %d.\n", COMMANDS_MAX);
	return 1;
}

int main(int argc, char **argv)
{
	int interval;

	if (argc != 8)
		return usage();
	interval = atoi(argv[5]);
	instances[ENDED] = atoi(argv[7]);
	if (interval < 1 || instances[ENDED] < 1 || instances[ENDED] > COMMANDS_MAX)
		return usage();
	check(pmiStart(argv[1], 0), argv[1]);
	check(pmiSetHostname(argv[2]), argv[2]);
	check(pmiSetTimezone("UTC"), "time zone");
	add_instances();
	read_names();
	write_samples(atoi(argv[3]), atoi(argv[4]), interval, atoi(argv[6]));
	check(pmiEnd(), "end");
	return 0;
}
