// SPDX-License-Identifier: GPL-2.0-only
/*
 * The messages of an exit: one for each who hears it
 *
 * An exit has one number, of its CPU, and each listener gets a CPU's messages in the
 * order of their numbers. Preemption is off for no longer than that needs: messages are
 * made first, with all that takes long. Then, on one CPU, they get the number, and each
 * a place among those that are on their way to its listener (commit). From there any
 * exiting task delivers what it finds, so none waits for another that was preempted.
 *
 * Who hears the CPU may change while messages are made: then they are made for the
 * others too. One who registers all the time does not keep a task from its end: what
 * was not made in the last attempt is lost to whom it was for, and counted.
 */

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <net/netlink.h>

#include <linux/taskacct.h>

#include "fanout.h"
#include "fill.h"
#include "fill_stats.h"
#include "heard.h"
#include "listener.h"
#include "message.h"
#include "netlink.h"
#include "record.h"
#include "tgid.h"
#include "wanted.h"

/**
 * struct recipe - what a message is made of
 * @want: what it has, TASKACCT_WANT_*
 * @kinds: which records
 * @view: whose ids
 */
struct recipe {
	u32 want;
	u32 kinds;
	const struct taskacct_view *view;
};

/**
 * struct original - a message that others like it are copies of
 * @recipe: what it was made of
 * @skb: the message, or NULL
 */
struct original {
	struct recipe recipe;
	struct sk_buff *skb;
};

/**
 * struct ending - an exit, as it is told
 * @values: of the task
 * @total: of its process; valid if @added_up
 * @added_up: the process was added up
 * @last: the task is the last thread of its process
 * @several: the process has had several threads
 * @classic: the last message that was made for who asked for nothing
 * @extended: that for who asked for something
 */
struct ending {
	const struct taskacct_values *values;
	struct taskacct_total total;
	bool added_up;
	bool last;
	bool several;
	struct original classic;
	struct original extended;
};

/* A process that only ever had one thread is that thread. */
static void add_up(struct ending *ending)
{
	struct taskacct_total *total = &ending->total;

	if (ending->added_up)
		return;
	ending->added_up = true;
	if (ending->several) {
		taskacct_tgid_total_of_current(total);
		if (total->ended)
			return;
		/* Others have left nothing but what the kernel keeps of them. */
	} else {
		total->values = *ending->values;
	}
	total->values.mm = ending->values->mm;
	total->values.until = ending->values->until;
	total->ended = true;
}

static void fill_task(const struct taskacct_message *message,
		      const struct taskacct_view *view,
		      const struct ending *ending)
{
	if (message->task)
		taskacct_fill_task(message->task, ending->values, view,
				   ending->last);
	if (message->task_record) {
		taskacct_record_fill_task(message->task_record, current,
					  ending->values, current->mm, view,
					  true);
		if (ending->last)
			message->task_record->flags |= TASKACCT_RECORD_LAST;
	}
}

static void fill_process(const struct taskacct_message *message,
			 const struct taskacct_view *view,
			 struct ending *ending)
{
	struct task_struct *leader = current->group_leader;

	add_up(ending);
	if (message->process)
		taskacct_fill_last(message->process, leader,
				   &ending->total.values, view);
	if (message->process_record)
		taskacct_record_fill_process(message->process_record, leader,
					     &ending->total, current->mm,
					     view);
}

static struct sk_buff *make(const struct recipe *recipe, struct ending *ending)
{
	struct taskacct_shape shape = {
		.want = recipe->want,
		.kinds = recipe->kinds,
		.pid = taskacct_view_pid(recipe->view, current),
		.tgid = taskacct_view_tgid(recipe->view, current),
	};
	struct taskacct_message message = {};
	struct taskacct_label *label;

	if (!taskacct_message_new_of(&message, &shape, current, current->mm,
				     recipe->view, TASKACCT_GFP_QUEUED))
		return NULL;
	if (recipe->kinds & TASKACCT_KIND_TASK)
		fill_task(&message, recipe->view, ending);
	if (recipe->kinds & TASKACCT_KIND_PROCESS)
		fill_process(&message, recipe->view, ending);
	label = taskacct_label(message.skb);
	label->stream = message.stream ?
		(u8 *)message.stream - message.skb->data : 0;
	return message.skb;
}

static bool is_like(const struct original *original, const struct recipe *recipe)
{
	return original->skb && original->recipe.want == recipe->want &&
	       original->recipe.kinds == recipe->kinds &&
	       taskacct_view_is(original->recipe.view, recipe->view);
}

/* Returns a message; its bytes may be others' as well */
static struct sk_buff *make_or_clone(struct original *original,
				     const struct recipe *recipe,
				     struct ending *ending)
{
	struct sk_buff *skb;

