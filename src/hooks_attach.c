// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches handlers to functions, by ftrace or a kprobe, and to tracepoints.
 * What they are told of is hooks.c and hooks_cpu.c.
 */

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hooks_attach.h"

#ifdef CONFIG_DYNAMIC_FTRACE
/*
 * ftrace_free_filter() would do it too, but is not exported everywhere. This
 * needs memory, and for want of it leaves the filter's own behind.
 */
static void forget_filter(struct ftrace_ops *ops)
{
	unsigned int tries = 10;

	while (ftrace_set_filter(ops, NULL, 0, 1) && tries--)
		schedule_timeout_uninterruptible(1);
}

/*
 * Where there is no memory for the name found, ftrace_set_filter() returns 0 and
 * leaves the filter empty, and that would have us called by every function of the
 * kernel. All empty filters are one and the same.
 */
static int filter_by_name(struct ftrace_ops *ops, const char *function)
{
	const struct ftrace_hash *empty;
	char name[32];
	int err;

	err = ftrace_set_filter(ops, NULL, 0, 1);
	if (err)
		return err;
	empty = rcu_access_pointer(ops->func_hash->filter_hash);
	strscpy(name, function, sizeof(name));
	err = ftrace_set_filter(ops, name, strlen(name), 1);
	if (err)
		return err;
	if (rcu_access_pointer(ops->func_hash->filter_hash) == empty)
		return -ENOMEM;
	return 0;
}

/**
 * taskacct_hooks_attach_ftrace() - have ftrace call a handler at a function's entry
 * @ops: the handler and how it is called
 * @function: the function's name
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached: -EINVAL if there is no such
 *	function, -EBUSY if @ops is FTRACE_OPS_FL_PERMANENT and kernel.ftrace_enabled 0.
 */
int taskacct_hooks_attach_ftrace(struct ftrace_ops *ops, const char *function)
{
	int err;

	err = filter_by_name(ops, function);
	if (err)
		return err;
	err = register_ftrace_function(ops);
	if (err)
		forget_filter(ops);
	return err;
}

/**
 * taskacct_hooks_detach_ftrace() - no longer
 * @ops: as it was attached
 *
 * Context: task context, may sleep. When it returns no task is in the handler, or
 *	preempted there.
 */
void taskacct_hooks_detach_ftrace(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
	forget_filter(ops);
}
#endif

static int attach_kprobe(struct kprobe *probe, const char *function,
			 kprobe_pre_handler_t handler)
{
	/* Anew each time: an address stays behind. */
	*probe = (struct kprobe){
		.symbol_name = function,
		.pre_handler = handler,
	};
	return register_kprobe(probe);
}

/*
 * Without ftrace it is a breakpoint, and on x86 an exception that comes from the
 * kernel is taken for an NMI: no place to take memory in, or a lock.
 */
static bool is_like_nmi(const struct kprobe *probe)
{
	return IS_ENABLED(CONFIG_X86) && !(probe->flags & KPROBE_FLAG_FTRACE);
}

/**
 * taskacct_hooks_attach_kprobe() - have a kprobe call a handler at a function's entry
 * @probe: for the kprobe; unregister_kprobe() ends it
 * @function: the function's name
 * @handler: the handler; preemption is off there
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached: -EOPNOTSUPP if the handler
 *	would run as an NMI does, or the error of register_kprobe().
 */
int taskacct_hooks_attach_kprobe(struct kprobe *probe, const char *function,
				 kprobe_pre_handler_t handler)
{
	/* What it is shows when it is there, and then the handler would be called. */
	int err = attach_kprobe(probe, function, NULL);

	if (err)
		return err;
	unregister_kprobe(probe);
	if (is_like_nmi(probe))
		return -EOPNOTSUPP;
	return attach_kprobe(probe, function, handler);
}

struct search {
	const char *name;
	struct tracepoint *found;
};

static void look_at_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

static struct tracepoint *find_tracepoint(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(look_at_tracepoint, &search);
	return search.found;
}

/**
 * taskacct_hooks_attach_probe() - have a tracepoint of the kernel call a probe
 * @name: the tracepoint's name
 * @probe: a function with the tracepoint's arguments behind a pointer to data, NULL
 *
 * Context: task context, may sleep.
 * Return: the tracepoint, or an ERR_PTR(): -ENOENT if there is none of that name.
 */
struct tracepoint *taskacct_hooks_attach_probe(const char *name, void *probe)
{
	struct tracepoint *found = find_tracepoint(name);
	int err;

	if (!found)
		return ERR_PTR(-ENOENT);
	err = tracepoint_probe_register(found, probe, NULL);
	return err ? ERR_PTR(err) : found;
}

/**
 * taskacct_hooks_detach_probe() - no longer
 * @tp: what taskacct_hooks_attach_probe() returned
 * @probe: as it was attached
 *
 * Context: task context, may sleep. When it returns no task is in the probe.
 */
void taskacct_hooks_detach_probe(struct tracepoint *tp, void *probe)
{
	tracepoint_probe_unregister(tp, probe, NULL);
	tracepoint_synchronize_unregister();
}
