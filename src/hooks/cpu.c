// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time per CPU, while it is wanted: the tracepoints of context switches and of
 * interrupts and softirqs. Interrupts of the architecture itself, such as that
 * of a CPU's timer, have tracepoints of their own there, if any: where they have
 * none the timers that expire in them tell of them. System calls have them on all
 * architectures that can trace them.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/context_tracking.h>
#include <trace/events/exceptions.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/timer.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#endif

#include "cputime/cputime.h"

#include "attach.h"
#include "hooks.h"

static notrace void on_switch(void *data, TASKACCT_SWITCH_ARGS(prev, next))
{
	taskacct_cputime_switch(prev, next);
}

static void on_irq_entry(void *data, int irq, struct irqaction *action)
{
	taskacct_cputime_irq_enter();
}

static void on_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	taskacct_cputime_irq_exit();
}

#ifdef CONFIG_X86_LOCAL_APIC
static void on_vector_entry(void *data, int vector)
{
	taskacct_cputime_irq_enter();
}

static void on_vector_exit(void *data, int vector)
{
	taskacct_cputime_irq_exit();
}
#endif

static void on_timer_entry(void *data, TASKACCT_TIMER_ARGS(timer))
{
	taskacct_cputime_timer_enter();
}

static void on_timer_exit(void *data, struct hrtimer *timer)
{
	taskacct_cputime_timer_exit();
}

static void on_softirq_entry(void *data, unsigned int vector)
{
	taskacct_cputime_softirq_enter();
}

static void on_softirq_exit(void *data, unsigned int vector)
{
	taskacct_cputime_softirq_exit();
}

static void on_fork(void *data, struct task_struct *parent,
		    struct task_struct *child)
{
	taskacct_cputime_count_fork();
}

static void on_exec(void *data, struct task_struct *t, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	taskacct_cputime_count_exec();
}

static void on_exit_counted(void *data, TASKACCT_EXIT_ARGS(t))
{
	taskacct_cputime_count_exit();
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	taskacct_cputime_call_enter();
}

#ifndef TASKACCT_PAGE_FAULTS_UNSEEN
static void on_page_fault(void *data, unsigned long address,
			  struct pt_regs *regs, unsigned long error)
{
	taskacct_cputime_call_enter();
}
#endif

static void on_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	taskacct_cputime_call_exit();
}

/* Of CPUs of nohz_full= alone, where the kernel itself has to know */
static void on_user_exit(void *data, int unused)
{
	taskacct_cputime_kernel_enter();
}

static void on_user_enter(void *data, int unused)
{
	taskacct_cputime_kernel_exit();
}

/**
 * struct probe - a tracepoint and what is attached to it
 * @name: the tracepoint
 * @handler: what is attached
 * @is_spare: no error where there is no such tracepoint
 * @tp: the tracepoint while it is attached, else NULL
 */
struct probe {
	const char *name;
	void *handler;
	bool is_spare;
	struct tracepoint *tp;
};

