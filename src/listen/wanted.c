// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants to receive an exit: filters and access, asked as early as they can be
 * answered
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "record/record.h"
#include "task/task.h"

#include "listen.h"

static u32 kinds_due(bool last)
{
	return TASKACCT_KIND_TASK | (last ? TASKACCT_KIND_PROCESS : 0);
}

static struct taskacct_subject task_subject(u64 cpu_time, u64 until)
{
	return (struct taskacct_subject){
		.task = current,
		.cpu_time = cpu_time,
		.until = until,
		.exit_code = READ_ONCE(current->exit_code),
	};
}

/**
 * taskacct_wanted_leader() - the leader of the exiting task's process
 * @kept: what was kept of the task at its exit, or NULL
 *
 * Context: the exit hook, or that at its end, for current.
 * Return: it, which stays as long as @kept.
 */
struct task_struct *taskacct_wanted_leader(const struct taskacct_kept *kept)
{
	if (!kept)
		return taskacct_was_released(current) ? current :
							current->group_leader;
	return kept->leader ?: current;
}

static struct taskacct_subject process_subject(u64 cpu_time, u64 until,
					       const struct taskacct_kept *kept)
{
	struct task_struct *leader = taskacct_wanted_leader(kept);

	return (struct taskacct_subject){
		.task = leader,
		.cpu_time = cpu_time,
		.until = until,
		.exit_code = taskacct_fill_exit_code(leader),
	};
}

/* The last thread comes only when none is alive. */
static bool may_be_last(bool several)
{
	return !several || !atomic_read(&current->signal->live);
}

/*
 * What a process of several threads used is not added up yet. One that only
 * ever had one thread is that thread. Not inlined: it is rarely needed.
 */
static noinline bool may_pass(const struct taskacct_subscription *sub,
			      bool several, const struct taskacct_kept *kept)
{
	const u32 kinds =
		taskacct_wanted_kinds(sub, kinds_due(may_be_last(several)), several);
	const u32 of_task = several ? TASKACCT_KIND_TASK : kinds;
	struct taskacct_subject subject;

	if (kinds & of_task) {
		subject = task_subject(READ_ONCE(current->utime) +
				       READ_ONCE(current->stime), 0);
		if (taskacct_filter_may_meet(&sub->filter,
					     &sub->access.view, &subject))
			return true;
	}
	if (!(kinds & ~of_task))
		return false;
	subject = process_subject(U64_MAX, 0, kept);
	return taskacct_filter_may_meet(&sub->filter, &sub->access.view,
					&subject);
}

/**
 * taskacct_wanted_by() - whether a listener may want to receive an exit
 * @by: the listener, or its empty place
 * @several: the process has had several threads
 * @kept: what was kept of the task, at its end; else NULL
 *
 * Context: the exit hook, or that at its end, for current; under rcu_read_lock().
 * Return: false if it does not.
 */
bool taskacct_wanted_by(const struct taskacct_cpu_listener *by, bool several,
			const struct taskacct_kept *kept)
{
	struct taskacct_listener *listener = rcu_dereference(by->listener);
	struct taskacct_subscription *sub;

	if (!listener)
		return false;
	if (!by->extended)
		return true;
	sub = rcu_dereference(listener->sub);
	return may_pass(sub, several, kept) &&
	       taskacct_access_sees_exit(&sub->access, kept);
}

/**
 * taskacct_wanted_miss() - count an exit for all who may want to receive it
 * @several: the process has had several threads
 * @kept: as for taskacct_wanted_by()
 *
 * Context: the exit hook, for current; does not sleep on PREEMPT_RT either.
 */
void taskacct_wanted_miss(bool several, const struct taskacct_kept *kept)
{
	const struct taskacct_cpu_listeners *cpu_listeners;
	struct taskacct_listener *listener;
	unsigned int i;

	rcu_read_lock();
	cpu_listeners = taskacct_cpu_listeners_here();
	for (i = 0; cpu_listeners && i < cpu_listeners->n; i++) {
		listener = rcu_dereference(cpu_listeners->by[i].listener);
		if (listener && taskacct_wanted_by(&cpu_listeners->by[i], several, kept))
			taskacct_loss_miss(listener);
	}
	rcu_read_unlock();
}

/* Not inlined, so that who takes a glance saves no registers for it */
static noinline bool may_be_wanted(bool several,
				   const struct taskacct_kept *kept)
{
	const struct taskacct_cpu_listeners *cpu_listeners;
	bool wanted = false;
	unsigned int i;

	rcu_read_lock();
	cpu_listeners = taskacct_cpu_listeners_here();
	for (i = 0; cpu_listeners && i < cpu_listeners->n && !wanted; i++)
		wanted = taskacct_wanted_by(&cpu_listeners->by[i], several, kept);
	rcu_read_unlock();
	return wanted;
}

