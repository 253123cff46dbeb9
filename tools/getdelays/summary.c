// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per command, user or cgroup
 *
 * Memory is bounded, however long a listener runs: lifetimes are kept as a
 * histogram, and there is a limit to the names that are told apart.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "summary.h"

/* 32 steps to each doubling: a lifetime is known to 3 percent. */
#define STEP_BITS 5
#define STEPS (1 << STEP_BITS)
#define DOUBLINGS 40

#define BUCKETS 1024
#define NAMES_MAX 16384
#define REST "(others)"
#define UNKNOWN "(unknown)"

/* What can be summed up: of the records that have it */
enum value {
	CPU,
	READ,
	WRITTEN,
	WAIT_CPU,
	WAIT_IO,
	RSS,
	VALUES,
};

/* What the tasks of a command, user or cgroup used; CPU time and waits in ns */
struct total {
	struct total *next;
	char *name;
	uint64_t count;
	uint64_t v[VALUES];
	uint64_t known[VALUES];
	uint64_t records;
	uint32_t lifetimes[DOUBLINGS * STEPS];
};

struct summary {
	enum summary_key by;
	enum sort_key sort;
	uint32_t kinds;
	struct total *buckets[BUCKETS];
	size_t n;
};

/* A record as it is added: whose, what, and how long it lived */
struct entry {
	const char *name;
	uint64_t v[VALUES];
	bool valid[VALUES];
	bool counts;
	uint64_t lifetime_us;
};

struct summary *summary_new(const struct options *opt)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		message_die(EXIT_REFUSED, "out of memory");
	summary->by = opt->summary;
	summary->sort = opt->sort ? opt->sort : SORT_CPU;
	summary->kinds = opt->filter.kinds;
	if (opt->all && !summary->kinds)
		summary->kinds = TASKACCT_KIND_PROCESS;
	return summary;
}

/* FNV-1a */
static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619;
	return h;
}

static struct total *find(struct summary *summary, const char *name)
{
	struct total **bucket = &summary->buckets[hash(name) % BUCKETS];
	struct total *t;

	for (t = *bucket; t; t = t->next)
		if (!strcmp(t->name, name))
			return t;
	if (summary->n >= NAMES_MAX && strcmp(name, REST))
		return find(summary, REST);
	t = calloc(1, sizeof(*t));
	if (t)
		t->name = strdup(name);
	if (!t || !t->name)
		message_die(EXIT_REFUSED, "out of memory");
	t->next = *bucket;
	*bucket = t;
	summary->n++;
	return t;
}

/* The first 32 are one by one, then each doubling has 32 steps. */
static unsigned int step_of(uint64_t us)
{
	unsigned int doubling, step;

	if (us < STEPS)
		return (unsigned int)us;
	doubling = 63 - (unsigned int)__builtin_clzll(us) - STEP_BITS;
	step = (unsigned int)(us >> doubling) - STEPS;
	if (doubling + 1 >= DOUBLINGS)
		return DOUBLINGS * STEPS - 1;
	return (doubling + 1) * STEPS + step;
}

/* The middle of what falls into a step */
static uint64_t lifetime_of(unsigned int n)
{
	const unsigned int doubling = n / STEPS;
	uint64_t us = n % STEPS;

	if (!doubling)
		return us;
	us = (us + STEPS) << (doubling - 1);
	return us + (UINT64_C(1) << (doubling - 1)) / 2;
}

static uint64_t percentile(const struct total *t, unsigned int percent)
{
	uint64_t seen = 0, want = (t->count * percent + 99) / 100;
	unsigned int n;

	for (n = 0; n < DOUBLINGS * STEPS - 1; n++) {
		seen += t->lifetimes[n];
		if (seen >= want)
			break;
	}
	return lifetime_of(n);
}

static void add(struct summary *summary, const struct entry *entry)
{
	struct total *t = find(summary, entry->name);
	unsigned int i;

	for (i = 0; i < VALUES; i++) {
		if (!entry->valid[i])
			continue;
		t->known[i]++;
		if (i != RSS)
			t->v[i] += entry->v[i];
		else if (t->v[i] < entry->v[i])
			t->v[i] = entry->v[i];
	}
	t->records++;
	if (!entry->counts)
		return;
	t->lifetimes[step_of(entry->lifetime_us)]++;
	t->count++;
}

static void take_classic(struct entry *entry,
			 const struct taskacct_stats *stats)
{
	static const enum taskacct_field fields[VALUES] = {
		[READ] = TASKACCT_F_READ_BYTES,
		[WRITTEN] = TASKACCT_F_WRITE_BYTES,
		[WAIT_CPU] = TASKACCT_F_CPU_TOTAL,
		[WAIT_IO] = TASKACCT_F_BLKIO_TOTAL,
		[RSS] = TASKACCT_F_HIWATER_RSS,
	};
	unsigned int i;

	for (i = 0; i < VALUES; i++) {
		entry->v[i] = stats->v[fields[i]];
		entry->valid[i] = true;
	}
	entry->v[CPU] =
		(stats->v[TASKACCT_F_UTIME] + stats->v[TASKACCT_F_STIME]) *
		1000;
	entry->v[RSS] *= 1024;
}

