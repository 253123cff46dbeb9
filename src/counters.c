// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counter pages: names, generations, updates
 *
 * <linux/taskacct_counters.h> of UAPI tells what a reader does, and names the
 * barriers: U1 and U2 of an update, W1 and W2 of a change of the set.
 *
 * A page is allocated when the first counter on it is added, and freed when the
 * module goes. It never moves, and neither does a counter, so that a reader's
 * map stays good and an update need not look at what readers do.
 */

#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/local64.h>

#include "counters.h"
#include "dev.h"

/* Of each CPU, at most; what is not used is nothing but addresses. */
#define PAGES_MAX	16
#define COUNTERS_MAX							\
	((PAGES_MAX * PAGE_SIZE - TASKACCT_COUNTERS_VALUES) / sizeof(s64))

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

/**
 * struct row - the pages of a CPU
 * @page: their addresses, NULL where there is none yet
 */
struct row {
	void *page[PAGES_MAX];
};

DEFINE_PER_CPU(struct taskacct_counters_cpu *, taskacct_counters_cpus);

/* Of all CPU numbers up to the largest, whether there is such a CPU or not */
static struct row *rows;

static struct taskacct_counters_header *header;

/*
 * Protects counters and the header. Outermost; taken in task context where
 * counters are added, deleted or listed.
 */
static DEFINE_MUTEX(counters_mutex);
static LIST_HEAD(counters);

/* Those that taskacct_counter_adjust() adjusts: the module's own are not there. */
static DECLARE_BITMAP(live, COUNTERS_MAX);

/* Those of the module itself, which come first; set while it is loaded */
static int nr_own;

static size_t place_of(unsigned int instance)
{
	return TASKACCT_COUNTERS_VALUES + instance * sizeof(s64);
}

static local64_t *value_of(unsigned int cpu, unsigned int instance)
{
	const size_t place = place_of(instance);

	return rows[cpu].page[place / PAGE_SIZE] + place % PAGE_SIZE;
}

/* Readers hold back from here until end_change(). */
static void begin_change(void)
{
	WRITE_ONCE(header->gen1, header->gen1 + 1);
	/* W1. Pairs with the reader's last read barrier. */
	smp_wmb();
}

static void end_change(void)
{
	/* W2. Pairs with the reader's barrier behind equal generations. */
	smp_wmb();
	WRITE_ONCE(header->gen2, header->gen2 + 1);
	/* The next change must not be seen before this one's end. */
	smp_wmb();
}

static void *new_page(unsigned int cpu)
{
	const int node = cpu_possible(cpu) ? cpu_to_node(cpu) : NUMA_NO_NODE;
	struct page *page;

	page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO, 0);
	return page ? page_address(page) : NULL;
}

/* Those that are there already after a failure stay for the next time. */
static int grow(unsigned int pages)
{
	unsigned int cpu, i;
	void *page;

	for (i = READ_ONCE(header->cpu_pages); i < pages; i++) {
		for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
			if (rows[cpu].page[i])
				continue;
			page = new_page(cpu);
			if (!page)
				return -ENOMEM;
			/* Zeroed. Pairs with taskacct_counters_page(). */
			smp_store_release(&rows[cpu].page[i], page);
		}
	}
	return 0;
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
	const unsigned int instance = header->instances;
	const size_t size = strlen(name) + 1;
	struct counter *counter;
	int err;

	if (instance >= COUNTERS_MAX)
		return ERR_PTR(-ENOSPC);
	err = grow(place_of(instance) / PAGE_SIZE + 1);
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
	unsigned int cpu;

	begin_change();
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		local64_set(value_of(cpu, counter->instance), 0);
	if (counter->instance == header->instances) {
		list_add_tail(&counter->list, &counters);
		WRITE_ONCE(header->cpu_pages,
			   place_of(counter->instance) / PAGE_SIZE + 1);
		WRITE_ONCE(header->instances, header->instances + 1);
	}
	counter->live = true;
	/* Pairs with smp_rmb() in taskacct_counter_adjust(). */
	smp_wmb();
	if (!is_own)
		set_bit(counter->instance, live);
	end_change();
}

/* The number of one that is there, for others who add it */
static int number_of(const struct counter *counter,
		     enum taskacct_counter_kind kind, const char *unit)
{
	if ((int)counter->instance < nr_own)
		return -EPERM;
	if (counter->kind != kind || strcmp(counter->unit, unit))
		return -EEXIST;
	return counter->instance;
}

