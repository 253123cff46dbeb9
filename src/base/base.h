/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What everything is built on: what other directories may use
 */
#ifndef TASKACCT_BASE_H
#define TASKACCT_BASE_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "counters/counters.h"

struct taskacct_spare;

/* table.c: hash tables, as large as the machine's memory asks for */

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
 * Return: the index of its bucket.
 */
static inline unsigned long
taskacct_table_index(const struct taskacct_table *table, const void *key)
{
	/* The mask changes nothing but that CONFIG_UBSAN_SHIFT has nothing to check. */
	return (unsigned long)key * table->factor >>
	       (table->shift & (BITS_PER_LONG - 1));
}

/**
 * taskacct_table_bucket() - where the entry of an address is
 * @table: a table whose buckets are chains and nothing else
 * @key: the address
 *
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

/* Memory for what each exit needs: how it is had, and objects that each CPU has at hand */

/*
 * How the exit hook gets memory for what is queued: not from the reserves that a
 * task may use which the OOM killer has chosen, as no socket takes what is there.
 */
#define TASKACCT_GFP_QUEUED (GFP_ATOMIC | __GFP_NOMEMALLOC | __GFP_NOWARN)

/*
 * Of a large variable on the stack that each exit needs, and of which nothing is read that
 * was not written: where the kernel has all variables zeroed, it is not.
 */
#if __has_attribute(uninitialized)
#define taskacct_uninitialized	__attribute__((uninitialized))
#else
#define taskacct_uninitialized
#endif

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

/* pool.c: memory set aside for where none can be had */

/**
 * struct taskacct_pool - objects of one size, ready to be taken
 * @cache: where they come from
 * @lock: protects @first and @nr. Innermost lock; taken in any context but NMI
 * @first: chain of those that are here
 * @nr: how many that are
 * @wanted: how many there shall be
 * @work: gets new ones, or frees some
 */
struct taskacct_pool {
	struct kmem_cache *cache;
	raw_spinlock_t lock;
	struct taskacct_spare *first;
	unsigned int nr;
	unsigned int wanted;
	struct work_struct work;
};

int taskacct_pool_init(struct taskacct_pool *pool, const char *name,
		       size_t size, unsigned int wanted);
void taskacct_pool_exit(struct taskacct_pool *pool);
int taskacct_pool_fill(struct taskacct_pool *pool, unsigned int wanted);
void *taskacct_pool_take(struct taskacct_pool *pool);
void *taskacct_pool_get(struct taskacct_pool *pool);
void taskacct_pool_put(struct taskacct_pool *pool, void *object);

/* tasks.c: walks over all tasks, in parts */

/* An RCU read section ends after so many ids. */
#define TASKACCT_TASKS_SECTION	1000

/* So many tasks are looked for at once: to find one more costs less. */
#define TASKACCT_TASKS_AHEAD	32

/**
 * struct taskacct_tasks - a way through the ids of a namespace
 * @ns: the namespace
 * @type: PIDTYPE_PID for tasks, PIDTYPE_TGID for processes, of which the leader is
 *	found
 * @next: the smallest id that has not been looked at; 0: there are none left
 * @left: how many ids may still be looked at
 */
struct taskacct_tasks {
	struct pid_namespace *ns;
	enum pid_type type;
	int next;
	unsigned int left;
};

/**
 * struct taskacct_task_found - a task and its id
 * @task: the task
 * @id: its id in the namespace that it was looked for in
 */
struct taskacct_task_found {
	struct task_struct *task;
	int id;
};

unsigned int taskacct_tasks_find(struct taskacct_tasks *tasks,
				 struct taskacct_task_found *found,
				 unsigned int max);

/**
 * taskacct_tasks_visit() - visit all tasks, zombies as well
 * @visit: called for each, under rcu_read_lock()
 * @data: given to @visit
 *
 * A task that is there from beginning to end is visited once, unless it executes a
 * program meanwhile and is not its process's first thread: it then takes the id of
 * its process, and is visited twice or not at all. Inlined, so that @visit is.
 *
 * Context: task context, may sleep.
 * Return: 0, or -EINTR if we were killed before the end.
 */
static __always_inline int
taskacct_tasks_visit(void (*visit)(struct task_struct *t, void *data),
		     void *data)
{
	struct taskacct_task_found found[TASKACCT_TASKS_AHEAD];
	struct taskacct_tasks tasks = {
		.ns = &init_pid_ns,
		.type = PIDTYPE_PID,
		.next = 1,
	};
	unsigned int i, n;

	might_sleep();
	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		tasks.left = TASKACCT_TASKS_SECTION;
		rcu_read_lock();
		do {
			n = taskacct_tasks_find(&tasks, found, ARRAY_SIZE(found));
			for (i = 0; i < n; i++)
				visit(found[i].task, data);
		} while (tasks.next && tasks.left);
		rcu_read_unlock();
		cond_resched();
	} while (tasks.next);
	return 0;
}

/* stat.c: counters of the module itself */

/**
 * enum taskacct_stat - counters of the module, since it was loaded
 * @TASKACCT_STAT_EXITS: exits that needed any work
 * @TASKACCT_STAT_MADE: messages made, one for each listener
 * @TASKACCT_STAT_DELIVERED: of these, queued
 * @TASKACCT_STAT_FILTERED: of these, refused by the listener's socket filter
 * @TASKACCT_STAT_LOST_QUEUE: of these, lost for want of room in the queue
 * @TASKACCT_STAT_LOST_MEMORY: of these, lost for want of memory
 * @TASKACCT_STAT_GROUP_NOMEM: dead threads that could not be kept
 * @TASKACCT_STAT_QUERIES: queries answered
 * @TASKACCT_STAT_BYTES: of delivered messages
 * @TASKACCT_STAT_UID_REST: tasks that ended and counted for the rest
 * @TASKACCT_STAT_UID_NOMEM: tasks that could not be kept apart as counted
 * @TASKACCT_STATS: how many there are
 */
enum taskacct_stat {
	TASKACCT_STAT_EXITS,
	TASKACCT_STAT_MADE,
	TASKACCT_STAT_DELIVERED,
	TASKACCT_STAT_FILTERED,
	TASKACCT_STAT_LOST_QUEUE,
	TASKACCT_STAT_LOST_MEMORY,
	TASKACCT_STAT_GROUP_NOMEM,
	TASKACCT_STAT_QUERIES,
	TASKACCT_STAT_BYTES,
	TASKACCT_STAT_UID_REST,
	TASKACCT_STAT_UID_NOMEM,
	TASKACCT_STATS,
};

DECLARE_PER_CPU(u64[TASKACCT_STATS], taskacct_stats);

/* Number of the first one as a counter that is read by mmap */
extern int taskacct_stat_instance;

/**
 * taskacct_stat_add() - count several
 * @stat: of what
 * @n: how many
 */
static inline void taskacct_stat_add(enum taskacct_stat stat, unsigned int n)
{
	this_cpu_add(taskacct_stats[stat], n);
	taskacct_counters_own_add(taskacct_stat_instance + stat, n);
}

/**
 * taskacct_stat_inc() - count one
 * @stat: of what
 */
static inline void taskacct_stat_inc(enum taskacct_stat stat)
{
	taskacct_stat_add(stat, 1);
}

int taskacct_stat_init(void);
u64 taskacct_stat_read(enum taskacct_stat stat);

#endif /* TASKACCT_BASE_H */
