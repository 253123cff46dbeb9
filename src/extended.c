// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit messages for listeners that asked for more, or for less
 *
 * Each of them gets a message of its own, since each message tells how its
 * listener fared. Listeners that want the same get copies of one that is filled
 * once.
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>

#include <linux/taskacct.h>

#include "extended.h"
#include "fill.h"
#include "fill_stats.h"
#include "heard.h"
#include "listener.h"
#include "message.h"
#include "reach.h"
#include "record.h"
#include "tgid.h"

/**
 * struct ending - an exit, as it is told
 * @values: of the task
 * @total: of its process; valid where @kinds has TASKACCT_KIND_PROCESS
 * @kinds: what there is to tell
 * @several: the process has had several threads
 * @seq: number of the exit
 */
struct ending {
	const struct taskacct_values *values;
	struct taskacct_total total;
	u32 kinds;
	bool several;
	u32 seq;
};

/**
 * struct parcel - a message on its way to one listener
 * @listener: the listener; NULL: it serves to be copied only
 * @want: what the message has, TASKACCT_WANT_*
 * @view: whose ids it has
 * @kinds: which records it has
 * @vital: it has what is known of a process: the process's record, or that of the
 *	only thread it ever had
 * @message: the message; its datagram is NULL where there is no parcel
 */
struct parcel {
	struct taskacct_listener *listener;
	u32 want;
	const struct taskacct_view *view;
	u32 kinds;
	bool vital;
	struct taskacct_message message;
};

static u32 kinds_wanted(const struct taskacct_subscription *sub, u32 kinds,
			bool several)
{
	if (sub->filter.kinds)
		return sub->filter.kinds & kinds;
	/* As the kernel: none of a process that only ever had one thread */
	return several ? kinds : kinds & TASKACCT_KIND_TASK;
}

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

static struct taskacct_subject process_subject(u64 cpu_time)
{
	return (struct taskacct_subject){
		.task = current->group_leader,
		.cpu_time = cpu_time,
		.exit_code = taskacct_fill_exit_code(current->group_leader),
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
			      bool several)
{
	const u32 kinds =
		kinds_wanted(sub, kinds_due(may_be_last(several)), several);
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
	subject = process_subject(U64_MAX);
	return taskacct_filter_may_meet(&sub->filter, &sub->reach.view,
					&subject);
}

static bool may_be_wanted_by(const struct taskacct_hearer *by, bool several)
{
	struct taskacct_listener *listener = rcu_dereference(by->listener);
	struct taskacct_subscription *sub;

	if (!listener)
		return false;
	if (!by->extended)
		return true;
	sub = rcu_dereference(listener->sub);
	return may_pass(sub, several) && taskacct_reach_hears(&sub->reach);
}

/**
 * taskacct_extended_miss() - count an exit for all who may want to hear of it
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current; does not sleep on PREEMPT_RT either.
 */
void taskacct_extended_miss(bool several)
{
	const struct taskacct_heard *heard;
	struct taskacct_listener *listener;
	unsigned int i;

	rcu_read_lock();
	heard = taskacct_heard_here();
	for (i = 0; heard && i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i].listener);
		if (listener && may_be_wanted_by(&heard->by[i], several))
			taskacct_listener_miss(listener);
	}
	rcu_read_unlock();
}

/* Not inlined, so that who takes a glance saves no registers for it */
static noinline bool may_be_wanted(bool several)
{
	const struct taskacct_heard *heard;
	bool wanted = false;
	unsigned int i;

	rcu_read_lock();
	heard = taskacct_heard_here();
	for (i = 0; heard && i < heard->n && !wanted; i++)
		wanted = may_be_wanted_by(&heard->by[i], several);
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
 * taskacct_extended_wanted() - whether anybody may want to hear of an exit
 * @several: the process has had several threads
 *
 * Asked before anything is read, so that a task that nobody wants costs little.
 *
 * Context: the exit hook, for current.
 * Return: false if nobody who hears this CPU does.
 */
bool taskacct_extended_wanted(bool several)
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
	return seen == UNSURE ? may_be_wanted(several) : seen == WANTED;
}

/* Returns the kinds that the listener gets: those wanted that pass its filter */
static u32 kinds_for(struct taskacct_subscription *sub,
		     const struct ending *ending)
{
	const struct taskacct_usage *usage = &ending->total.values.usage;
	u32 kinds = kinds_wanted(sub, ending->kinds, ending->several);
	struct taskacct_subject subject;

	if (kinds & TASKACCT_KIND_TASK) {
		subject = task_subject();
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->reach.view, &subject))
			kinds &= ~TASKACCT_KIND_TASK;
	}
	if (kinds & TASKACCT_KIND_PROCESS) {
		subject = process_subject(usage->utime + usage->stime);
		if (!taskacct_filter_meets(&sub->filter, &sub->met,
					   &sub->reach.view, &subject))
			kinds &= ~TASKACCT_KIND_PROCESS;
	}
	return kinds;
}

static void fill_task(const struct taskacct_message *message,
		      const struct taskacct_view *view,
		      const struct ending *ending)
{
	const bool last = ending->kinds & TASKACCT_KIND_PROCESS;

	if (message->task)
		taskacct_fill_task(message->task, ending->values, view, last);
	if (message->task_record) {
		taskacct_record_fill_task(message->task_record, current,
					  ending->values, current->mm, view,
					  true);
		if (last)
			message->task_record->flags |= TASKACCT_RECORD_LAST;
	}
}

