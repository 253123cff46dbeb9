/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who hears which CPUs
 */
#ifndef TASKACCT_HEARD_H
#define TASKACCT_HEARD_H

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct taskacct_listener;

/**
 * struct taskacct_hearer - one who hears a CPU
 * @listener: the listener, NULL where it was taken away. It is not freed while
 *	it can be read here
 * @extended: it has asked for something, or may not hear of everything; does
 *	not change here, so that an exit takes it for the one or for the other
 *	throughout
 */
struct taskacct_hearer {
	struct taskacct_listener __rcu *listener;
	bool extended;
};

/**
 * struct taskacct_heard - who hears one CPU
 * @rcu: for freeing
 * @n: places in @by
 * @extended: one of them may be extended
 * @by: those who do
 */
struct taskacct_heard {
	struct rcu_head rcu;
	unsigned int n;
	bool extended;
	struct taskacct_hearer by[];
};

DECLARE_PER_CPU(struct taskacct_heard __rcu *, taskacct_heard);

/**
 * taskacct_heard_here() - who hears this CPU
 *
 * Context: any.
 * Return: those, as long as rcu_read_lock() is held; NULL if nobody does.
 *	Without rcu_read_lock() it can only be compared with NULL.
 */
static inline struct taskacct_heard *taskacct_heard_here(void)
{
	return rcu_dereference_check(*raw_cpu_ptr(&taskacct_heard), true);
}

extern struct mutex taskacct_heard_mutex;

struct taskacct_heard **
taskacct_heard_make(struct taskacct_listener *listener, bool extended,
		    const struct cpumask *mask, const struct cpumask *but);
void taskacct_heard_use(struct taskacct_heard **heard);
void taskacct_heard_drop(struct taskacct_listener *listener,
			 const struct cpumask *mask);
void taskacct_heard_keep(struct taskacct_listener *listener,
			 const struct cpumask *mask);

#endif /* TASKACCT_HEARD_H */
