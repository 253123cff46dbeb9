/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time per CPU and class, and of tasks on CPUs: what other folders may use
 */
#ifndef TASKACCT_CPUTIME_H
#define TASKACCT_CPUTIME_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <taskacct_features.h>

struct kernel_param;
struct task_struct;

/* cputime.c, read.c: classes, and what is known of a task */

/**
 * enum taskacct_cputime_class - what a CPU's time goes to, as in /proc/stat
 * @TASKACCT_CPUTIME_USER: user mode, guests of nice value 0 or less included
 * @TASKACCT_CPUTIME_NICE: user mode of tasks with a nice value above 0, and
 *	their guests
 * @TASKACCT_CPUTIME_SYSTEM: tasks in the kernel, and kernel threads
 * @TASKACCT_CPUTIME_IDLE: nothing to do
 * @TASKACCT_CPUTIME_IOWAIT: nothing to do while a task that slept here last
 *	waits for I/O
 * @TASKACCT_CPUTIME_IRQ: handlers of interrupts
 * @TASKACCT_CPUTIME_SOFTIRQ: handlers of softirqs
 * @TASKACCT_CPUTIME_STEAL: the hypervisor had better things to do
 * @TASKACCT_CPUTIME_GUEST: of @TASKACCT_CPUTIME_USER, guests
 * @TASKACCT_CPUTIME_GUEST_NICE: of @TASKACCT_CPUTIME_NICE, guests
 * @TASKACCT_CPUTIME_CLASSES: how many there are
 */
enum taskacct_cputime_class {
	TASKACCT_CPUTIME_USER,
	TASKACCT_CPUTIME_NICE,
	TASKACCT_CPUTIME_SYSTEM,
	TASKACCT_CPUTIME_IDLE,
	TASKACCT_CPUTIME_IOWAIT,
	TASKACCT_CPUTIME_IRQ,
	TASKACCT_CPUTIME_SOFTIRQ,
	TASKACCT_CPUTIME_STEAL,
	TASKACCT_CPUTIME_GUEST,
	TASKACCT_CPUTIME_GUEST_NICE,
	TASKACCT_CPUTIME_CLASSES,
};

/**
 * enum taskacct_cputime_known - what is known of a task's time on CPUs
 * @TASKACCT_CPUTIME_EXACT: all of it
 * @TASKACCT_CPUTIME_SINCE: what it had since the mode was set, which was later
 *	than it began
 * @TASKACCT_CPUTIME_UNTRACKED: nothing, or not all: there are or were too many
 *	tasks, or it is about to be forgotten, or its CPU changed all the while
 * @TASKACCT_CPUTIME_NOT: nothing: time is not accounted
 */
enum taskacct_cputime_known {
	TASKACCT_CPUTIME_EXACT,
	TASKACCT_CPUTIME_SINCE,
	TASKACCT_CPUTIME_UNTRACKED,
	TASKACCT_CPUTIME_NOT,
};

enum taskacct_cputime_known taskacct_cputime_task(struct task_struct *t,
						  u64 *ns);

extern bool taskacct_cputime_on;

/**
 * taskacct_cputime_is_on() - whether time is accounted
 *
 * Context: any.
 * Return: true if the mode is not off.
 */
static inline bool taskacct_cputime_is_on(void)
{
	return READ_ONCE(taskacct_cputime_on);
}

/* mode.c: the parameter */

/**
 * struct taskacct_cputime_hooks - what tells of what CPUs do
 * @attach: be told of context switches and interrupts; says whether user mode is seen to
 *	begin and end, on CPUs where the kernel tells of it. Returns 0, or a negative
 *	errno and nothing is attached
 * @detach: no longer; when it returns no handler is running
 * @attach_calls: be told of system calls; likewise
 * @detach_calls: no longer; likewise
 */
struct taskacct_cputime_hooks {
	int (*attach)(bool *sees_user_mode);
	void (*detach)(void);
	int (*attach_calls)(void);
	void (*detach_calls)(void);
};

int taskacct_cputime_publish(void);
int taskacct_cputime_init(const struct taskacct_cputime_hooks *hooks);
void taskacct_cputime_exit(void);
int taskacct_cputime_set(const char *word, const struct kernel_param *kp);
int taskacct_cputime_get(char *buffer, const struct kernel_param *kp);

/* cputime.c, mode.c: for the hooks */

void taskacct_cputime_switch(struct task_struct *prev, struct task_struct *next);
void taskacct_cputime_irq_enter(void);
void taskacct_cputime_irq_exit(void);
void taskacct_cputime_timer_enter(void);
void taskacct_cputime_timer_exit(void);
void taskacct_cputime_softirq_enter(void);
void taskacct_cputime_softirq_exit(void);
void taskacct_cputime_kernel_enter(void);
void taskacct_cputime_kernel_exit(void);
void taskacct_cputime_call_enter(void);
void taskacct_cputime_call_exit(void);
void taskacct_cputime_free(struct task_struct *t);
void taskacct_cputime_count_fork(void);
void taskacct_cputime_count_exec(void);
void taskacct_cputime_count_exit(void);

/**
 * taskacct_cputime_sees_return() - whether the kernel can tell of returns to user mode
 *
 * Context: any.
 * Return: true if so; else of the ends of system calls alone.
 */
static inline bool taskacct_cputime_sees_return(void)
{
	return TASKACCT_HAVE_USER_RETURN;
}

/* irqtime.c: whether the kernel measures the time of interrupts */

extern bool taskacct_irqtime_on;
void taskacct_irqtime_look(void);

/**
 * taskacct_irqtime_is_measured() - whether the kernel measures interrupts
 *
 * Context: any.
 * Return: what taskacct_irqtime_look() found last.
 */
static inline bool taskacct_irqtime_is_measured(void)
{
	return READ_ONCE(taskacct_irqtime_on);
}

/* proc.c: the file below /proc */

int taskacct_proc_init(void);
void taskacct_proc_exit(void);

#endif /* TASKACCT_CPUTIME_H */
