/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways to attach to the kernel: to functions and to tracepoints, by name
 */
#ifndef TASKACCT_HOOKS_ATTACH_H
#define TASKACCT_HOOKS_ATTACH_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

/* Does sched_process_exit come before the address space is gone, as in 7? */
#define TASKACCT_EARLY_TRACEPOINT					\
	__builtin_types_compatible_p(typeof(trace_sched_process_exit),	\
				     void (struct task_struct *, bool))

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
