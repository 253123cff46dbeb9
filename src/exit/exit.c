// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pipeline: what happens when a task exits
 *
 * A task is seen twice. At its exit it still has its address space and its numbers: these
 * are kept if a listener wants the record. At its end its values do not change any more:
 * they are added to the totals and reported. Where ends cannot be seen, both happen at the
 * exit.
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/base.h"
#include "listen/listen.h"
#include "ring/ring.h"
#include "task/task.h"
#include "tgid/tgid.h"
#include "uid/uid.h"

#include "deferred.h"
#include "exit.h"
#include "fanout.h"
#include "keep.h"

/* Attempts to send messages while the listeners of the CPU change */
#define TRIES	3

static bool is_wanted(bool several)
{
	return taskacct_ring_is_on() ||
	       (taskacct_cpu_listeners_here() && taskacct_wanted(several, NULL));
}

/*
 * Whether anything is kept for the end. The ring needs it where a reader does; of one of the
 * last threads of several, for the record of the process, whose leader may be gone then
 * (taskacct_tgid_keep()); and where the end is not seen, or nothing can be reported there.
 */
static bool is_kept(bool several)
{
	if (taskacct_ring_is_on() &&
	    ((READ_ONCE(taskacct_ring_want) & TASKACCT_RING_KEPT) ||
	     (several && !atomic_read(&current->signal->live)) ||
	     unlikely(!taskacct_fill_sees_ends || taskacct_deferred_needed())))
		return true;
	return taskacct_cpu_listeners_here() && taskacct_wanted(several, NULL);
}

/* Not inlined: its stack is large. */
static noinline void send_exit(const struct taskacct_values *values,
			       struct taskacct_group *group, bool last, bool several)
{
	struct taskacct_fanout out taskacct_uninitialized;
	unsigned int tries = TRIES;

	rcu_read_lock();
	taskacct_fanout_make(&out, values, group, last, several);
	while (!taskacct_fanout_commit(&out, !--tries))
		taskacct_fanout_remake(&out);
	taskacct_fanout_send(&out);
	rcu_read_unlock();
}

static void write_exit(const struct taskacct_values *values,
		       const struct taskacct_total *total, bool last)
{
	struct taskacct_ring_event event taskacct_uninitialized;

	event.values = values;
	event.total = total;
	event.leader = total ? taskacct_wanted_leader(values->kept) : NULL;
	event.last = last;
	taskacct_ring_begin(&event);
	taskacct_ring_write(&event);
	taskacct_ring_end(&event);
}

/* Not inlined, for the same reason */
static noinline void write_process(const struct taskacct_values *values,
				   struct taskacct_group *group)
{
	struct taskacct_total total taskacct_uninitialized;

	rcu_read_lock();
	taskacct_fanout_total(&total, group, values);
	write_exit(values, &total, true);
	rcu_read_unlock();
}

/* To listeners and into the ring, where there are any by now: the values were read whole. */
static void report_exit(const struct taskacct_values *values,
			struct taskacct_group *group, bool last, bool several)
{
	if (taskacct_cpu_listeners_here())
		send_exit(values, group, last, several);
	if (taskacct_ring_is_on()) {
		if (last && several)
			write_process(values, group);
		else
			write_exit(values, NULL, last);
	}
}

/* The only thread its process ever had, or the only one that is known */
static void end_alone(struct taskacct_kept *kept)
{
	struct taskacct_values values taskacct_uninitialized;
	const bool several = kept ? kept->several :
				    taskacct_fill_has_released(current->signal);

	if (taskacct_ring_is_on() || taskacct_cpu_listeners_here()) {
		values.kept = kept;
		taskacct_uid_note_values(&values);
		taskacct_fill_report(&values);
		report_exit(&values, NULL, kept ? kept->last :
			    !atomic_read(&current->signal->live), several);
	} else {
		taskacct_uid_note();
	}
}

/* What an entry of a thread is made of */
static void begin_thread(struct taskacct_ring_event *event,
			 const struct taskacct_values *values)
{
	event->values = values;
	event->total = NULL;
	event->last = false;
	taskacct_ring_begin(event);
}

/* Returns false if current is the last thread, of which nothing is written here. */
static bool write_thread(struct taskacct_group *group,
			 const struct taskacct_values *values)
{
	struct taskacct_ring_event event taskacct_uninitialized;
	bool last;

	begin_thread(&event, values);
	last = taskacct_tgid_lock(group);
	if (!last)
		taskacct_ring_write(&event);
	taskacct_tgid_unlock(group, !last);
	taskacct_ring_end(&event);
	return !last;
}

