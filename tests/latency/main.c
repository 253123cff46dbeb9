// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long taskacct keeps preemption or interrupts off
 *
 * A section begins where preemption, or interrupts, were on and are switched off, and
 * ends where they are on again. The kernel's tracepoints tell of both, with who
 * called, locks passed over. A section is taskacct's own where taskacct began or ended
 * it. The kernel has sections of its own in which it calls taskacct: such functions
 * are named, and what each call takes counts as a section too.
 *
 * Time is the CPU's counter (TSC), which QEMU has count instructions (tests/vm/run
 * -i). Interrupts and softirqs that come in between are not part of a section: what
 * they do is not taskacct's, or is a section by itself.
 *
 * It is told what to do in /sys/module/latency/parameters/:
 *
 * functions	names of functions of taskacct that the kernel calls with preemption or
 *		interrupts off; before taskacct is loaded, which fails where it has no
 *		function of one of these names
 * sections	"preempt", "irqs", "both" or "off": which are measured from now on.
 *		What was measured before is forgotten, but for "off"
 * strays	1: note functions of taskacct that run with preemption or interrupts off
 *		and are in none of these sections
 * spin		so many instructions with both off, in this module, to see that they are
 *		seen
 * worst	read: "INSTRUCTIONS TIMES KIND BEGIN END", the longest first
 * strayed	read: names of such functions
 * full		read: sections and functions that there was no room to note
 *
 * It has to be loaded before taskacct is, to see it come.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/timex.h>

#include "places.h"
#include "sections.h"

#define MAX_FUNCTIONS	64
#define FUNCTIONS_LEN	2048

static char functions[FUNCTIONS_LEN];
static char not_found[FUNCTIONS_LEN];
module_param_string(functions, functions, sizeof(functions), 0600);
MODULE_PARM_DESC(functions, "functions that are called with preemption or interrupts off");

static struct kretprobe calls[MAX_FUNCTIONS];
static unsigned long sizes[MAX_FUNCTIONS];
static unsigned int nr_calls;

/**
 * struct call - a call of one of them that is under way
 * @function: an address in it
 * @begin: when
 */
struct call {
	unsigned long function;
	struct begin begin;
};

static int on_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (void *)instance->data;

	call->function = instruction_pointer(regs);
	sections_call_begins(&call->begin);
	return 0;
}

/* Where the tracepoints of interrupts fire in it, it takes more. */
static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct call *call = (const void *)instance->data;
	const u64 took = sections_call_ends(&call->begin);

	if (sections_measured() == BIT(PREEMPT))
		places_note(CALL, call->function, 0, took);
	return 0;
}

static int see_call(unsigned long function, unsigned long size)
{
	struct kretprobe *call = &calls[nr_calls];
	int err;

	if (nr_calls == MAX_FUNCTIONS)
		return -E2BIG;
	*call = (struct kretprobe){
		.kp.addr = (void *)function,
		.entry_handler = on_call,
		.handler = on_return,
		.data_size = sizeof(struct call),
		.maxactive = 64,
	};
	sizes[nr_calls] = size;
	err = register_kretprobe(call);
	if (!err)
		nr_calls++;
	return err;
}

static void see_no_calls(void)
{
	while (nr_calls)
		unregister_kretprobe(&calls[--nr_calls]);
}

/* Where @name is one of those between blanks, or NULL */
static char *find_name(char *names, const char *name)
{
	const size_t len = strlen(name);
	char *at = names;

	while ((at = strstr(at, name))) {
		if ((at == names || at[-1] == ' ') &&
		    (!at[len] || at[len] == ' ' || at[len] == '\n'))
			return at;
		at += len;
	}
	return NULL;
}

static void strike_out(const char *name)
{
	char *at = find_name(not_found, name);

	if (at)
		memset(at, ' ', strlen(name));
}

static bool strays_wanted;
module_param_named(strays, strays_wanted, bool, 0600);
MODULE_PARM_DESC(strays, "note functions that run in no section that is seen");

#ifdef CONFIG_DYNAMIC_FTRACE
static bool is_in_call(unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < nr_calls; i++)
		if (ip - (unsigned long)calls[i].kp.addr < sizes[i])
			return true;
	return false;
}

/* The probe at a call is passed over where an interrupt came in another's. */
static bool is_called_unseen(void)
{
	unsigned long stack[64];
	unsigned int n = stack_trace_save(stack, ARRAY_SIZE(stack), 0);

	while (n)
		if (is_in_call(stack[--n]))
			return true;
	return false;
}

