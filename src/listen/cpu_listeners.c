// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who listens to which CPUs
 *
 * Each possible CPU has an array of its listeners, which exiting tasks read under RCU.
 * To add a listener the array is replaced. To remove one its entry is cleared, which
 * cannot fail. CPU hotplug does not matter.
 */

#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "cpu_listeners.h"
#include "listen.h"

DEFINE_PER_CPU(struct taskacct_cpu_listeners __rcu *, taskacct_cpu_listeners);

/*
 * Protects who is a listener, every listener's mask, and changes to the arrays.
 * May be taken under genl's own locks and in a socket's release.
 */
DEFINE_MUTEX(taskacct_listeners_mutex);

static struct taskacct_cpu_listeners *listeners_on(unsigned int cpu)
{
	return rcu_dereference_protected(per_cpu(taskacct_cpu_listeners, cpu),
					 lockdep_is_held(&taskacct_listeners_mutex));
}

static void replace_listeners(unsigned int cpu, struct taskacct_cpu_listeners *cpu_listeners)
{
	struct taskacct_cpu_listeners *old = listeners_on(cpu);

	rcu_assign_pointer(per_cpu(taskacct_cpu_listeners, cpu), cpu_listeners);
	if (old)
		kfree_rcu(old, rcu);
}

static struct taskacct_listener *listener_at(const struct taskacct_cpu_listeners *cpu_listeners,
					     unsigned int i)
{
	return rcu_dereference_protected(cpu_listeners->by[i].listener,
					 lockdep_is_held(&taskacct_listeners_mutex));
}

/*
 * The memory cgroup of the registering task pays. No reclaim under the mutex: others would
 * wait for it.
 */
#define GFP_CPU_LISTENERS (GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* A copy of the array with @listener at the end and nowhere else */
static struct taskacct_cpu_listeners *make_cpu_listeners(const struct taskacct_cpu_listeners *old,
							 struct taskacct_listener *listener,
							 bool extended, unsigned int cpu)
{
	unsigned int i, n = old ? old->n : 0;
	const struct taskacct_listener *other;
	struct taskacct_cpu_listeners *cpu_listeners;

	cpu_listeners = kmalloc_node(struct_size(cpu_listeners, by, n + 1), GFP_CPU_LISTENERS,
				     cpu_to_node(cpu));
	if (!cpu_listeners)
		return NULL;
	cpu_listeners->n = 0;
	cpu_listeners->extended = extended;
	for (i = 0; i < n; i++) {
		other = listener_at(old, i);
		if (!other || other == listener)
			continue;
		cpu_listeners->by[cpu_listeners->n++] = old->by[i];
		cpu_listeners->extended |= old->by[i].extended;
	}
	RCU_INIT_POINTER(cpu_listeners->by[cpu_listeners->n].listener, listener);
	cpu_listeners->by[cpu_listeners->n++].extended = extended;
	return cpu_listeners;
}

static void free_arrays(struct taskacct_cpu_listeners **cpu_listeners)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(cpu_listeners[cpu]);
	kvfree(cpu_listeners);
}

/**
 * taskacct_cpu_listeners_make() - make new arrays for some CPUs
 * @listener: added at the end of each, and removed where it was
 * @extended: as in struct taskacct_cpu_listener
 * @mask: for which CPUs
 * @but: CPUs to leave out, or NULL
 *
 * Context: task context, may sleep; with taskacct_listeners_mutex.
 * Return: the arrays, by CPU, for taskacct_cpu_listeners_use(); or NULL if there is no
 *	memory.
 */
struct taskacct_cpu_listeners **
taskacct_cpu_listeners_make(struct taskacct_listener *listener, bool extended,
			    const struct cpumask *mask, const struct cpumask *but)
{
	struct taskacct_cpu_listeners **cpu_listeners;
	unsigned int cpu;

	lockdep_assert_held(&taskacct_listeners_mutex);

	cpu_listeners = kvcalloc(nr_cpu_ids, sizeof(*cpu_listeners), GFP_CPU_LISTENERS);
	if (!cpu_listeners)
		return NULL;
	for_each_cpu(cpu, mask) {
		if (but && cpumask_test_cpu(cpu, but))
			continue;
		cpu_listeners[cpu] = make_cpu_listeners(listeners_on(cpu), listener, extended, cpu);
		if (!cpu_listeners[cpu]) {
			free_arrays(cpu_listeners);
			return NULL;
		}
	}
	return cpu_listeners;
}

/**
 * taskacct_cpu_listeners_use() - publish new arrays
 * @cpu_listeners: from taskacct_cpu_listeners_make(); consumed
 *
 * Context: task context; with taskacct_listeners_mutex since they were made.
 */
void taskacct_cpu_listeners_use(struct taskacct_cpu_listeners **cpu_listeners)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_listeners_mutex);

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (cpu_listeners[cpu])
			replace_listeners(cpu, cpu_listeners[cpu]);
	kvfree(cpu_listeners);
}

static void remove_from_cpu(struct taskacct_listener *listener,
			    unsigned int cpu)
{
	struct taskacct_cpu_listeners *cpu_listeners = listeners_on(cpu);
	unsigned int i, left = 0;

	for (i = 0; i < cpu_listeners->n; i++) {
		if (listener_at(cpu_listeners, i) == listener)
			RCU_INIT_POINTER(cpu_listeners->by[i].listener, NULL);
		else if (listener_at(cpu_listeners, i))
			left++;
	}
	if (!left)
		replace_listeners(cpu, NULL);
}

/**
 * taskacct_cpu_listeners_drop() - remove a listener from some CPUs
 * @listener: the listener, whose mask changes
 * @mask: these CPUs
 *
 * Context: task context; with taskacct_listeners_mutex. Cannot fail.
 */
void taskacct_cpu_listeners_drop(struct taskacct_listener *listener,
				 const struct cpumask *mask)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_listeners_mutex);

	for_each_cpu_and(cpu, mask, listener->mask)
		remove_from_cpu(listener, cpu);
	cpumask_andnot(listener->mask, listener->mask, mask);
}

/**
 * taskacct_cpu_listeners_keep() - remove a listener from all other CPUs
 * @listener: the listener, whose mask changes
 * @mask: CPUs that it keeps, without interruption
 *
 * Context: task context; with taskacct_listeners_mutex. Cannot fail.
 */
void taskacct_cpu_listeners_keep(struct taskacct_listener *listener,
				 const struct cpumask *mask)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_listeners_mutex);

	for_each_cpu(cpu, listener->mask) {
		if (cpumask_test_cpu(cpu, mask))
			continue;
		remove_from_cpu(listener, cpu);
		cpumask_clear_cpu(cpu, listener->mask);
	}
}
