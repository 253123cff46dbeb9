/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is reported of a task, and the messages that it stands in: what other directories may use
 */
#ifndef TASKACCT_RECORD_H
#define TASKACCT_RECORD_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/taskstats.h>
#include <linux/types.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

#include "task/task.h"

struct cpumask;
struct mm_struct;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct task_struct;
struct taskacct_kept;
struct taskacct_memory;
struct taskacct_strings;
struct taskacct_total;
struct taskacct_values;
struct taskacct_view;
struct taskstats;

/* stats.c: struct taskstats */

void taskacct_fill_identity(struct taskstats *stats, struct task_struct *t,
			    const struct taskacct_view *view,
			    const struct taskacct_values *values);
void taskacct_fill_values(struct taskstats *stats,
			  const struct taskacct_values *values);
void taskacct_fill_process(struct taskstats *stats,
			   const struct task_struct *leader);
void taskacct_fill_task(struct taskstats *stats,
			const struct taskacct_values *values,
			const struct taskacct_view *view, bool last);
void taskacct_fill_last(struct taskstats *stats, struct task_struct *leader,
			const struct taskacct_values *values,
			const struct taskacct_view *view);

/* record.c: the extended record */

/**
 * struct taskacct_record_wait - waits of one kind, as a message has them
 * @before: of the first kind the attribute that all are in; of others padding, so that
 *	values are aligned wherever the record is
 * @attr: the kind's own attribute
 * @wait: its value
 */
struct taskacct_record_wait {
	struct nlattr before;
	struct nlattr attr;
	struct taskacct_wait wait;
};

/**
 * struct taskacct_full_record - a record and its waits, as a message has them
 * @record: the value of an attribute RECORD
 * @waits: the attribute WAITS that follows it
 */
struct taskacct_full_record {
	struct taskacct_record record;
	struct taskacct_record_wait waits[TASKACCT_WAITS];
};

u64 taskacct_record_absent(void);
bool taskacct_record_ended(struct task_struct *leader,
			   const struct taskacct_total *total);
void taskacct_record_fill_waits(struct taskacct_record_wait *waits,
				const struct taskacct_values *values);
void taskacct_record_fill_task(struct taskacct_record *record,
			       struct task_struct *t,
			       const struct taskacct_values *values,
			       const struct taskacct_memory *memory,
			       const struct taskacct_view *view, bool ended);
void taskacct_record_fill_process(struct taskacct_record *record,
				  struct task_struct *leader,
				  const struct taskacct_total *total,
				  const struct taskacct_memory *memory,
				  const struct taskacct_view *view);
void taskacct_record_fill_cgroup(struct taskacct_full_record *full, u64 id,
				 const struct taskacct_values *values);

/* message.c: what stands where in a message */

/**
 * struct taskacct_shape - what a message shall have
 * @portid: of the socket that it goes to, or 0
 * @seq: its number
 * @flags: as in nlmsg_flags
 * @cmd: its command
 * @want: TASKACCT_WANT_*
 * @kinds: TASKACCT_KIND_*, the records that it shall have
 * @pid: of the task
 * @tgid: of the process
 * @strings: what is known of the names that are wanted; NULL: nothing
 */
struct taskacct_shape {
	u32 portid;
	u32 seq;
	int flags;
	u8 cmd;
	u32 want;
	u32 kinds;
	u32 pid;
	u32 tgid;
	const struct taskacct_strings *strings;
};

/**
 * struct taskacct_message - a message in the making, and where its parts go
 * @skb: where it is
 * @hdr: its generic netlink header's payload
 * @task: the classic record of the task, zeroed, or NULL
 * @process: that of the process, likewise
 * @task_record: the extended record of the task, not zeroed, or NULL
 * @process_record: that of the process, likewise
 * @stream: how the listener fared, not zeroed, or NULL
 */
struct taskacct_message {
	struct sk_buff *skb;
	void *hdr;
	struct taskstats *task;
	struct taskstats *process;
	struct taskacct_full_record *task_record;
	struct taskacct_full_record *process_record;
	struct taskacct_stream *stream;
};

/**
 * struct taskacct_gap - messages that were lost to a listener
 * @queue: how many for want of room in its queue
 * @memory: how many for want of memory
 * @since: time of the first, in ns since boot
 * @mask: CPUs that they came from
 * @stream: how the listener fared up to now
 */
struct taskacct_gap {
	u64 queue;
	u64 memory;
	u64 since;
	const struct cpumask *mask;
	struct taskacct_stream stream;
};

/* The family that messages are of */
extern struct genl_family taskacct_family;

int taskacct_message_want(u32 *want, const struct nlattr *attr,
			  struct netlink_ext_ack *extack);
bool taskacct_message_put(struct taskacct_message *message, struct sk_buff *skb,
			  const struct taskacct_shape *shape);
struct sk_buff *taskacct_message_memory(const struct taskacct_shape *shape,
					gfp_t gfp);
