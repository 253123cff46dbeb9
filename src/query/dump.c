// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers for all tasks, or for all processes
 *
 * A dump goes by ids, from the smallest to the largest: every task that is
 * there from its beginning to its end is in it once. Where tasks came or went
 * meanwhile its messages say so, with NLM_F_DUMP_INTR.
 */

#include <linux/hash.h>
#include <linux/idr.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "base/base.h"
#include "record/record.h"
#include "task/task.h"

#include "answer.h"
#include "query.h"

/**
 * taskacct_dump_new() - begin a dump
 * @access: which tasks the asker may see
 *
 * Context: the request's task, may sleep.
 * Return: the dump, for taskacct_dump_free(), or NULL if there is no memory.
 */
struct taskacct_dump *taskacct_dump_new(const struct taskacct_access *access)
{
	struct taskacct_dump *dump = kzalloc(sizeof(*dump),
					     GFP_KERNEL_ACCOUNT);

	if (!dump)
		return NULL;
	/* Later parts may be read by a task that has another. */
	dump->access = *access;
	taskacct_access_hold(&dump->access);
	dump->next = 1;
	return dump;
}

/**
 * taskacct_dump_free() - end a dump
 * @dump: the dump
 *
 * Context: task context, may sleep.
 */
void taskacct_dump_free(struct taskacct_dump *dump)
{
	taskacct_access_drop(&dump->access);
	kfree(dump);
}

/*
 * Other tasks have come or gone if this has changed. The factor keeps those
 * that came from making up for those that went. Never 0, which is for none.
 */
static unsigned int state_of(struct pid_namespace *ns)
{
	return (idr_get_cursor(&ns->idr) * GOLDEN_RATIO_32 +
		READ_ONCE(ns->pid_allocated)) ?: 1;
}

/* Nothing of the next id is reported yet. */
static void forget_answer(struct taskacct_dump *dump)
{
	dump->reported = 0;
	dump->meant = 0;
}

/* How many like the last there is room for, but at least one */
static unsigned int room_for(const struct taskacct_dump *dump,
			     const struct sk_buff *skb)
{
	if (!dump->length)
		return TASKACCT_TASKS_AHEAD;
	return clamp_t(unsigned int, skb_tailroom(skb) / dump->length, 1,
		       TASKACCT_TASKS_AHEAD);
}

/* Whether another like the last fits: who is looked at and does not is looked at again. */
static bool skb_has_room(const struct taskacct_dump *dump, const struct sk_buff *skb)
{
	return !skb->len || skb_tailroom(skb) >= dump->length;
}

/* Finds tasks from the next id on, referenced. *next: where to look for more, or 0 */
static unsigned int find_next(const struct taskacct_dump *dump,
			      struct taskacct_task_found *found,
			      unsigned int max, int *next)
{
	struct taskacct_tasks tasks = {
		.ns = dump->access.view.pid_ns,
		.type = PIDTYPE_PID,
		.next = dump->next,
		.left = TASKACCT_TASKS_SECTION,
	};
	unsigned int i, n;

	rcu_read_lock();
	n = taskacct_tasks_find(&tasks, found, max);
	for (i = 0; i < n; i++)
		get_task_struct(found[i].task);
	rcu_read_unlock();
	*next = tasks.next;
	return n;
}

static noinline bool meets_filter(struct taskacct_dump *dump)
{
	const struct taskacct_answer *answer = &dump->answer;
	const struct taskacct_values *values = &answer->total.values;
	const bool ended = READ_ONCE(answer->task->exit_state);
	struct taskacct_subject subject = {
		.task = answer->task,
		.cpu_time = values->usage.utime + values->usage.stime,
		.until = values->until.boot,
	};
	bool meant;

	if (answer->kind == TASKACCT_KIND_PROCESS &&
	    taskacct_record_ended(answer->task, &answer->total))
		subject.exit_code = taskacct_fill_exit_code(answer->task);
	else if (answer->kind == TASKACCT_KIND_TASK && ended)
		subject.exit_code = READ_ONCE(answer->task->exit_code);
	rcu_read_lock();
	meant = taskacct_filter_meets(&dump->filter, &dump->met,
				      &dump->access.view, &subject);
	rcu_read_unlock();
	return meant;
}

/* Without them where they are too long for any datagram */
static noinline bool put_with_strings(struct taskacct_dump *dump, struct sk_buff *skb)
{
	const struct taskacct_answer *answer = &dump->answer;
	struct taskacct_shape *shape = &dump->shape;
	struct taskacct_strings strings;
	bool fits;

	taskacct_strings_get(&strings, shape->want, answer->task, answer->mm,
			     &dump->access.view, GFP_KERNEL);
	shape->strings = &strings;
	fits = taskacct_message_put(&dump->message, skb, shape);
	shape->strings = NULL;
	if (!fits && !skb->len)
		fits = taskacct_message_put(&dump->message, skb, shape);
	taskacct_strings_put(&strings);
	return fits;
}

static int put_dump_answer(struct taskacct_dump *dump, struct sk_buff *skb,
			   struct netlink_callback *cb)
{
	const struct taskacct_answer *answer = &dump->answer;
	struct taskacct_message *message = &dump->message;
	struct taskacct_shape *shape = &dump->shape;
	const unsigned int length = skb->len;
	bool fits;