/* What the kernel must have, and what is well without */
#define NEEDED(tracepoint, callback)					\
	{ #tracepoint, TASKACCT_CALLBACK(tracepoint, callback) }
#define SPARE(tracepoint, callback)					\
	{ #tracepoint, TASKACCT_CALLBACK(tracepoint, callback), true }

/* Which there are is up to the kernel's options. All are of one class. */
#define VECTOR(vector, end)						\
	{ #vector "_" #end,						\
	  TASKACCT_CALLBACK(local_timer_##end, on_vector_##end), true }

/* Ends first: one that is seen without its begin does no harm. */
static struct probe cpu_probes[] = {
	NEEDED(irq_handler_exit, on_irq_exit),
	NEEDED(irq_handler_entry, on_irq_entry),
	NEEDED(softirq_exit, on_softirq_exit),
	NEEDED(softirq_entry, on_softirq_entry),
#ifdef CONFIG_X86_LOCAL_APIC
	VECTOR(local_timer, exit),
	VECTOR(local_timer, entry),
	VECTOR(reschedule, exit),
	VECTOR(reschedule, entry),
	VECTOR(call_function, exit),
	VECTOR(call_function, entry),
	VECTOR(call_function_single, exit),
	VECTOR(call_function_single, entry),
	VECTOR(irq_work, exit),
	VECTOR(irq_work, entry),
	VECTOR(x86_platform_ipi, exit),
	VECTOR(x86_platform_ipi, entry),
	VECTOR(spurious_apic, exit),
	VECTOR(spurious_apic, entry),
	VECTOR(error_apic, exit),
	VECTOR(error_apic, entry),
	VECTOR(threshold_apic, exit),
	VECTOR(threshold_apic, entry),
	VECTOR(deferred_error_apic, exit),
	VECTOR(deferred_error_apic, entry),
	VECTOR(thermal_apic, exit),
	VECTOR(thermal_apic, entry),
#endif
	NEEDED(hrtimer_expire_exit, on_timer_exit),
	NEEDED(hrtimer_expire_entry, on_timer_entry),
	SPARE(user_exit, on_user_exit),
	SPARE(user_enter, on_user_enter),
	NEEDED(sched_switch, on_switch),
	NEEDED(sched_process_fork, on_fork),
	NEEDED(sched_process_exec, on_exec),
	NEEDED(sched_process_exit, on_exit_counted),
};

/* Page faults of user mode, whose end nothing else tells of; on x86 */
static struct probe return_probes[] = {
#ifndef TASKACCT_PAGE_FAULTS_UNSEEN
	SPARE(page_fault_user, on_page_fault),
#endif
	NEEDED(sys_enter, on_sys_enter),
};

/* Where there is nothing but system calls */
static struct probe syscall_probes[] = {
	NEEDED(sys_exit, on_sys_exit),
	NEEDED(sys_enter, on_sys_enter),
};

static void detach_probes(struct probe *probes, unsigned int n)
{
	struct probe *probe;

	while (n--) {
		probe = &probes[n];
		if (probe->tp)
			tracepoint_probe_unregister(probe->tp, probe->handler,
						    NULL);
		probe->tp = NULL;
	}
	tracepoint_synchronize_unregister();
}

static int attach_probes(struct probe *probes, unsigned int n)
{
	struct tracepoint *tp;
	struct probe *probe;

	for (probe = probes; probe < probes + n; probe++) {
		tp = taskacct_hooks_attach_probe(probe->name, probe->handler);
		if (PTR_ERR(tp) == -ENOENT && probe->is_spare)
			continue;
		if (IS_ERR(tp)) {
			pr_err("cannot attach tracepoint %s: %pe\n",
			       probe->name, tp);
			detach_probes(probes, n);
			return PTR_ERR(tp);
		}
		probe->tp = tp;
	}
	return 0;
}

static bool sees_user_mode(void)
{
	const struct probe *probe;

	for (probe = cpu_probes; probe < cpu_probes + ARRAY_SIZE(cpu_probes);
	     probe++)
		if (probe->handler == on_user_enter)
			return probe->tp;
	return false;
}

static int attach_cpu(bool *sees)
{
	const int err = attach_probes(cpu_probes, ARRAY_SIZE(cpu_probes));

	*sees = sees_user_mode();
	return err;
}

static void detach_cpu(void)
{
	detach_probes(cpu_probes, ARRAY_SIZE(cpu_probes));
}

/*
 * Of the ends of system calls nothing is seen here where returns to user mode can be
 * seen; of page faults only there.
 */
static int attach_calls(void)
{
	if (taskacct_cputime_sees_return())
		return attach_probes(return_probes, ARRAY_SIZE(return_probes));
	return attach_probes(syscall_probes, ARRAY_SIZE(syscall_probes));
}

static void detach_calls(void)
{
	if (taskacct_cputime_sees_return())
		detach_probes(return_probes, ARRAY_SIZE(return_probes));
	else
		detach_probes(syscall_probes, ARRAY_SIZE(syscall_probes));
}

const struct taskacct_cputime_hooks taskacct_hooks_of_cpu = {
	.attach = attach_cpu,
	.detach = detach_cpu,
	.attach_calls = attach_calls,
	.detach_calls = detach_calls,
};
