// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of exits, of freed tasks and of changes of a task's user. This file,
 * hooks/fsync.c and hooks/cpu.c are the only ones that name functions and
 * tracepoints of the kernel.
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
 * The end: exit_task_stack_account(), which a task calls for itself in do_exit() when
 * all that it had is gone, its parent may have waited for it, and nothing is left
 * but to leave the CPU for good. Before 5.17 it is proc_exit_connector(), which is a
 * little earlier. It is seen in the way in which the exit is seen.
 *
 * Frees: the tracepoint sched_process_free, once for every task that was
 * released, before its memory can be used again.
 *
 * Changes of a task's user, while totals per user are kept: the entry of
 * commit_creds(), where the task still has the old one, by ftrace or a kprobe.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "cputime/cputime.h"
#include "exit/exit.h"
#include "tgid/tgid.h"
#include "uid/uid.h"

#include "attach.h"
#include "fsync.h"
#include "hooks.h"
#include "missed.h"

static __always_inline void tell_of_exit(void)
{
	taskacct_deferred_begin();
	if (!taskacct_hooks_closing())
		taskacct_exit();
	taskacct_deferred_end();
}

/* A task that could not be made is taken apart the same way, by who made it. */
static __always_inline void tell_of_end(void)
{
	taskacct_deferred_begin();
	if ((current->flags & PF_EXITING) && !taskacct_hooks_closing())
		taskacct_exit_end();
	taskacct_deferred_end();
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, taskacct_ftrace_regs regs)
{
	tell_of_exit();
}

/*
 * PERMANENT: kernel.ftrace_enabled=0 is refused while we are attached, and we
 * are refused where it is 0; otherwise exits would go unseen.
 */
static struct ftrace_ops exit_ftrace = {
	.func = on_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | TASKACCT_FTRACE_UNGUARDED,
};

static int attach_exit_ftrace(const char *function)
{
	return taskacct_hooks_attach_ftrace(&exit_ftrace, function);
}

static int detach_exit_ftrace(void)
{
	return taskacct_hooks_detach_ftrace(&exit_ftrace);
}

static void notrace on_end_ftrace(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops,
				  taskacct_ftrace_regs regs)
{
	tell_of_end();
}

static struct ftrace_ops end_ftrace = {
	.func = on_end_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | TASKACCT_FTRACE_UNGUARDED,
};

static int attach_end_ftrace(const char *function)
{
	return taskacct_hooks_attach_ftrace(&end_ftrace, function);
}

static int detach_end_ftrace(void)
{
	return taskacct_hooks_detach_ftrace(&end_ftrace);
}
#else
static int attach_exit_ftrace(const char *function)
{
	return -EOPNOTSUPP;
}

static int detach_exit_ftrace(void)
{
	return 0;
}

static int attach_end_ftrace(const char *function)
{
	return -EOPNOTSUPP;
}

static int detach_end_ftrace(void)
{
	return 0;
}
#endif

static int on_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	taskacct_hooks_missed_hooked();
	tell_of_exit();
	return 0;
}

static struct kprobe exit_kprobe;

static int attach_exit_kprobe(const char *function)
{
	int err = taskacct_hooks_attach_kprobe(&exit_kprobe, function,
					       on_kprobe);

	if (!err)
		taskacct_hooks_missed_begin();
	return err;
}

static int detach_exit_kprobe(void)
{
	taskacct_hooks_missed_end();
	return taskacct_hooks_detach_kprobe(&exit_kprobe);
}

static int on_end_kprobe(struct kprobe *probe, struct pt_regs *regs)
{
	tell_of_end();
	return 0;
}

static struct kprobe end_kprobe;

/* Messages are made there, with locks that on PREEMPT_RT sleep. */
static int attach_end_kprobe(const char *function)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	return taskacct_hooks_attach_kprobe(&end_kprobe, function,
					    on_end_kprobe);
}

static int detach_end_kprobe(void)
{
	return taskacct_hooks_detach_kprobe(&end_kprobe);
}

static void on_tracepoint(void *data, TASKACCT_EXIT_ARGS(t))
{
	tell_of_exit();
}

static struct tracepoint *exit_tracepoint;

static int attach_tracepoint(const char *name)
{
	void *callback = TASKACCT_CALLBACK(sched_process_exit, on_tracepoint);

	exit_tracepoint = taskacct_hooks_attach_probe(name, callback);
	return PTR_ERR_OR_ZERO(exit_tracepoint);
}

