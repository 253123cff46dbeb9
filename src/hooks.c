// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and attaches what tells of exits. The only file that knows how.
 *
 * Exits: taskstats_exit() is called once by every exiting task, for itself,
 * when its last values stand and its address space is still there. ftrace
 * calls us at its entry, and costs a third of what a kprobe does, which is
 * taken where ftrace is not to be had.
 *
 * Frees: the tracepoint sched_process_free, once for every task that was
 * released, before its memory can be used again.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "exit.h"
#include "hooks.h"
#include "tgid.h"

#define EXIT_FUNCTION	"taskstats_exit"

static void on_ftrace(unsigned long ip, unsigned long parent_ip,
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

/* ftrace_free_filter() would do it too, but is not exported everywhere. */
static void forget_filter(void)
{
	ftrace_set_filter(&exit_ftrace, NULL, 0, 1);
}

static int attach_ftrace(void)
{
	char name[] = EXIT_FUNCTION;
	int err;

	err = ftrace_set_filter(&exit_ftrace, name, strlen(name), 1);
	if (err)
		return err;
	err = register_ftrace_function(&exit_ftrace);
	if (err)
		forget_filter();
	return err;
}

/* Waits for tasks that are in on_ftrace(), or preempted there. */
static void detach_ftrace(void)
{
	unregister_ftrace_function(&exit_ftrace);
	forget_filter();
}

static int on_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	taskacct_exit();
	return 0;
}

static struct kprobe exit_kprobe = {
	.symbol_name = EXIT_FUNCTION,
	.pre_handler = on_kprobe,
};

/*
 * At a function's entry a kprobe goes through ftrace too where there is one,
 * and would be silent where kernel.ftrace_enabled is 0. ftrace tells.
 */
static int attach_kprobe(void)
{
	int err = attach_ftrace();

	if (!err)
		detach_ftrace();
	else if (err == -EBUSY)
		return err;
	return register_kprobe(&exit_kprobe);
}

/* Waits for tasks that are in on_kprobe(). */
static void detach_kprobe(void)
{
	unregister_kprobe(&exit_kprobe);
}

/**
 * struct method - a way to be told of exits
 * @word: its name as a parameter
 * @name: its name in full
 * @attach: returns 0 or an error and nothing is attached
 * @detach: returns when no handler is running any more
 */
struct method {
	const char *word;
	const char *name;
	int (*attach)(void);
	void (*detach)(void);
};

/* The best one first */
static const struct method methods[] = {
	{ "ftrace", "ftrace:" EXIT_FUNCTION, attach_ftrace, detach_ftrace },
	{ "kprobe", "kprobe:" EXIT_FUNCTION, attach_kprobe, detach_kprobe },
};

static const struct method *method;

static int attach_exit(const char *wanted)
{
	bool any = !strcmp(wanted, "auto"), known = any;
	int err = -EINVAL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		if (!any && strcmp(wanted, methods[i].word))
			continue;
		known = true;
		err = methods[i].attach();
		if (!err) {
			method = &methods[i];
			return 0;
		}
		pr_warn("cannot attach %s: %pe%s\n", methods[i].name,
			ERR_PTR(err),
			err == -EBUSY ? " (is kernel.ftrace_enabled 0?)" : "");
	}
	if (!known)
		pr_err("hook=%s: must be auto, ftrace or kprobe\n", wanted);
	return err;
}

static void on_free(void *data, struct task_struct *t)
{
	taskacct_tgid_free(t);
}

static struct tracepoint *free_tracepoint;

static void find_free_tracepoint(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_process_free"))
		free_tracepoint = tp;
}

static int attach_free(void)
{
	int err;

	for_each_kernel_tracepoint(find_free_tracepoint, NULL);
	err = free_tracepoint ?
		      tracepoint_probe_register(free_tracepoint, on_free, NULL) :
		      -ENOENT;
	if (err)
		pr_err("cannot attach tracepoint sched_process_free: %pe\n",
		       ERR_PTR(err));
	return err;
}

static void detach_free(void)
{
	tracepoint_probe_unregister(free_tracepoint, on_free, NULL);
	tracepoint_synchronize_unregister();
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
 * taskacct_hooks_init() - attach the hooks
 * @wanted: "auto" for the best that the kernel has, or one by name
 *
 * From here on exits are seen. Nothing is kept for a task whose exit is seen
 * that its free would not end: frees are attached first.
 *
 * Context: task context, may sleep.
 * Return: 0, -EINVAL if @wanted is unknown, or the error of the last attempt.
 */
int taskacct_hooks_init(const char *wanted)
{
	int err;

	err = attach_free();
	if (err)
		return err;
	err = attach_exit(wanted);
	if (err)
		detach_free();
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
	method->detach();
	detach_free();
}
