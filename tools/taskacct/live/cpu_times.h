/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the time of CPUs goes, by taskacct and by the kernel */
#ifndef TASKACCT_CMD_CPU_TIMES_H
#define TASKACCT_CMD_CPU_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taskacct.h"

/**
 * struct cpu_times - where the time of CPUs went, from one file
 * @ns: by CPU and class
 * @there: CPUs that have a line
 * @n: CPUs that there is room for
 */
struct cpu_times {
	uint64_t (*ns)[TASKACCT_CPU_CLASSES];
	bool *there;
	size_t n;
};

/**
 * cpu_times_read() - taskacct's times up to now, in ns
 * @times: zeros, or a reading, which is forgotten; cpu_times_free() it
 *
 * Return: true; false where they are not accounted, or reported in ticks only.
 */
bool cpu_times_read(struct cpu_times *times);

/**
 * cpu_times_free() - free what it holds
 * @times: times
 */
void cpu_times_free(struct cpu_times *times);

/**
 * struct cpu_source - who counts
 * @name: as people call it
 * @file: where it tells
 * @word: what lines of CPUs begin with
 * @unit: of its numbers, in ns
 * @then: at the beginning of the interval
 * @now: at its end
 */
struct cpu_source {
	const char *name;
	const char *file;
	const char *word;
	uint64_t unit;
	struct cpu_times then;
	struct cpu_times now;
};

/* taskacct, and the kernel */
#define CPU_SOURCES 2

/**
 * struct cpu_sources - all that count
 * @v: they
 */
struct cpu_sources {
	struct cpu_source v[CPU_SOURCES];
};

/* Of each class of time: its name for programs, and for people */
extern const char *const cpu_class_names[TASKACCT_CPU_CLASSES][2];

/**
 * cpu_sources_open() - begin the first interval
 * @sources: set; cpu_sources_free() it
 *
 * Return: 0 or a negative errno; then it has said why.
 */
int cpu_sources_open(struct cpu_sources *sources);

/**
 * cpu_sources_read() - end an interval, which begins the next
 * @sources: sources
 *
 * Return: 0 or a negative errno; then it has said why.
 */
int cpu_sources_read(struct cpu_sources *sources);

/**
 * cpu_source_get() - where a CPU's time went within the interval
 * @source: who counts
 * @cpu: the CPU
 * @ns: set, by class
 *
 * Return: true; false for a CPU that was not there all the time.
 */
bool cpu_source_get(const struct cpu_source *source, size_t cpu, uint64_t *ns);

/**
 * cpu_sources_free() - free what it holds
 * @sources: sources
 */
void cpu_sources_free(struct cpu_sources *sources);

#endif /* TASKACCT_CMD_CPU_TIMES_H */
