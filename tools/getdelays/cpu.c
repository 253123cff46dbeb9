// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays --cpu
 */
#include <stdio.h>
#include <time.h>

#include "cpu.h"
#include "cpu_times.h"
#include "stop.h"

#define CLASSES TASKACCT_CPU_CLASSES

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
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CLASSES; i++)
		sum += ns[i];
	for (i = 0; i < CLASSES; i++)
		print_class(out, cpu_class_names[i][0], cpu_class_names[i][1],
			    ns[i], sum);
}

static void print_cpu(struct out *out, const struct cpu_source *source,
		      size_t cpu)
{
	uint64_t ns[CLASSES];

	if (!cpu_source_get(source, cpu, ns))
		return;
	out_begin(out, "cpu", "cpu", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_u64(out, "cpu", "CPU", 3, TASKACCT_UNIT_NUMBER, cpu);
	out_text(out, "by", "BY", -8, source->name);
	print_classes(out, ns);
	out_end(out);
}

static void print_interval(struct out *out, const struct cpu_sources *sources)
{
	size_t cpu;

	for (cpu = 0; cpu < sources->v[0].now.n; cpu++) {
		print_cpu(out, &sources->v[0], cpu);
		print_cpu(out, &sources->v[1], cpu);
	}
	out_flush(out);
}

static int tell(const struct options *opt, struct out *out,
		struct cpu_sources *sources)
{
	struct timespec due;
	unsigned long n;
	int err;

	err = cpu_sources_open(sources);
	for (n = 0; !err && (!opt->count || n < opt->count); n++) {
		clock_gettime(CLOCK_MONOTONIC, &due);
		if (stop_sleep(&due, (uint64_t)(opt->interval * 1e9)))
			break;
		err = cpu_sources_read(sources);
		if (!err)
			print_interval(out, sources);
		if (out_failed(out))
			break;
	}
	return err;
}

enum exit_status cpu_run(const struct options *opt, struct out *out)
{
	struct cpu_sources sources = { .v = { { .name = NULL } } };
	int err;

	stop_catch();
	out_stream(out);
	err = tell(opt, out, &sources);
	cpu_sources_free(&sources);
	return err ? EXIT_REFUSED : EXIT_DONE;
}
