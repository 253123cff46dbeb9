// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages with records: what stands where
 *
 * First what the kernel's own taskstats has, where it has it, since clients
 * find it by position; behind it what was asked for beyond that.
 */

#include <linux/cpumask.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "task/task.h"

#include "record.h"

/* Its commands are family/netlink.c's, which registers it. */
struct genl_family taskacct_family;

/**
 * taskacct_message_want() - what a request wants
 * @want: set to TASKACCT_WANT_*, 0 if it does not say
 * @attr: TASKACCT_CMD_ATTR_WANT of the request, which has passed a policy, or NULL
 * @extack: says what is wrong
 *
 * Return: 0, or -EINVAL if it wants no kind of records.
 */
int taskacct_message_want(u32 *want, const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	*want = attr ? nla_get_u32(attr) : 0;
	if (!(*want & TASKACCT_WANT_BARE) || (*want & TASKACCT_WANT_RECORD))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "neither kind of records");
	return -EINVAL;
}

static size_t message_strings_size(const struct taskacct_strings *strings)
{
	return nla_total_size(strings->exe_length + 1) +
	       nla_total_size(strings->cgroup_length + 1) +
	       nla_total_size(strings->cmdline_length);
}

/* Payload of a message, at most */
static size_t message_size(const struct taskacct_shape *shape)
{
	const size_t classic = nla_total_size(0) + nla_total_size(sizeof(u32)) +
			       nla_total_size_64bit(sizeof(struct taskstats));
	const size_t record =
		nla_total_size_64bit(sizeof(struct taskacct_full_record));
	size_t records = hweight32(shape->kinds);
	size_t size = 0;

	if (!(shape->want & TASKACCT_WANT_BARE))
		size += records * classic;
	if (shape->want & TASKACCT_WANT_RECORD)
		size += records * record;
	if (shape->want & TASKACCT_WANT_STREAM)
		size += nla_total_size_64bit(sizeof(struct taskacct_stream));
	if (shape->strings)
		size += message_strings_size(shape->strings);
	return size;
}

/* Returns where the record goes, zeroed */
static struct taskstats *put_classic(struct sk_buff *skb, int type, u32 id)
{
	struct nlattr *nest, *stats;

	nest = nla_nest_start_noflag(skb, type == TASKSTATS_TYPE_PID ?
						  TASKSTATS_TYPE_AGGR_PID :
						  TASKSTATS_TYPE_AGGR_TGID);
	if (!nest || nla_put_u32(skb, type, id))
		return NULL;
	stats = nla_reserve_64bit(skb, TASKSTATS_TYPE_STATS,
				  sizeof(struct taskstats),
				  TASKSTATS_TYPE_NULL);
	if (!stats)
		return NULL;
	nla_nest_end(skb, nest);
	return memset(nla_data(stats), 0, sizeof(struct taskstats));
}

static bool put_classics(struct taskacct_message *message,
			 const struct taskacct_shape *shape)
{
	if (shape->kinds & TASKACCT_KIND_TASK) {
		message->task = put_classic(message->skb, TASKSTATS_TYPE_PID,
					    shape->pid);
		if (!message->task)
			return false;
	}
	if (shape->kinds & TASKACCT_KIND_PROCESS) {
		message->process = put_classic(message->skb,
					       TASKSTATS_TYPE_TGID,
					       shape->tgid);
		if (!message->process)
			return false;
	}
	return true;
}

static void *reserve_attr(struct sk_buff *skb, int type, size_t size)
{
	struct nlattr *attr = nla_reserve_64bit(skb, type, size,
						TASKACCT_TYPE_PAD);

	return attr ? nla_data(attr) : NULL;
}

/* An attribute with a record, which is written later, as are the waits behind it */
static struct taskacct_full_record *begin_message_record(struct nlattr *attr)
{
	attr->nla_type = TASKACCT_TYPE_RECORD;
	attr->nla_len = nla_attr_size(sizeof(struct taskacct_record));
	return nla_data(attr);
}

/**
 * taskacct_message_record() - reserve room for a record and its waits
 * @skb: the message
 *
 * Return: where they go, not zeroed; NULL if there is no room.
 */
