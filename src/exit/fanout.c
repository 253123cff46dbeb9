// SPDX-License-Identifier: GPL-2.0-only
/*
 * The messages of an exit: one for each who hears it
 *
 * An exit has one number, of its CPU, and each listener gets a CPU's messages in the
 * order of their numbers. Preemption is off for no longer than that needs: messages are
 * made first, with all that takes long. Then, on one CPU, they get the number, and each
 * a place among those that are on their way to its listener (commit). Any exiting task
 * delivers what it finds there, so none waits for another that was preempted.
 *
 * Who hears the CPU may change while messages are made: then they are made for the
 * others too. One who registers all the time does not keep a task from its end: what
 * was not made in the last attempt is lost to whom it was for, and counted.
 */

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <net/netlink.h>

#include <linux/taskacct.h>

#include "listen/listen.h"
#include "record/record.h"
#include "task/task.h"
#include "tgid/tgid.h"

#include "fanout.h"

static DEFINE_PER_CPU(u32, exit_seq);

/**
 * taskacct_fanout_next_seq() - number an exit message
 *
 * The numbers count per CPU, as in the kernel's own records. A message that
 * cannot be made or delivered has one too, so that a listener that hears one
 * CPU sees its losses.
 *
 * Context: any.
 * Return: the next number of this CPU.
 */
u32 taskacct_fanout_next_seq(void)
{
	return this_cpu_inc_return(exit_seq);
}

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
 * struct original - a message that others are like
 * @recipe: what it was made of
 * @skb: the message, or NULL
 * @stream: as in struct taskacct_parcel
 * @batched: whoever has it copies it into a batch: they have the same
 */
struct original {
	struct recipe recipe;
	struct sk_buff *skb;
	u32 stream;
	bool batched;
};

/**
 * struct ending - an exit, while it is told
 * @out: its messages
 * @total: of a process of several threads that has ended; or NULL
 * @classic: the last message that was made for who asked for nothing
 * @extended: that for who asked for something
 */
struct ending {
	struct taskacct_fanout *out;
	const struct taskacct_total *total;
	struct original classic;
	struct original extended;
};

/* What is in memory of the address space that current had, or NULL */
static const struct taskacct_memory *memory_of(const struct taskacct_fanout *out)
{
	const struct taskacct_kept *kept = out->values->kept;

	return kept && kept->whole && kept->has_mm ? &kept->memory : NULL;
}

static void fill_task(const struct taskacct_message *message,
		      const struct taskacct_view *view,
		      const struct taskacct_fanout *out)
{
	if (message->task)
		taskacct_fill_task(message->task, out->values, view, out->last);
	if (message->task_record) {
		taskacct_record_fill_task(message->task_record, current,
					  out->values, memory_of(out), view,
					  true);
		if (out->last)
			message->task_record->record.flags |= TASKACCT_RECORD_LAST;
	}
}

static void fill_total(const struct taskacct_message *message,
		       const struct taskacct_view *view,
		       const struct taskacct_total *total,
		       const struct taskacct_fanout *out)
{
	struct task_struct *leader = taskacct_wanted_leader(out->values->kept);

	if (message->process)
		taskacct_fill_last(message->process, leader, &total->values,
				   view);
	if (message->process_record)
		taskacct_record_fill_process(message->process_record, leader,
					     total, memory_of(out), view);
}

/* A process that only ever had one thread is that thread. */
static noinline void fill_thread(const struct taskacct_message *message,
				 const struct taskacct_view *view,
				 const struct taskacct_fanout *out)
{
	const struct taskacct_total total = { *out->values, .ended = true };

	fill_total(message, view, &total, out);
}

static void fill_process(const struct taskacct_message *message,
			 const struct taskacct_view *view,
			 const struct ending *ending)
{
	if (ending->total)
		fill_total(message, view, ending->total, ending->out);
	else
		fill_thread(message, view, ending->out);
}

static struct sk_buff *make(struct original *original,
			    const struct recipe *recipe,
			    const struct ending *ending)
{
	struct taskacct_kept *kept = ending->out->values->kept;
	struct taskacct_shape shape = {
		.want = recipe->want,
		.kinds = recipe->kinds,
		.pid = taskacct_kept_pid(kept, recipe->view, current),
		.tgid = taskacct_kept_tgid(kept, recipe->view, current),
	};
	struct taskacct_message message = {};

	if (!taskacct_message_new_kept(&message, &shape, kept, recipe->view,
				       TASKACCT_GFP_QUEUED))
		return NULL;
	if (recipe->kinds & TASKACCT_KIND_TASK)
		fill_task(&message, recipe->view, ending->out);
	if (recipe->kinds & TASKACCT_KIND_PROCESS)
		fill_process(&message, recipe->view, ending);
	original->recipe = *recipe;
	original->skb = message.skb;
	original->stream = message.stream ?
		(u8 *)message.stream - message.skb->data : 0;
	return message.skb;
}