enum glance { UNWANTED, UNSURE, WANTED };

/* What is seen of a listener without a call: enough for most of them */
static enum glance glance_at(const struct taskacct_cpu_listener *by, bool several)
{
	struct taskacct_listener *listener = rcu_dereference_sched(by->listener);
	const struct taskacct_subscription *sub;

	if (!listener)
		return UNWANTED;
	if (!by->extended)
		return WANTED;
	sub = rcu_dereference_sched(listener->sub);
	if (taskacct_access_is_limited(&sub->access))
		return UNSURE;
	if (!sub->filter.has)
		return WANTED;
	if (taskacct_filter_excludes(&sub->filter) &&
	    !(several && may_be_last(several)))
		return UNWANTED;
	return UNSURE;
}

/**
 * taskacct_wanted() - whether anybody may want to receive an exit
 * @several: the process has had several threads
 * @kept: as for taskacct_wanted_by()
 *
 * Asked before anything is read, so that a task that nobody wants costs little.
 *
 * Context: the exit hook, for current.
 * Return: false if nobody who listens to this CPU does.
 */
bool taskacct_wanted(bool several, const struct taskacct_kept *kept)
{
	const struct taskacct_cpu_listener *by, *end;
	const struct taskacct_cpu_listeners *cpu_listeners;
	enum glance seen = UNWANTED;

	/* Costs less than rcu_read_lock(), a call for itself. */
	rcu_read_lock_sched();
	cpu_listeners = taskacct_cpu_listeners_here();
	if (cpu_listeners)
		for (by = cpu_listeners->by, end = by + cpu_listeners->n;
		     by != end && seen == UNWANTED; by++)
			seen = glance_at(by, several);
	rcu_read_unlock_sched();
	return seen == UNSURE ? may_be_wanted(several, kept) : seen == WANTED;
}

/**
 * taskacct_wanted_meet() - which kinds a listener gets: those that pass its filter
 * @sub: what it asked for
 * @kinds: from taskacct_wanted_kinds()
 * @task: what the records will have of the task
 * @process: and of its process, where @kinds has it
 *
 * The records are made of the same values: what is in them meets the filter.
 *
 * Context: the exit hook, for current; under rcu_read_lock().
 * Return: TASKACCT_KIND_*
 */
u32 taskacct_wanted_meet(struct taskacct_subscription *sub, u32 kinds,
			 const struct taskacct_values *task,
			 const struct taskacct_values *process)
{
	struct taskacct_subject subject;

	if (kinds & TASKACCT_KIND_TASK) {
		subject = task_subject(task->usage.utime + task->usage.stime,
				       task->until.boot);
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->access.view, &subject))
			kinds &= ~TASKACCT_KIND_TASK;
	}
	if (kinds & TASKACCT_KIND_PROCESS) {
		subject = process_subject(process->usage.utime + process->usage.stime,
					  process->until.boot, task->kept);
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->access.view, &subject))
			kinds &= ~TASKACCT_KIND_PROCESS;
	}
	return kinds;
}

/**
 * taskacct_wanted_shape() - what a message will have for the first who listens to this CPU
 * @shape: zeroed; receives what it asks for, and of which records it is
 * @last: of the process's, too, as the last thread's
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current.
 */
void taskacct_wanted_shape(struct taskacct_shape *shape, bool last, bool several)
{
	const struct taskacct_listener *listener;
	const struct taskacct_subscription *sub;
	const struct taskacct_cpu_listeners *cpu_listeners;

	shape->kinds = kinds_due(last && several);
	rcu_read_lock();
	cpu_listeners = taskacct_cpu_listeners_here();
	listener = cpu_listeners && cpu_listeners->by[0].extended ?
			   rcu_dereference(cpu_listeners->by[0].listener) : NULL;
	if (listener) {
		sub = rcu_dereference(listener->sub);
		shape->want = sub->want;
		shape->kinds = taskacct_wanted_kinds(sub, kinds_due(last), several);
	}
	rcu_read_unlock();
}

/**
 * taskacct_wanted_strings() - names that whoever listens to this CPU has asked for
 *
 * Context: the exit hook; under rcu_read_lock().
 * Return: TASKACCT_WANT_*
 */
u32 taskacct_wanted_strings(void)
{
	const struct taskacct_cpu_listeners *cpu_listeners = taskacct_cpu_listeners_here();
	const struct taskacct_listener *listener;
	unsigned int i;
	u32 want = 0;

	for (i = 0; cpu_listeners && i < cpu_listeners->n; i++) {
		listener = rcu_dereference(cpu_listeners->by[i].listener);
		if (listener && cpu_listeners->by[i].extended)
			want |= rcu_dereference(listener->sub)->want;
	}
	return want;
}