struct taskacct_full_record *taskacct_message_record(struct sk_buff *skb)
{
	struct nlattr *attr = nla_reserve_64bit(skb, TASKACCT_TYPE_RECORD,
						sizeof(struct taskacct_full_record),
						TASKACCT_TYPE_PAD);

	return attr ? begin_message_record(attr) : NULL;
}

static bool put_records(struct taskacct_message *message,
			const struct taskacct_shape *shape)
{
	if (shape->kinds & TASKACCT_KIND_TASK) {
		message->task_record = taskacct_message_record(message->skb);
		if (!message->task_record)
			return false;
	}
	if (shape->kinds & TASKACCT_KIND_PROCESS) {
		message->process_record = taskacct_message_record(message->skb);
		if (!message->process_record)
			return false;
	}
	return true;
}

static bool put_message_strings(struct sk_buff *skb, const struct taskacct_strings *strings)
{
	return (!strings->exe ||
		!nla_put_string(skb, TASKACCT_TYPE_EXE_PATH, strings->exe)) &&
	       (!strings->cgroup ||
		!nla_put_string(skb, TASKACCT_TYPE_CGROUP_PATH,
				strings->cgroup)) &&
	       (!strings->cmdline ||
		!nla_put(skb, TASKACCT_TYPE_CMDLINE, strings->cmdline_length,
			 strings->cmdline));
}

static bool put_all(struct taskacct_message *message,
		    const struct taskacct_shape *shape)
{
	if (!(shape->want & TASKACCT_WANT_BARE) &&
	    !put_classics(message, shape))
		return false;
	if (likely(!shape->want))
		return true;
	if ((shape->want & TASKACCT_WANT_RECORD) &&
	    !put_records(message, shape))
		return false;
	if (shape->want & TASKACCT_WANT_STREAM) {
		message->stream = reserve_attr(message->skb, TASKACCT_TYPE_STREAM,
					       sizeof(struct taskacct_stream));
		if (!message->stream)
			return false;
	}
	return !shape->strings || put_message_strings(message->skb, shape->strings);
}

/* Nothing but one extended record with its waits, at a place where it needs no padding */
static bool is_bare(const struct sk_buff *skb,
		    const struct taskacct_shape *shape)
{
	const unsigned long start = (unsigned long)skb_tail_pointer(skb);

	return shape->want == (TASKACCT_WANT_RECORD | TASKACCT_WANT_BARE) &&
	       (shape->kinds == TASKACCT_KIND_TASK ||
		shape->kinds == TASKACCT_KIND_PROCESS) &&
	       IS_ALIGNED(start + NLMSG_HDRLEN + GENL_HDRLEN + NLA_HDRLEN, 8);
}

/* A dump is full of these: they are put together in one go. */
static bool put_bare(struct taskacct_message *message,
		     const struct taskacct_shape *shape)
{
	const size_t size = nla_total_size(sizeof(struct taskacct_full_record));
	const unsigned int length = nlmsg_msg_size(GENL_HDRLEN) + size;
	struct taskacct_full_record *record;
	struct nlmsghdr *nlh;

	if (skb_tailroom(message->skb) < length)
		return false;
	nlh = taskacct_message_begin(message->skb, shape->cmd,
				     shape->portid, shape->seq, shape->flags);
	nlh->nlmsg_len = length;
	message->hdr = genlmsg_data(nlmsg_data(nlh));
	record = begin_message_record(__skb_put(message->skb, size));
	if (shape->kinds == TASKACCT_KIND_TASK)
		message->task_record = record;
	else
		message->process_record = record;
	return true;
}

/* Classic records and nothing else, where none needs padding */
static bool is_plain(const struct taskacct_shape *shape)
{
	return nla_total_size_64bit(0) == nla_total_size(0) && !shape->want;
}

/* Returns where the record goes, zeroed */
static struct taskstats *put_plain_one(struct sk_buff *skb, int aggr, int type,
				       u32 id)
{
	const size_t size = sizeof(struct taskstats);
	const size_t ids = nla_total_size(sizeof(u32));
	struct nlattr *attr = __skb_put(skb, nla_total_size(0) + ids +
					     nla_total_size(size));

	attr->nla_type = aggr;
	attr->nla_len = nla_attr_size(ids + nla_total_size(size));
	attr = nla_data(attr);
	attr->nla_type = type;
	attr->nla_len = nla_attr_size(sizeof(u32));
	*(u32 *)nla_data(attr) = id;
	attr = (void *)attr + ids;
	attr->nla_type = TASKSTATS_TYPE_STATS;
	attr->nla_len = nla_attr_size(size);
	return memset(nla_data(attr), 0, size);
}