/* Likewise, with messages for listeners */
static noinline bool send_thread(struct taskacct_group *group,
				 const struct taskacct_values *values)
{
	struct taskacct_ring_event event taskacct_uninitialized;
	struct taskacct_fanout out taskacct_uninitialized;
	unsigned int tries = TRIES;
	bool last, sent;

	rcu_read_lock();
	begin_thread(&event, values);
	taskacct_fanout_make(&out, values, group, false, true);
	for (;;) {
		last = taskacct_tgid_lock(group);
		sent = !last && taskacct_fanout_commit(&out, !--tries);
		if (sent)
			taskacct_ring_write(&event);
		taskacct_tgid_unlock(group, sent);
		if (sent || last)
			break;
		taskacct_fanout_remake(&out);
	}
	if (sent)
		taskacct_fanout_send(&out);
	else
		taskacct_fanout_drop(&out);
	taskacct_ring_end(&event);
	rcu_read_unlock();
	return sent;
}

static bool tell_of_thread(struct taskacct_group *group,
			   const struct taskacct_values *values)
{
	return taskacct_cpu_listeners_here() ? send_thread(group, values) :
					       write_thread(group, values);
}

/* Returns false if current is the last thread */
static bool leave_group(struct taskacct_group *group)
{
	const bool last = taskacct_tgid_lock(group);

	taskacct_tgid_unlock(group, !last);
	return !last;
}

/* Returns what was kept if the caller has to free it, else NULL. */
static struct taskacct_kept *end_in_group(struct taskacct_group *group,
					  struct taskacct_exited *exited, bool placed,
					  struct taskacct_values *values,
					  struct taskacct_kept *kept)
{
	/* The group may own it from here on, and keeps it until it is freed itself. */
	struct taskacct_kept *own = kept ? taskacct_tgid_keep(group, kept) : NULL;
	bool wanted = kept || is_wanted(true);

	if (kept && taskacct_tgid_is_last(group))
		taskacct_keep_expect_last(kept);
	if (placed ? taskacct_tgid_add_placed(group, values, kept, wanted) :
		     taskacct_tgid_add(group, exited, values, kept, wanted))
		return own;
	if (!taskacct_tgid_is_last(group) &&
	    (wanted ? tell_of_thread(group, values) : leave_group(group)))
		return own;
	taskacct_tgid_end(group);
	if (!kept)
		values->kept = taskacct_tgid_kept(group);
	/*
	 * That nobody wants the process is certain only now: threads that were
	 * alive, or had no status yet, can have been noted before this one.
	 */
	if (!wanted && is_wanted(true)) {
		taskacct_fill_report(values);
		wanted = true;
	}
	if (wanted)
		report_exit(values, group, true, true);
	taskacct_tgid_reported(group);
	return own;
}

/* The end of a listed thread. If it was noted in its stead only its user is left. */
static struct taskacct_kept *end_listed(struct taskacct_exited *exited,
					struct taskacct_kept *kept)
{
	struct taskacct_group *group = exited->group;

	if (exited->nr) {
		taskacct_uid_note();
		return kept;
	}
	kept = end_in_group(group, exited, false, &exited->values, kept);
	taskacct_tgid_put(group);
	return kept;
}

/* The end of a thread that has no entry: it needs none, or there was no memory for it. */
static struct taskacct_kept *end_without(struct taskacct_group *group, bool placed,
					 struct taskacct_kept *kept)
{
	struct taskacct_values values taskacct_uninitialized;

	kept = end_in_group(group, NULL, placed, &values, kept);
	taskacct_tgid_put(group);
	return kept;
}

static struct taskacct_group *unlisted_group(void)
{
	struct taskacct_group *group = taskacct_tgid_own();

	return group && READ_ONCE(group->unlisted) ? group : NULL;
}

/* Returns false if the thread is in no group or was noted before. */
static bool note_unreported(struct taskacct_exited *exited)
{
	struct taskacct_group *group = exited ? exited->group : unlisted_group();
	struct taskacct_values values;

	if (exited ? exited->nr : !group)
		return false;
	if (!taskacct_tgid_add(group, exited, exited ? &exited->values : &values, NULL,
			       false) &&
	    !leave_group(group)) {
		taskacct_tgid_end(group);
		taskacct_tgid_reported(group);
	}
	taskacct_tgid_put(group);
	return true;
}

/* Its record is lost. That has a number, too. */
static void miss_exit(bool several)
{
	if (taskacct_cpu_listeners_here()) {
		taskacct_fanout_next_seq();
		taskacct_wanted_miss(several, NULL);
	}
	taskacct_ring_miss(!several);
}

/* Only counts what the task used; its record is lost. */
static void end_unreported(struct taskacct_exited *exited)
{
	const bool several = exited || !thread_group_empty(current) ||
			     taskacct_fill_has_released(current->signal);
	bool noted;

	rcu_read_lock();
	noted = note_unreported(exited);
	rcu_read_unlock();
	if (!noted)
		taskacct_uid_note();
	if (is_wanted(several))
		miss_exit(several);
}