bool taskacct_message_new_of(struct taskacct_message *message,
			     struct taskacct_shape *shape,
			     struct task_struct *t, struct mm_struct *mm,
			     const struct taskacct_view *view, gfp_t gfp);
bool taskacct_message_new_kept(struct taskacct_message *message,
			       struct taskacct_shape *shape,
			       struct taskacct_kept *kept,
			       const struct taskacct_view *view, gfp_t gfp);
struct taskacct_full_record *taskacct_message_record(struct sk_buff *skb);
struct sk_buff *taskacct_message_gap(const struct taskacct_gap *gap);

/**
 * taskacct_message_begin() - begin a message of a dump
 * @skb: the datagram, which has room for it
 * @cmd: the message's command
 * @portid: whom it is for
 * @seq: the request's number
 * @flags: NLM_F_*
 *
 * As genlmsg_put(), for fewer instructions: a dump is full of them.
 *
 * Return: its header; attributes go behind it, and then nlmsg_end().
 */
static inline struct nlmsghdr *
taskacct_message_begin(struct sk_buff *skb, u8 cmd, u32 portid, u32 seq,
		       int flags)
{
	struct nlmsghdr *nlh = __skb_put(skb, nlmsg_msg_size(GENL_HDRLEN));

	*nlh = (struct nlmsghdr){
		.nlmsg_type = taskacct_family.id,
		.nlmsg_flags = flags,
		.nlmsg_seq = seq,
		.nlmsg_pid = portid,
	};
	*(struct genlmsghdr *)nlmsg_data(nlh) = (struct genlmsghdr){
		.cmd = cmd,
		.version = taskacct_family.version,
	};
	return nlh;
}

/* filter.c: which tasks a listener or a dump is about */

/**
 * struct taskacct_filter - which tasks are meant
 * @has: conditions that there are, a bit for each TASKACCT_FILTER_ATTR_*
 * @kinds: records that are meant, TASKACCT_KIND_*; 0: as the kernel has them
 * @uid_min: lowest real user id, in the view
 * @uid_max: highest real user id, in the view
 * @cgroup: id of the cgroup
 * @cgroup_level: how far it is from the root
 * @one_in: how many make one
 * @min_lifetime: shortest lifetime, in ns
 * @min_cpu_time: shortest CPU time, in ns
 */
struct taskacct_filter {
	u32 has;
	u32 kinds;
	u32 uid_min;
	u32 uid_max;
	u64 cgroup;
	int cgroup_level;
	u32 one_in;
	u64 min_lifetime;
	u64 min_cpu_time;
};

/**
 * struct taskacct_subject - what a filter looks at
 * @task: the task; of a process, its leader
 * @cpu_time: what it used, in ns
 * @until: to when it has lived, in ns of CLOCK_BOOTTIME; 0: to now
 * @exit_code: as wait() has it; 0 while it is alive
 */
struct taskacct_subject {
	struct task_struct *task;
	u64 cpu_time;
	u64 until;
	u32 exit_code;
};

extern const struct nla_policy
	taskacct_filter_policy[TASKACCT_FILTER_ATTR_MAX + 1];

int taskacct_filter_parse(struct taskacct_filter *filter,
			  const struct taskacct_view *view,
			  const struct nlattr *nest,
			  struct netlink_ext_ack *extack);
bool taskacct_filter_put(struct sk_buff *skb, int type,
			 const struct taskacct_filter *filter);

/**
 * taskacct_filter_is_open() - whether a filter lets all through
 * @filter: the filter; its kinds are the caller's to look at
 *
 * Return: true if it has no condition.
 */
static inline bool taskacct_filter_is_open(const struct taskacct_filter *filter)
{
	return !(filter->has & ~BIT(TASKACCT_FILTER_ATTR_KINDS));
}

/**
 * taskacct_filter_excludes() - whether the exiting task fails a condition that is
 *	quickly looked at
 * @filter: the filter, of somebody in the initial user namespace
 *
 * Context: the exit hook, for current.
 * Return: true if it does; false says nothing.
 */
static inline bool taskacct_filter_excludes(const struct taskacct_filter *filter)
{
	const struct task_struct *t = current;
	uid_t uid;

	if ((filter->has & BIT(TASKACCT_FILTER_ATTR_FAILED)) &&
	    !READ_ONCE(t->exit_code))
		return true;
	uid = __kuid_val(current_real_cred()->uid);
	return uid < filter->uid_min || uid > filter->uid_max ||
	       READ_ONCE(t->utime) + READ_ONCE(t->stime) < filter->min_cpu_time;
}

bool taskacct_filter_may_meet(const struct taskacct_filter *filter,
			      const struct taskacct_view *view,
			      const struct taskacct_subject *subject);
bool taskacct_filter_meets(const struct taskacct_filter *filter,
			   atomic_t *met, const struct taskacct_view *view,
			   const struct taskacct_subject *subject);

#endif /* TASKACCT_RECORD_H */
