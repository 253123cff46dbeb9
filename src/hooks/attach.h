/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways to attach to the kernel: to functions and to tracepoints, by name
 */
#ifndef TASKACCT_HOOKS_ATTACH_H
#define TASKACCT_HOOKS_ATTACH_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <trace/events/sched.h>

#include <taskacct_tracepoint.h>

/* See taskacct_hooks_closing() */
extern bool taskacct_hooks_are_closing;

/**
 * taskacct_hooks_closing() - whether handlers have to return at once
 *
 * A hook that the kernel cannot take away goes on calling its handler, and on
 * PREEMPT_RT a task must not block in one that is taken away.
 *
 * Context: a hook's handler, first.
 * Return: true from before the hooks are detached.
 */
static inline bool taskacct_hooks_closing(void)
{
	return unlikely(READ_ONCE(taskacct_hooks_are_closing));
}

/* How many of a function's arguments a hook's handler is given */
#define TASKACCT_HOOK_ARGS 3

/**
 * struct taskacct_hook - a handler to be called at the entry of a function
 * @function: the function's name
 * @handler: called with the function's first arguments, TASKACCT_HOOK_ARGS of them, with
 *	preemption off; NULL where arguments cannot be had
 * @attached: it is called
 * @by_kprobe: by a kprobe, and not by ftrace
 * @ops: for ftrace
 * @probe: for a kprobe
 */
struct taskacct_hook {
	const char *function;
	void (*handler)(const unsigned long *args);
	bool attached;
	bool by_kprobe;
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops ops;
#endif
	struct kprobe probe;
};

int taskacct_hooks_attach(struct taskacct_hook *hook, bool by_kprobe);
int taskacct_hooks_attach_any(struct taskacct_hook *hook, const char *wanted);
int taskacct_hooks_detach(struct taskacct_hook *hook);

#ifdef CONFIG_DYNAMIC_FTRACE
int taskacct_hooks_attach_ftrace(struct ftrace_ops *ops, const char *function);
int taskacct_hooks_detach_ftrace(struct ftrace_ops *ops);
#endif

int taskacct_hooks_attach_kprobe(struct kprobe *probe, const char *function,
				 kprobe_pre_handler_t handler);
int taskacct_hooks_detach_kprobe(struct kprobe *probe);
int taskacct_hooks_release_ftrace(void);
struct tracepoint *taskacct_hooks_attach_probe(const char *name, void *probe);
void taskacct_hooks_detach_probe(struct tracepoint *tp, void *probe);

#endif /* TASKACCT_HOOKS_ATTACH_H */
