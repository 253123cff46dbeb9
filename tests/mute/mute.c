// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps taskacct from seeing the interrupts of a CPU's timer by their tracepoints,
 * as if they had none: so it is in guests of Hyper-V. For as long as it is loaded;
 * cputime= must not be set meanwhile.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

/**
 * struct muted - a tracepoint that taskacct does not see
 * @name: the tracepoint
 * @handler: what taskacct has attached to it
 * @tp: the tracepoint, once it was found
 * @probe: where the handler is, once it was taken off; else NULL
 */
struct muted {
	const char *name;
	const char *handler;
	struct tracepoint *tp;
	void *probe;
};

static struct muted muted[] = {
	{ "local_timer_entry", "on_vector_entry [taskacct]" },
	{ "local_timer_exit", "on_vector_exit [taskacct]" },
};

static void find(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(muted); i++)
		if (!strcmp(tp->name, muted[i].name))
			muted[i].tp = tp;
}

/*
 * What is attached is looked up there: a kprobe, which would tell where the handler is,
 * is put behind the instruction with which functions begin on some kernels, and the
 * kernel takes any address for a handler.
 */
static void *attached_to(struct tracepoint *tp, const char *handler)
{
	char name[KSYM_SYMBOL_LEN];
	struct tracepoint_func *func;
	void *probe = NULL;

	preempt_disable();
	func = rcu_dereference_sched(tp->funcs);
	for (; func && func->func && !probe; func++) {
		sprint_symbol_no_offset(name, (unsigned long)func->func);
		if (!strcmp(name, handler))
			probe = func->func;
	}
	preempt_enable();
	return probe;
}

static int mute(struct muted *m)
{
	void *probe = m->tp ? attached_to(m->tp, m->handler) : NULL;
	int err;

	if (!probe)
		return -ENOENT;
	err = tracepoint_probe_unregister(m->tp, probe, NULL);
	if (!err)
		m->probe = probe;
	return err;
}

static void unmute_all(void)
{
	int i;

	/* Ends first, as taskacct has it. */
	for (i = ARRAY_SIZE(muted) - 1; i >= 0; i--)
		if (muted[i].probe)
			tracepoint_probe_register(muted[i].tp, muted[i].probe,
						  NULL);
}

static int __init mute_init(void)
{
	unsigned int i;
	int err = 0;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; !err && i < ARRAY_SIZE(muted); i++)
		err = mute(&muted[i]);
	if (err)
		unmute_all();
	tracepoint_synchronize_unregister();
	return err;
}

static void __exit mute_exit(void)
{
	unmute_all();
}

module_init(mute_init);
module_exit(mute_exit);
MODULE_DESCRIPTION("Hides interrupts of CPUs' timers from taskacct");
MODULE_LICENSE("GPL");
