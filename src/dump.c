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
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "dump.h"
#include "message.h"
#include "names.h"
#include "query.h"
#include "record.h"
#include "stat.h"

/**
 * taskacct_dump_new() - begin a dump for current's namespaces
 *
 * Context: the request's task, may sleep.
 * Return: the dump, for taskacct_dump_free(), or NULL if there is no memory.
 */
struct taskacct_dump *taskacct_dump_new(void)
{
	struct taskacct_dump *dump = kzalloc(sizeof(*dump), GFP_KERNEL);

	if (!dump)
		return NULL;
	/* Later parts may be read by a task that is in others. */
	dump->view = taskacct_query_view();
	get_pid_ns(dump->view.pid_ns);
	get_user_ns(dump->view.user_ns);
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
	put_pid_ns(dump->view.pid_ns);
	put_user_ns(dump->view.user_ns);
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

/* Nothing of the next id is told yet. */
static void forget(struct taskacct_dump *dump)
{
	dump->told = 0;
	dump->meant = 0;
}

/*
 * Moves on to the next id that is in use; false: there is none. The task that
 * it is the id of is referenced in @t, NULL if there is none.
 */
static bool find_next(struct taskacct_dump *dump, struct task_struct **t)
{
	int id = dump->next;
	struct pid *pid;

	*t = NULL;
	rcu_read_lock();
	pid = idr_get_next(&dump->view.pid_ns->idr, &id);
	if (pid)
		*t = pid_task(pid, PIDTYPE_PID);
	if (*t)
		get_task_struct(*t);
	rcu_read_unlock();
	if (id != dump->next)
		forget(dump);
	dump->next = id;
	return pid;
}

static bool is_meant(struct taskacct_dump *dump,
		     const struct taskacct_answer *answer)
{
	const struct taskacct_values *values = &answer->total.values;
	const bool ended = READ_ONCE(answer->task->exit_state);
	struct taskacct_subject subject = {
		.task = answer->task,
		.cpu_time = values->usage.utime + values->usage.stime,
	};
	bool meant;

	if (answer->kind == TASKACCT_KIND_PROCESS &&
	    taskacct_record_ended(answer->task, &answer->total))
		subject.exit_code = taskacct_fill_exit_code(answer->task);
	else if (answer->kind == TASKACCT_KIND_TASK && ended)
		subject.exit_code = READ_ONCE(answer->task->exit_code);
	rcu_read_lock();
	meant = taskacct_filter_meets(&dump->filter, &dump->met, &dump->view,
				      &subject);
	rcu_read_unlock();
	return meant;
}

static int put_answer(const struct taskacct_dump *dump, struct sk_buff *skb,
		      struct netlink_callback *cb,
		      const struct taskacct_answer *answer)
{
	struct taskacct_shape shape = {
		.portid = NETLINK_CB(cb->skb).portid,
		.seq = cb->nlh->nlmsg_seq,
		.flags = NLM_F_MULTI,
		.want = dump->want,
		.kinds = answer->kind,
		.pid = answer->id,
		.tgid = answer->id,
	};
	struct taskacct_message message;
	struct taskacct_names names;
	bool fits;

	if (dump->want & TASKACCT_WANT_NAMES) {
		taskacct_names_get(&names, dump->want, answer->task,
				   answer->mm, GFP_KERNEL);
		shape.names = &names;
	}
	fits = taskacct_message_put(&message, skb, &shape);
	if (!fits && !skb->len && shape.names) {
		/* Too long for any datagram that the asker can read */
		shape.names = NULL;
		fits = taskacct_message_put(&message, skb, &shape);
	}
	if (dump->want & TASKACCT_WANT_NAMES)
		taskacct_names_put(&names);
	if (!fits)
		return -EMSGSIZE;
	taskacct_query_fill(answer, &message, &dump->view);
	genl_dump_check_consistent(cb, message.hdr);
	taskacct_stat_inc(TASKACCT_STAT_QUERIES);
	return 0;
}

/* An answer, if it is meant; consumed */
static int tell(struct taskacct_dump *dump, struct taskacct_answer *answer,
		struct sk_buff *skb, struct netlink_callback *cb)
{
	int err = 0;

	/* Once: what did not fit comes again, but counts as one. */
	if ((dump->meant & answer->kind) || is_meant(dump, answer)) {
		dump->meant |= answer->kind;
		err = put_answer(dump, skb, cb, answer);
	}
	if (!err)
		dump->told |= answer->kind;
	taskacct_query_done(answer);
	return err;
}

/* Consumes the reference to the task. */
static int tell_task(struct taskacct_dump *dump, struct task_struct *t,
		     struct sk_buff *skb, struct netlink_callback *cb)
{
	struct taskacct_answer answer;

	if (taskacct_query_found_task(&answer, dump->next, t))
		return 0;
	return tell(dump, &answer, skb, cb);
}

/* There may be none of this id. */
static int tell_process(struct taskacct_dump *dump, struct sk_buff *skb,
			struct netlink_callback *cb)
{
	struct taskacct_answer answer;

	if (taskacct_query_process(&answer, dump->next, &dump->view))
		return 0;
	return tell(dump, &answer, skb, cb);
}

/* What is still to be told of the next id; consumes the reference to its task */
static int tell_next(struct taskacct_dump *dump, struct task_struct *t,
		     struct sk_buff *skb, struct netlink_callback *cb)
{
	u32 kinds = dump->filter.kinds ?: TASKACCT_KIND_TASK;
	int err = 0;

	kinds &= ~dump->told;
	if (kinds & TASKACCT_KIND_TASK)
		err = tell_task(dump, t, skb, cb);
	else if (t)
		put_task_struct(t);
	if (!err && (kinds & TASKACCT_KIND_PROCESS))
		err = tell_process(dump, skb, cb);
	return err;
}

/**
 * taskacct_dump_some() - write as many answers as there is room for
 * @dump: the dump
 * @skb: the datagram
 * @cb: the request's
 *
 * Context: task context, may sleep.
 * Return: length of the datagram, 0 when all has been told, or -EMSGSIZE if
 *	not even one answer fits.
 */
int taskacct_dump_some(struct taskacct_dump *dump, struct sk_buff *skb,
		       struct netlink_callback *cb)
{
	struct task_struct *t;
	int err;

	cb->seq = state_of(dump->view.pid_ns);
	while (find_next(dump, &t)) {
		err = tell_next(dump, t, skb, cb);
		if (err)
			return skb->len ?: err;
		dump->next++;
		forget(dump);
		cond_resched();
	}
	return skb->len;
}