/* A process's age, if it is told apart from that of its task */
static uint64_t classic_lifetime(const struct taskacct_stats *stats, bool task)
{
	return stats->v[!task && taskacct_has(stats, TASKACCT_F_TGETIME) ?
				TASKACCT_F_TGETIME :
				TASKACCT_F_ETIME];
}

/*
 * A process counts once, when its last task ends. Where its record has all
 * that its tasks used, that is what counts; the last task's own does if it was
 * the only one. The kernel's own process records have neither name nor I/O:
 * there the tasks' count, each under its own name.
 */
void summary_add(struct summary *summary, const struct taskacct_classic *record,
		 bool complete)
{
	const struct taskacct_stats *stats = &record->stats;
	const bool tasks = summary->kinds == TASKACCT_KIND_TASK;
	const bool task = record->kind == TASKACCT_PID;
	struct entry entry = { .name = UNKNOWN };
	char uid[16];

	if (!tasks &&
	    (task ? complete && (!record->last || record->paired) : !complete))
		return;
	if (summary->by == SUMMARY_COMM)
		entry.name = stats->comm;
	if (summary->by == SUMMARY_UID) {
		snprintf(uid, sizeof(uid), "%" PRIu64,
			 stats->v[TASKACCT_F_UID]);
		entry.name = uid;
	}
	take_classic(&entry, stats);
	entry.counts = tasks || record->last ||
		       !taskacct_has(stats, TASKACCT_F_TGETIME);
	entry.lifetime_us = classic_lifetime(stats, tasks);
	add(summary, &entry);
}

static void take_extended(struct entry *entry,
			  const struct taskacct_extended *record)
{
	static const enum taskacct_member members[VALUES] = {
		[CPU] = TASKACCT_R_UTIME,
		[READ] = TASKACCT_R_READ_BYTES,
		[WRITTEN] = TASKACCT_R_WRITE_BYTES,
		[WAIT_CPU] = TASKACCT_R_WAIT_CPU_TOTAL,
		[WAIT_IO] = TASKACCT_R_WAIT_BLKIO_TOTAL,
		[RSS] = TASKACCT_R_PEAK_RSS,
	};
	unsigned int i;

	for (i = 0; i < VALUES; i++) {
		entry->v[i] = taskacct_value(record, members[i]);
		entry->valid[i] = taskacct_validity(record, members[i]) ==
				  TASKACCT_VALID;
	}
	entry->v[CPU] += record->r.stime;
}

/* Under its path where that is told, or its number, or nothing */
static void name_cgroup(char *name, size_t size,
			const struct taskacct_message *message,
			const struct taskacct_extended *record)
{
	if (message->cgroup.text)
		snprintf(name, size, "%.*s", (int)message->cgroup.length,
			 message->cgroup.text);
	else if (taskacct_validity(record, TASKACCT_R_CGROUP) == TASKACCT_VALID)
		snprintf(name, size, "%" PRIu64, (uint64_t)record->r.cgroup);
	else
		snprintf(name, size, UNKNOWN);
}

/* As with classic ones, but where kinds were asked for there is but one rule */
static bool is_counted(const struct summary *summary,
		       const struct taskacct_message *message,
		       const struct taskacct_record *r)
{
	if (summary->kinds == TASKACCT_KIND_TASK)
		return r->kind == TASKACCT_KIND_TASK;
	if (r->kind == TASKACCT_KIND_PROCESS)
		return true;
	return summary->kinds != TASKACCT_KIND_PROCESS &&
	       message->n_records == 1 && (r->flags & TASKACCT_RECORD_LAST);
}

void summary_add_extended(struct summary *summary,
			  const struct taskacct_message *message,
			  const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;
	struct entry entry = { .counts = true };
	char name[PATH_MAX];

	if (!is_counted(summary, message, r))
		return;
	if (summary->by == SUMMARY_COMM)
		snprintf(name, sizeof(name), "%s", r->comm);
	else if (summary->by == SUMMARY_UID)
		snprintf(name, sizeof(name), "%" PRIu32, r->uid);
	else
		name_cgroup(name, sizeof(name), message, record);
	entry.name = name;
	take_extended(&entry, record);
	entry.lifetime_us = (r->end - r->start) / 1000;
	add(summary, &entry);
}

static uint64_t sort_value(const struct total *t, enum sort_key sort)
{
	switch (sort) {
	case SORT_READ:
		return t->v[READ];
	case SORT_WRITE:
		return t->v[WRITTEN];
	case SORT_WAIT_CPU:
		return t->v[WAIT_CPU];
	case SORT_WAIT_IO:
		return t->v[WAIT_IO];
	case SORT_RSS:
		return t->v[RSS];
	case SORT_LIFETIME:
		return percentile(t, 50);
	case SORT_P95:
		return percentile(t, 95);
	case SORT_COUNT:
		return t->count;
	case SORT_NAME:
		return 0;
	default:
		return t->v[CPU];
	}
}

