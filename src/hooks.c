// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and attaches what tells of exits. The only file that knows how.
 *
 * Exits: every exiting task calls taskstats_exit() once, for itself, when its
 * last values stand and its address space is still there; and soon after it
 * exit_mm_release(), which a kernel without CONFIG_TASKSTATS has too. ftrace
 * calls us at their entry, and costs a third of what a kprobe does, which is
 * taken where ftrace is not to be had.
 *
 * Without both there is the tracepoint sched_process_exit. Up to 6.12 it comes
 * after the address space is gone, in 7 right after taskstats_exit(). Its type
 * tells: the later kernels give it a bool as well.
 *
 * Frees: the tracepoint sched_process_free, once for every task that was
 * released, before its memory can be used again.
 *
 * Changes of a task's user, while totals per user are kept: the entry of
 * commit_creds(), where the task still has the old one, by ftrace or a kprobe.
 *
 * Time per CPU, while it is wanted: the tracepoints of context switches and of
 * interrupts and softirqs. Interrupts of the architecture itself, such as that
 * of a CPU's timer, have tracepoints of their own there, if any. System calls
 * have them on all architectures that can trace them.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "cputime.h"
#include "defer.h"
#include "exit.h"
#include "hooks.h"
#include "tgid.h"
#include "uid.h"

#define EARLY_TRACEPOINT						\
	__builtin_types_compatible_p(typeof(trace_sched_process_exit),	\
				     void (struct task_struct *, bool))

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, taskacct_ftrace_regs regs)
{
	taskacct_exit();
}

/*
 * PERMANENT: kernel.ftrace_enabled=0 is refused while we are attached, and we
 * are refused where it is 0; otherwise exits would go unseen.
 */
static struct ftrace_ops exit_ftrace = {
	.func = on_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | TASKACCT_FTRACE_UNGUARDED,
};

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

static int attach_ops(struct ftrace_ops *ops, const char *function)
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

/* Waits for tasks that are in a handler, or preempted there. */
static void detach_ops(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
	forget_filter(ops);
}

static int attach_ftrace(const char *function)
{
	return attach_ops(&exit_ftrace, function);
}

static void detach_ftrace(void)
{
	detach_ops(&exit_ftrace);
}
#else
static int attach_ftrace(const char *function)
{
	return -EOPNOTSUPP;
}

static void detach_ftrace(void)
{
}
#endif

static int on_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	taskacct_exit();
	return 0;
}

static struct kprobe exit_kprobe;

/*
 * At a function's entry a kprobe goes through ftrace too where there is one,
 * and would be silent where kernel.ftrace_enabled is 0. ftrace tells.
 */
static int ask_ftrace(int (*attach)(const char *function),
		      void (*detach)(void), const char *function)
{
	int err = attach(function);

	if (!err)
		detach();
	return err == -EBUSY ? err : 0;
}

static int attach_kprobe(const char *function)
{
	int err = ask_ftrace(attach_ftrace, detach_ftrace, function);

	if (err)
		return err;
	/* Anew each time: an address stays behind. */
	exit_kprobe = (struct kprobe){
		.symbol_name = function,
		.pre_handler = on_kprobe,
	};
	return register_kprobe(&exit_kprobe);
}

