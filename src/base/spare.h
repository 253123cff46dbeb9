/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that each CPU has at hand, for what each exit needs
 */
#ifndef TASKACCT_SPARE_H
#define TASKACCT_SPARE_H

#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

/**
 * struct taskacct_spares - those of one CPU
 * @list: the objects
 * @n: how many they are
 */
struct taskacct_spares {
	struct llist_head list;
	unsigned int n;
};

/**
 * taskacct_spare_take() - take one that is at hand
 * @spares: where they are
 *
 * Context: task context; never in an interrupt, where others are only put.
 * Return: it, or NULL if there is none.
 */
static inline struct llist_node *
taskacct_spare_take(struct taskacct_spares __percpu *spares)
{
	struct llist_node *first;

	preempt_disable();
	first = llist_del_first(&this_cpu_ptr(spares)->list);
	if (likely(first))
		this_cpu_dec(spares->n);
	preempt_enable();
	return first;
}

/**
 * taskacct_spare_put() - keep one at hand
 * @spares: where they are
 * @node: of the object
 * @most: how many are kept
 *
 * Context: any.
 * Return: false if there are enough.
 */
static inline bool taskacct_spare_put(struct taskacct_spares __percpu *spares,
				      struct llist_node *node, unsigned int most)
{
	bool room;

	/* Counted where it is: on another CPU the count would be wrong for good. */
	preempt_disable();
	room = this_cpu_read(spares->n) < most;
	if (likely(room)) {
		this_cpu_inc(spares->n);
		llist_add(node, &this_cpu_ptr(spares)->list);
	}
	preempt_enable();
	return room;
}

#endif /* TASKACCT_SPARE_H */