	shape->kinds = answer->kind;
	shape->pid = answer->id;
	shape->tgid = answer->id;
	fits = shape->want & TASKACCT_WANT_STRINGS ?
		       put_with_strings(dump, skb) :
		       taskacct_message_put(message, skb, shape);
	if (!fits)
		return -EMSGSIZE;
	dump->length = skb->len - length;
	taskacct_query_fill(answer, message, &dump->access.view);
	genl_dump_check_consistent(cb, message->hdr);
	return 0;
}

/* Once: what did not fit comes again, but counts as one. */
static bool is_meant(struct taskacct_dump *dump)
{
	return taskacct_filter_is_open(&dump->filter) ||
	       (dump->meant & dump->answer.kind) || meets_filter(dump);
}

/* The answer that was found, if it is meant */
static int put_next(struct taskacct_dump *dump, struct sk_buff *skb,
		    struct netlink_callback *cb)
{
	const u32 kind = dump->answer.kind;
	int err = 0;

	if (is_meant(dump)) {
		dump->meant |= kind;
		err = put_dump_answer(dump, skb, cb);
	}
	if (!err)
		dump->reported |= kind;
	taskacct_query_done(&dump->answer);
	return err;
}

/*
 * Who is out of access, or gone, does not belong to the dump; one that could not
 * be looked into, or for want of memory, does: the next message says that the
 * dump is not whole.
 */
static void leave_out(struct netlink_callback *cb, int err)
{
	if (err == -EBUSY || err == -ENOMEM)
		cb->prev_seq = ~cb->seq ?: 1;
}

/* Consumes the reference to the task. */
static int tell_task(struct taskacct_dump *dump, struct task_struct *t,
		     struct sk_buff *skb, struct netlink_callback *cb)
{
	int err;

	dump->answer.extended = dump->shape.want & TASKACCT_WANT_RECORD;
	err = taskacct_query_found_task(&dump->answer, dump->next, t,
					&dump->access, &dump->now);
	if (!err)
		return put_next(dump, skb, cb);
	leave_out(cb, err);
	return 0;
}

/* There may be none of this id, or it is out of access. */
static int tell_process(struct taskacct_dump *dump, struct sk_buff *skb,
			struct netlink_callback *cb)
{
	int err;

	dump->answer = (struct taskacct_answer){
		.extended = dump->shape.want & TASKACCT_WANT_RECORD,
	};
	err = taskacct_query_process(&dump->answer, dump->next, &dump->access);
	if (!err)
		return put_next(dump, skb, cb);
	leave_out(cb, err);
	return 0;
}

/* What is still to be reported of an id; consumes the reference to its task */
static int tell_next(struct taskacct_dump *dump, const struct taskacct_task_found *found,
		     struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 kinds = dump->filter.kinds ?: TASKACCT_KIND_TASK;
	int err = 0;

	if (dump->next != found->id) {
		dump->next = found->id;
		forget_answer(dump);
	}
	kinds &= ~dump->reported;
	if (kinds & TASKACCT_KIND_TASK)
		err = tell_task(dump, found->task, skb, cb);
	else
		put_task_struct(found->task);
	if (!err && (kinds & TASKACCT_KIND_PROCESS))
		err = tell_process(dump, skb, cb);
	if (err)
		return err;
	dump->next++;
	forget_answer(dump);
	return 0;
}

/* The socket that asks, and what it asks, stay as they are while the dump lasts. */
static void begin_datagram(struct taskacct_dump *dump, struct netlink_callback *cb)
{
	dump->shape.portid = NETLINK_CB(cb->skb).portid;
	dump->shape.seq = cb->nlh->nlmsg_seq;
	dump->shape.flags = NLM_F_MULTI;
	dump->shape.cmd = TASKACCT_CMD_TASK_GET;
	cb->seq = state_of(dump->access.view.pid_ns);
	taskacct_access_go_on(&dump->access);
	taskacct_runtime_forget();
}

/**
 * taskacct_dump_some() - write as many answers as there is room for
 * @dump: the dump
 * @skb: the datagram
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: length of the datagram, 0 when all has been reported, -EMSGSIZE if not
 *	even one answer fits, or -EINTR if the asker is killed.
 */
int taskacct_dump_some(struct taskacct_dump *dump, struct sk_buff *skb,
		       struct netlink_callback *cb)
{
	struct taskacct_task_found found[TASKACCT_TASKS_AHEAD];
	unsigned int i, n;
	int next, err = 0;

	begin_datagram(dump, cb);
	do {
		n = find_next(dump, found, room_for(dump, skb), &next);
		taskacct_fill_now(&dump->now);
		for (i = 0; i < n; i++) {
			if (err)
				put_task_struct(found[i].task);
			else
				err = tell_next(dump, &found[i], skb, cb);
		}
		if (next && !err) {
			dump->next = next;
			forget_answer(dump);
		}
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
	} while (next && !err && skb_has_room(dump, skb));
	return skb->len ?: err;
}
