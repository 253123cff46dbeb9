// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set of counters: names, generations, updates
 *
 * <linux/taskacct_counters.h> of UAPI tells what a reader does, and names the
 * barriers: U1 and U2 of an update, W1 and W2 of a change of the set.
 */

#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "pages.h"

#define UNIT_LEN	16

/**
 * struct counter - a counter that was added, be it deleted again
 * @list: in counters, which is in the order of the numbers
 * @instance: its number
 * @live: it is there
 * @kind: how its values are to be read
 * @unit: what it counts
 * @name: its name
 */
struct counter {
	struct list_head list;
	unsigned int instance;
	bool live;
	enum taskacct_counter_kind kind;
	char unit[UNIT_LEN];
	char name[];
};

/*
 * Protects counters and the header. Outermost; taken in task context where
 * counters are added, deleted or listed.
 */
static DEFINE_MUTEX(counters_mutex);
static LIST_HEAD(counters);

/* Those that taskacct_counter_adjust() adjusts: the module's own are not there. */
static DECLARE_BITMAP(live, TASKACCT_COUNTERS_MAX);

/* Those of the module itself, which come first; set while it is loaded */
static int nr_own;

/* Woken when there are other counters */
DECLARE_WAIT_QUEUE_HEAD(taskacct_counters_changed);

static void tell_of_change(void)
{
	wake_up_interruptible(&taskacct_counters_changed);
}

/* Readers hold back from here until end_change(). */
static void begin_change(void)
{
	WRITE_ONCE(taskacct_counters_head->gen1, taskacct_counters_head->gen1 + 1);
	/* W1. Pairs with the reader's last read barrier. */
	smp_wmb();
}

static void end_change(void)
{
	/* W2. Pairs with the reader's barrier behind equal generations. */
	smp_wmb();
	WRITE_ONCE(taskacct_counters_head->gen2, taskacct_counters_head->gen2 + 1);
	/* The next change must not be seen before this one's end. */
	smp_wmb();
}

static struct counter *find_name(const char *name)
{
	struct counter *counter;

	list_for_each_entry(counter, &counters, list)
		if (!strcmp(counter->name, name))
			return counter;
	return NULL;
}

/* Is it of no more than size - 1 characters that can be printed, without spaces? */
static bool is_word(const char *text, size_t size)
{
	const size_t length = strnlen(text, size);
	size_t i;

	if (!length || length == size)
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(text[i]) || !isgraph(text[i]))
			return false;
	return true;
}

/* One with the next number, not yet in the list */
static struct counter *new_counter(const char *name)
{
	const unsigned int instance = taskacct_counters_head->instances;
	const size_t size = strlen(name) + 1;
	struct counter *counter;
	int err;

	if (instance >= TASKACCT_COUNTERS_MAX)
		return ERR_PTR(-ENOSPC);
	err = taskacct_counters_grow(taskacct_counters_offset(instance) / PAGE_SIZE + 1);
	if (err)
		return ERR_PTR(err);
	counter = kzalloc(struct_size(counter, name, size), GFP_KERNEL);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->instance = instance;
	memcpy(counter->name, name, size);
	return counter;
}

/* Nothing writes its values: it is not live, and no adjustment is under way. */
static void make_live(struct counter *counter, bool is_own)
{
	struct taskacct_counters_header *head = taskacct_counters_head;
	const size_t offset = taskacct_counters_offset(counter->instance);
	unsigned int cpu;

	begin_change();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		local64_set(taskacct_counters_value(cpu, counter->instance), 0);
	if (counter->instance == head->instances) {
		list_add_tail(&counter->list, &counters);
		WRITE_ONCE(head->cpu_pages, offset / PAGE_SIZE + 1);
		WRITE_ONCE(head->instances, head->instances + 1);
	}
	counter->live = true;
	/* Pairs with smp_rmb() in taskacct_counter_adjust(). */
	smp_wmb();
	if (!is_own)
		set_bit(counter->instance, live);
	end_change();
}

