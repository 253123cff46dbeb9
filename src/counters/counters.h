/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters that are read by mmap: what other directories may use
 */
#ifndef TASKACCT_COUNTERS_H
#define TASKACCT_COUNTERS_H

#include <linux/kconfig.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local64.h>

#include <linux/taskacct_counters.h>
#include <uapi/linux/taskacct_counters.h>

/* counters.c: the set of counters and their updates */

/*
 * From the start of a CPU's pages to its counter number 0. An update writes
 * this cache line and that of the value.
 */
#define TASKACCT_COUNTERS_VALUES	64

/**
 * struct taskacct_counters_own - a counter of the module itself
 * @name: its name
 * @unit: what it counts
 * @kind: how its values are to be read
 */
struct taskacct_counters_own {
	const char *name;
	const char *unit;
	enum taskacct_counter_kind kind;
};

#if IS_ENABLED(CONFIG_TASKACCT_COUNTERS)

int taskacct_counters_init(void);
int taskacct_counters_add_own(const struct taskacct_counters_own *own,
			      unsigned int n);
void taskacct_counters_exit(void);
void *taskacct_counters_start_of(unsigned int cpu);

/* Where each CPU's pages begin */
DECLARE_PER_CPU(struct taskacct_counters_cpu *, taskacct_counters_cpus);

#else

static inline int taskacct_counters_init(void)
{
	return 0;
}

static inline void taskacct_counters_exit(void)
{
}

static inline int taskacct_counters_add_own(const void *own, unsigned int n)
{
	return 0;
}

static inline void *taskacct_counters_start_of(unsigned int cpu)
{
	return NULL;
}

#endif /* CONFIG_TASKACCT_COUNTERS */

/**
 * taskacct_counters_start() - start to update counters of this CPU
 * @cpu: the start of its pages
 *
 * Context: any; preemption is off until taskacct_counters_stop().
 */
static inline void taskacct_counters_start(struct taskacct_counters_cpu *cpu)
{
	/*
	 * An interrupt between load and store leaves it as it was: no other
	 * CPU writes it.
	 */
	data_race(cpu->updating++);
	/* U1. Pairs with the reader's first and third read barrier. */
	smp_wmb();
}

/**
 * taskacct_counters_stop() - end what taskacct_counters_start() began
 * @cpu: the start of this CPU's pages
 *
 * Context: as there.
 */
static inline void taskacct_counters_stop(struct taskacct_counters_cpu *cpu)
{
	/* A count that an interrupt makes meanwhile may be lost; @updating tells. */
	data_race(cpu->updates++);
	/* U2. Pairs with the reader's second and fourth read barrier. */
	smp_wmb();
	/* As in taskacct_counters_start(). */
	data_race(cpu->updating--);
	/* The next update's values must not be seen before this one's end. */
	smp_wmb();
}

/**
 * taskacct_counters_own_add() - add to one of the module's own counters
 * @instance: its number
 * @n: how many
 *
 * As taskacct_counter_adjust(), but for those that are always there, on the
 * first page. The page has copies for readers of the map: what the module itself
 * reads it keeps elsewhere.
 *
 * Context: any but NMI.
 */
static inline void taskacct_counters_own_add(unsigned int instance, s64 n)
{
#if IS_ENABLED(CONFIG_TASKACCT_COUNTERS)
	struct taskacct_counters_cpu *cpu;
	local64_t *values;

	preempt_disable();
	cpu = this_cpu_read(taskacct_counters_cpus);
	values = (void *)cpu + TASKACCT_COUNTERS_VALUES;
	taskacct_counters_start(cpu);
	local64_add(n, &values[instance]);
	taskacct_counters_stop(cpu);
	preempt_enable();
#endif
}

/* dev.c: the devices that show them */

#if IS_ENABLED(CONFIG_TASKACCT_COUNTERS)

int taskacct_dev_init(void);
void taskacct_dev_exit(void);

#else

static inline int taskacct_dev_init(void)
{
	return 0;
}

static inline void taskacct_dev_exit(void)
{
}

#endif /* CONFIG_TASKACCT_COUNTERS */

#endif /* TASKACCT_COUNTERS_H */
