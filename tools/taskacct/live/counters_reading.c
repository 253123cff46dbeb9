// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that are read by mmap, all at once
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "counters_reading.h"

/* How often the set of counters may have changed while they were read */
#define TRIES 100

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
		message("taskacct's counters are of a later version: install its tools");
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
static int read_all(struct counters_reading *reading)
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

int counters_reading_take(struct counters_reading *reading)
{
	int err, tries;

	memset(reading, 0, sizeof(*reading));
	err = taskacct_counters_open(&reading->c);
	if (err) {
		tell_open(err);
		return err;
	}
	err = -ESTALE;
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

int64_t counters_reading_on(const struct counters_reading *reading,
			    unsigned int cpu, unsigned int instance)
{
	return reading->values[(size_t)cpu * reading->n + instance];
}

int64_t counters_reading_total(const struct counters_reading *reading,
			       unsigned int instance)
{
	unsigned int cpu;
	int64_t sum = 0;

	for (cpu = 0; cpu < reading->cpus; cpu++)
		sum += counters_reading_on(reading, cpu, instance);
	return sum;
}

const struct taskacct_counter *
counters_reading_find(const struct counters_reading *reading, const char *name)
{
	const struct taskacct_counter *counter;
	size_t i;

	for (i = 0; (counter = taskacct_counters_at(reading->c, i)); i++)
		if (!strcmp(counter->name, name))
			break;
	return counter;
}

void counters_reading_free(struct counters_reading *reading)
{
	free(reading->values);
	if (reading->c)
		taskacct_counters_close(reading->c);
}