static void fill_process(const struct taskacct_message *message,
			 const struct taskacct_view *view,
			 const struct ending *ending)
{
	struct task_struct *leader = current->group_leader;

	if (message->process)
		taskacct_fill_last(message->process, leader,
				   &ending->total.values, view);
	if (message->process_record)
		taskacct_record_fill_process(message->process_record, leader,
					     &ending->total, current->mm,
					     view);
}

static bool make(struct parcel *parcel, const struct ending *ending)
{
	struct taskacct_shape shape = {
		.seq = ending->seq,
		.want = parcel->want,
		.kinds = parcel->kinds,
		.pid = taskacct_view_pid(parcel->view, current),
		.tgid = taskacct_view_tgid(parcel->view, current),
	};
	struct taskacct_message *message = &parcel->message;

	if (!taskacct_message_new_of(message, &shape, current, current->mm,
				     parcel->view, TASKACCT_GFP_QUEUED))
		return false;
	if (parcel->kinds & TASKACCT_KIND_TASK)
		fill_task(message, parcel->view, ending);
	if (parcel->kinds & TASKACCT_KIND_PROCESS)
		fill_process(message, parcel->view, ending);
	return true;
}

/* Another message with the same records */
static bool copy(struct parcel *to, const struct parcel *from)
{
	struct sk_buff *skb = skb_copy(from->message.skb, TASKACCT_GFP_QUEUED);
	ptrdiff_t offset;

	if (!skb)
		return false;
	to->message = (struct taskacct_message){ .skb = skb };
	if (from->message.stream) {
		offset = (u8 *)from->message.stream - from->message.skb->data;
		to->message.stream = (void *)(skb->data + offset);
	}
	return true;
}

static void finish(struct parcel *parcel)
{
	if (parcel->listener)
		taskacct_listener_deliver(parcel->listener, &parcel->message,
					  parcel->vital);
	else
		consume_skb(parcel->message.skb);
}

static bool is_like(const struct parcel *parcel, const struct parcel *other)
{
	return parcel->message.skb && parcel->want == other->want &&
	       parcel->kinds == other->kinds &&
	       taskacct_view_is(parcel->view, other->view);
}

/* A parcel waits until the next is made, since it may be copied for that. */
static void send_alone(struct parcel *waiting, struct parcel *parcel,
		       const struct ending *ending)
{
	bool made;

	made = is_like(waiting, parcel) ? copy(parcel, waiting) :
					  make(parcel, ending);
	if (!made) {
		taskacct_listener_lose(parcel->listener, TASKACCT_LOSS_MEMORY);
		return;
	}
	if (waiting->message.skb)
		finish(waiting);
	*waiting = *parcel;
}

/* Has the parcel that waits be one to copy this one from */
static bool make_original(struct parcel *waiting, const struct parcel *parcel,
			  const struct ending *ending)
{
	struct parcel original = *parcel;

	if (is_like(waiting, parcel))
		return true;
	if (!make(&original, ending))
		return false;
	if (waiting->message.skb)
		finish(waiting);
	original.listener = NULL;
	*waiting = original;
	return true;
}

static void send_in_batch(struct parcel *waiting, const struct parcel *parcel,
			  const struct ending *ending)
{
	if (make_original(waiting, parcel, ending))
		taskacct_listener_append(parcel->listener, &waiting->message,
					 parcel->vital);
	else
		taskacct_listener_lose(parcel->listener, TASKACCT_LOSS_MEMORY);
}

static void send_to(struct parcel *waiting, struct taskacct_listener *listener,
		    const struct ending *ending)
{
	struct taskacct_subscription *sub = rcu_dereference(listener->sub);
	struct parcel parcel = {
		.listener = listener,
		.want = sub->want,
		.view = &sub->reach.view,
	};

	if (!taskacct_reach_hears(&sub->reach))
		return;
	parcel.kinds = kinds_for(sub, ending);
	if (!parcel.kinds)
		return;
	parcel.vital = !ending->several ||
		       (parcel.kinds & TASKACCT_KIND_PROCESS);
	if (!taskacct_listener_has_room(listener, parcel.vital))
		taskacct_listener_lose(listener, TASKACCT_LOSS_QUEUE);
	else if (sub->batch_bytes)
		send_in_batch(waiting, &parcel, ending);
	else
		send_alone(waiting, &parcel, ending);
}

/* A process that only ever had one thread is that thread. */
static void add_process(struct ending *ending)
{
	ending->kinds |= TASKACCT_KIND_PROCESS;
	if (ending->several) {
		taskacct_tgid_total_of_current(&ending->total);
		if (ending->total.ended)
			return;
		/* Others have left nothing but what the kernel keeps of them. */
	} else {
		ending->total.values = *ending->values;
	}
	ending->total.values.mm = ending->values->mm;
	ending->total.values.until = ending->values->until;
	ending->total.ended = true;
}

/**
 * taskacct_extended_send() - tell of an exit to all who asked for something
 * @heard: from taskacct_heard_here(), within the same rcu_read_lock()
 * @values: of current
 * @seq: number of the exit
 * @last: current is the last thread of its process
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current; does not sleep.
 */
void taskacct_extended_send(const struct taskacct_heard *heard,
			    const struct taskacct_values *values, u32 seq,
			    bool last, bool several)
{
	struct taskacct_listener *listener;
	struct parcel waiting = {};
	struct ending ending;
	unsigned int i;

	ending.values = values;
	ending.kinds = TASKACCT_KIND_TASK;
	ending.several = several;
	ending.seq = seq;
	if (last)
		add_process(&ending);

	for (i = 0; i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i].listener);
		if (listener && heard->by[i].extended)
			send_to(&waiting, listener, &ending);
	}
	if (waiting.message.skb)
		finish(&waiting);
}
