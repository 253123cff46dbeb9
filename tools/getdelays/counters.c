// SPDX-License-Identifier: GPL-2.0-only
/*
 * getdelays --counters: totals, and what they are on each CPU
 */
#include <string.h>

#include "counters.h"
#include "counters_reading.h"

/* For people, who read 12ms with more ease than 12345678 */
static enum taskacct_unit unit_of(const struct taskacct_counter *counter,
				  int64_t value)
{
	if (value < 0 || counter->gauge)
		return TASKACCT_UNIT_SIGNED;
	if (!strcmp(counter->unit, "ns"))
		return TASKACCT_UNIT_NS;
	if (!strcmp(counter->unit, "byte"))
		return TASKACCT_UNIT_BYTES;
	return TASKACCT_UNIT_SIGNED;
}

/* Of one CPU, or, where that is negative, of all */
static void print_value(struct out *out, const struct taskacct_counter *counter,
			int64_t cpu, int64_t value)
{
	out_begin(out, "counter", "counters", NULL);
	out_group(out, NULL, 0);
	out_row(out, NULL);
	out_text(out, "name", "COUNTER", -32, counter->name);
	out_cell(out, &(struct out_cell){ .key = "cpu",
					  .head = "CPU",
					  .width = 5,
					  .unit = TASKACCT_UNIT_NUMBER,
					  .valid = cpu >= 0,
					  .value = (uint64_t)cpu });
	out_u64(out, NULL, "VALUE", 20, unit_of(counter, value),
		(uint64_t)value);
	out_u64(out, "value", NULL, 0, TASKACCT_UNIT_SIGNED, (uint64_t)value);
	out_text(out, "unit", "UNIT", -15, counter->unit);
	out_cell(out, &(struct out_cell){ .key = "gauge",
					  .unit = TASKACCT_UNIT_NUMBER,
					  .valid = true,
					  .flag = true,
					  .value = counter->gauge });
	out_end(out);
}

static void print_counter(struct out *out, const struct options *opt,
			  const struct counters_reading *reading,
			  const struct taskacct_counter *counter)
{
	unsigned int cpu;

	print_value(out, counter, -1, counters_reading_total(reading,
						       counter->instance));
	for (cpu = 0; opt->per_cpu && cpu < reading->cpus; cpu++)
		print_value(out, counter, cpu,
			    counters_reading_on(reading, cpu,
						counter->instance));
}

/* Those that were named, as they were, or all */
static enum exit_status print_all(struct out *out, const struct options *opt,
				  const struct counters_reading *reading)
{
	const struct taskacct_counter *counter;
	enum exit_status status = EXIT_DONE;
	char **name;
	size_t i;

	out_stream(out);
	for (i = 0; !*opt->names &&
		    (counter = taskacct_counters_at(reading->c, i)); i++)
		print_counter(out, opt, reading, counter);
	for (name = opt->names; *name; name++) {
		counter = counters_reading_find(reading, *name);
		if (counter) {
			print_counter(out, opt, reading, counter);
			continue;
		}
		message("no counter %s; getdelays --counters has all that there are",
			*name);
		status = EXIT_REFUSED;
	}
	return status;
}

enum exit_status counters_run(const struct options *opt, struct out *out)
{
	enum exit_status status = EXIT_REFUSED;
	struct counters_reading reading;

	if (!counters_reading_take(&reading))
		status = print_all(out, opt, &reading);
	counters_reading_free(&reading);
	return status;
}
