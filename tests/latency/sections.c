// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections, as the kernel's tracepoints tell of them, and the interrupts and softirqs
 * that come in between
 *
 * All that is kept is of the CPU that it is about. Kprobes would not do: where an
 * interrupt comes while one is handled, those in it are passed over.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/tracepoint.h>

#include "places.h"
#include "sections.h"

/* Tasks, softirqs in them, interrupts, softirqs behind these, interrupts in those */
#define LEVELS		8

/**
 * struct section - a section that has begun
 * @begin: when
 * @ip: who switched off what is off
 * @parent: who called that one, where it is a function that takes a lock
 * @open: it has not ended
 */
struct section {
	struct begin begin;
	unsigned long ip;
	unsigned long parent;
	bool open;
};

/**
 * struct here - what a CPU is about
 * @level: how many interrupts and softirqs are under way
 * @since: when the one on top of each level began
 * @above: what those took that came at each level
 * @sections: by kind
 * @calls: of taskacct's functions that are under way
 */
struct here {
	unsigned int level;
	u64 since[LEVELS];
	u64 above[LEVELS];
	struct section sections[CALL];
	unsigned int calls;
};

static DEFINE_PER_CPU(struct here, cpus);

/* taskacct while it is loaded */
static struct module *target;

/**
 * sections_watch() - say what is taskacct's
 * @mod: the module, or NULL
 *
 * Context: may sleep.
 */
void sections_watch(struct module *mod)
{
	WRITE_ONCE(target, mod);
	if (!mod)
		tracepoint_synchronize_unregister();
}

static bool is_own(unsigned long ip)
{
	struct module *mod = READ_ONCE(target);

	return (mod && within_module(ip, mod)) || within_module(ip, THIS_MODULE);
}

static struct begin begin_now(const struct here *here)
{
	return (struct begin){
		.at = get_cycles(),
		.level = here->level,
		.above = here->above[here->level],
	};
}

static u64 since_begin(const struct here *here, const struct begin *begin)
{
	return get_cycles() - begin->at - (here->above[begin->level] - begin->above);
}

/*
 * What is kept is changed and read with interrupts off: they would change it, too. Not
 * by way of the tracepoints that tell of that.
 */

/* Of tracepoints, whose arguments it takes none of */
static void enter_level(void *data)
{
	struct here *here = this_cpu_ptr(&cpus);
	unsigned long flags;

	if (WARN_ON_ONCE(here->level == LEVELS - 1))
		return;
	raw_local_irq_save(flags);
	here->since[here->level] = get_cycles();
	here->level++;
	raw_local_irq_restore(flags);
}

/* The first may have begun before it could be seen. */
static void leave_level(void *data)
{
	struct here *here = this_cpu_ptr(&cpus);
	unsigned long flags;

	if (!here->level)
		return;
	raw_local_irq_save(flags);
	here->level--;
	here->above[here->level] += get_cycles() - here->since[here->level];
	raw_local_irq_restore(flags);
}

static void notrace begin_section(enum kind kind, unsigned long ip,
				  unsigned long parent)
{
	struct here *here = this_cpu_ptr(&cpus);
	struct section *section = &here->sections[kind];
	unsigned long flags;

	raw_local_irq_save(flags);
	section->ip = ip;
	section->parent = parent;
	section->open = true;
	section->begin = begin_now(here);
	raw_local_irq_restore(flags);
}

static void notrace end_section(enum kind kind, unsigned long ip,
				unsigned long parent)
{
	struct here *here = this_cpu_ptr(&cpus);
	struct section *section = &here->sections[kind];
	unsigned long from, to, flags;
	u64 took;

	raw_local_irq_save(flags);
	took = since_begin(here, &section->begin);
	from = is_own(section->ip) ? section->ip : section->parent;
	to = is_own(ip) ? ip : parent;
	if (section->open && (is_own(from) || is_own(to)))
		places_note(kind, from, to, took);
	section->open = false;
	raw_local_irq_restore(flags);
}

static void notrace on_preempt_disable(void *data, unsigned long ip,
				       unsigned long parent)
{
	begin_section(PREEMPT, ip, parent);
}

static void notrace on_preempt_enable(void *data, unsigned long ip,
				      unsigned long parent)
{
	end_section(PREEMPT, ip, parent);
}

static void notrace on_irq_disable(void *data, unsigned long ip,
				   unsigned long parent)
{
	begin_section(IRQS, ip, parent);
}

static void notrace on_irq_enable(void *data, unsigned long ip,
				  unsigned long parent)
{
	end_section(IRQS, ip, parent);
}

/**
 * struct probe - a tracepoint of the kernel and what is attached to it
 * @name: the tracepoint
 * @handler: what is attached
 * @sections: only while these are measured, a bit for each kind; 0: always
 * @tp: the tracepoint
 * @attached: it is
 */
struct probe {
	const char *name;
	void *handler;
	unsigned int sections;
	struct tracepoint *tp;
	bool attached;
};