	if (is_like(original, recipe))
		return skb_clone(original->skb, GFP_ATOMIC | __GFP_NOWARN);
	skb = make(recipe, ending);
	if (skb)
		*original = (struct original){ *recipe, skb };
	return skb;
}

static u32 kinds_due(const struct ending *ending)
{
	return TASKACCT_KIND_TASK | (ending->last ? TASKACCT_KIND_PROCESS : 0);
}

/* Returns the kinds that a listener gets: those wanted that pass its filter */
static u32 kinds_for(struct taskacct_subscription *sub, struct ending *ending)
{
	const struct taskacct_usage *usage = &ending->total.values.usage;
	const u32 kinds = taskacct_wanted_kinds(sub, kinds_due(ending),
						ending->several);
	u64 cpu_time = 0;

	if (kinds & TASKACCT_KIND_PROCESS) {
		add_up(ending);
		cpu_time = usage->utime + usage->stime;
	}
	return taskacct_wanted_meet(sub, kinds, cpu_time);
}

/* Returns false if the listener does not want to, or may not, hear of the exit */
static bool choose(struct recipe *recipe, const struct taskacct_hearer *by,
		   const struct taskacct_listener *listener,
		   struct ending *ending)
{
	struct taskacct_subscription *sub;

	if (!by->extended) {
		recipe->want = 0;
		recipe->kinds = TASKACCT_KIND_TASK;
		if (ending->last && ending->several)
			recipe->kinds |= TASKACCT_KIND_PROCESS;
		recipe->view = &taskacct_fill_init_view;
		return true;
	}
	sub = rcu_dereference(listener->sub);
	if (!taskacct_reach_hears(&sub->reach))
		return false;
	recipe->want = sub->want;
	recipe->kinds = kinds_for(sub, ending);
	recipe->view = &sub->reach.view;
	return recipe->kinds;
}

static void make_for(struct taskacct_fanout *out,
		     const struct taskacct_hearer *by, struct ending *ending)
{
	struct taskacct_listener *listener = rcu_dereference(by->listener);
	struct taskacct_parcel *parcel = &out->parcels[out->n];
	struct original *original =
		by->extended ? &ending->extended : &ending->classic;
	struct recipe recipe;
	bool vital;

	if (!listener || !choose(&recipe, by, listener, ending))
		return;
	vital = !ending->several || (recipe.kinds & TASKACCT_KIND_PROCESS);
	out->n++;
	parcel->listener = listener;
	parcel->skb = NULL;
	parcel->why = TASKACCT_LOSS_QUEUE;
	if (!taskacct_listener_has_room(listener, vital))
		return;
	parcel->why = TASKACCT_LOSS_MEMORY;
	parcel->skb = make_or_clone(original, &recipe, ending);
	if (parcel->skb)
		taskacct_label(parcel->skb)->vital = vital;
}

static void begin(struct taskacct_fanout *out)
{
	out->heard = taskacct_heard_here();
	out->n = 0;
	out->parcels = out->few;
	if (unlikely(out->heard && out->heard->n > TASKACCT_FANOUT_FEW))
		out->parcels = kmalloc_array(out->heard->n,
					     sizeof(*out->parcels),
					     TASKACCT_GFP_QUEUED);
}

static void begin_ending(struct ending *ending,
			 const struct taskacct_values *values, bool last,
			 bool several)
{
	ending->values = values;
	ending->added_up = false;
	ending->last = last;
	ending->several = several;
	ending->classic.skb = NULL;
	ending->extended.skb = NULL;
}

/**
 * taskacct_fanout_make() - make messages for all who hear this CPU
 * @out: receives them
 * @values: of current
 * @last: current is the last thread of its process
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current; under rcu_read_lock() until they are sent
 *	or dropped; on PREEMPT_RT preemptible.
 */
void taskacct_fanout_make(struct taskacct_fanout *out,
			  const struct taskacct_values *values, bool last,
			  bool several)
{
	struct ending ending;
	unsigned int i;

	out->several = several;
	begin(out);
	if (!out->heard || !out->parcels)
		return;
	begin_ending(&ending, values, last, several);
	for (i = 0; i < out->heard->n; i++)
		make_for(out, &out->heard->by[i], &ending);
}

static bool is_heard_by(const struct taskacct_heard *heard,
			const struct taskacct_listener *listener)
{
	unsigned int i;

	for (i = 0; heard && i < heard->n; i++)
		if (rcu_access_pointer(heard->by[i].listener) == listener)
			return true;
	return false;
}

static void move_parcel(struct taskacct_fanout *out, struct taskacct_fanout *from,
			const struct taskacct_listener *listener)
{
	unsigned int i;

	for (i = 0; i < from->n; i++) {
		if (from->parcels[i].listener != listener)
			continue;
		out->parcels[out->n++] = from->parcels[i];
		from->parcels[i].skb = NULL;
		return;
	}
}