/* Waits for tasks that are in on_kprobe(). */
static void detach_kprobe(void)
{
	unregister_kprobe(&exit_kprobe);
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

/* Returns the tracepoint, with the probe registered, or an error */
static struct tracepoint *attach_probe(const char *name, void *probe)
{
	struct tracepoint *found = find_tracepoint(name);
	int err;

	if (!found)
		return ERR_PTR(-ENOENT);
	err = tracepoint_probe_register(found, probe, NULL);
	return err ? ERR_PTR(err) : found;
}

/* Waits for tasks that are in the probe. */
static void detach_probe(struct tracepoint *tp, void *probe)
{
	tracepoint_probe_unregister(tp, probe, NULL);
	tracepoint_synchronize_unregister();
}

static void on_early_tracepoint(void *data, struct task_struct *t,
				bool group_dead)
{
	taskacct_exit();
}

static void on_late_tracepoint(void *data, struct task_struct *t)
{
	taskacct_exit();
}

static void * const on_tracepoint = EARLY_TRACEPOINT ?
					    (void *)on_early_tracepoint :
					    (void *)on_late_tracepoint;
static struct tracepoint *exit_tracepoint;

static int attach_tracepoint(const char *name)
{
	exit_tracepoint = attach_probe(name, on_tracepoint);
	return PTR_ERR_OR_ZERO(exit_tracepoint);
}

static void detach_tracepoint(void)
{
	detach_probe(exit_tracepoint, on_tracepoint);
}

/**
 * struct method - a way to be told of exits
 * @word: its name as a parameter
 * @name: its name in full; what is behind the colon is given to @attach
 * @late: it comes when the address space is gone
 * @attach: returns 0 or an error and nothing is attached
 * @detach: returns when no handler is running any more
 */
struct method {
	const char *word;
	const char *name;
	bool late;
	int (*attach)(const char *where);
	void (*detach)(void);
};

/* The best one first */
static const struct method methods[] = {
	{ "ftrace", "ftrace:taskstats_exit", false,
	  attach_ftrace, detach_ftrace },
	{ "ftrace", "ftrace:exit_mm_release", false,
	  attach_ftrace, detach_ftrace },
	{ "kprobe", "kprobe:taskstats_exit", false,
	  attach_kprobe, detach_kprobe },
	{ "kprobe", "kprobe:exit_mm_release", false,
	  attach_kprobe, detach_kprobe },
	{ "tracepoint", "tracepoint:sched_process_exit", !EARLY_TRACEPOINT,
	  attach_tracepoint, detach_tracepoint },
};

/* The one in force. Set before it is attached: its first exit asks for it. */
static const struct method *method;

static int attach_method(const struct method *m)
{
	int err;

	method = m;
	err = m->attach(strchr(m->name, ':') + 1);
	if (!err)
		return 0;
	method = NULL;
	pr_info("cannot attach %s: %pe%s\n", m->name, ERR_PTR(err),
		err == -EBUSY ? " (is kernel.ftrace_enabled 0?)" : "");
	return err;
}

static int attach_exit(const char *wanted)
{
	bool any = !strcmp(wanted, "auto"), known = any;
	const struct method *m;
	int err = -EINVAL;

	for (m = methods; m < methods + ARRAY_SIZE(methods); m++) {
		if (!any && strcmp(wanted, m->word))
			continue;
		known = true;
		err = attach_method(m);
		if (!err)
			break;
	}
	if (!known)
		pr_err("hook=%s: must be auto, ftrace, kprobe or tracepoint\n",
		       wanted);
	else if (err)
		pr_err("hook=%s: cannot be had\n", wanted);
	else if (m->late)
		pr_warn("%s: no peak memory and no executable in exit records\n",
			m->name);
	return err;
}

static struct tracepoint *free_tracepoint;

static void on_free(void *data, struct task_struct *t)
{
	taskacct_tgid_free(t);
	if (taskacct_cputime_is_on())
		taskacct_cputime_free(t);
	taskacct_uid_forget(t);
}

static int attach_free(void)
{
	int err;

	free_tracepoint = attach_probe("sched_process_free", on_free);
	err = PTR_ERR_OR_ZERO(free_tracepoint);
	if (err)
		pr_err("cannot attach tracepoint sched_process_free: %pe\n",
		       ERR_PTR(err));
	return err;
}

static void detach_free(void)
{
	detach_probe(free_tracepoint, on_free);
}

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
	taskacct_cputime_kernel_enter();
}

static void on_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	taskacct_cputime_kernel_exit();
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
	{ "user_exit", on_user_exit, true },
	{ "user_enter", on_user_enter, true },
	{ "sched_switch", ON_SWITCH },
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", EARLY_TRACEPOINT ?
					(void *)on_early_exit_counted :
					(void *)on_exit_counted },
};

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
		tp = attach_probe(probe->name, probe->handler);
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

/**
 * taskacct_hooks_attach_cpu() - be told of context switches and interrupts
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached.
 */
int taskacct_hooks_attach_cpu(void)
{
	return attach_probes(cpu_probes, ARRAY_SIZE(cpu_probes));
}

/**
 * taskacct_hooks_see_user_mode() - whether user mode is seen to begin and end
 *
 * Context: any, after taskacct_hooks_attach_cpu().
 * Return: true if it is, on CPUs where the kernel tells of it.
 */
bool taskacct_hooks_see_user_mode(void)
{
	const struct probe *probe;

	for (probe = cpu_probes; probe < cpu_probes + ARRAY_SIZE(cpu_probes);
	     probe++)
		if (probe->handler == on_user_enter)
			return probe->tp;
	return false;
}

/**
 * taskacct_hooks_detach_cpu() - no longer
 *
 * Context: task context, may sleep. When it returns no handler is running.
 */
void taskacct_hooks_detach_cpu(void)
{
	detach_probes(cpu_probes, ARRAY_SIZE(cpu_probes));
}

/**
 * taskacct_hooks_attach_syscalls() - be told of system calls
 *
 * Context: task context, may sleep.
 * Return: 0, or a negative errno and nothing is attached.
 */
int taskacct_hooks_attach_syscalls(void)
{
	return attach_probes(syscall_probes, ARRAY_SIZE(syscall_probes));
}

/**
 * taskacct_hooks_detach_syscalls() - no longer
 *
 * Context: task context, may sleep. When it returns no handler is running.
 */
void taskacct_hooks_detach_syscalls(void)
{
	detach_probes(syscall_probes, ARRAY_SIZE(syscall_probes));
}