static struct probe probes[] = {
	{ "softirq_exit", leave_level },
	{ "softirq_entry", enter_level },
	{ "local_timer_exit", leave_level },
	{ "local_timer_entry", enter_level },
	{ "irq_work_exit", leave_level },
	{ "irq_work_entry", enter_level },
	{ "reschedule_exit", leave_level },
	{ "reschedule_entry", enter_level },
	{ "call_function_single_exit", leave_level },
	{ "call_function_single_entry", enter_level },
	{ "call_function_exit", leave_level },
	{ "call_function_entry", enter_level },
	{ "irq_handler_exit", leave_level },
	{ "irq_handler_entry", enter_level },
	{ "preempt_enable", on_preempt_enable, BIT(PREEMPT) },
	{ "preempt_disable", on_preempt_disable, BIT(PREEMPT) },
	{ "irq_enable", on_irq_enable, BIT(IRQS) },
	{ "irq_disable", on_irq_disable, BIT(IRQS) },
};

static void find_tracepoint(struct tracepoint *tp, void *unused)
{
	struct probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		if (!strcmp(tp->name, probe->name))
			probe->tp = tp;
}

static int attach_probe(struct probe *probe, bool attach)
{
	int err = 0;

	if (attach == probe->attached)
		return 0;
	if (!attach)
		tracepoint_probe_unregister(probe->tp, probe->handler, NULL);
	else if (probe->tp)
		err = tracepoint_probe_register(probe->tp, probe->handler, NULL);
	else
		err = -EOPNOTSUPP;
	probe->attached = attach && !err;
	return err;
}

static int attach_probes(unsigned int sections, bool any)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(probes) && !err; i++)
		err = attach_probe(&probes[i], any && (!probes[i].sections ||
						       (probes[i].sections & sections)));
	return err;
}

static unsigned int measured;

/**
 * sections_measured() - which sections are measured
 *
 * Context: any.
 * Return: a bit for each kind.
 */
unsigned int sections_measured(void)
{
	return READ_ONCE(measured);
}

/**
 * sections_measure() - measure sections from now on, and forget those before
 * @sections: a bit for each kind that is measured; 0: none, and nothing is forgotten
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int sections_measure(unsigned int sections)
{
	struct here *of;
	int cpu, err;

	WRITE_ONCE(measured, 0);
	attach_probes(0, true);
	tracepoint_synchronize_unregister();
	if (!sections)
		return 0;
	for_each_possible_cpu(cpu) {
		of = per_cpu_ptr(&cpus, cpu);
		memset(of->sections, 0, sizeof(of->sections));
	}
	places_forget();
	err = attach_probes(sections, true);
	/* No section is open here that began unseen. */
	if (!err)
		WRITE_ONCE(measured, sections);
	return err;
}

/**
 * sections_call_begins() - the kernel calls a function of taskacct
 * @begin: receives when
 *
 * Context: any but NMI, not preemptible.
 */
void sections_call_begins(struct begin *begin)
{
	struct here *here = this_cpu_ptr(&cpus);
	unsigned long flags;

	raw_local_irq_save(flags);
	here->calls++;
	*begin = begin_now(here);
	raw_local_irq_restore(flags);
}

/**
 * sections_call_ends() - a function of taskacct that the kernel has called returns
 * @begin: when it was called
 *
 * Context: any but NMI, not preemptible.
 * Return: how many instructions it took.
 */
u64 sections_call_ends(const struct begin *begin)
{
	struct here *here = this_cpu_ptr(&cpus);
	unsigned long flags;
	u64 took;

	raw_local_irq_save(flags);
	took = since_begin(here, begin);
	here->calls--;
	raw_local_irq_restore(flags);
	return took;
}

static bool is_open(const struct section *section)
{
	return section->open && (is_own(section->ip) || is_own(section->parent));
}

/**
 * sections_see_here() - whether what runs here is measured
 *
 * Context: any but NMI, not preemptible.
 * Return: true in a section that taskacct began, and in a function that the kernel
 *	has called.
 */
bool sections_see_here(void)
{
	const struct here *here = this_cpu_ptr(&cpus);

	return here->calls || is_open(&here->sections[PREEMPT]) ||
	       is_open(&here->sections[IRQS]);
}

/**
 * sections_init() - see interrupts and softirqs from now on
 *
 * Context: may sleep.
 * Return: 0 or a negative errno: -EOPNOTSUPP where the kernel does not tell of
 *	sections.
 */
int sections_init(void)
{
	int err;

	for_each_kernel_tracepoint(find_tracepoint, NULL);
	err = attach_probes(BIT(PREEMPT) | BIT(IRQS), true);
	if (err)
		goto err_probes;
	attach_probes(0, true);
	return 0;

err_probes:
	attach_probes(0, false);
	tracepoint_synchronize_unregister();
	return err;
}

/**
 * sections_exit() - see nothing any more
 *
 * Context: may sleep.
 */
void sections_exit(void)
{
	attach_probes(0, false);
	tracepoint_synchronize_unregister();
}