/**
 * taskacct_fanout_remake() - make messages for those who hear this CPU by now
 * @out: messages that were made for others. For whom there is one already it stays:
 *	a filter is asked once
 * @values: as when they were made
 * @last: likewise
 *
 * Context: as taskacct_fanout_make().
 */
void taskacct_fanout_remake(struct taskacct_fanout *out,
			    const struct taskacct_values *values, bool last)
{
	const struct taskacct_listener *listener;
	struct taskacct_fanout old = *out;
	struct ending ending;
	unsigned int i;

	if (old.parcels == out->few)
		old.parcels = old.few;
	begin(out);
	begin_ending(&ending, values, last, out->several);
	for (i = 0; out->heard && out->parcels && i < out->heard->n; i++) {
		listener = rcu_dereference(out->heard->by[i].listener);
		if (old.parcels && is_heard_by(old.heard, listener))
			move_parcel(out, &old, listener);
		else
			make_for(out, &out->heard->by[i], &ending);
	}
	taskacct_fanout_drop(&old);
}

/*
 * Of the messages those stay whose listeners hear this CPU. Who came since they were
 * made is told of a loss.
 */
static void match(struct taskacct_fanout *out, const struct taskacct_heard *heard)
{
	const struct taskacct_hearer *by;
	struct taskacct_listener *listener;
	unsigned int i;

	for (i = 0; i < out->n; i++)
		if (!is_heard_by(heard, out->parcels[i].listener))
			out->parcels[i].listener = NULL;
	for (i = 0; heard && i < heard->n; i++) {
		by = &heard->by[i];
		listener = rcu_dereference(by->listener);
		if (!is_heard_by(out->heard, listener) &&
		    taskacct_wanted_by(by, out->several))
			taskacct_listener_miss(listener);
	}
}

/* No message has a place before all that may share its bytes have the number. */
static void number_and_push(struct taskacct_fanout *out)
{
	const u32 seq = taskacct_netlink_next_seq();
	struct taskacct_parcel *parcel;
	unsigned int i;

	for (i = 0; i < out->n; i++) {
		parcel = &out->parcels[i];
		if (!parcel->skb)
			continue;
		nlmsg_hdr(parcel->skb)->nlmsg_seq = seq;
		taskacct_label(parcel->skb)->cpu = out->cpu;
	}
	for (i = 0; i < out->n; i++) {
		parcel = &out->parcels[i];
		if (parcel->skb && parcel->listener)
			parcel->ahead = taskacct_listener_push(parcel->listener,
							       parcel->skb);
	}
}

/**
 * taskacct_fanout_commit() - number messages, and let each have its place
 * @out: the messages
 * @anyway: also if others hear this CPU by now
 *
 * The exit is one of the CPU that this runs on.
 *
 * Context: the exit hook, for current; any preemption. Takes as long as there are
 *	listeners, but little for each.
 * Return: true; false if others hear this CPU by now, and nothing was done.
 */
bool taskacct_fanout_commit(struct taskacct_fanout *out, bool anyway)
{
	const struct taskacct_heard *heard;
	bool same;

	preempt_disable();
	out->cpu = smp_processor_id();
	heard = taskacct_heard_here();
	same = heard == out->heard;
	if (unlikely(!same && !anyway)) {
		preempt_enable();
		return false;
	}
	if (likely(out->parcels)) {
		if (unlikely(!same))
			match(out, heard);
		if (heard)
			number_and_push(out);
	} else if (heard) {
		taskacct_netlink_next_seq();
		taskacct_wanted_miss(out->several);
	}
	preempt_enable();
	return true;
}

/**
 * taskacct_fanout_send() - deliver messages
 * @out: the messages, after taskacct_fanout_commit(); consumed
 *
 * Context: the exit hook, for current; on PREEMPT_RT preemptible.
 */
void taskacct_fanout_send(struct taskacct_fanout *out)
{
	struct taskacct_parcel *parcel;
	unsigned int i;

	for (i = 0; i < out->n; i++) {
		parcel = &out->parcels[i];
		if (!parcel->listener)
			consume_skb(parcel->skb);
		else if (parcel->skb)
			taskacct_listener_deliver(parcel->listener,
						  parcel->ahead);
		else
			taskacct_listener_lose(parcel->listener, parcel->why,
					       out->cpu);
	}
	if (unlikely(out->parcels != out->few))
		kfree(out->parcels);
}

/**
 * taskacct_fanout_drop() - forget messages that have no number
 * @out: the messages; consumed
 *
 * Context: as taskacct_fanout_send().
 */
void taskacct_fanout_drop(struct taskacct_fanout *out)
{
	unsigned int i;

	for (i = 0; i < out->n; i++)
		consume_skb(out->parcels[i].skb);
	if (out->parcels != out->few)
		kfree(out->parcels);
}
