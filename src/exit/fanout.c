// SPDX-License-Identifier: GPL-2.0-only
/*
 * The messages of an exit: one for each listener of the CPU
 *
 * An exit takes one number of its CPU, and each listener gets the messages of a CPU in the
 * order of their numbers (number-with-position). Messages are made first, which takes
 * long, with preemption on. The commit turns preemption off, takes the number, and gives
 * each message its position in its listener's queue. Every exiting task delivers what it
 * finds in the queue, so no task waits for another that was preempted.
 *
 * The listeners of the CPU may change while messages are made. Then messages are made for
 * the new ones, too. The number of attempts is bounded: a listener that registers after
 * the last one has a counted loss.
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

#include "base/base.h"
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
 * cannot be made or delivered has one too, so that a listener that listens to one
 * CPU sees its losses.
 *
 * Return: the next number of this CPU.
 */
u32 taskacct_fanout_next_seq(void)
{
	return this_cpu_inc_return(exit_seq);
}

/**
 * struct recipe - what a message is made of
 * @cmd: its command
 * @want: what it has, TASKACCT_WANT_*
 * @kinds: which records
 * @view: whose ids
 */
struct recipe {
	u8 cmd;
	u32 want;
	u32 kinds;
	const struct taskacct_view *view;
};

/**
 * struct original - a message that others are cloned from
 * @recipe: what it was made of
 * @skb: the message, or NULL
 * @stream: as in struct taskacct_pending
 * @batched: whoever has it copies it into a batch: they have the same
 */
struct original {
	struct recipe recipe;
	struct sk_buff *skb;
	u32 stream;
	bool batched;
};

/**
 * struct exit_event - an exit, while it is reported
 * @out: its messages
 * @total: of a process of several threads that has ended; or NULL
 * @classic: the last message that was made for who asked for nothing
 * @extended: that for who asked for something
 */
struct exit_event {
	struct taskacct_fanout *out;
	const struct taskacct_total *total;
	struct original classic;
	struct original extended;
};

static void fill_task(const struct taskacct_message *message,
		      const struct taskacct_view *view,
		      const struct taskacct_fanout *out)
{
	if (message->task)
		taskacct_fill_task(message->task, out->values, view, out->last);
	if (message->task_record) {
		taskacct_record_fill_task(&message->task_record->record, current,
					  out->values,
					  taskacct_kept_memory(out->values->kept),
					  view, true);
		taskacct_record_fill_waits(message->task_record->waits,
					   out->values);
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
	if (message->process_record) {
		taskacct_record_fill_process(&message->process_record->record,
					     leader, total,
					     taskacct_kept_memory(out->values->kept),
					     view);
		taskacct_record_fill_waits(message->process_record->waits,
					   &total->values);
	}
}

/* A process that has only ever had one thread: its total is that of the thread. */
static noinline void fill_thread(const struct taskacct_message *message,
				 const struct taskacct_view *view,
				 const struct taskacct_fanout *out)
{
	const struct taskacct_total total = { *out->values, .ended = true };

	fill_total(message, view, &total, out);
}

static void fill_process(const struct taskacct_message *message,
			 const struct taskacct_view *view,
			 const struct exit_event *event)
{
	if (event->total)
		fill_total(message, view, event->total, event->out);
	else
		fill_thread(message, view, event->out);
}

static struct sk_buff *make_message(struct original *original,
				    const struct recipe *recipe,
				    const struct exit_event *event)
{
	struct taskacct_kept *kept = event->out->values->kept;
	struct taskacct_shape shape = {
		.cmd = recipe->cmd,
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
		fill_task(&message, recipe->view, event->out);
	if (recipe->kinds & TASKACCT_KIND_PROCESS)
		fill_process(&message, recipe->view, event);
	original->recipe = *recipe;
	original->skb = message.skb;
	original->stream = message.stream ?
		(u8 *)message.stream - message.skb->data : 0;
	return message.skb;
}

static bool is_like(const struct original *original, const struct recipe *recipe)
{
	return original->skb && original->recipe.cmd == recipe->cmd &&
	       original->recipe.want == recipe->want &&
	       original->recipe.kinds == recipe->kinds &&
	       taskacct_view_is(original->recipe.view, recipe->view);
}

/* Returns a message, which may share its bytes with those of other listeners. */
static struct sk_buff *make_or_share(struct original *original,
				     const struct recipe *recipe,
				     const struct exit_event *event, bool batched)
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
		skb = make_message(original, recipe, event);
	}
	original->batched = batched;
	return skb;
}