#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
static void change_user(struct pt_regs *regs)
{
	const struct cred *new;

	new = (const struct cred *)regs_get_kernel_argument(regs, 0);
	taskacct_uid_change(new->uid);
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_creds_ftrace(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *ops,
				    taskacct_ftrace_regs regs)
{
	/* As a kprobe's handler has it */
	preempt_disable();
	change_user(taskacct_ftrace_pt_regs(regs));
	preempt_enable();
}

static struct ftrace_ops creds_ftrace = {
	.func = on_creds_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_SAVE_REGS |
		 TASKACCT_FTRACE_UNGUARDED,
};

static int attach_creds_ftrace(const char *function)
{
	return attach_ops(&creds_ftrace, function);
}

static void detach_creds_ftrace(void)
{
	detach_ops(&creds_ftrace);
}
#else
static int attach_creds_ftrace(const char *function)
{
	return -EOPNOTSUPP;
}

static void detach_creds_ftrace(void)
{
}
#endif

static int on_creds_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	change_user(regs);
	return 0;
}

static struct kprobe creds_kprobe;

static int attach_creds_kprobe(const char *function)
{
	int err = ask_ftrace(attach_creds_ftrace, detach_creds_ftrace,
			     function);

	if (err)
		return err;
	creds_kprobe = (struct kprobe){
		.symbol_name = function,
		.pre_handler = on_creds_kprobe,
	};
	return register_kprobe(&creds_kprobe);
}

/* Waits for tasks that are in on_creds_kprobe(). */
static void detach_creds_kprobe(void)
{
	unregister_kprobe(&creds_kprobe);
}

/* The better one first */
static const struct method creds_methods[] = {
	{ "ftrace", "ftrace:commit_creds", false,
	  attach_creds_ftrace, detach_creds_ftrace },
	{ "kprobe", "kprobe:commit_creds", false,
	  attach_creds_kprobe, detach_creds_kprobe },
};
#else
static const struct method creds_methods[] = {};
#endif

/* The one in force, if any */
static const struct method *creds_method;

/*
 * Without it, users' totals are a little less exact: no reason not to work. Who
 * wants kprobes has one here, too.
 */
static void look_for_setuid(const char *wanted)
{
	const bool any = strcmp(wanted, "kprobe");
	const struct method *m;
	int err = -EOPNOTSUPP;

	for (m = creds_methods; m < creds_methods + ARRAY_SIZE(creds_methods);
	     m++) {
		if (!any && strcmp(wanted, m->word))
			continue;
		err = m->attach("commit_creds");
		if (!err) {
			creds_method = m;
			return;
		}
	}
	pr_warn("cannot attach to commit_creds(): %pe: a task that changes its user is seen late\n",
		ERR_PTR(err));
}

/**
 * taskacct_hooks_setuid_name() - what tells of a task that changes its user
 *
 * Context: any.
 * Return: such as "ftrace:commit_creds"; "none" where it is seen late.
 */
const char *taskacct_hooks_setuid_name(void)
{
	return creds_method ? creds_method->name : "none";
}

/**
 * taskacct_hooks_name() - what tells of exits
 *
 * Return: such as "ftrace:taskstats_exit"; "none" before it is attached.
 */
const char *taskacct_hooks_name(void)
{
	return method ? method->name : "none";
}

/**
 * taskacct_hooks_late() - when a task is seen to exit
 *
 * Context: the exit hook.
 * Return: true if its address space may be gone by then.
 */
bool taskacct_hooks_late(void)
{
	/* An exit may have been put off there. */
	return method->late || IS_ENABLED(CONFIG_PREEMPT_RT);
}

/**
 * taskacct_hooks_init() - attach the hooks
 * @wanted: "auto" for the best that the kernel has, or one by name
 * @setuid: tell of tasks that change their user as well
 *
 * From here on exits are seen. Nothing is kept for a task whose exit is seen
 * that its free would not end: frees are attached first.
 *
 * Context: task context, may sleep.
 * Return: 0, -EINVAL if @wanted is unknown, or the error of the last attempt.
 */
int taskacct_hooks_init(const char *wanted, bool setuid)
{
	int err;

	err = taskacct_defer_init();
	if (err)
		return err;
	err = attach_free();
	if (err)
		goto err_free;
	err = attach_exit(wanted);
	if (err)
		goto err_exit;
	if (setuid)
		look_for_setuid(wanted);
	return 0;

err_exit:
	detach_free();
err_free:
	taskacct_defer_exit();
	return err;
}

/**
 * taskacct_hooks_exit() - detach the hooks
 *
 * When it returns no handler is running and none will.
 *
 * Context: task context, may sleep.
 */
void taskacct_hooks_exit(void)
{
	if (creds_method)
		creds_method->detach();
	method->detach();
	/* Their frees shall be seen as well. */
	taskacct_defer_exit();
	detach_free();
}