/* A total, and what it is sorted by */
struct row {
	const struct total *total;
	uint64_t key;
};

/* The largest first; equals by name */
static int compare(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	if (left->key != right->key)
		return left->key < right->key ? 1 : -1;
	return strcmp(left->total->name, right->total->name);
}

static void print_value(struct out *out, const struct total *t, const char *key,
			const char *head, enum taskacct_unit unit,
			enum value value, uint64_t divisor)
{
	out_cell(out, &(struct out_cell){ .key = key,
					  .head = head,
					  .width = 6,
					  .unit = unit,
					  .valid = t->known[value] > 0,
					  .value = t->v[value] / divisor });
}

/* Of how many records each is, for programs */
static void print_known(struct out *out, const struct total *t)
{
	static const char *const keys[VALUES] = {
		[CPU] = "cpu_us_n",
		[READ] = "read_bytes_n",
		[WRITTEN] = "write_bytes_n",
		[WAIT_CPU] = "cpu_delay_ns_n",
		[WAIT_IO] = "blkio_delay_ns_n",
		[RSS] = "peak_rss_kib_n",
	};
	unsigned int i;

	for (i = 0; i < VALUES; i++)
		out_u64(out, keys[i], NULL, 0, TASKACCT_UNIT_COUNT,
			t->known[i]);
}

/* For people, who have no column for that */
static void tell_partial(const struct total *t)
{
	static const char *const names[VALUES] = {
		[CPU] = "cpu",		 [READ] = "read",
		[WRITTEN] = "write",	 [WAIT_CPU] = "wait-cpu",
		[WAIT_IO] = "wait-io",	 [RSS] = "rss",
	};
	unsigned int i;

	for (i = 0; i < VALUES; i++)
		if (t->known[i] && t->known[i] < t->records)
			message("%s: %s is of %" PRIu64 " of %" PRIu64
				" records, the others do not have it",
				t->name, names[i], t->known[i], t->records);
}

static void print_name(struct out *out, enum summary_key by,
		       const struct total *t)
{
	switch (by) {
	case SUMMARY_UID:
		out_text(out, "uid", "USER", -15, t->name);
		break;
	case SUMMARY_CGROUP:
		/* For people at the end of the line, for it may be long */
		out_text(out, "cgroup", NULL, 0, t->name);
		break;
	default:
		out_text(out, "comm", "COMMAND", -15, t->name);
	}
}

static void print_total(struct out *out, enum summary_key by,
			const struct total *t)
{
	static const char *const kinds[] = {
		[SUMMARY_COMM] = "command",
		[SUMMARY_UID] = "user",
		[SUMMARY_CGROUP] = "cgroup",
	};

	out_begin(out, kinds[by], "totals", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	print_name(out, by, t);
	out_u64(out, "count", "COUNT", 6, TASKACCT_UNIT_COUNT, t->count);
	print_value(out, t, "cpu_us", "CPU", TASKACCT_UNIT_US, CPU, 1000);
	print_value(out, t, "read_bytes", "READ", TASKACCT_UNIT_BYTES, READ, 1);
	print_value(out, t, "write_bytes", "WRITE", TASKACCT_UNIT_BYTES,
		    WRITTEN, 1);
	print_value(out, t, "cpu_delay_ns", "W-CPU", TASKACCT_UNIT_NS, WAIT_CPU,
		    1);
	print_value(out, t, "blkio_delay_ns", "W-IO", TASKACCT_UNIT_NS, WAIT_IO,
		    1);
	print_value(out, t, "peak_rss_kib", "RSS", TASKACCT_UNIT_KIB, RSS,
		    1024);
	out_u64(out, "lifetime_median_us", "MEDIAN", 6, TASKACCT_UNIT_US,
		percentile(t, 50));
	out_u64(out, "lifetime_p95_us", "P95", 6, TASKACCT_UNIT_US,
		percentile(t, 95));
	print_known(out, t);
	if (by == SUMMARY_CGROUP)
		out_text(out, NULL, "CGROUP", -15, t->name);
	out_end(out);
	tell_partial(t);
}

void summary_print(struct summary *summary, struct out *out)
{
	const struct total *t;
	struct row *list;
	size_t i, n = 0;

	list = calloc(summary->n + 1, sizeof(*list));
	if (!list)
		message_die(EXIT_REFUSED, "out of memory");
	for (i = 0; i < BUCKETS; i++)
		for (t = summary->buckets[i]; t; t = t->next)
			list[n++] = (struct row){
				.total = t,
				.key = sort_value(t, summary->sort),
			};
	qsort(list, n, sizeof(*list), compare);
	out_stream(out);
	for (i = 0; i < n; i++)
		print_total(out, summary->by, list[i].total);
	free(list);
}

void summary_free(struct summary *summary)
{
	struct total *t;
	size_t i;

	for (i = 0; summary && i < BUCKETS; i++) {
		while ((t = summary->buckets[i])) {
			summary->buckets[i] = t->next;
			free(t->name);
			free(t);
		}
	}
	free(summary);
}