/* Returns the kinds of record that the listener wants and its filter lets through. */
static u32 kinds_for(struct taskacct_subscription *sub,
		     const struct exit_event *event)
{
	const struct taskacct_fanout *out = event->out;
	const u32 due = TASKACCT_KIND_TASK |
			(out->last ? TASKACCT_KIND_PROCESS : 0);
	const u32 kinds = taskacct_wanted_kinds(sub, due, out->several);

	/* Most have no conditions. */
	if (likely(taskacct_filter_is_open(&sub->filter)))
		return kinds;
	return taskacct_wanted_meet(sub, kinds, out->values,
				    event->total ? &event->total->values : out->values);
}

static void make_for(const struct taskacct_cpu_listener *by, struct exit_event *event)
{
	struct taskacct_listener *listener = rcu_dereference(by->listener);
	struct taskacct_fanout *out = event->out;
	struct taskacct_pending *pending = &out->pending[out->n];
	struct original *original = by->extended ? &event->extended :
						   &event->classic;
	struct taskacct_subscription *sub = &taskacct_subscription_default;
	struct recipe recipe;

	if (!listener)
		return;
	/*
	 * Where it listens as classic, what it asks for by now is for later exits; nor is
	 * the default asked what is known of it.
	 */
	recipe.kinds = TASKACCT_KIND_TASK |
		       (event->total ? TASKACCT_KIND_PROCESS : 0);
	if (by->extended) {
		sub = rcu_dereference(listener->sub);
		if (!taskacct_access_sees_exit(&sub->access, out->values->kept))
			return;
		recipe.kinds = kinds_for(sub, event);
		if (!recipe.kinds)
			return;
	}
	recipe.cmd = sub->classic ? TASKACCT_CMD_NEW : TASKACCT_CMD_EXIT;
	recipe.want = sub->want;
	recipe.view = &sub->access.view;
	out->n++;
	pending->listener = listener;
	pending->skb = NULL;
	pending->vital = !out->several || (recipe.kinds & TASKACCT_KIND_PROCESS);
	pending->why = TASKACCT_LOSS_QUEUE;
	if (!taskacct_listener_has_room(listener, pending->vital))
		return;
	pending->why = TASKACCT_LOSS_MEMORY;
	pending->skb = make_or_share(original, &recipe, event, sub->batch_bytes);
	pending->stream = original->stream;
}

/*
 * Searches from *@at on, wraps around, and advances *@at: listeners are mostly in the same
 * order in two arrays.
 */
static bool is_listener(const struct taskacct_cpu_listeners *cpu_listeners,
			const struct taskacct_listener *listener, unsigned int *at)
{
	unsigned int left = cpu_listeners ? cpu_listeners->n : 0;
	unsigned int i = *at;

	for (; left--; i++) {
		if (i >= cpu_listeners->n)
			i = 0;
		if (rcu_access_pointer(cpu_listeners->by[i].listener) == listener) {
			*at = i + 1;
			return true;
		}
	}
	return false;
}

static void move_pending(struct taskacct_fanout *out, struct taskacct_fanout *from,
			 const struct taskacct_listener *listener)
{
	unsigned int i;

	for (i = 0; i < from->n; i++) {
		if (from->pending[i].listener != listener)
			continue;
		out->pending[out->n++] = from->pending[i];
		from->pending[i].skb = NULL;
		return;
	}
}

/* Makes a message for each listener that has none in @old, which may be NULL. */
static void make_all(struct taskacct_fanout *out, struct taskacct_fanout *old,
		     const struct taskacct_total *total)
{
	const struct taskacct_cpu_listener *by, *end;
	struct exit_event event taskacct_uninitialized;
	struct taskacct_listener *listener;
	unsigned int at = 0;

	out->cpu_listeners = taskacct_cpu_listeners_here();
	out->n = 0;
	out->pending = out->few;
	if (unlikely(!out->cpu_listeners))
		return;
	if (unlikely(out->cpu_listeners->n > TASKACCT_FANOUT_FEW))
		out->pending = kmalloc_array(out->cpu_listeners->n,
					     sizeof(*out->pending),
					     TASKACCT_GFP_QUEUED);
	if (unlikely(!out->pending))
		return;
	event.out = out;
	event.total = total;
	event.classic.skb = NULL;
	event.extended.skb = NULL;
	end = out->cpu_listeners->by + out->cpu_listeners->n;
	for (by = out->cpu_listeners->by; by != end; by++) {
		listener = rcu_dereference(by->listener);
		if (unlikely(old && is_listener(old->cpu_listeners, listener, &at)))
			move_pending(out, old, listener);
		else
			make_for(by, &event);
	}
}

/**
 * taskacct_fanout_total() - add up the process of its last thread
 * @total: receives it
 * @group: the process, or NULL
 * @values: of current, the last thread
 *
 * Context: the exit hook, for current.
 */