/* The number of one that is there, for others who add it */
static int number_of_counter(const struct counter *counter,
			     enum taskacct_counter_kind kind, const char *unit)
{
	if ((int)counter->instance < nr_own)
		return -EPERM;
	if (counter->kind != kind || strcmp(counter->unit, unit))
		return -EEXIST;
	return counter->instance;
}

static int add_counter(const char *name, enum taskacct_counter_kind kind,
		       const char *unit, bool is_own)
{
	struct counter *counter = find_name(name);

	lockdep_assert_held(&counters_mutex);
	if (counter && counter->live)
		return number_of_counter(counter, kind, unit);
	if (!counter)
		counter = new_counter(name);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	counter->kind = kind;
	strscpy(counter->unit, unit, sizeof(counter->unit));
	make_live(counter, is_own);
	return counter->instance;
}

static int add_and_wake(const char *name, enum taskacct_counter_kind kind,
			const char *unit, bool is_own)
{
	int instance;

	might_sleep();
	if (!is_word(name, TASKACCT_COUNTER_NAME_LEN) ||
	    !is_word(unit, UNIT_LEN) || kind > TASKACCT_COUNTER_GAUGE)
		return -EINVAL;
	mutex_lock(&counters_mutex);
	instance = add_counter(name, kind, unit, is_own);
	mutex_unlock(&counters_mutex);
	if (instance >= 0)
		tell_of_change();
	return instance;
}

/**
 * taskacct_counter_add_kind() - add a counter
 * @name: its name, such as a path: less than TASKACCT_COUNTER_NAME_LEN printable
 *	ASCII characters, without spaces
 * @kind: how its values are to be read
 * @unit: what it counts, less than 16 such characters
 *
 * It begins at zero on every CPU. A name that was deleted gets the number that
 * it had. Of one that is there the number is returned, and its values stay; all
 * who added it count in it, and it is deleted once for all of them.
 *
 * Context: task context, may sleep.
 * Return: its number; -EINVAL for a name or a unit that is not as above, -EEXIST
 *	if there is one of that name with another kind or unit, -EPERM if it is
 *	one of the module's own, -ENOSPC, -ENOMEM.
 */
int taskacct_counter_add_kind(const char *name, enum taskacct_counter_kind kind,
			      const char *unit)
{
	return add_and_wake(name, kind, unit, false);
}
EXPORT_SYMBOL_GPL(taskacct_counter_add_kind);

/**
 * taskacct_counter_add() - add a counter that counts pieces
 * @name: as in taskacct_counter_add_kind()
 *
 * Context: task context, may sleep.
 * Return: as taskacct_counter_add_kind().
 */
int taskacct_counter_add(const char *name)
{
	return taskacct_counter_add_kind(name, TASKACCT_COUNTER_COUNTS,
					 "count");
}
EXPORT_SYMBOL_GPL(taskacct_counter_add);

static int del_counter(int instance)
{
	struct counter *counter;

	lockdep_assert_held(&counters_mutex);
	if (instance >= 0 && instance < nr_own)
		return -EPERM;
	list_for_each_entry(counter, &counters, list) {
		if (counter->instance != instance || !counter->live)
			continue;
		begin_change();
		counter->live = false;
		clear_bit(instance, live);
		end_change();
		/* Until the last adjustment that saw it live has ended */
		synchronize_rcu();
		return 0;
	}
	return -ENOENT;
}

/**
 * taskacct_counter_del() - delete a counter
 * @instance: its number
 *
 * When it returns no CPU counts it any more.
 *
 * Context: task context, may sleep.
 * Return: 0, -ENOENT if there is none with that number, or -EPERM if it is one
 *	of the module's own.
 */
int taskacct_counter_del(int instance)
{
	int err;

	might_sleep();
	mutex_lock(&counters_mutex);
	err = del_counter(instance);
	mutex_unlock(&counters_mutex);
	if (!err)
		tell_of_change();
	return err;
}
EXPORT_SYMBOL_GPL(taskacct_counter_del);

