/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages with records: what stands where
 */
#ifndef TASKACCT_MESSAGE_H
#define TASKACCT_MESSAGE_H

#include <linux/gfp.h>
#include <linux/taskstats.h>
#include <linux/types.h>
#include <net/genetlink.h>

#include <linux/taskacct.h>

struct cpumask;
struct genl_family;
struct mm_struct;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct task_struct;
struct taskacct_kept;
struct taskacct_names;
struct taskacct_view;

/*
 * How the exit hook gets memory for what is queued: not from the reserves that a
 * task may use which the OOM killer has chosen, as no socket takes what is there.
 */
#define TASKACCT_GFP_QUEUED (GFP_ATOMIC | __GFP_NOMEMALLOC | __GFP_NOWARN)

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
 * @names: what is known of the names that are wanted; NULL: nothing
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
	const struct taskacct_names *names;
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
	struct taskacct_record *task_record;
	struct taskacct_record *process_record;
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

void taskacct_message_init(const struct genl_family *family);
int taskacct_message_want(u32 *want, const struct nlattr *attr,
			  struct netlink_ext_ack *extack);
bool taskacct_message_put(struct taskacct_message *message, struct sk_buff *skb,
			  const struct taskacct_shape *shape);
struct sk_buff *taskacct_message_memory(const struct taskacct_shape *shape,
					gfp_t gfp);
bool taskacct_message_new(struct taskacct_message *message,
			  const struct taskacct_shape *shape, gfp_t gfp);
bool taskacct_message_new_of(struct taskacct_message *message,
			     struct taskacct_shape *shape,
			     struct task_struct *t, struct mm_struct *mm,
			     const struct taskacct_view *view, gfp_t gfp);
bool taskacct_message_new_kept(struct taskacct_message *message,
			       struct taskacct_shape *shape,
			       struct taskacct_kept *kept,
			       const struct taskacct_view *view, gfp_t gfp);
struct sk_buff *taskacct_message_gap(const struct taskacct_gap *gap);

/**
 * taskacct_message_begin() - begin a message of a dump
 * @skb: the datagram, which has room for it
 * @family: the family
 * @cmd: the message's command
 * @portid: whom it is for
 * @seq: the request's number
 * @flags: NLM_F_*
 *
 * As genlmsg_put(), for fewer instructions: a dump is full of them.
 *
 * Context: any.
 * Return: its header; attributes go behind it, and then nlmsg_end().
 */
static inline struct nlmsghdr *
taskacct_message_begin(struct sk_buff *skb, const struct genl_family *family,
		       u8 cmd, u32 portid, u32 seq, int flags)
{
	struct nlmsghdr *nlh = __skb_put(skb, nlmsg_msg_size(GENL_HDRLEN));

	*nlh = (struct nlmsghdr){
		.nlmsg_type = family->id,
		.nlmsg_flags = flags,
		.nlmsg_seq = seq,
		.nlmsg_pid = portid,
	};
	*(struct genlmsghdr *)nlmsg_data(nlh) = (struct genlmsghdr){
		.cmd = cmd,
		.version = family->version,
	};
	return nlh;
}

#endif /* TASKACCT_MESSAGE_H */
