/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's book of CPUs: where all their time went */
#ifndef TASKACCT_CMD_AUDIT_CPUS_H
#define TASKACCT_CMD_AUDIT_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/cpu_times.h"

/**
 * struct audit_cpus - a reading of that book
 * @times: each CPU's, by class
 * @has: it could be read: time per CPU is accounted
 * @from: when the reading began, by CLOCK_MONOTONIC, which is that of the book, in ns
 * @to: when it was done
 */
struct audit_cpus {
	struct cpu_times times;
	bool has;
	int64_t from;
	int64_t to;
};

/**
 * audit_cpus_read() - read the book
 * @cpus: zeros, or a reading, which is forgotten
 */
void audit_cpus_read(struct audit_cpus *cpus);

/**
 * audit_cpus_whole() - all that passed on a CPU
 * @cpus: reading
 * @cpu: the CPU
 * @ns: set to the sum of its classes; guests are in user and nice
 *
 * Return: true; false where the CPU is not there.
 */
bool audit_cpus_whole(const struct audit_cpus *cpus, size_t cpu, int64_t *ns);

/**
 * audit_cpus_tasks() - what tasks had of all CPUs
 * @cpus: reading
 *
 * Return: user, nice and system time together, in ns.
 */
int64_t audit_cpus_tasks(const struct audit_cpus *cpus);

/**
 * audit_cpus_free() - free what it holds
 * @cpus: reading
 */
void audit_cpus_free(struct audit_cpus *cpus);

#endif /* TASKACCT_CMD_AUDIT_CPUS_H */
