// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals per command
 *
 * Memory is bounded, however long a listener runs: lifetimes are kept as a
 * histogram, and there is a limit to the commands that are told apart.
 */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "summary.h"

/* 32 steps to each doubling: a lifetime is known to 3 percent. */
#define STEP_BITS 5
#define STEPS (1 << STEP_BITS)
#define DOUBLINGS 40

#define BUCKETS 1024
#define COMMANDS_MAX 16384
#define REST "(others)"

/* What a command's tasks used */
struct command {
	struct command *next;
	char comm[33];
	uint64_t count;
	uint64_t cpu_us;
	uint64_t read;
	uint64_t written;
	uint64_t wait_cpu;
	uint64_t wait_io;
	uint64_t rss;
	uint32_t lifetimes[DOUBLINGS * STEPS];
};

struct summary {
	struct command *buckets[BUCKETS];
	size_t n;
};

struct summary *summary_new(void)
{
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		message_die(EXIT_REFUSED, "out of memory");
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

static struct command *find(struct summary *summary, const char *comm)
{
	struct command **bucket = &summary->buckets[hash(comm) % BUCKETS];
	struct command *c;

	for (c = *bucket; c; c = c->next)
		if (!strcmp(c->comm, comm))
			return c;
	if (summary->n >= COMMANDS_MAX && strcmp(comm, REST))
		return find(summary, REST);
	c = calloc(1, sizeof(*c));
	if (!c)
		message_die(EXIT_REFUSED, "out of memory");
	strcpy(c->comm, comm);
	c->next = *bucket;
	*bucket = c;
	summary->n++;
	return c;
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

static uint64_t percentile(const struct command *c, unsigned int percent)
{
	uint64_t seen = 0, want = (c->count * percent + 99) / 100;
	unsigned int n;

	for (n = 0; n < DOUBLINGS * STEPS - 1; n++) {
		seen += c->lifetimes[n];
		if (seen >= want)
			break;
	}
	return lifetime_of(n);
}

static void add_values(struct command *c, const struct taskacct_stats *stats)
{
	const uint64_t *v = stats->v;

	c->cpu_us += v[TASKACCT_F_UTIME] + v[TASKACCT_F_STIME];
	c->read += v[TASKACCT_F_READ_BYTES];
	c->written += v[TASKACCT_F_WRITE_BYTES];
	c->wait_cpu += v[TASKACCT_F_CPU_TOTAL];
	c->wait_io += v[TASKACCT_F_BLKIO_TOTAL];
	if (c->rss < v[TASKACCT_F_HIWATER_RSS])
		c->rss = v[TASKACCT_F_HIWATER_RSS];
}

static void add_lifetime(struct command *c, const struct taskacct_stats *stats)
{
	uint64_t us = taskacct_has(stats, TASKACCT_F_TGETIME) ?
			      stats->v[TASKACCT_F_TGETIME] :
			      stats->v[TASKACCT_F_ETIME];

	c->lifetimes[step_of(us)]++;
	c->count++;
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
	struct command *c;

	if (record->kind == TASKACCT_TGID ?
		    !complete :
		    complete && (!record->last || record->paired))
		return;
	c = find(summary, record->stats.comm);
	add_values(c, &record->stats);
	if (record->last || !taskacct_has(&record->stats, TASKACCT_F_TGETIME))
		add_lifetime(c, &record->stats);
}

static int by_cpu(const void *a, const void *b)
{
	const struct command *const *left = a, *const *right = b;

	if ((*left)->cpu_us != (*right)->cpu_us)
		return (*left)->cpu_us < (*right)->cpu_us ? 1 : -1;
	if ((*left)->count != (*right)->count)
		return (*left)->count < (*right)->count ? 1 : -1;
	return strcmp((*left)->comm, (*right)->comm);
}

static void print_command(struct out *out, const struct command *c)
{
	out_begin(out, "command", "commands", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "comm", "COMMAND", -15, c->comm);
	out_u64(out, "count", "COUNT", 6, TASKACCT_UNIT_COUNT, c->count);
	out_u64(out, "cpu_us", "CPU", 6, TASKACCT_UNIT_US, c->cpu_us);
	out_u64(out, "read_bytes", "READ", 6, TASKACCT_UNIT_BYTES, c->read);
	out_u64(out, "write_bytes", "WRITE", 6, TASKACCT_UNIT_BYTES,
		c->written);
	out_u64(out, "cpu_delay_ns", "W-CPU", 6, TASKACCT_UNIT_NS, c->wait_cpu);
	out_u64(out, "blkio_delay_ns", "W-IO", 6, TASKACCT_UNIT_NS, c->wait_io);
	out_u64(out, "peak_rss_kib", "RSS", 6, TASKACCT_UNIT_KIB, c->rss);
	out_u64(out, "lifetime_median_us", "MEDIAN", 6, TASKACCT_UNIT_US,
		percentile(c, 50));
	out_u64(out, "lifetime_p95_us", "P95", 6, TASKACCT_UNIT_US,
		percentile(c, 95));
	out_end(out);
}

void summary_print(struct summary *summary, struct out *out)
{
	struct command **list, *c;
	size_t i, n = 0;

	list = calloc(summary->n + 1, sizeof(*list));
	if (!list)
		message_die(EXIT_REFUSED, "out of memory");
	for (i = 0; i < BUCKETS; i++)
		for (c = summary->buckets[i]; c; c = c->next)
			list[n++] = c;
	qsort(list, n, sizeof(*list), by_cpu);
	out_stream(out);
	for (i = 0; i < n; i++)
		print_command(out, list[i]);
	free(list);
}

void summary_free(struct summary *summary)
{
	struct command *c;
	size_t i;

	for (i = 0; summary && i < BUCKETS; i++) {
		while ((c = summary->buckets[i])) {
			summary->buckets[i] = c->next;
			free(c);
		}
	}
	free(summary);
}
