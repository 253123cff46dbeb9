// SPDX-License-Identifier: GPL-2.0-only
/*
 * events: a client of pmcd that fetches exit records, and how many exits the agent has read
 * and lost, at one moment
 *
 * For each line of standard input it fetches once and prints a line: how many records came,
 * how many were missed, and how many the agent has read and lost by then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

enum { RECORDS, READ, LOST, MISSED, METRICS };

static const char *names[METRICS] = {
	[RECORDS] = "taskacct.exit.records",
	[READ] = "taskacct.ended.read",
	[LOST] = "taskacct.ended.lost",
	[MISSED] = "event.missed",
};

static pmID pmids[METRICS];

static void check(const char *what, int err)
{
	if (err >= 0)
		return;
	fprintf(stderr, "events: %s: %s\n", what, pmErrStr(err));
	exit(1);
}

static uint64_t value_of(const pmValueSet *set)
{
	pmAtomValue atom;

	check("value", set->numval == 1 ? 0 : PM_ERR_VALUE);
	check("value", pmExtractValue(set->valfmt, &set->vlist[0], PM_TYPE_U64, &atom,
				      PM_TYPE_U64));
	return atom.ull;
}

/* A missed record has two values: its flags, and how many it stands for. */
static unsigned int missed_in(const pmResult *record)
{
	int i;

	for (i = 0; i < record->numpmid; i++)
		if (record->vset[i]->pmid == pmids[MISSED])
			return (unsigned int)record->vset[i]->vlist[0].value.lval;
	return 0;
}

static void print_records(pmValueSet *set)
{
	unsigned int records = 0, missed = 0, lost;
	pmResult **unpacked;
	int i, n;

	check(names[RECORDS], set->numval == 1 ? 0 : PM_ERR_VALUE);
	n = pmUnpackEventRecords(set, 0, &unpacked);
	check("unpack", n);
	if (n)
		/* It has a number once something was unpacked. */
		check(names[MISSED], pmLookupName(1, &names[MISSED], &pmids[MISSED]));
	for (i = 0; i < n; i++) {
		lost = missed_in(unpacked[i]);
		missed += lost;
		records += !lost;
	}
	if (n)
		pmFreeEventResult(unpacked);
	printf("%u %u", records, missed);
}

static void fetch(void)
{
	pmResult *result;

	check("fetch", pmFetch(MISSED, pmids, &result));
	print_records(result->vset[RECORDS]);
	printf(" %" PRIu64 " %" PRIu64 "\n", value_of(result->vset[READ]),
	       value_of(result->vset[LOST]));
	fflush(stdout);
	pmFreeResult(result);
}

int main(void)
{
	char line[16];

	pmSetProgname("events");
	check("pmcd", pmNewContext(PM_CONTEXT_HOST, "local:"));
	check("names", pmLookupName(MISSED, names, pmids));
	while (fgets(line, sizeof(line), stdin))
		fetch();
	return 0;
}
