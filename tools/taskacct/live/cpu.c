// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct cpu: where the time of CPUs goes, by taskacct and by the kernel
 */
#include <time.h>

#include "out/pairs.h"
#include "cpu_times.h"
#include "options.h"
#include "stop.h"

#define CLASSES TASKACCT_CPU_CLASSES

/* The CPU and who counts, before the classes of time */
#define FIRST 2

/* People read shares of all time, programs nanoseconds. */
static void make_columns(struct out_column *columns, bool people)
{
	int i;

	columns[0] = (struct out_column){ "cpu", "CPU", UNIT_ID, 3 };
	columns[1] = (struct out_column){ "by", "BY", UNIT_TEXT, 8 };
	for (i = 0; i < CLASSES; i++)
		columns[FIRST + i] =
			(struct out_column){ cpu_class_names[i][0],
					     cpu_class_names[i][1],
					     people ? UNIT_PERCENT : UNIT_NS,
					     5 };
}

static void set_classes(struct value *values, const uint64_t *ns, bool people)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CLASSES; i++)
		sum += ns[i];
	for (i = 0; i < CLASSES; i++) {
		values[i].n = ns[i];
		if (people && sum)
			values[i].n = (uint64_t)((double)ns[i] * 100000 /
						 (double)sum);
		if (people && !sum)
			values[i].state = TASKACCT_ABSENT;
	}
}

static void print_cpu(struct out *out, const struct cpu_source *source,
		      size_t cpu, bool people)
{
	struct value values[FIRST + CLASSES] = { { .n = cpu } };
	uint64_t ns[CLASSES];

	if (!cpu_source_get(source, cpu, ns))
		return;
	values[1] = pair_text(NULL, source->name, NULL).value;
	set_classes(values + FIRST, ns, people);
	out_row(out, values, NULL, NULL);
}

static void print_interval(struct out *out, const struct cpu_sources *sources,
			   bool people)
{
	size_t cpu, i;

	for (cpu = 0; cpu < sources->v[0].now.n; cpu++)
		for (i = 0; i < CPU_SOURCES; i++)
			print_cpu(out, &sources->v[i], cpu, people);
	out_flush(stdout);
}

static int tell(const struct options *opt, struct out *out, bool people)
{
	struct cpu_sources sources = { .v = { { .name = NULL } } };
	struct timespec due;
	uint64_t n;
	int err;

	err = cpu_sources_open(&sources);
	for (n = 0; !err && (!opt->rounds || n < opt->rounds); n++) {
		clock_gettime(CLOCK_MONOTONIC, &due);
		if (stop_sleep(&due, opt->delay_ns))
			break;
		err = cpu_sources_read(&sources);
		if (!err)
			print_interval(out, &sources, people);
	}
	cpu_sources_free(&sources);
	return err;
}

enum status cpu_run(struct options *opt)
{
	const bool people = opt->style.form == OUT_TABLE;
	struct out_column columns[FIRST + CLASSES];
	struct out *out;
	int err;

	make_columns(columns, people);
	opt->style.stream = people;
	out = out_open(stdout, "cpu", &opt->style, columns, FIRST + CLASSES);
	stop_catch();
	err = tell(opt, out, people);
	out_close(out);
	return err ? STATUS_REFUSED : STATUS_DONE;
}
