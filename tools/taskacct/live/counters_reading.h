/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that are read by mmap, all at once */
#ifndef TASKACCT_CMD_COUNTERS_READING_H
#define TASKACCT_CMD_COUNTERS_READING_H

#include <stdint.h>

#include "taskacct.h"

/**
 * struct counters_reading - all counters of all CPUs
 * @c: handle, which knows their names
 * @values: by CPU and number; those of a CPU are of one moment
 * @n: numbers that there are
 * @cpus: CPUs that there are
 */
struct counters_reading {
	struct taskacct_counters *c;
	int64_t *values;
	unsigned int n;
	unsigned int cpus;
};

/**
 * counters_reading_take() - names and values of one set of counters
 * @reading: set; counters_reading_free() it
 *
 * Return: 0 or a negative errno; then it has said why.
 */
int counters_reading_take(struct counters_reading *reading);

/**
 * counters_reading_on() - a counter's value on a CPU
 * @reading: reading
 * @cpu: CPU
 * @instance: the counter's number
 *
 * Return: the value.
 */
int64_t counters_reading_on(const struct counters_reading *reading,
			    unsigned int cpu, unsigned int instance);

/**
 * counters_reading_total() - a counter's sum over all CPUs
 * @reading: reading
 * @instance: the counter's number
 *
 * Return: the sum.
 */
int64_t counters_reading_total(const struct counters_reading *reading,
			       unsigned int instance);

/**
 * counters_reading_find() - a counter by its name
 * @reading: reading
 * @name: name
 *
 * Return: the counter or NULL.
 */
const struct taskacct_counter *
counters_reading_find(const struct counters_reading *reading, const char *name);

/**
 * counters_reading_free() - free what it holds
 * @reading: reading
 */
void counters_reading_free(struct counters_reading *reading);

#endif /* TASKACCT_CMD_COUNTERS_READING_H */