static bool is_like(const struct original *original, const struct recipe *recipe)
{
	return original->skb && original->recipe.want == recipe->want &&
	       original->recipe.kinds == recipe->kinds &&
	       taskacct_view_is(original->recipe.view, recipe->view);
}

/* Returns a message; others may have it, or its bytes, as well */
static struct sk_buff *make_or_share(struct original *original,
				     const struct recipe *recipe,
				     const struct ending *ending, bool batched)
{
	struct sk_buff *skb;

	if (is_like(original, recipe)) {
		if (batched && original->batched)
			return skb_get(original->skb);
		skb = skb_clone(original->skb, GFP_ATOMIC | __GFP_NOWARN);
		if (!batched)
			return skb;
		original->skb = skb;
	} else {
		skb = make(original, recipe, ending);
	}
	original->batched = batched;
	return skb;
}

/* Returns the kinds that a listener gets: those wanted that pass its filter */
static u32 kinds_for(struct taskacct_subscription *sub,
		     const struct ending *ending)
{
	const struct taskacct_fanout *out = ending->out;
	const struct taskacct_usage *usage = ending->total ?
		&ending->total->values.usage : &out->values->usage;
	const u32 due = TASKACCT_KIND_TASK |
			(out->last ? TASKACCT_KIND_PROCESS : 0);
	const u32 kinds = taskacct_wanted_kinds(sub, due, out->several);

	/* Most have no conditions. */
	if (likely(taskacct_filter_is_open(&sub->filter)))
		return kinds;
	return taskacct_wanted_meet(sub, kinds, out->values->kept,
				    usage->utime + usage->stime);
}

static void make_for(const struct taskacct_hearer *by, struct ending *ending)
{
	struct taskacct_listener *listener = rcu_dereference(by->listener);
	struct taskacct_fanout *out = ending->out;
	struct taskacct_parcel *parcel = &out->parcels[out->n];
	struct original *original = by->extended ? &ending->extended :
						   &ending->classic;
	struct taskacct_subscription *sub = &taskacct_subscription_default;
	struct recipe recipe;

	if (!listener)
		return;
	/* Where it is heard as classic, what it asks for by now is for later exits. */
	if (by->extended)
		sub = rcu_dereference(listener->sub);
	if (!taskacct_reach_hears(&sub->reach, out->values->kept))
		return;
	recipe.want = sub->want;
	recipe.kinds = kinds_for(sub, ending);
	recipe.view = &sub->reach.view;
	if (!recipe.kinds)
		return;
	out->n++;
	parcel->listener = listener;
	parcel->skb = NULL;
	parcel->vital = !out->several || (recipe.kinds & TASKACCT_KIND_PROCESS);
	parcel->why = TASKACCT_LOSS_QUEUE;
	if (!taskacct_listener_has_room(listener, parcel->vital))
		return;
	parcel->why = TASKACCT_LOSS_MEMORY;
	parcel->skb = make_or_share(original, &recipe, ending, sub->batch_bytes);
	parcel->stream = original->stream;
}

/*
 * Searches from @at on and around, and leaves there where the next one is likely to be:
 * who hears two CPUs, or one at two times, is mostly in the same order there.
 */