static int detach_tracepoint(void)
{
	taskacct_hooks_detach_probe(exit_tracepoint, on_tracepoint);
	return 0;
}

/**
 * struct method - a way to see exits
 * @word: its name as a parameter
 * @name: its name in full; what is behind the colon is given to @attach
 * @late: it comes when the address space is gone
 * @attach: returns 0 or an error and nothing is attached
 * @detach: returns 0 and no handler is running any more, or an error: it is still
 *	called, and can be detached again
 */
struct method {
	const char *word;
	const char *name;
	bool late;
	int (*attach)(const char *where);
	int (*detach)(void);
};

/* The best one first */
static const struct method methods[] = {
	{ "ftrace", "ftrace:taskstats_exit", false,
	  attach_exit_ftrace, detach_exit_ftrace },
	{ "ftrace", "ftrace:exit_mm_release", false,
	  attach_exit_ftrace, detach_exit_ftrace },
	{ "kprobe", "kprobe:taskstats_exit", false,
	  attach_exit_kprobe, detach_exit_kprobe },
	{ "kprobe", "kprobe:exit_mm_release", false,
	  attach_exit_kprobe, detach_exit_kprobe },
	{ "tracepoint", "tracepoint:sched_process_exit",
	  !TASKACCT_EARLY_TRACEPOINT,
	  attach_tracepoint, detach_tracepoint },
};

/* The one in force. Set before it is attached: its first exit asks for it. */
static const struct method *method;

static int attach_method(const struct method *m)
{
	int err;

	method = m;
	/* An exit may have been put off there. */
	taskacct_fill_is_late = m->late || IS_ENABLED(CONFIG_PREEMPT_RT);
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
	bool any = !strcmp(wanted, "auto"), tried = false;
	const struct method *m;
	int err = -EINVAL, last;

	for (m = methods; m < methods + ARRAY_SIZE(methods); m++) {
		if (!any && strcmp(wanted, m->word))
			continue;
		last = attach_method(m);
		/* If none can be had, the error of the best one that the kernel has is told. */
		if (!last || !tried || err == -ENOENT || err == -EOPNOTSUPP)
			err = last;
		tried = true;
		if (!last)
			break;
	}
	if (!tried)
		pr_err("hook=%s: must be auto, ftrace, kprobe or tracepoint\n",
		       wanted);
	else if (err)
		pr_err("hook=%s: cannot be had\n", wanted);
	else if (m->late)
		pr_warn("%s: no peak memory and no executable in exit records\n",
			m->name);
	return err;
}

/**
 * struct end - a way to see when a task is at its end
 * @by: the word of the method that it goes with
 * @name: as in struct method
 * @attach: likewise
 * @detach: likewise
 */
struct end {
	const char *by;
	const char *name;
	int (*attach)(const char *where);
	int (*detach)(void);
};

static const struct end ends[] = {
	{ "ftrace", "ftrace:exit_task_stack_account",
	  attach_end_ftrace, detach_end_ftrace },
	{ "ftrace", "ftrace:proc_exit_connector",
	  attach_end_ftrace, detach_end_ftrace },
	{ "kprobe", "kprobe:exit_task_stack_account",
	  attach_end_kprobe, detach_end_kprobe },
	{ "kprobe", "kprobe:proc_exit_connector",
	  attach_end_kprobe, detach_end_kprobe },
};

static const struct end *end;

/*
 * After the exits: nobody is at its end who has not been seen to exit. Who passes the
 * place before we are attached does not sleep or block any more, so that Tasks RCU waits
 * until it is dead: from then on an exiting task that is not is yet to come.
 */
static void attach_end(void)
{
	const struct end *e;

	for (e = ends; !end && e < ends + ARRAY_SIZE(ends); e++)
		if (!strcmp(e->by, method->word) &&
		    !e->attach(strchr(e->name, ':') + 1))
			WRITE_ONCE(end, e);
	if (!end) {
		pr_info("%s: what a task uses after that is in no record\n",
			method->name);
		return;
	}
	synchronize_rcu_tasks();
	WRITE_ONCE(taskacct_fill_sees_ends, true);
}

static bool detach_end(void)
{
	if (end && !end->detach())
		WRITE_ONCE(end, NULL);
	return !end;
}

/**
 * taskacct_hooks_end_name() - what tells of a task's end
 *
 * Return: such as "ftrace:exit_task_stack_account"; "none": all is reported when the task
 *	is seen to exit.
 */