/* The entry stays until current is freed. */
static struct taskacct_exited *own_exited(void)
{
	struct taskacct_exited *exited;

	if (!taskacct_exited_may_be(current))
		return NULL;
	/* Costs less than rcu_read_lock(). */
	rcu_read_lock_sched();
	exited = taskacct_exited_find(current);
	rcu_read_unlock_sched();
	return exited;
}

/* Of a thread that may have a group and has no entry; as end_reported() */
static noinline struct taskacct_kept *end_maybe_without(struct taskacct_kept *kept)
{
	struct taskacct_group *group = taskacct_tgid_own();
	const bool placed = group && taskacct_tgid_has_place(group, current);

	if (placed || (group && unlikely(READ_ONCE(group->unlisted))))
		return end_without(group, placed, kept);
	end_alone(kept);
	return kept;
}

/* Returns what was kept if the caller has to free it, else NULL. */
static struct taskacct_kept *end_reported(struct taskacct_kept *kept)
{
	struct taskacct_exited *exited = own_exited();

	/* It cannot be deferred: there is no task work after the end. */
	if (unlikely(taskacct_deferred_needed())) {
		end_unreported(exited);
		return kept;
	}
	if (exited)
		return end_listed(exited, kept);
	if (taskacct_tgid_may_be())
		return end_maybe_without(kept);
	end_alone(kept);
	return kept;
}

/* Not inlined: the fast path saves no registers then. */
static noinline void end_slowly(void)
{
	struct taskacct_kept *kept = taskacct_kept_take();

	if (unlikely(kept && kept->early))
		taskacct_uid_note();
	else
		kept = end_reported(kept);
	if (kept)
		taskacct_kept_free(kept);
}

/* The end of a thread that nobody wants; returns false if there is more to do. */
static noinline bool leave_unwanted(void)
{
	struct taskacct_group *group = taskacct_tgid_own();

	return group && !is_wanted(true) && taskacct_tgid_leave(group);
}

/**
 * taskacct_exit_end() - account for the running task, which is at its end
 *
 * Context: the hook at its end, once for every task; does not sleep, but for the
 *	locks of PREEMPT_RT where the hook allows it.
 */
void taskacct_exit_end(void)
{
	const bool wanted = taskacct_kept_may_be() || is_wanted(false);

	if (likely(!wanted && !taskacct_tgid_may_be()))
		taskacct_uid_note();
	else if (wanted || !leave_unwanted())
		end_slowly();
}

/*
 * A deferred exit is reported at once: at the end nothing may sleep either, most likely. The
 * entry of a thread says whether it was noted.
 */
static void tell_early(void)
{
	struct taskacct_kept *kept = taskacct_kept_take();

	if (!kept)
		return;
	kept->early = true;
	kept = end_reported(kept);
	if (kept)
		taskacct_kept_put_back(kept);
}

static void begin_in_group(void)
{
	struct taskacct_group *group = taskacct_tgid_enter();
	struct taskacct_kept *kept = NULL;

	if (is_kept(true) && likely(!own_exited()))
		kept = taskacct_keep_new(true);
	if (group)
		taskacct_tgid_begin(group, kept ? &kept->mm : NULL);
	if (!taskacct_fill_sees_ends)
		taskacct_exit_end();
}

static void begin_alone(void)
{
	taskacct_keep_new(false);
	if (!taskacct_fill_sees_ends)
		taskacct_exit_end();
}

static void begin_later(void)
{
	if (taskacct_tgid_needed())
		begin_in_group();
	else
		begin_alone();
	if (taskacct_fill_sees_ends)
		tell_early();
}

/* Not inlined, for the same reason as end_slowly() */
static noinline void begin_exit(bool several)
{
	taskacct_stat_inc(TASKACCT_STAT_EXITS);
	if (!taskacct_deferred_needed()) {
		if (several)
			begin_in_group();
		else
			begin_alone();
	} else if (!taskacct_deferred_add(begin_later)) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		/* At its end it is reported or lost, and nothing was kept of it. */
		if (taskacct_fill_sees_ends)
			return;
		miss_exit(several);
		taskacct_uid_note();
	}
}

/**
 * taskacct_exit() - the running task exits
 *
 * Context: the exit hook, once for every task; does not sleep, but for the
 *	locks of PREEMPT_RT where the hook allows it.
 */
void taskacct_exit(void)
{
	if (unlikely(taskacct_tgid_needed()))
		begin_exit(true);
	else if (unlikely(is_kept(false)))
		begin_exit(false);
	else if (!taskacct_fill_sees_ends)
		taskacct_uid_note();
}
