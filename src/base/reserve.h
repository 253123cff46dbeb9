/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for where none can be waited for
 */
#ifndef TASKACCT_RESERVE_H
#define TASKACCT_RESERVE_H

#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct taskacct_spare;

/**
 * struct taskacct_reserve - objects of one size, ready to be taken
 * @cache: where they come from
 * @lock: protects @first and @nr. Innermost lock; taken in any context but NMI
 * @first: chain of those that are here
 * @nr: how many that are
 * @wanted: how many there shall be
 * @work: gets new ones, or frees some
 */
struct taskacct_reserve {
	struct kmem_cache *cache;
	raw_spinlock_t lock;
	struct taskacct_spare *first;
	unsigned int nr;
	unsigned int wanted;
	struct work_struct work;
};

int taskacct_reserve_init(struct taskacct_reserve *reserve, const char *name,
			  size_t size, unsigned int wanted);
void taskacct_reserve_exit(struct taskacct_reserve *reserve);
int taskacct_reserve_fill(struct taskacct_reserve *reserve, unsigned int wanted);
void *taskacct_reserve_take(struct taskacct_reserve *reserve);
void *taskacct_reserve_get(struct taskacct_reserve *reserve);
void taskacct_reserve_put(struct taskacct_reserve *reserve, void *object);

#endif /* TASKACCT_RESERVE_H */
