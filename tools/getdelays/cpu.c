// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the time of CPUs goes, by taskacct and by the kernel
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"
#include "stop.h"

#define OURS	"/proc/taskacct/stat"
#define THEIRS	"/proc/stat"
#define CURE	"echo switch >/sys/module/taskacct/parameters/cputime"

#define CLASSES TASKACCT_CPU_CLASSES

/**
 * struct times - where the time of CPUs went, from one file
 * @ns: by CPU and class
 * @there: CPUs that have a line
 * @n: CPUs that there is room for
 */
struct times {
	uint64_t (*ns)[CLASSES];
	bool *there;
	size_t n;
};

/**
 * struct source - who counts
 * @name: as people call it
 * @file: where it tells
 * @word: what lines of CPUs begin with
 * @unit: of its numbers, in ns
 * @then: at the beginning of the interval
 * @now: at its end
 */
struct source {
	const char *name;
	const char *file;
	const char *word;
	uint64_t unit;
	struct times then;
	struct times now;
};

static void make_room(struct times *times, size_t n)
{
	if (n <= times->n)
		return;
	times->ns = reallocarray(times->ns, n, sizeof(*times->ns));
	times->there = reallocarray(times->there, n, sizeof(*times->there));
	if (!times->ns || !times->there)
		message_die(EXIT_REFUSED, "out of memory");
	memset(times->there + times->n, 0, n - times->n);
	times->n = n;
}

static void forget(struct times *times)
{
	free(times->ns);
	free(times->there);
}

/* A line such as "cpu1 0 1 ...": the classes that older kernels lack are 0. */
static void take_line(const struct source *source, struct times *times,
		      const char *line)
{
	const size_t length = strlen(source->word);
	unsigned long cpu;
	char *rest;
	int i;

	if (strncmp(line, source->word, length))
		return;
	cpu = strtoul(line + length, &rest, 10);
	if (rest == line + length || cpu >= 65536)
		return;
	make_room(times, cpu + 1);
	for (i = 0; i < CLASSES; i++)
		times->ns[cpu][i] = strtoull(rest, &rest, 10) * source->unit;
	times->there[cpu] = true;
}

static int read_times(const struct source *source, struct times *times)
{
	FILE *file = fopen(source->file, "re");
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return -errno;
	if (times->there)
		memset(times->there, 0, times->n);
	while (getline(&line, &size, file) >= 0)
		take_line(source, times, line);
	free(line);
	fclose(file);
	return 0;
}

/* What taskacct's file says of itself */
struct ours {
	bool off;
	bool exact;
};

static struct ours look_at_ours(void)
{
	FILE *file = fopen(OURS, "re");
	struct ours ours = { 0 };
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return ours;
	while (getline(&line, &size, file) >= 0) {
		ours.off |= !strcmp(line, "mode off\n");
		ours.exact |= !strncmp(line, "ns", 2);
	}
	free(line);
	fclose(file);
	return ours;
}

/* What is in two classes is told once: guests are in user and nice (D6). */
static void take_guests_out(uint64_t *ns)
{
	static const int pairs[][2] = {
		{ TASKACCT_CPU_USER, TASKACCT_CPU_GUEST },
		{ TASKACCT_CPU_NICE, TASKACCT_CPU_GUEST_NICE },
	};
	size_t i;

	for (i = 0; i < 2; i++)
		ns[pairs[i][0]] -= ns[pairs[i][1]] < ns[pairs[i][0]] ?
					   ns[pairs[i][1]] :
					   ns[pairs[i][0]];
}

/* The kernel's own statistics can go back. */
static void subtract(uint64_t *ns, const uint64_t *then, const uint64_t *now)
{
	int i;

	for (i = 0; i < CLASSES; i++)
		ns[i] = now[i] > then[i] ? now[i] - then[i] : 0;
}

static void print_class(struct out *out, const char *key, const char *head,
			uint64_t ns, uint64_t sum)
{
	char percent[16] = "-";

	if (sum)
		snprintf(percent, sizeof(percent), "%.1f",
			 (double)ns * 100 / (double)sum);
	out_u64(out, key, NULL, 0, TASKACCT_UNIT_NS, ns);
	out_text(out, NULL, head, 5, percent);
}