/* As message_size() */
static size_t size_of_plain(const struct taskacct_shape *shape)
{
	const size_t one = nla_total_size(0) + nla_total_size(sizeof(u32)) +
			   nla_total_size(sizeof(struct taskstats));

	return shape->kinds == (TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS) ?
		       2 * one : one;
}

/* Each exit is reported with one of these: they are put together in one go. */
static bool put_plain(struct taskacct_message *message,
		      const struct taskacct_shape *shape)
{
	struct sk_buff *skb = message->skb;
	struct nlmsghdr *nlh;

	if (skb_tailroom(skb) <
	    NLMSG_HDRLEN + GENL_HDRLEN + size_of_plain(shape))
		return false;
	nlh = taskacct_message_begin(skb, shape->cmd, shape->portid,
				     shape->seq, shape->flags);
	message->hdr = genlmsg_data(nlmsg_data(nlh));
	if (shape->kinds & TASKACCT_KIND_TASK)
		message->task = put_plain_one(skb, TASKSTATS_TYPE_AGGR_PID,
					      TASKSTATS_TYPE_PID, shape->pid);
	if (shape->kinds & TASKACCT_KIND_PROCESS)
		message->process = put_plain_one(skb, TASKSTATS_TYPE_AGGR_TGID,
						 TASKSTATS_TYPE_TGID,
						 shape->tgid);
	nlmsg_end(skb, nlh);
	return true;
}

/**
 * taskacct_message_put() - begin a message behind those in a datagram
 * @message: zeroed; receives where its parts go
 * @skb: the datagram
 * @shape: what it shall have
 *
 * Return: true; false if there is no room, and the datagram is as before.
 */
bool taskacct_message_put(struct taskacct_message *message, struct sk_buff *skb,
			  const struct taskacct_shape *shape)
{
	void *hdr;

	message->skb = skb;
	if (is_plain(shape))
		return put_plain(message, shape);
	if (is_bare(skb, shape))
		return put_bare(message, shape);
	hdr = genlmsg_put(skb, shape->portid, shape->seq, &taskacct_family,
			  shape->flags, shape->cmd);
	if (!hdr)
		return false;
	if (!put_all(message, shape)) {
		genlmsg_cancel(skb, hdr);
		return false;
	}
	message->hdr = hdr;
	genlmsg_end(skb, hdr);
	return true;
}

/**
 * taskacct_message_memory() - get memory for a message
 * @shape: what it shall have
 * @gfp: how to get memory
 *
 * Context: any; sleeps if @gfp lets it.
 * Return: a datagram with so much room, or NULL if there is no memory.
 */
struct sk_buff *taskacct_message_memory(const struct taskacct_shape *shape,
					gfp_t gfp)
{
	/* No larger than needed: the listener's buffer is charged for it. */
	return genlmsg_new(message_size(shape), gfp | __GFP_NOWARN);
}

/* Consumes the datagram if it fails */
static bool new_in(struct taskacct_message *message, struct sk_buff *skb,
		   const struct taskacct_shape *shape)
{
	if (!skb)
		return false;
	if (WARN_ON_ONCE(!taskacct_message_put(message, skb, shape))) {
		nlmsg_free(skb);
		return false;
	}
	return true;
}

/* In a datagram of its own; returns false if there is no memory */
static bool new_message(struct taskacct_message *message,
			const struct taskacct_shape *shape, gfp_t gfp)
{
	return new_in(message, taskacct_message_memory(shape, gfp), shape);
}

/* Lets go of the names */
static bool new_with_strings(struct taskacct_message *message,
			     struct taskacct_shape *shape,
			     struct taskacct_strings *strings, gfp_t gfp)
{
	bool made;

	shape->strings = strings;
	made = new_message(message, shape, gfp);
	shape->strings = NULL;
	taskacct_strings_put(strings);
	return made;
}