/* What the last argument is depends on the kernel. */
static void notrace on_function(unsigned long ip, unsigned long parent,
				struct ftrace_ops *ops, void *regs)
{
	if (!preemptible() &&
	    sections_measured() == (BIT(PREEMPT) | BIT(IRQS)) &&
	    !sections_see_here() && !is_called_unseen())
		places_note_stray(ip);
}

static struct ftrace_ops function_ops = { .func = (void *)on_function };

/* It has no place for ftrace, or none any more. */
static void see_stray(unsigned long address)
{
	ftrace_set_filter_ip(&function_ops, address, 0, 0);
}

static int see_strays(void)
{
	return register_ftrace_function(&function_ops);
}

static void see_no_strays(void)
{
	if (!(function_ops.flags & FTRACE_OPS_FL_ENABLED))
		return;
	unregister_ftrace_function(&function_ops);
	ftrace_set_filter(&function_ops, NULL, 0, 1);
}
#else
static void see_stray(unsigned long address)
{
}

static int see_strays(void)
{
	return -EOPNOTSUPP;
}

static void see_no_strays(void)
{
}
#endif

/* Calls @fn for each function of a module, until one returns an error */
static int for_each_function(struct module *mod,
			     int (*fn)(const char *name, unsigned long address,
				       unsigned long size))
{
	const struct mod_kallsyms *symbols = rcu_dereference_raw(mod->kallsyms);
	const Elf_Sym *symbol;
	unsigned int i;
	int err = 0;

	for (i = 0; i < symbols->num_symtab && !err; i++) {
		symbol = &symbols->symtab[i];
		if (ELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx)
			err = fn(symbols->strtab + symbol->st_name,
				 symbol->st_value, symbol->st_size);
	}
	return err;
}

static int see_function(const char *name, unsigned long address, unsigned long size)
{
	if (find_name(functions, name)) {
		strike_out(name);
		return see_call(address, size);
	}
	if (strays_wanted)
		see_stray(address);
	return 0;
}

static int see_functions(struct module *mod)
{
	char *left;
	int err;

	strscpy(not_found, functions, sizeof(not_found));
	err = for_each_function(mod, see_function);
	left = strim(not_found);
	if (err || !*left)
		return err;
	pr_err("latency: %s has no function %s\n", mod->name, left);
	return -ENOENT;
}

static void go(void)
{
	see_no_calls();
	see_no_strays();
	places_name();
	sections_watch(NULL);
}

static int come(struct module *mod)
{
	int err;

	sections_watch(mod);
	err = see_functions(mod);
	if (!err && strays_wanted)
		err = see_strays();
	if (err) {
		pr_err("latency: cannot see functions of %s: %d\n", mod->name, err);
		go();
	}
	return err;
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "taskacct"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		return notifier_from_errno(come(mod));
	if (state == MODULE_STATE_GOING)
		go();
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = { .notifier_call = on_module };

static int set_sections(const char *value, const struct kernel_param *kp)
{
	static const struct {
		const char *name;
		unsigned int sections;
	} known[] = {
		{ "off", 0 },
		{ "preempt", BIT(PREEMPT) },
		{ "irqs", BIT(IRQS) },
		{ "both", BIT(PREEMPT) | BIT(IRQS) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (sysfs_streq(value, known[i].name))
			return sections_measure(known[i].sections);
	return -EINVAL;
}

static const struct kernel_param_ops sections_ops = { .set = set_sections };
module_param_cb(sections, &sections_ops, NULL, 0200);
MODULE_PARM_DESC(sections, "preempt, irqs, both or off");

static int set_spin(const char *value, const struct kernel_param *kp)
{
	unsigned long flags;
	unsigned int n;
	u64 begin;
	int err;

	err = kstrtouint(value, 0, &n);
	if (err)
		return err;
	preempt_disable();
	local_irq_save(flags);
	for (begin = get_cycles(); get_cycles() - begin < n;)
		barrier();
	local_irq_restore(flags);
	preempt_enable();
	return 0;
}

static const struct kernel_param_ops spin_ops = { .set = set_spin };
module_param_cb(spin, &spin_ops, NULL, 0200);
MODULE_PARM_DESC(spin, "instructions with preemption and interrupts off");

static int __init latency_init(void)
{
	int err;

	err = sections_init();
	if (err)
		return err;
	err = register_module_notifier(&module_notifier);
	if (err)
		sections_exit();
	return err;
}

static void __exit latency_exit(void)
{
	unregister_module_notifier(&module_notifier);
	go();
	sections_exit();
}

module_init(latency_init);
module_exit(latency_exit);

MODULE_DESCRIPTION("Tells how long taskacct keeps preemption or interrupts off");
MODULE_LICENSE("GPL");
