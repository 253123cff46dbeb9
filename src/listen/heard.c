// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who hears which CPUs
 *
 * Each CPU has an array of those who hear it, read under RCU by exiting tasks.
 * It is replaced to add a listener; to take one away its place is cleared,
 * which cannot fail. Since there is one for every possible CPU, CPUs go and
 * come without any of this noticing.
 */

#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "heard.h"
#include "listen.h"

DEFINE_PER_CPU(struct taskacct_heard __rcu *, taskacct_heard);

/*
 * Protects who is a listener, every listener's mask, and changes to the arrays.
 * May be taken under genl's own locks and in a socket's release.
 */
DEFINE_MUTEX(taskacct_heard_mutex);

static struct taskacct_heard *heard_on(unsigned int cpu)
{
	return rcu_dereference_protected(per_cpu(taskacct_heard, cpu),
					 lockdep_is_held(&taskacct_heard_mutex));
}

static void replace_heard(unsigned int cpu, struct taskacct_heard *heard)
{
	struct taskacct_heard *old = heard_on(cpu);

	rcu_assign_pointer(per_cpu(taskacct_heard, cpu), heard);
	if (old)
		kfree_rcu(old, rcu);
}

static struct taskacct_listener *heard_by(const struct taskacct_heard *heard,
					  unsigned int i)
{
	return rcu_dereference_protected(heard->by[i].listener,
					 lockdep_is_held(&taskacct_heard_mutex));
}

/*
 * Charged to the memory cgroup of whoever registers. Under the mutex nobody
 * waits for that cgroup, or the machine, to get rid of memory.
 */
#define GFP_HEARD (GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* The same without one listener, which comes to the end */
static struct taskacct_heard *make(const struct taskacct_heard *old,
				   struct taskacct_listener *listener,
				   bool extended, unsigned int cpu)
{
	unsigned int i, n = old ? old->n : 0;
	const struct taskacct_listener *other;
	struct taskacct_heard *heard;

	heard = kmalloc_node(struct_size(heard, by, n + 1), GFP_HEARD,
			     cpu_to_node(cpu));
	if (!heard)
		return NULL;
	heard->n = 0;
	heard->extended = extended;
	for (i = 0; i < n; i++) {
		other = heard_by(old, i);
		if (!other || other == listener)
			continue;
		heard->by[heard->n++] = old->by[i];
		heard->extended |= old->by[i].extended;
	}
	RCU_INIT_POINTER(heard->by[heard->n].listener, listener);
	heard->by[heard->n++].extended = extended;
	return heard;
}

static void free_arrays(struct taskacct_heard **heard)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(heard[cpu]);
	kvfree(heard);
}

/**
 * taskacct_heard_make() - make new arrays for some CPUs
 * @listener: who comes to the end of each; where it is in one its place goes
 * @extended: as in struct taskacct_hearer
 * @mask: for which CPUs
 * @but: but not for these; or NULL
 *
 * Context: task context, may sleep; with taskacct_heard_mutex.
 * Return: the arrays, by CPU, for taskacct_heard_use(); or NULL if there is no
 *	memory.
 */
struct taskacct_heard **
taskacct_heard_make(struct taskacct_listener *listener, bool extended,
		    const struct cpumask *mask, const struct cpumask *but)
{
	struct taskacct_heard **heard;
	unsigned int cpu;

	lockdep_assert_held(&taskacct_heard_mutex);

	heard = kvcalloc(nr_cpu_ids, sizeof(*heard), GFP_HEARD);
	if (!heard)
		return NULL;
	for_each_cpu(cpu, mask) {
		if (but && cpumask_test_cpu(cpu, but))
			continue;
		heard[cpu] = make(heard_on(cpu), listener, extended, cpu);
		if (!heard[cpu]) {
			free_arrays(heard);
			return NULL;
		}
	}
	return heard;
}

/**
 * taskacct_heard_use() - put new arrays in the place of the old ones
 * @heard: from taskacct_heard_make(); consumed
 *
 * Context: task context; with taskacct_heard_mutex since they were made.
 */
void taskacct_heard_use(struct taskacct_heard **heard)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_heard_mutex);

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (heard[cpu])
			replace_heard(cpu, heard[cpu]);
	kvfree(heard);
}

static void hear_no_more_on(struct taskacct_listener *listener,
			    unsigned int cpu)
{
	struct taskacct_heard *heard = heard_on(cpu);
	unsigned int i, left = 0;

	for (i = 0; i < heard->n; i++) {
		if (heard_by(heard, i) == listener)
			RCU_INIT_POINTER(heard->by[i].listener, NULL);
		else if (heard_by(heard, i))
			left++;
	}
	if (!left)
		replace_heard(cpu, NULL);
}

/**
 * taskacct_heard_drop() - have a listener hear some CPUs no more
 * @listener: the listener, whose mask changes
 * @mask: these CPUs
 *
 * Context: task context; with taskacct_heard_mutex. Cannot fail.
 */
void taskacct_heard_drop(struct taskacct_listener *listener,
			 const struct cpumask *mask)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_heard_mutex);

	for_each_cpu_and(cpu, mask, listener->mask)
		hear_no_more_on(listener, cpu);
	cpumask_andnot(listener->mask, listener->mask, mask);
}

/**
 * taskacct_heard_keep() - have a listener hear all other CPUs no more
 * @listener: the listener, whose mask changes
 * @mask: CPUs that it goes on to hear where it does, throughout
 *
 * Context: task context; with taskacct_heard_mutex. Cannot fail.
 */
void taskacct_heard_keep(struct taskacct_listener *listener,
			 const struct cpumask *mask)
{
	unsigned int cpu;

	lockdep_assert_held(&taskacct_heard_mutex);

	for_each_cpu(cpu, listener->mask) {
		if (cpumask_test_cpu(cpu, mask))
			continue;
		hear_no_more_on(listener, cpu);
		cpumask_clear_cpu(cpu, listener->mask);
	}
}
