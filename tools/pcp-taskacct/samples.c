// SPDX-License-Identifier: GPL-2.0-only
/*
 * The agent's metrics, of a host that is asked or of an archive
 *
 * An archive is read sample by sample as it was recorded. PCP would put values between two
 * samples as well (PM_MODE_INTERP), but those were never there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"
#include "sums.h"

#define LOST VALUES

/* Of what has ended, with the losses, and of users */
static const char *const ended_metrics[] = {
	[VALUE_COUNT] = "taskacct.ended.count",
	[VALUE_RUNTIME] = "taskacct.ended.runtime",
	[VALUE_WAIT_CPU] = "taskacct.ended.wait.cpu",
	[VALUE_WAIT_BLKIO] = "taskacct.ended.wait.blkio",
	[VALUE_READ] = "taskacct.ended.read_bytes",
	[VALUE_WRITE] = "taskacct.ended.write_bytes",
	[LOST] = "taskacct.ended.lost",
};

static const char *const user_metrics[] = {
	[VALUE_COUNT] = "taskacct.user.ended",
	[VALUE_RUNTIME] = "taskacct.user.runtime",
	[VALUE_WAIT_CPU] = "taskacct.user.wait.cpu",
	[VALUE_WAIT_BLKIO] = "taskacct.user.wait.blkio",
	[VALUE_READ] = "taskacct.user.read_bytes",
	[VALUE_WRITE] = "taskacct.user.write_bytes",
};

static pmID metrics[VALUES + 1];
static int metrics_nr;
static pmInDom indom;
static bool archived, seen;
static struct timeval finish;
static uint64_t lost_before, lost;

void samples_fail(const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", pmGetProgname(), what, pmErrStr(error));
	exit(1);
}

static void find_metrics(const char *const *names)
{
	pmDesc desc;
	int ret, i;

	for (i = 0; i < metrics_nr; i++) {
		ret = pmLookupName(1, (const char **)&names[i], &metrics[i]);
		if (ret < 0)
			break;
	}
	if (i < metrics_nr) {
		fprintf(stderr, "%s: %s has no metric %s: %s\n", pmGetProgname(),
			archived ? "the archive" : samples_host(), names[i], pmErrStr(ret));
		fprintf(stderr, "pmdataskacct(1) says how its agent is installed%s.\n",
			archived ? ", and what pmlogger has to record" : "");
		exit(1);
	}
	ret = pmLookupDesc(metrics[VALUE_COUNT], &desc);
	if (ret < 0)
		samples_fail(names[VALUE_COUNT], ret);
	indom = desc.indom;
}

/* From the start that was asked for on */
static void go_to_start(struct pmOptions *options)
{
	int ret;

	ret = pmSetMode(PM_MODE_FORW, &options->start, 0);
	if (ret < 0)
		samples_fail("start", ret);
	finish = options->finish;
}

void samples_open(struct pmOptions *options, bool users)
{
	const char *source = "local:";
	int ret;

	archived = options->narchives > 0;
	if (archived)
		source = options->archives[0];
	else if (options->nhosts > 0)
		source = options->hosts[0];
	ret = pmNewContext(archived ? PM_CONTEXT_ARCHIVE : PM_CONTEXT_HOST, source);
	if (ret < 0)
		samples_fail(source, ret);
	ret = pmGetContextOptions(ret, options);
	if (ret < 0) {
		pmflush();
		exit(1);
	}
	metrics_nr = users ? VALUES : VALUES + 1;
	if (archived)
		go_to_start(options);
	find_metrics(users ? user_metrics : ended_metrics);
}

const char *samples_host(void)
{
	return pmGetContextHostName(pmWhichContext());
}

static uint64_t value_of(const pmValueSet *set, int i)
{
	pmAtomValue atom;
	int ret;

	ret = pmExtractValue(set->valfmt, &set->vlist[i], PM_TYPE_U64, &atom, PM_TYPE_U64);
	if (ret < 0)
		samples_fail("value", ret);
	return atom.ull;
}

static void add_lost(uint64_t n)
{
	if (seen)
		lost += n < lost_before ? n : n - lost_before;
	lost_before = n;
}

static void add_set(const pmValueSet *set, int metric)
{
	int i;

	for (i = 0; i < set->numval; i++) {
		if (metric == LOST)
			add_lost(value_of(set, i));
		else if (sums_add(set->vlist[i].inst, metric, value_of(set, i)))
			samples_fail("memory", -ENOMEM);
	}
}

/* There are none while the agent or the module is not there. */
static bool has_values(const pmResult *result)
{
	return result->numpmid == metrics_nr && result->vset[VALUE_COUNT]->numval > 0;
}

static void add_sample(const pmResult *result)
{
	int i;

	sums_begin(!seen);
	for (i = 0; i < metrics_nr; i++)
		add_set(result->vset[i], i);
	seen = true;
}

/* What is asked has to have values at first. Later on it may be without for a while. */
static void check_first(const pmResult *result)
{
	const int ret = result->vset[VALUE_COUNT]->numval;

	if (!seen && !has_values(result))
		samples_fail("no values; is the module loaded there? modprobe taskacct",
			     ret < 0 ? ret : PM_ERR_VALUE);
}

/* One record of an archive, or what a host says now; false at the end */
static bool fetch(struct timeval *when, bool *good)
{
	pmResult *result;
	bool ended;
	int ret;

	ret = pmFetch(metrics_nr, metrics, &result);
	if (archived && ret == PM_ERR_EOL)
		return false;
	if (ret < 0)
		samples_fail(samples_host(), ret);
	if (!archived)
		check_first(result);
	*when = result->timestamp;
	ended = archived && samples_is_before(&finish, when);
	*good = !ended && has_values(result);
	if (*good)
		add_sample(result);
	pmFreeResult(result);
	return !ended;
}

bool samples_next(struct timeval *when)
{
	bool good;

	do {
		if (!fetch(when, &good))
			return false;
	} while (archived && !good);
	return true;
}

uint64_t samples_lost(void)
{
	const uint64_t n = lost;

	lost = 0;
	return n;
}

char *samples_name(int id)
{
	char *name;
	int ret;

	ret = archived ? pmNameInDomArchive(indom, id, &name) : pmNameInDom(indom, id, &name);
	if (ret < 0) {
		if (asprintf(&name, "instance %d", id) < 0)
			return NULL;
	}
	return name;
}
