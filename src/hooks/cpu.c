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
#include <trace/events/sched.h>

#include "cputime/cputime.h"

#include "attach.h"
#include "hooks.h"

/* Later kernels tell the state of @prev too, first before it, then at the end. */
static notrace void on_switch(void *data, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next)
{
	taskacct_cputime_switch(prev, next);
}

static notrace void on_switch_state_last(void *data, bool preempt,
					 struct task_struct *prev,
					 struct task_struct *next,
					 unsigned int prev_state)
{
	taskacct_cputime_switch(prev, next);
}

static notrace void on_switch_state_first(void *data, bool preempt,
					  unsigned int prev_state,
					  struct task_struct *prev,
					  struct task_struct *next)
{
	taskacct_cputime_switch(prev, next);
}

#define SWITCH_IS(...)							\
	__builtin_types_compatible_p(typeof(trace_sched_switch),	\
				     void (bool, __VA_ARGS__))
#define ON_SWITCH							\
	(SWITCH_IS(struct task_struct *, struct task_struct *) ?	\
		 (void *)on_switch :					\
	 SWITCH_IS(unsigned int, struct task_struct *,			\
		   struct task_struct *) ?				\
		 (void *)on_switch_state_first :			\
		 (void *)on_switch_state_last)

static void on_irq_entry(void *data, int irq, struct irqaction *action)
{
	taskacct_cputime_irq_enter();
}

static void on_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	taskacct_cputime_irq_exit();
}

static void on_vector_entry(void *data, int vector)
{
	taskacct_cputime_irq_enter();
}

static void on_vector_exit(void *data, int vector)
{
	taskacct_cputime_irq_exit();
}

static void on_timer_entry(void *data, struct hrtimer *timer, ktime_t *now)
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

static void on_exit_counted(void *data, struct task_struct *t)
{
	taskacct_cputime_count_exit();
}

static void on_early_exit_counted(void *data, struct task_struct *t,
				  bool group_dead)
{
	taskacct_cputime_count_exit();
}

static void on_sys_enter(void *data, struct pt_regs *regs, long id)
{
	taskacct_cputime_call_enter();
}

static void on_page_fault(void *data, unsigned long address,
			  struct pt_regs *regs, unsigned long error)
{
	taskacct_cputime_call_enter();
}

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

/* Ends first: one that is seen without its begin does no harm. */
static struct probe cpu_probes[] = {
	{ "irq_handler_exit", on_irq_exit },
	{ "irq_handler_entry", on_irq_entry },
	{ "softirq_exit", on_softirq_exit },
	{ "softirq_entry", on_softirq_entry },
	{ "local_timer_exit", on_vector_exit, true },
	{ "local_timer_entry", on_vector_entry, true },
	{ "reschedule_exit", on_vector_exit, true },
	{ "reschedule_entry", on_vector_entry, true },
	{ "call_function_exit", on_vector_exit, true },
	{ "call_function_entry", on_vector_entry, true },
	{ "call_function_single_exit", on_vector_exit, true },
	{ "call_function_single_entry", on_vector_entry, true },
	{ "irq_work_exit", on_vector_exit, true },
	{ "irq_work_entry", on_vector_entry, true },
	{ "x86_platform_ipi_exit", on_vector_exit, true },
	{ "x86_platform_ipi_entry", on_vector_entry, true },
	{ "spurious_apic_exit", on_vector_exit, true },
	{ "spurious_apic_entry", on_vector_entry, true },
	{ "error_apic_exit", on_vector_exit, true },
	{ "error_apic_entry", on_vector_entry, true },
	{ "threshold_apic_exit", on_vector_exit, true },
	{ "threshold_apic_entry", on_vector_entry, true },
	{ "deferred_error_apic_exit", on_vector_exit, true },
	{ "deferred_error_apic_entry", on_vector_entry, true },
	{ "thermal_apic_exit", on_vector_exit, true },
	{ "thermal_apic_entry", on_vector_entry, true },
	{ "hrtimer_expire_exit", on_timer_exit },
	{ "hrtimer_expire_entry", on_timer_entry },
	{ "user_exit", on_user_exit, true },
	{ "user_enter", on_user_enter, true },
	{ "sched_switch", ON_SWITCH },
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", TASKACCT_EARLY_TRACEPOINT ?
					(void *)on_early_exit_counted :
					(void *)on_exit_counted },
};

/* Page faults of user mode, whose end nothing else tells of; on x86 */
static struct probe return_probes[] = {
	{ "page_fault_user", on_page_fault, true },
	{ "sys_enter", on_sys_enter },
};

/* Where there is nothing but system calls */
static struct probe syscall_probes[] = {
	{ "sys_exit", on_sys_exit },
	{ "sys_enter", on_sys_enter },
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
 * Of the ends of system calls nothing is told here where returns to user mode can be
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
