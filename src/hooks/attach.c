// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches handlers to functions, by ftrace or a kprobe, and to tracepoints.
 * What they see is in hooks.c and hooks/cpu.c.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "attach.h"

bool taskacct_hooks_are_closing;

/*
 * A kprobe that is not armed: it tells where a function is, and nothing calls it.
 * The kernel looks for a name among its own functions first. A module may have one
 * of the same name, such as what a livepatch puts in a function's place.
 */
static int find_function(struct kprobe *probe, const char *function)
{
	char name[64];
	int err;

	*probe = (struct kprobe){
		.symbol_name = function,
		.flags = KPROBE_FLAG_DISABLED,
	};
	err = register_kprobe(probe);
	if (err)
		return err;
	unregister_kprobe(probe);
	/* Those of modules are followed by the module's name, in brackets. */
	snprintf(name, sizeof(name), "%ps", probe->addr);
	return strchr(name, '[') ? -ENOENT : 0;
}

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

static int attach_ftrace_at(struct ftrace_ops *ops, unsigned long address)
{
	int err;

	err = ftrace_set_filter_ip(ops, address, 0, 1);
	if (err)
		return err;
	err = register_ftrace_function(ops);
	if (err)
		forget_filter(ops);
	return err;
}

/**
 * taskacct_hooks_attach_ftrace() - have ftrace call a handler at a function's entry
 * @ops: the handler and how it is called
 * @function: the name of a function of the kernel
 *
 * The filter has that function's address. A name in it would stand for all functions
 * of that name, those of modules included.
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached: -ENOENT if there is no such
 *	function, -EINVAL if ftrace cannot be called there, -EBUSY if @ops is
 *	FTRACE_OPS_FL_PERMANENT and kernel.ftrace_enabled 0.
 */
int taskacct_hooks_attach_ftrace(struct ftrace_ops *ops, const char *function)
{
	struct kprobe probe;
	int err;

	err = find_function(&probe, function);
	if (err)
		return err;
	return attach_ftrace_at(ops, (unsigned long)probe.addr);
}

/**
 * taskacct_hooks_detach_ftrace() - no longer
 * @ops: as it was attached
 *
 * Context: task context, may sleep. When it returns no task is in the handler, or
 *	preempted there. That a task does not block there is up to the caller: on
 *	PREEMPT_RT a lock may sleep.
 * Return: 0, or the error of unregister_ftrace_function(): the handler is still called,
 *	and all tasks that were in it have left it once.
 */
int taskacct_hooks_detach_ftrace(struct ftrace_ops *ops)
{
	int err = unregister_ftrace_function(ops);

	if (err)
		synchronize_rcu_tasks();
	else
		forget_filter(ops);
	return err;
}

/* Has a place for ftrace, and nobody calls it. */
static noinline void never_called(void)
{
	asm volatile("");
}

static void notrace on_never_called(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops,
				    taskacct_ftrace_regs regs)
{
}

static struct ftrace_ops ftrace_holder = {
	.func = on_never_called,
	.flags = FTRACE_OPS_FL_PERMANENT | TASKACCT_FTRACE_UNGUARDED,
};

static bool ftrace_held;

/*
 * At a function's entry a kprobe goes through ftrace where there is one, and is
 * silent where kernel.ftrace_enabled is 0. That is asked, and kept from becoming
 * so, by an ops of our own at a function of our own.
 */
static int hold_ftrace(void)
{
	int err;

	if (ftrace_held)
		return 0;
	err = attach_ftrace_at(&ftrace_holder, (unsigned long)never_called);
	ftrace_held = !err;
	return err;
}

static int release_ftrace(void)
{
	int err = 0;

	if (ftrace_held)
		err = taskacct_hooks_detach_ftrace(&ftrace_holder);
	ftrace_held = err;
	return err;
}
#else
static int hold_ftrace(void)
{
	return 0;
}

static int release_ftrace(void)
{
	return 0;
}
#endif

/**
 * taskacct_hooks_release_ftrace() - let kernel.ftrace_enabled be set to 0 again
 *
 * Context: task context, may sleep; no kprobe is attached any more.
 * Return: 0, or the error of unregister_ftrace_function(): the kernel still has an
 *	ops of ours.
 */
int taskacct_hooks_release_ftrace(void)
{
	return release_ftrace();
}

/*
 * Without ftrace it is a breakpoint, and its handler runs in an exception: on x86 that
 * is taken for an NMI, on arm64 interrupts are off there. Both are no place for the
 * locks of an exit.
 */
static bool is_breakpoint(struct kprobe *probe)
{
	return !kprobe_ftrace(probe);
}

static int attach_kprobe(struct kprobe *probe, const char *function,
			 kprobe_pre_handler_t handler)
{
	/* Anew: an address stays behind. */
	*probe = (struct kprobe){
		.symbol_name = function,
		.pre_handler = handler,
	};
	return register_kprobe(probe);
}

