// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the time of CPUs goes, by taskacct and by the kernel
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "cpu_times.h"

#define OURS "/proc/taskacct/stat"
#define THEIRS "/proc/stat"
#define CURE "echo switch >/sys/module/taskacct/parameters/cputime"

#define CLASSES TASKACCT_CPU_CLASSES

static void make_room(struct cpu_times *times, size_t n)
{
	if (n <= times->n)
		return;
	times->ns = reallocarray(times->ns, n, sizeof(*times->ns));
	times->there = reallocarray(times->there, n, sizeof(*times->there));
	if (!times->ns || !times->there)
		die(STATUS_REFUSED, "out of memory");
	memset(times->there + times->n, 0, n - times->n);
	times->n = n;
}

void cpu_times_free(struct cpu_times *times)
{
	free(times->ns);
	free(times->there);
}

/* A line such as "cpu1 0 1 ...": the classes that older kernels lack are 0. */
static void take_line(const struct cpu_source *source, struct cpu_times *times,
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

static int read_times(const struct cpu_source *source, struct cpu_times *times)
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

static const struct cpu_source exact = {
	.name = "taskacct",
	.file = OURS,
	.word = "ns",
	.unit = 1,
};

bool cpu_times_read(struct cpu_times *times)
{
	const struct ours ours = look_at_ours();

	return ours.exact && !ours.off && !read_times(&exact, times);
}

/* What is in two classes is reported once: guests are in user and nice (D6). */
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

const char *const cpu_class_names[CLASSES][2] = {
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

int cpu_sources_open(struct cpu_sources *sources)
{
	const struct ours ours = look_at_ours();
	struct cpu_source *v = sources->v;

	memset(sources, 0, sizeof(*sources));
	if (ours.off) {
		message("time per CPU is not accounted: %s", CURE);
		return -EOPNOTSUPP;
	}
	v[0] = exact;
	v[1] = (struct cpu_source){ .name = "kernel",
				    .file = THEIRS,
				    .word = "cpu" };
	v[1].unit = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	/* Without the privilege there is no more than in the kernel's own file. */
	if (!ours.exact) {
		v[0].word = v[1].word;
		v[0].unit = v[1].unit;
	}
	return cpu_sources_read(sources);
}

static void next_interval(struct cpu_source *source)
{
	const struct cpu_times then = source->then;

	source->then = source->now;
	source->now = then;
}

int cpu_sources_read(struct cpu_sources *sources)
{
	struct cpu_source *source;
	int err;

	for (source = sources->v; source < sources->v + CPU_SOURCES; source++) {
		next_interval(source);
		err = read_times(source, &source->now);
		if (!err)
			continue;
		message("%s: %s%s", source->file, strerror(-err),
			err == -ENOENT ? "; is taskacct loaded?" : "");
		return err;
	}
	return 0;
}

bool cpu_source_get(const struct cpu_source *source, size_t cpu, uint64_t *ns)
{
	if (cpu >= source->then.n || !source->then.there[cpu] ||
	    cpu >= source->now.n || !source->now.there[cpu])
		return false;
	subtract(ns, source->then.ns[cpu], source->now.ns[cpu]);
	take_guests_out(ns);
	return true;
}

void cpu_sources_free(struct cpu_sources *sources)
{
	size_t i;

	for (i = 0; i < CPU_SOURCES; i++) {
		cpu_times_free(&sources->v[i].then);
		cpu_times_free(&sources->v[i].now);
	}
}