/**
 * taskacct_message_new_of() - begin a message, with the names that it shall have
 * @message: zeroed; receives the datagram and where the message's parts go
 * @shape: what it shall have, without names
 * @t: the task that names are of
 * @mm: its address space, kept by the caller, or NULL
 * @view: whose names
 * @gfp: how to get memory
 *
 * Context: as for taskacct_strings_get().
 * Return: true, or false if there is no memory.
 */
bool taskacct_message_new_of(struct taskacct_message *message,
			     struct taskacct_shape *shape,
			     struct task_struct *t, struct mm_struct *mm,
			     const struct taskacct_view *view, gfp_t gfp)
{
	struct taskacct_strings strings;

	if (!(shape->want & TASKACCT_WANT_STRINGS))
		return new_message(message, shape, gfp);
	taskacct_strings_get(&strings, shape->want, t, mm, view, gfp);
	return new_with_strings(message, shape, &strings, gfp);
}

/* Not inlined: its stack is large. */
static noinline bool new_with_kept(struct taskacct_message *message,
				   struct taskacct_shape *shape,
				   const struct taskacct_kept *kept,
				   const struct taskacct_view *view, gfp_t gfp)
{
	struct taskacct_strings strings;

	taskacct_kept_strings(&strings, shape->want, kept, view, gfp);
	return new_with_strings(message, shape, &strings, gfp);
}

/**
 * taskacct_message_new_kept() - begin a message of the running task at its end
 * @message: as for taskacct_message_new_of()
 * @shape: likewise
 * @kept: what was kept of the task at its exit, or NULL
 * @view: likewise
 * @gfp: likewise; does not let it sleep
 *
 * Context: the hook at its end, for current.
 * Return: true, or false if there is no memory.
 */
bool taskacct_message_new_kept(struct taskacct_message *message,
			       struct taskacct_shape *shape,
			       struct taskacct_kept *kept,
			       const struct taskacct_view *view, gfp_t gfp)
{
	if (shape->want & TASKACCT_WANT_STRINGS)
		return new_with_kept(message, shape, kept, view, gfp);
	/* What was kept may be too small: it is for the first listener, and a task. */
	if (likely(kept && kept->skb) &&
	    likely(taskacct_message_put(message, kept->skb, shape))) {
		kept->skb = NULL;
		return true;
	}
	return new_message(message, shape, gfp);
}

static bool put_gap(struct sk_buff *skb, const struct taskacct_gap *gap,
		    const char *mask)
{
	const int pad = TASKACCT_GAP_ATTR_PAD;

	return !nla_put_u64_64bit(skb, TASKACCT_GAP_ATTR_QUEUE, gap->queue,
				  pad) &&
	       !nla_put_u64_64bit(skb, TASKACCT_GAP_ATTR_MEMORY, gap->memory,
				  pad) &&
	       !nla_put_string(skb, TASKACCT_GAP_ATTR_CPUMASK, mask) &&
	       !nla_put_u64_64bit(skb, TASKACCT_GAP_ATTR_SINCE, gap->since,
				  pad) &&
	       !nla_put_64bit(skb, TASKACCT_GAP_ATTR_STREAM,
			      sizeof(gap->stream), &gap->stream, pad);
}

/**
 * taskacct_message_gap() - make a message that tells what was lost
 * @gap: what was lost
 *
 * Context: any; does not sleep.
 * Return: the datagram, or NULL if there is no memory.
 */
struct sk_buff *taskacct_message_gap(const struct taskacct_gap *gap)
{
	const size_t size = 3 * nla_total_size_64bit(sizeof(u64)) +
			    nla_total_size_64bit(sizeof(gap->stream));
	struct sk_buff *skb = NULL;
	char *mask;
	void *hdr;

	mask = kasprintf(GFP_ATOMIC | __GFP_NOWARN, "%*pbl",
			 cpumask_pr_args(gap->mask));
	if (!mask)
		return NULL;
	skb = genlmsg_new(size + nla_total_size(strlen(mask) + 1),
			  TASKACCT_GFP_QUEUED);
	if (!skb)
		goto out;
	hdr = genlmsg_put(skb, 0, 0, &taskacct_family, 0, TASKACCT_CMD_GAP);
	if (WARN_ON_ONCE(!hdr || !put_gap(skb, gap, mask))) {
		nlmsg_free(skb);
		skb = NULL;
		goto out;
	}
	genlmsg_end(skb, hdr);
out:
	kfree(mask);
	return skb;
}
