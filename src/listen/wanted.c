// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants to hear of an exit: filters and reach, asked as early as they can be
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

static struct taskacct_subject task_subject(void)
{
	return (struct taskacct_subject){
		.task = current,
		.cpu_time = READ_ONCE(current->utime) +
			    READ_ONCE(current->stime),
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

static struct taskacct_subject process_subject(u64 cpu_time,
					       const struct taskacct_kept *kept)
{
	struct task_struct *leader = taskacct_wanted_leader(kept);

	return (struct taskacct_subject){
		.task = leader,
		.cpu_time = cpu_time,
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
		subject = task_subject();
		if (taskacct_filter_may_meet(&sub->filter,
					     &sub->reach.view, &subject))
			return true;
	}
	if (!(kinds & ~of_task))
		return false;
	subject = process_subject(U64_MAX, kept);
	return taskacct_filter_may_meet(&sub->filter, &sub->reach.view,
					&subject);
}

/**
 * taskacct_wanted_by() - whether a listener may want to hear of an exit
 * @by: the listener, or its empty place
 * @several: the process has had several threads
 * @kept: what was kept of the task, at its end; else NULL
 *
 * Context: the exit hook, or that at its end, for current; under rcu_read_lock().
 * Return: false if it does not.
 */
bool taskacct_wanted_by(const struct taskacct_hearer *by, bool several,
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
	       taskacct_reach_hears(&sub->reach, kept);
}

/**
 * taskacct_wanted_miss() - count an exit for all who may want to hear of it
 * @several: the process has had several threads
 * @kept: as for taskacct_wanted_by()
 *
 * Context: the exit hook, for current; does not sleep on PREEMPT_RT either.
 */
void taskacct_wanted_miss(bool several, const struct taskacct_kept *kept)
{
	const struct taskacct_heard *heard;
	struct taskacct_listener *listener;
	unsigned int i;

	rcu_read_lock();
	heard = taskacct_heard_here();
	for (i = 0; heard && i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i].listener);
		if (listener && taskacct_wanted_by(&heard->by[i], several, kept))
			taskacct_listener_miss(listener);
	}
	rcu_read_unlock();
}

/* Not inlined, so that who takes a glance saves no registers for it */
static noinline bool may_be_wanted(bool several,
				   const struct taskacct_kept *kept)
{
	const struct taskacct_heard *heard;
	bool wanted = false;
	unsigned int i;

	rcu_read_lock();
	heard = taskacct_heard_here();
	for (i = 0; heard && i < heard->n && !wanted; i++)
		wanted = taskacct_wanted_by(&heard->by[i], several, kept);
	rcu_read_unlock();
	return wanted;
}

enum glance { UNWANTED, UNSURE, WANTED };

/* What is seen of a listener without a call: enough for most of them */
static enum glance glance_at(const struct taskacct_hearer *by, bool several)
{
	struct taskacct_listener *listener = rcu_dereference_sched(by->listener);
	const struct taskacct_subscription *sub;

	if (!listener)
		return UNWANTED;
	if (!by->extended)
		return WANTED;
	sub = rcu_dereference_sched(listener->sub);
	if (taskacct_reach_is_limited(&sub->reach))
		return UNSURE;
	if (!sub->filter.has)
		return WANTED;
	if (taskacct_filter_excludes(&sub->filter) &&
	    !(several && may_be_last(several)))
		return UNWANTED;
	return UNSURE;
}

/**
 * taskacct_wanted() - whether anybody may want to hear of an exit
 * @several: the process has had several threads
 * @kept: as for taskacct_wanted_by()
 *
 * Asked before anything is read, so that a task that nobody wants costs little.
 *
 * Context: the exit hook, for current.
 * Return: false if nobody who hears this CPU does.
 */
bool taskacct_wanted(bool several, const struct taskacct_kept *kept)
{
	const struct taskacct_hearer *by, *end;
	const struct taskacct_heard *heard;
	enum glance seen = UNWANTED;

	/* Costs less than rcu_read_lock(), a call for itself. */
	rcu_read_lock_sched();
	heard = taskacct_heard_here();
	if (heard)
		for (by = heard->by, end = by + heard->n;
		     by != end && seen == UNWANTED; by++)
			seen = glance_at(by, several);
	rcu_read_unlock_sched();
	return seen == UNSURE ? may_be_wanted(several, kept) : seen == WANTED;
}

/**
 * taskacct_wanted_meet() - which kinds a listener gets: those that pass its filter
 * @sub: what it asked for
 * @kinds: from taskacct_wanted_kinds()
 * @kept: as for taskacct_wanted_by()
 * @process_cpu_time: of the process, in ns, where @kinds has it
 *
 * Context: the exit hook, for current; under rcu_read_lock().
 * Return: TASKACCT_KIND_*
 */
u32 taskacct_wanted_meet(struct taskacct_subscription *sub, u32 kinds,
			 const struct taskacct_kept *kept, u64 process_cpu_time)
{
	struct taskacct_subject subject;

	if (kinds & TASKACCT_KIND_TASK) {
		subject = task_subject();
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->reach.view, &subject))
			kinds &= ~TASKACCT_KIND_TASK;
	}
	if (kinds & TASKACCT_KIND_PROCESS) {
		subject = process_subject(process_cpu_time, kept);
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->reach.view, &subject))
			kinds &= ~TASKACCT_KIND_PROCESS;
	}
	return kinds;
}

/**
 * taskacct_wanted_shape() - what a message will have for the first who hears this CPU
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
	const struct taskacct_heard *heard;

	shape->kinds = kinds_due(last && several);
	rcu_read_lock();
	heard = taskacct_heard_here();
	listener = heard && heard->by[0].extended ?
			   rcu_dereference(heard->by[0].listener) : NULL;
	if (listener) {
		sub = rcu_dereference(listener->sub);
		shape->want = sub->want;
		shape->kinds = taskacct_wanted_kinds(sub, kinds_due(last), several);
	}
	rcu_read_unlock();
}

/**
 * taskacct_wanted_names() - names that whoever hears this CPU has asked for
 *
 * Context: the exit hook; under rcu_read_lock().
 * Return: TASKACCT_WANT_*
 */
u32 taskacct_wanted_names(void)
{
	const struct taskacct_heard *heard = taskacct_heard_here();
	const struct taskacct_listener *listener;
	unsigned int i;
	u32 want = 0;

	for (i = 0; heard && i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i].listener);
		if (listener && heard->by[i].extended)
			want |= rcu_dereference(listener->sub)->want;
	}
	return want;
}