static int add(const char *name, enum taskacct_counter_kind kind,
	       const char *unit, bool is_own)
{
	struct counter *counter = find_name(name);

	lockdep_assert_held(&counters_mutex);
	if (counter && counter->live)
		return number_of(counter, kind, unit);
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
	instance = add(name, kind, unit, is_own);
	mutex_unlock(&counters_mutex);
	if (instance >= 0)
		taskacct_dev_wake();
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

static int del(int instance)
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
	err = del(instance);
	mutex_unlock(&counters_mutex);
	if (!err)
		taskacct_dev_wake();
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
	if (likely((unsigned int)instance < COUNTERS_MAX &&
		   test_bit(instance, live))) {
		/* Its page is there. Pairs with smp_wmb() in make_live(). */
		smp_rmb();
		cpu = this_cpu_read(taskacct_counters_cpus);
		taskacct_counters_start(cpu);
		local64_add(delta, value_of(smp_processor_id(), instance));
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
 * taskacct_counters_start_of() - where a CPU's pages begin
 * @cpu: the CPU
 *
 * Context: any.
 * Return: the start of its first page. The module's own counters are written
 *	there on @cpu, between taskacct_counters_start() and
 *	taskacct_counters_stop().
 */
void *taskacct_counters_start_of(unsigned int cpu)
{
	return per_cpu(taskacct_counters_cpus, cpu);
}

/**
 * taskacct_counters_page() - a page of the map
 * @n: which, from its start
 *
 * Context: any. Pages that are there stay until taskacct_counters_exit().
 * Return: the page, or NULL if there is none (yet).
 */
struct page *taskacct_counters_page(unsigned long n)
{
	void *page;

	if (!n)
		return virt_to_page(header);
	n--;
	if (n / PAGES_MAX >= nr_cpu_ids)
		return NULL;
	/* Pairs with smp_store_release() in grow(). */
	page = smp_load_acquire(&rows[n / PAGES_MAX].page[n % PAGES_MAX]);
	return page ? virt_to_page(page) : NULL;
}

/**
 * taskacct_counters_pages() - how long the map is
 *
 * Context: any.
 * Return: its size in pages, those included that are not there.
 */
unsigned long taskacct_counters_pages(void)
{
	return 1 + (unsigned long)nr_cpu_ids * PAGES_MAX;
}

/**
 * taskacct_counters_generation() - which set of counters there is
 *
 * Context: any.
 * Return: a number that changes with it.
 */
u32 taskacct_counters_generation(void)
{
	return READ_ONCE(header->gen1);
}

/**
 * taskacct_counters_show_names() - write the list of counters
 * @m: where to
 *
 * Context: task context, may sleep.
 */
void taskacct_counters_show_names(struct seq_file *m)
{
	static const char * const kinds[] = {
		[TASKACCT_COUNTER_COUNTS] = "counter",
		[TASKACCT_COUNTER_GAUGE] = "gauge",
	};
	const struct counter *counter;

	mutex_lock(&counters_mutex);
	m->poll_event = header->gen1;
	list_for_each_entry(counter, &counters, list)
		if (counter->live)
			seq_printf(m, "%u %s %s %s\n", counter->instance,
				   counter->name, kinds[counter->kind],
				   counter->unit);
	mutex_unlock(&counters_mutex);
}

static void fill_header(void)
{
	*header = (struct taskacct_counters_header){
		.version = TASKACCT_COUNTERS_VERSION,
		.compatible = 1,
		.header_size = sizeof(*header),
		.page_size = PAGE_SIZE,
		.cpus = nr_cpu_ids,
		.cpu_pages = 1,
		.cpu_pages_max = PAGES_MAX,
		.value_offset = TASKACCT_COUNTERS_VALUES,
		.value_stride = sizeof(s64),
		.cpu_offset = PAGE_SIZE,
		.cpu_stride = PAGES_MAX * PAGE_SIZE,
		.map_size = (u64)taskacct_counters_pages() * PAGE_SIZE,
	};
}

static void free_pages_and_rows(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		for (i = 0; i < PAGES_MAX; i++)
			free_page((unsigned long)rows[cpu].page[i]);
	kvfree(rows);
}

static void check_layout(void)
{
	BUILD_BUG_ON(offsetof(struct taskacct_counters_header, cpu_offset) != 48);
	BUILD_BUG_ON(sizeof(struct taskacct_counters_header) != 72);
	BUILD_BUG_ON(offsetof(struct taskacct_counters_header, header_size) !=
		     offsetof(struct taskacct_counters_least, header_size));
	BUILD_BUG_ON(sizeof(struct taskacct_counters_cpu) != 8);
	BUILD_BUG_ON(sizeof(local64_t) != sizeof(s64));
	/* No value lies across two pages. */
	BUILD_BUG_ON(TASKACCT_COUNTERS_VALUES % sizeof(s64));
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
 * taskacct_counters_init() - make the pages for the first counters
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_counters_init(void)
{
	unsigned int cpu;

	check_layout();
	header = (void *)get_zeroed_page(GFP_KERNEL);
	if (!header)
		return -ENOMEM;
	rows = kvcalloc(nr_cpu_ids, sizeof(*rows), GFP_KERNEL);
	if (!rows)
		goto err_rows;
	if (grow(1))
		goto err_grow;
	for_each_possible_cpu(cpu)
		per_cpu(taskacct_counters_cpus, cpu) = rows[cpu].page[0];
	fill_header();
	return 0;

err_grow:
	free_pages_and_rows();
err_rows:
	free_page((unsigned long)header);
	return -ENOMEM;
}

/**
 * taskacct_counters_exit() - free the pages
 *
 * Nobody can have mapped them: the open device holds the module.
 *
 * Context: task context, may sleep.
 */
void taskacct_counters_exit(void)
{
	struct counter *counter, *next;

	list_for_each_entry_safe(counter, next, &counters, list)
		kfree(counter);
	INIT_LIST_HEAD(&counters);
	free_pages_and_rows();
	free_page((unsigned long)header);
}