/**
 * taskacct_counter_adjust() - add to a counter of this CPU
 * @instance: its number; nothing is done if there is none with it, or if it is
 *	one of the module's own
 * @delta: what is added, or taken away
 *
 * Safe against interrupts that adjust the same one.
 *
 * Context: any but NMI. Whoever deletes a counter sees to it that it is not
 *	added again while it may be adjusted for what it was.
 */
void taskacct_counter_adjust(int instance, s64 delta)
{
	struct taskacct_counters_cpu *cpu;

	/* An RCU reader, too: see del(). */
	preempt_disable();
	if (likely((unsigned int)instance < TASKACCT_COUNTERS_MAX &&
		   test_bit(instance, live))) {
		/* Its page is there. Pairs with smp_wmb() in make_live(). */
		smp_rmb();
		cpu = this_cpu_read(taskacct_counters_cpus);
		taskacct_counters_start(cpu);
		local64_add(delta, taskacct_counters_value(smp_processor_id(), instance));
		taskacct_counters_stop(cpu);
	}
	preempt_enable();
}
EXPORT_SYMBOL_GPL(taskacct_counter_adjust);

/**
 * taskacct_counters_begin() - adjust several counters as one
 *
 * Readers of this CPU see none or all of what comes up to
 * taskacct_counters_end(). Keep it short: they wait, though not for ever.
 *
 * Context: any but NMI; preemption is off until the end.
 */
void taskacct_counters_begin(void)
{
	preempt_disable();
	taskacct_counters_start(this_cpu_read(taskacct_counters_cpus));
}
EXPORT_SYMBOL_GPL(taskacct_counters_begin);

/**
 * taskacct_counters_end() - end what taskacct_counters_begin() began
 *
 * Context: as there.
 */
void taskacct_counters_end(void)
{
	taskacct_counters_stop(this_cpu_read(taskacct_counters_cpus));
	preempt_enable();
}
EXPORT_SYMBOL_GPL(taskacct_counters_end);

/**
 * taskacct_counters_generation() - which set of counters there is
 *
 * Return: a number that changes with it.
 */
u32 taskacct_counters_generation(void)
{
	return READ_ONCE(taskacct_counters_head->gen1);
}

/**
 * taskacct_counters_show_names() - write the list of counters
 * @m: where to
 *
 * Context: task context, may sleep.
 */
void taskacct_counters_show_names(struct seq_file *m)
{
	static const char *const kinds[] = {
		[TASKACCT_COUNTER_COUNTS] = "counter",
		[TASKACCT_COUNTER_GAUGE] = "gauge",
	};
	const struct counter *counter;

	mutex_lock(&counters_mutex);
	m->poll_event = taskacct_counters_head->gen1;
	list_for_each_entry(counter, &counters, list)
		if (counter->live)
			seq_printf(m, "%u %s %s %s\n", counter->instance,
				   counter->name, kinds[counter->kind],
				   counter->unit);
	mutex_unlock(&counters_mutex);
}

/**
 * taskacct_counters_add_own() - add counters of the module itself
 * @own: which
 * @n: how many
 *
 * Their numbers follow one another, and are of the first page.
 *
 * Context: while the module is loaded and no other can add any.
 * Return: number of the first, or a negative errno.
 */
int taskacct_counters_add_own(const struct taskacct_counters_own *own,
			      unsigned int n)
{
	int first = 0, instance;
	unsigned int i;

	for (i = 0; i < n; i++) {
		instance = add_and_wake(own[i].name, own[i].kind, own[i].unit,
					true);
		if (instance < 0)
			return instance;
		if (!i)
			first = instance;
		nr_own = instance + 1;
	}
	return first;
}

/**
 * taskacct_counters_init() - begin with no counters, and pages for the first ones
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_counters_init(void)
{
	return taskacct_counters_pages_init();
}

/**
 * taskacct_counters_exit() - forget all counters, and free their pages
 *
 * Context: task context, may sleep; no device is open.
 */
void taskacct_counters_exit(void)
{
	struct counter *counter, *next;

	list_for_each_entry_safe(counter, next, &counters, list)
		kfree(counter);
	INIT_LIST_HEAD(&counters);
	taskacct_counters_pages_exit();
}