static bool is_heard_by(const struct taskacct_heard *heard,
			const struct taskacct_listener *listener, unsigned int *at)
{
	unsigned int left = heard ? heard->n : 0;
	unsigned int i = *at;

	for (; left--; i++) {
		if (i >= heard->n)
			i = 0;
		if (rcu_access_pointer(heard->by[i].listener) == listener) {
			*at = i + 1;
			return true;
		}
	}
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

/* Makes messages, but for whom there is one in @old already; that may be NULL. */
static void make_all(struct taskacct_fanout *out, struct taskacct_fanout *old,
		     const struct taskacct_total *total)
{
	const struct taskacct_hearer *by, *end;
	struct taskacct_listener *listener;
	struct ending ending;
	unsigned int at = 0;

	out->heard = taskacct_heard_here();
	out->n = 0;
	out->parcels = out->few;
	if (unlikely(!out->heard))
		return;
	if (unlikely(out->heard->n > TASKACCT_FANOUT_FEW))
		out->parcels = kmalloc_array(out->heard->n,
					     sizeof(*out->parcels),
					     TASKACCT_GFP_QUEUED);
	if (unlikely(!out->parcels))
		return;
	ending.out = out;
	ending.total = total;
	ending.classic.skb = NULL;
	ending.extended.skb = NULL;
	end = out->heard->by + out->heard->n;
	for (by = out->heard->by; by != end; by++) {
		listener = rcu_dereference(by->listener);
		if (unlikely(old && is_heard_by(old->heard, listener, &at)))
			move_parcel(out, old, listener);
		else
			make_for(by, &ending);
	}
}

/* Of a process of several threads. Not inlined: its stack is large. */
static noinline void make_all_of_process(struct taskacct_fanout *out,
					 struct taskacct_fanout *old)
{
	struct taskacct_total total;

	taskacct_tgid_total_of_current(&total, out->group, out->values);
	total.values.kept = out->values->kept;
	if (!total.ended) {
		/* Others have left nothing but what the kernel keeps of them. */
		total.values.mm = out->values->mm;
		total.values.until = out->values->until;
		total.ended = true;
	}
	make_all(out, old, &total);
}

/**
 * taskacct_fanout_make() - make messages for all who hear this CPU
 * @out: receives them
 * @values: of current; stays as long as @out
 * @group: its process, where that has had several threads; or NULL
 * @last: current is the last thread of its process
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current; under rcu_read_lock() until they are sent
 *	or dropped; on PREEMPT_RT preemptible.
 */
void taskacct_fanout_make(struct taskacct_fanout *out,
			  const struct taskacct_values *values,
			  struct taskacct_group *group, bool last,
			  bool several)
{
	out->values = values;
	out->group = group;
	out->last = last;
	out->several = several;
	if (last && several)
		make_all_of_process(out, NULL);
	else
		make_all(out, NULL, NULL);
}

/**
 * taskacct_fanout_remake() - make messages for those who hear this CPU by now
 * @out: messages that were made for others. For whom there is one already it stays:
 *	a filter is asked once
 *
 * Context: as taskacct_fanout_make().
 */
void taskacct_fanout_remake(struct taskacct_fanout *out)
{
	struct taskacct_fanout old = *out;

	if (old.parcels == out->few)
		old.parcels = old.few;
	if (!old.parcels)
		old.heard = NULL;
	if (old.last && old.several)
		make_all_of_process(out, &old);
	else
		make_all(out, &old, NULL);
	taskacct_fanout_drop(&old);
}

/* Of the messages those stay whose listeners hear this CPU. */
static void keep_for(struct taskacct_fanout *out, const struct taskacct_heard *heard)
{
	unsigned int i, at = 0;

	for (i = 0; i < out->n; i++)
		if (!is_heard_by(heard, out->parcels[i].listener, &at))
			out->parcels[i].listener = NULL;
}

/* Who hears this CPU, and did not when messages were made, is told of a loss. */
static void miss_for_others(const struct taskacct_fanout *out,
			    const struct taskacct_heard *heard)
{
	struct taskacct_listener *listener;
	unsigned int i, at = 0;

	for (i = 0; heard && i < heard->n; i++) {
		listener = rcu_dereference(heard->by[i].listener);
		if (!is_heard_by(out->heard, listener, &at) &&
		    taskacct_wanted_by(&heard->by[i], out->several,
				       out->values->kept))
			taskacct_listener_miss(listener);
	}
}

/* No message has a place before all that may share its bytes have the number. */
static void number_and_push(struct taskacct_fanout *out)
{
	struct taskacct_parcel *const end = out->parcels + out->n;
	const u32 seq = taskacct_fanout_next_seq();
	const unsigned int cpu = smp_processor_id();
	struct taskacct_parcel *parcel;

	for (parcel = out->parcels; parcel != end; parcel++) {
		parcel->cpu = cpu;
		if (parcel->skb)
			nlmsg_hdr(parcel->skb)->nlmsg_seq = seq;
	}
	for (parcel = out->parcels; parcel != end; parcel++)
		if (parcel->skb && parcel->listener)
			taskacct_listener_push(parcel);
}

/**
 * taskacct_fanout_commit() - number messages, and let each have its place
 * @out: the messages
 * @anyway: also if others hear this CPU by now
 *
 * The exit is one of the CPU that this runs on.
 *
 * Context: the exit hook, for current; preemption may be off. What it takes grows with
 *	the number of listeners, by little for each; with @anyway whoever came since the
 *	last messages were made is searched for among all others.
 * Return: true; false if others hear this CPU by now, and nothing was done.
 */
bool taskacct_fanout_commit(struct taskacct_fanout *out, bool anyway)
{
	const struct taskacct_heard *heard;
	bool same;

	preempt_disable();
	heard = taskacct_heard_here();
	same = heard == out->heard;
	if (unlikely(!same && !anyway)) {
		preempt_enable();
		return false;
	}
	if (likely(out->parcels)) {
		if (unlikely(!same)) {
			keep_for(out, heard);
			miss_for_others(out, heard);
		}
		if (heard)
			number_and_push(out);
	} else if (heard) {
		taskacct_fanout_next_seq();
		taskacct_wanted_miss(out->several, out->values->kept);
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
	struct taskacct_parcel *const end = out->parcels + out->n;
	struct taskacct_parcel *parcel;

	for (parcel = out->parcels; parcel != end; parcel++) {
		if (unlikely(!parcel->listener))
			consume_skb(parcel->skb);
		else if (parcel->skb)
			taskacct_listener_deliver(parcel);
		else
			taskacct_listener_lose(parcel);
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