void taskacct_fanout_total(struct taskacct_total *total,
			   struct taskacct_group *group,
			   const struct taskacct_values *values)
{
	taskacct_tgid_total_of_current(total, group, values);
	total->values.kept = values->kept;
	if (total->ended)
		return;
	/* Others have left nothing but what the kernel keeps of them. */
	total->values.mm = values->mm;
	total->values.until = values->until;
	total->ended = true;
}

/* Of a process of several threads. Not inlined: its stack is large. */
static noinline void make_all_of_process(struct taskacct_fanout *out,
					 struct taskacct_fanout *old)
{
	struct taskacct_total total taskacct_uninitialized;

	taskacct_fanout_total(&total, out->group, out->values);
	make_all(out, old, &total);
}

/**
 * taskacct_fanout_make() - make messages for the listeners of this CPU
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
 * taskacct_fanout_remake() - make messages for the present listeners of this CPU
 * @out: messages for earlier listeners. Those for listeners that are still there are
 *	kept, so that a filter is evaluated once
 *
 * Context: as taskacct_fanout_make().
 */
void taskacct_fanout_remake(struct taskacct_fanout *out)
{
	struct taskacct_fanout old = *out;

	if (old.pending == out->few)
		old.pending = old.few;
	if (!old.pending)
		old.cpu_listeners = NULL;
	if (old.last && old.several)
		make_all_of_process(out, &old);
	else
		make_all(out, &old, NULL);
	taskacct_fanout_drop(&old);
}

/* Keeps the messages whose listeners still listen to this CPU. */
static void keep_for(struct taskacct_fanout *out,
		     const struct taskacct_cpu_listeners *cpu_listeners)
{
	unsigned int i, at = 0;

	for (i = 0; i < out->n; i++)
		if (!is_listener(cpu_listeners, out->pending[i].listener, &at))
			out->pending[i].listener = NULL;
}

/* Counts a loss for each listener that came after the messages were made. */
static void miss_for_others(const struct taskacct_fanout *out,
			    const struct taskacct_cpu_listeners *cpu_listeners)
{
	struct taskacct_listener *listener;
	unsigned int i, at = 0;

	for (i = 0; cpu_listeners && i < cpu_listeners->n; i++) {
		listener = rcu_dereference(cpu_listeners->by[i].listener);
		if (!is_listener(out->cpu_listeners, listener, &at) &&
		    taskacct_wanted_by(&cpu_listeners->by[i], out->several,
				       out->values->kept))
			taskacct_loss_miss(listener);
	}
}

/* All messages that share bytes get the number before the first gets its position. */
static void number_and_push(struct taskacct_fanout *out)
{
	struct taskacct_pending *const end = out->pending + out->n;
	const u32 seq = taskacct_fanout_next_seq();
	const unsigned int cpu = smp_processor_id();
	struct taskacct_pending *pending;

	for (pending = out->pending; pending != end; pending++) {
		pending->cpu = cpu;
		if (pending->skb)
			nlmsg_hdr(pending->skb)->nlmsg_seq = seq;
	}
	for (pending = out->pending; pending != end; pending++)
		if (pending->skb && pending->listener)
			taskacct_queue_push(pending);
}

/**
 * taskacct_fanout_commit() - number messages, and give each its position
 * @out: the messages
 * @anyway: also if the listeners of this CPU have changed
 *
 * The exit is one of the CPU that this runs on.
 *
 * Context: the exit hook, for current; preemption may be off. What it takes grows with
 *	the number of listeners, by little for each; with @anyway whoever came since the
 *	last messages were made is searched for among all others.
 * Return: true; false if the listeners of this CPU have changed and nothing was done.
 */
bool taskacct_fanout_commit(struct taskacct_fanout *out, bool anyway)
{
	const struct taskacct_cpu_listeners *cpu_listeners;
	bool same;

	preempt_disable();
	cpu_listeners = taskacct_cpu_listeners_here();
	same = cpu_listeners == out->cpu_listeners;
	if (unlikely(!same && !anyway)) {
		preempt_enable();
		return false;
	}
	if (likely(out->pending)) {
		if (unlikely(!same)) {
			keep_for(out, cpu_listeners);
			miss_for_others(out, cpu_listeners);
		}
		if (cpu_listeners)
			number_and_push(out);
	} else if (cpu_listeners) {
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
	struct taskacct_pending *const end = out->pending + out->n;
	struct taskacct_pending *pending;

	for (pending = out->pending; pending != end; pending++) {
		if (unlikely(!pending->listener))
			consume_skb(pending->skb);
		else if (pending->skb)
			taskacct_queue_deliver(pending);
		else
			taskacct_queue_lose(pending);
	}
	if (unlikely(out->pending != out->few))
		kfree(out->pending);
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
		consume_skb(out->pending[i].skb);
	if (out->pending != out->few)
		kfree(out->pending);
}