static void print_classes(struct out *out, const uint64_t *ns)
{
	static const char *const names[CLASSES][2] = {
		[TASKACCT_CPU_USER] = { "user", "USER" },
		[TASKACCT_CPU_NICE] = { "nice", "NICE" },
		[TASKACCT_CPU_SYSTEM] = { "system", "SYS" },
		[TASKACCT_CPU_IDLE] = { "idle", "IDLE" },
		[TASKACCT_CPU_IOWAIT] = { "iowait", "WAIT" },
		[TASKACCT_CPU_IRQ] = { "irq", "IRQ" },
		[TASKACCT_CPU_SOFTIRQ] = { "softirq", "SOFT" },
		[TASKACCT_CPU_STEAL] = { "steal", "STEAL" },
		[TASKACCT_CPU_GUEST] = { "guest", "GUEST" },
		[TASKACCT_CPU_GUEST_NICE] = { "guest_nice", "GNICE" },
	};
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CLASSES; i++)
		sum += ns[i];
	for (i = 0; i < CLASSES; i++)
		print_class(out, names[i][0], names[i][1], ns[i], sum);
}

static void print_cpu(struct out *out, const struct source *source, size_t cpu)
{
	uint64_t ns[CLASSES];

	if (cpu >= source->then.n || !source->then.there[cpu] ||
	    cpu >= source->now.n || !source->now.there[cpu])
		return;
	subtract(ns, source->then.ns[cpu], source->now.ns[cpu]);
	take_guests_out(ns);
	out_begin(out, "cpu", "cpu", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_u64(out, "cpu", "CPU", 3, TASKACCT_UNIT_NUMBER, cpu);
	out_text(out, "by", "BY", -8, source->name);
	print_classes(out, ns);
	out_end(out);
}

static void next_interval(struct source *source)
{
	const struct times then = source->then;

	source->then = source->now;
	source->now = then;
}

static int read_sources(struct source *sources, size_t n)
{
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		err = read_times(&sources[i], &sources[i].now);
		if (!err)
			continue;
		message("%s: %s%s", sources[i].file, strerror(-err),
			err == -ENOENT ? "; is taskacct loaded?" : "");
		return err;
	}
	return 0;
}

static void print_interval(struct out *out, const struct source *sources)
{
	size_t cpu;

	for (cpu = 0; cpu < sources[0].now.n; cpu++) {
		print_cpu(out, &sources[0], cpu);
		print_cpu(out, &sources[1], cpu);
	}
	out_flush(out);
}

static int tell(const struct options *opt, struct out *out,
		struct source *sources)
{
	struct timespec due;
	unsigned long n;
	int err;

	err = read_sources(sources, 2);
	for (n = 0; !err && (!opt->count || n < opt->count); n++) {
		next_interval(&sources[0]);
		next_interval(&sources[1]);
		clock_gettime(CLOCK_MONOTONIC, &due);
		if (stop_sleep(&due, (uint64_t)(opt->interval * 1e9)))
			break;
		err = read_sources(sources, 2);
		if (!err)
			print_interval(out, sources);
		if (out_failed(out))
			break;
	}
	return err;
}

enum exit_status cpu_run(const struct options *opt, struct out *out)
{
	struct source sources[2] = {
		{ .name = "taskacct", .file = OURS, .word = "ns", .unit = 1 },
		{ .name = "kernel", .file = THEIRS, .word = "cpu" },
	};
	const struct ours ours = look_at_ours();
	size_t i;
	int err;

	if (ours.off) {
		message("time per CPU is not accounted: %s", CURE);
		return EXIT_REFUSED;
	}
	sources[1].unit = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	/* Without the privilege there is no more than in the kernel's own file. */
	if (!ours.exact) {
		sources[0].word = sources[1].word;
		sources[0].unit = sources[1].unit;
	}
	stop_catch();
	out_stream(out);
	err = tell(opt, out, sources);
	for (i = 0; i < 2; i++) {
		forget(&sources[i].then);
		forget(&sources[i].now);
	}
	return err ? EXIT_REFUSED : EXIT_DONE;
}
