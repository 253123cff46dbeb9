/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash tables of what is kept of tasks and processes
 */
#ifndef TASKACCT_TABLE_H
#define TASKACCT_TABLE_H

#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct taskacct_bucket - head of a chain
 * @lock: protects changes to the chain. Innermost lock; taken with interrupts
 *	off, in any context but NMI: tasks are freed in softirq
 * @head: the chain; read under RCU
 */
struct taskacct_bucket {
	raw_spinlock_t lock;
	struct hlist_head head;
};

/**
 * struct taskacct_table - entries, found by the address of what they are about
 * @buckets: the chains, or an array of structs that begin with one each; their
 *	number is a power of two
 * @size: of one of them
 * @factor: odd and random, so that nobody can tell which addresses collide
 * @shift: of the product of address and factor, how many low bits go
 * @count: entries added on a CPU less those removed there; the sum counts
 */
struct taskacct_table {
	void *buckets;
	size_t size;
	unsigned long factor;
	unsigned int shift;
	int __percpu *count;
};

int taskacct_table_init(struct taskacct_table *table, unsigned long wanted,
			size_t size);
void taskacct_table_exit(struct taskacct_table *table);
unsigned long taskacct_table_tasks(void);
unsigned int taskacct_table_count(const struct taskacct_table *table);

/**
 * taskacct_table_index() - where the entry of an address is
 * @table: the table
 * @key: the address
 *
 * Context: any.
 * Return: the index of its bucket.
 */
static inline unsigned long
taskacct_table_index(const struct taskacct_table *table, const void *key)
{
	return (unsigned long)key * table->factor >> table->shift;
}

/**
 * taskacct_table_bucket() - where the entry of an address is
 * @table: a table whose buckets are chains and nothing else
 * @key: the address
 *
 * Context: any.
 * Return: its bucket.
 */
static inline struct taskacct_bucket *
taskacct_table_bucket(const struct taskacct_table *table, const void *key)
{
	struct taskacct_bucket *buckets = table->buckets;

	return &buckets[taskacct_table_index(table, key)];
}

/**
 * taskacct_table_size() - how many buckets there are
 * @table: the table
 *
 * Return: their number.
 */
static inline unsigned long taskacct_table_size(const struct taskacct_table *table)
{
	return BIT(BITS_PER_LONG - table->shift);
}

/**
 * taskacct_table_chain() - one chain of all
 * @table: the table
 * @i: which, below taskacct_table_size()
 *
 * Return: its head.
 */
static inline struct hlist_head *
taskacct_table_chain(const struct taskacct_table *table, unsigned long i)
{
	struct taskacct_bucket *bucket = table->buckets + i * table->size;

	return &bucket->head;
}

/**
 * taskacct_table_add() - add an entry
 * @table: the table
 * @bucket: of its address, locked
 * @node: of the entry
 */
static inline void taskacct_table_add(struct taskacct_table *table,
				      struct taskacct_bucket *bucket,
				      struct hlist_node *node)
{
	hlist_add_head_rcu(node, &bucket->head);
	this_cpu_inc(*table->count);
}

/**
 * taskacct_table_del() - remove an entry, which readers may still have
 * @table: the table
 * @node: of the entry, its bucket locked
 */
static inline void taskacct_table_del(struct taskacct_table *table,
				      struct hlist_node *node)
{
	hlist_del_rcu(node);
	this_cpu_dec(*table->count);
}

#endif /* TASKACCT_TABLE_H */
