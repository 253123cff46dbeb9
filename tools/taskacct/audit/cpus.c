// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's book of CPUs: where all their time went
 */
#include <time.h>

#include "cpus.h"

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void audit_cpus_read(struct audit_cpus *cpus)
{
	cpus->from = monotonic_ns();
	cpus->has = cpu_times_read(&cpus->times);
	cpus->to = monotonic_ns();
}

bool audit_cpus_whole(const struct audit_cpus *cpus, size_t cpu, int64_t *ns)
{
	int i;

	if (cpu >= cpus->times.n || !cpus->times.there[cpu])
		return false;
	*ns = 0;
	for (i = 0; i < TASKACCT_CPU_CLASSES; i++)
		if (i != TASKACCT_CPU_GUEST && i != TASKACCT_CPU_GUEST_NICE)
			*ns += (int64_t)cpus->times.ns[cpu][i];
	return true;
}

int64_t audit_cpus_tasks(const struct audit_cpus *cpus)
{
	const uint64_t *of;
	uint64_t ns = 0;
	size_t cpu;

	for (cpu = 0; cpu < cpus->times.n; cpu++) {
		if (!cpus->times.there[cpu])
			continue;
		of = cpus->times.ns[cpu];
		ns += of[TASKACCT_CPU_USER] + of[TASKACCT_CPU_NICE] +
		      of[TASKACCT_CPU_SYSTEM];
	}
	return (int64_t)ns;
}

void audit_cpus_free(struct audit_cpus *cpus)
{
	cpu_times_free(&cpus->times);
}
