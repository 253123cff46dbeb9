// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read by mmap: their totals, and what they are on each CPU
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"

/* How often the set of counters may have changed while they were read */
#define TRIES 100

/**
 * struct reading - all counters of all CPUs
 * @c: handle
 * @values: by CPU and number; those of a CPU are of one moment
 * @n: numbers that there are
 * @cpus: CPUs that there are
 */
struct reading {
	struct taskacct_counters *c;
	int64_t *values;
	unsigned int n;
	unsigned int cpus;
};

static void tell_open(int err)
{
	switch (err) {
	case -ENOENT:
		message("no %s: modprobe taskacct", TASKACCT_COUNTERS_DEVICE);
		break;
	case -EACCES:
	case -EPERM:
		message("%s is for root and for the group that taskacct's parameter counters_group names",
			TASKACCT_COUNTERS_DEVICE);
		break;
	case -EPROTONOSUPPORT:
		message("taskacct's counters are of a later version: install its getdelays");
		break;
	default:
		message("%s: %s", TASKACCT_COUNTERS_DEVICE, strerror(-err));
	}
}

/* Behind the last: they are in the order of their numbers. */
static unsigned int count_numbers(const struct taskacct_counters *c)
{
	const struct taskacct_counter *counter;
	unsigned int n = 0;
	size_t i;

	for (i = 0; (counter = taskacct_counters_at(c, i)); i++)
		n = counter->instance + 1;
	return n;
}

/* All CPUs, by the names as they are known; -ESTALE where others are there now */
static int read_all(struct reading *reading)
{
	int64_t *values;
	unsigned int cpu;
	int err;

	reading->n = count_numbers(reading->c);
	reading->cpus = taskacct_counters_cpus(reading->c);
	free(reading->values);
	reading->values = calloc((size_t)reading->n * reading->cpus + 1,
				 sizeof(*reading->values));
	values = reading->values;
	if (!values)
		return -ENOMEM;
	for (cpu = 0; cpu < reading->cpus; cpu++) {
		err = taskacct_counters_read_some(reading->c, cpu, 0,
						  reading->n, values);
		values += reading->n;
		if (!err)
			continue;
		if (err == -EAGAIN)
			message("CPU %u is in the midst of an update, and stays there: kernel code that counts there does not end it",
				cpu);
		return err;
	}
	return 0;
}

/* Names and values of one set of counters */
static int take_reading(struct reading *reading)
{
	int err = -ESTALE, tries;

	for (tries = 0; err == -ESTALE && tries < TRIES; tries++) {
		err = taskacct_counters_refresh(reading->c);
		if (err >= 0)
			err = read_all(reading);
	}
	if (err && err != -EAGAIN)
		message("%s: %s", TASKACCT_COUNTERS_DEVICE,
			err == -ESTALE ? "counters come and go too often" :
					 strerror(-err));
	return err;
}

static int64_t value_on(const struct reading *reading, unsigned int cpu,
			unsigned int instance)
{
	return reading->values[(size_t)cpu * reading->n + instance];
}

static int64_t total_of(const struct reading *reading, unsigned int instance)
{
	unsigned int cpu;
	int64_t sum = 0;

	for (cpu = 0; cpu < reading->cpus; cpu++)
		sum += value_on(reading, cpu, instance);
	return sum;
}

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
			  const struct reading *reading,
			  const struct taskacct_counter *counter)
{
	unsigned int cpu;

	print_value(out, counter, -1, total_of(reading, counter->instance));
	for (cpu = 0; opt->per_cpu && cpu < reading->cpus; cpu++)
		print_value(out, counter, cpu,
			    value_on(reading, cpu, counter->instance));
}

static const struct taskacct_counter *
by_name(const struct taskacct_counters *c, const char *name)
{
	const struct taskacct_counter *counter;
	size_t i;

	for (i = 0; (counter = taskacct_counters_at(c, i)); i++)
		if (!strcmp(counter->name, name))
			break;
	return counter;
}

/* Those that were named, as they were, or all */
static enum exit_status print_all(struct out *out, const struct options *opt,
				  const struct reading *reading)
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
		counter = by_name(reading->c, *name);
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
	struct reading reading = { .values = NULL };
	int err;

	err = taskacct_counters_open(&reading.c);
	if (err) {
		tell_open(err);
		return EXIT_REFUSED;
	}
	if (!take_reading(&reading))
		status = print_all(out, opt, &reading);
	free(reading.values);
	taskacct_counters_close(reading.c);
	return status;
}