/**
 * taskacct_hooks_attach_kprobe() - have a kprobe call a handler at a function's entry
 * @probe: for the kprobe
 * @function: the name of a function of the kernel
 * @handler: the handler; preemption is off there
 *
 * From then on, and if it fails, kernel.ftrace_enabled cannot be set to 0 before
 * taskacct_hooks_release_ftrace() is called.
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached: -EOPNOTSUPP if the kprobe
 *	would be a breakpoint, which the log says, -EBUSY if kernel.ftrace_enabled is 0,
 *	or the error of register_kprobe().
 */
int taskacct_hooks_attach_kprobe(struct kprobe *probe, const char *function,
				 kprobe_pre_handler_t handler)
{
	int err;

	err = find_function(probe, function);
	if (err)
		return err;
	if (is_breakpoint(probe)) {
		pr_info("no kprobe at %s(): it would be a breakpoint, and not by ftrace\n",
			function);
		return -EOPNOTSUPP;
	}
	err = hold_ftrace();
	if (err)
		return err;
	return attach_kprobe(probe, function, handler);
}

/**
 * taskacct_hooks_detach_kprobe() - no longer
 * @probe: as it was attached
 *
 * Context: task context, may sleep. When it returns no task is in the handler.
 * Return: 0, or -ENODEV: the kernel could not take it away, and calls the handler.
 */
int taskacct_hooks_detach_kprobe(struct kprobe *probe)
{
	kprobe_opcode_t *address = probe->addr;

	unregister_kprobe(probe);
	if (probe->addr)
		return 0;
	/* So it tells that it failed. To be asked again it needs the address. */
	probe->addr = address;
	return -ENODEV;
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_hook_ftrace(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops,
				   taskacct_ftrace_regs regs)
{
	unsigned long args[TASKACCT_HOOK_ARGS];
	unsigned int i;

	for (i = 0; i < TASKACCT_HOOK_ARGS; i++)
		args[i] = taskacct_ftrace_argument(regs, i);
	/* As a kprobe's handler has it */
	preempt_disable();
	container_of(ops, struct taskacct_hook, ops)->handler(args);
	preempt_enable();
}

static int attach_hook_ftrace(struct taskacct_hook *hook)
{
	hook->ops.func = on_hook_ftrace;
	hook->ops.flags = FTRACE_OPS_FL_PERMANENT | TASKACCT_FTRACE_UNGUARDED |
			  TASKACCT_FTRACE_ARGUMENTS_FLAGS;
	return taskacct_hooks_attach_ftrace(&hook->ops, hook->function);
}

static int detach_hook_ftrace(struct taskacct_hook *hook)
{
	return taskacct_hooks_detach_ftrace(&hook->ops);
}
#else
static int attach_hook_ftrace(struct taskacct_hook *hook)
{
	return -EOPNOTSUPP;
}

static int detach_hook_ftrace(struct taskacct_hook *hook)
{
	return 0;
}
#endif

static int on_hook_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long args[TASKACCT_HOOK_ARGS];
	unsigned int i;

	for (i = 0; i < TASKACCT_HOOK_ARGS; i++)
		args[i] = taskacct_kernel_argument(regs, i);
	container_of(probe, struct taskacct_hook, probe)->handler(args);
	return 0;
}

/**
 * taskacct_hooks_attach() - attach a hook, by one way
 * @hook: the hook, not attached
 * @by_kprobe: by a kprobe, and not by ftrace
 *
 * While it is attached kernel.ftrace_enabled cannot be set to 0.
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached: -EOPNOTSUPP if it has no
 *	handler, or as taskacct_hooks_attach_ftrace() and taskacct_hooks_attach_kprobe().
 */
int taskacct_hooks_attach(struct taskacct_hook *hook, bool by_kprobe)
{
	int err = -EOPNOTSUPP;

	hook->by_kprobe = by_kprobe;
	if (hook->handler)
		err = by_kprobe ? taskacct_hooks_attach_kprobe(&hook->probe,
							       hook->function,
							       on_hook_kprobe) :
				  attach_hook_ftrace(hook);
	WRITE_ONCE(hook->attached, !err);
	return err;
}

/**
 * taskacct_hooks_attach_any() - attach a hook, by the better way that there is
 * @hook: the hook, not attached
 * @wanted: "kprobe" where that and nothing else shall be used
 *
 * Context: task context, may sleep.
 * Return: 0, or the error of the last way tried, and nothing is attached.
 */
int taskacct_hooks_attach_any(struct taskacct_hook *hook, const char *wanted)
{
	if (strcmp(wanted, "kprobe") && !taskacct_hooks_attach(hook, false))
		return 0;
	return taskacct_hooks_attach(hook, true);
}

/**
 * taskacct_hooks_detach() - detach a hook
 * @hook: the hook, attached or not
 *
 * Context: task context, may sleep.
 * Return: 0 and no handler is running any more, or an error: it is still called, and
 *	can be detached again.
 */
int taskacct_hooks_detach(struct taskacct_hook *hook)
{
	int err = 0;

	if (hook->attached)
		err = hook->by_kprobe ?
			      taskacct_hooks_detach_kprobe(&hook->probe) :
			      detach_hook_ftrace(hook);
	WRITE_ONCE(hook->attached, err);
	return err;
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
 * @probe: a function with the tracepoint's arguments behind a pointer to data, NULL:
 *	see TASKACCT_CALLBACK()
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