const char *taskacct_hooks_end_name(void)
{
	const struct end *e = READ_ONCE(end);

	return e ? e->name : "none";
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
	void *callback = TASKACCT_CALLBACK(sched_process_free, on_free);
	int err;

	free_tracepoint = taskacct_hooks_attach_probe("sched_process_free",
						      callback);
	err = PTR_ERR_OR_ZERO(free_tracepoint);
	if (err)
		pr_err("cannot attach tracepoint sched_process_free: %pe\n",
		       ERR_PTR(err));
	return err;
}

static void detach_free(void)
{
	taskacct_hooks_detach_probe(free_tracepoint, on_free);
}

#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
static void on_change_user(const unsigned long *args)
{
	const struct cred *new = (const struct cred *)args[0];

	if (!taskacct_hooks_closing())
		taskacct_uid_change(new->uid);
}

#else
#define on_change_user NULL
#endif

static struct taskacct_hook creds_hook = {
	.function = "commit_creds",
	.handler = on_change_user,
};

/*
 * Without it, users' totals are a little less exact: no reason not to work. Who
 * wants kprobes has one here, too.
 */
static void attach_setuid(const char *wanted)
{
	int err = taskacct_hooks_attach_any(&creds_hook, wanted);

	if (err)
		pr_warn("cannot attach to commit_creds(): %pe: a task that changes its user is seen late\n",
			ERR_PTR(err));
}

/**
 * taskacct_hooks_setuid_name() - what tells of a task that changes its user
 *
 * Return: such as "ftrace:commit_creds"; "none" where it is seen late.
 */
const char *taskacct_hooks_setuid_name(void)
{
	if (!READ_ONCE(creds_hook.attached))
		return "none";
	return creds_hook.by_kprobe ? "kprobe:commit_creds" :
				      "ftrace:commit_creds";
}

/**
 * taskacct_hooks_name() - what tells of exits
 *
 * Return: such as "ftrace:taskstats_exit"; "none" before it is attached.
 */
const char *taskacct_hooks_name(void)
{
	const struct method *m = READ_ONCE(method);

	return m ? m->name : "none";
}

/**
 * taskacct_hooks_init() - attach the hooks
 * @wanted: "auto" for the best that the kernel has, or one by name
 * @setuid: tell of tasks that change their user, and of calls of fsync(), as well
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

	err = taskacct_deferred_init();
	if (err)
		return err;
	err = attach_free();
	if (err)
		goto err_free;
	err = attach_exit(wanted);
	if (err)
		goto err_exit;
	attach_end();
	if (setuid) {
		attach_setuid(wanted);
		taskacct_hooks_fsync_init(wanted);
	}
	return 0;

err_exit:
	detach_free();
	taskacct_hooks_release_ftrace();
err_free:
	taskacct_deferred_exit();
	return err;
}

/* Returns whether it is gone. Its name may be read meanwhile. */
static bool detach_exit(void)
{
	if (method && !method->detach())
		WRITE_ONCE(method, NULL);
	return !method;
}

static bool detach_all(void)
{
	bool gone = !taskacct_hooks_fsync_exit();

	/* No short cut: what can go goes. */
	gone &= !taskacct_hooks_detach(&creds_hook);
	gone &= detach_exit();
	gone &= detach_end();
	return gone && !taskacct_hooks_release_ftrace();
}

/**
 * taskacct_hooks_exit() - detach the hooks
 *
 * When it returns no handler does anything any more. One that the kernel could not
 * detach may still be called, see taskacct_hooks_leave().
 *
 * Context: task context, may sleep.
 */
void taskacct_hooks_exit(void)
{
	/* closing-before-detach */
	WRITE_ONCE(taskacct_hooks_are_closing, true);
	taskacct_deferred_drain();
	if (!detach_all())
		pr_err("cannot detach a hook, ftrace is broken: the module stays, and does nothing; restart the machine\n");
	/* Frees of those that exited shall be seen as well. */
	taskacct_deferred_exit();
	detach_free();
}

/**
 * taskacct_hooks_leave() - wait until the kernel has nothing of the module any more
 *
 * Whoever returns from here lets the module be freed, and the kernel does not let
 * itself be asked to keep it. Where ftrace has given up (ftrace_kill() in the kernel)
 * that is never.
 *
 * Context: task context, may sleep; the last that the module does.
 */
void taskacct_hooks_leave(void)
{
	while (!detach_all())
		schedule_timeout_idle(HZ);
}
