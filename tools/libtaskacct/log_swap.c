// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages from a machine of the other byte order, turned into this one's
 *
 * Only what is read of a log is turned: the controller's answer about a family,
 * records and gaps. Where lengths do not fit, the rest is left as it is: the
 * message is damaged, and is found to be so by who decodes it.
 */
#include <string.h>

#include <linux/cgroupstats.h>
#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>

#include "fields.h"
#include "log_swap.h"

/* An array of numbers of 64 bits, as structs of waits and streams are */
static void swap_u64s(void *data, size_t length)
{
	size_t at;

	for (at = 0; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t))
		ta_swap((uint8_t *)data + at, sizeof(uint64_t));
}

static void swap_number(void *data, size_t length)
{
	if (length <= sizeof(uint64_t))
		ta_swap(data, length);
}

/* Times of 16 bytes are two numbers; in version 15 all is elsewhere. */
static void swap_stats(void *data, size_t length)
{
	const struct field_place *place;
	unsigned int version;
	uint16_t first;
	int offset, f;
	bool is15;

	if (length < sizeof(first))
		return;
	ta_swap(data, sizeof(first));
	memcpy(&first, data, sizeof(first));
	version = first;
	is15 = ta_layout_of_15(version, length);
	for (f = TASKACCT_F_VERSION + 1; f < TASKACCT_FIELDS; f++) {
		place = &taskacct_field_offsets[f];
		offset = is15 ? place->offset15 : place->offset;
		if (offset < 0 || (size_t)offset + place->size > length ||
		    place->info.unit == TASKACCT_UNIT_TEXT)
			continue;
		if (place->size == 2 * sizeof(uint64_t))
			swap_u64s((uint8_t *)data + offset, place->size);
		else
			ta_swap((uint8_t *)data + offset, place->size);
	}
}

/* Turns an attribute's value, by its type */
typedef void (*swap_fn)(int type, void *data, size_t length);

/* Attributes, one behind the other; each has its length before its type. */
static void swap_attrs(void *data, size_t length, swap_fn swap)
{
	uint8_t *at = data;
	struct nlattr attr;
	size_t size;

	while (length >= sizeof(attr)) {
		ta_swap(at, sizeof(attr.nla_len));
		ta_swap(at + sizeof(attr.nla_len), sizeof(attr.nla_type));
		memcpy(&attr, at, sizeof(attr));
		if (attr.nla_len < sizeof(attr) || attr.nla_len > length)
			return;
		swap(attr.nla_type & NLA_TYPE_MASK, at + sizeof(attr),
		     attr.nla_len - sizeof(attr));
		size = NLA_ALIGN(attr.nla_len);
		if (size > length)
			return;
		at += size;
		length -= size;
	}
}

static void swap_classic(int type, void *data, size_t length)
{
	switch (type) {
	case TASKSTATS_TYPE_PID:
	case TASKSTATS_TYPE_TGID:
		swap_number(data, length);
		break;
	case TASKSTATS_TYPE_STATS:
		swap_stats(data, length);
		break;
	}
}

static void swap_wait(int type, void *data, size_t length)
{
	if (type >= TASKACCT_WAITS_ATTR_CPU)
		swap_u64s(data, length);
}

/* Of answers and exits; texts stay. */
static void swap_answer(int type, void *data, size_t length)
{
	switch (type) {
	case TASKSTATS_TYPE_AGGR_PID:
	case TASKSTATS_TYPE_AGGR_TGID:
		swap_attrs(data, length, swap_classic);
		break;
	case TASKACCT_TYPE_RECORD:
		ta_record_swap(data, length);
		break;
	case TASKACCT_TYPE_WAITS:
		swap_attrs(data, length, swap_wait);
		break;
	case TASKACCT_TYPE_STREAM:
	case TASKACCT_TYPE_CGROUP_STATS:
		swap_u64s(data, length);
		break;
	}
}

static void swap_gap(int type, void *data, size_t length)
{
	switch (type) {
	case TASKACCT_GAP_ATTR_QUEUE:
	case TASKACCT_GAP_ATTR_MEMORY:
	case TASKACCT_GAP_ATTR_SINCE:
	case TASKACCT_GAP_ATTR_STREAM:
		swap_u64s(data, length);
		break;
	}
}

static void swap_op(int type, void *data, size_t length)
{
	if (type == CTRL_ATTR_OP_ID || type == CTRL_ATTR_OP_FLAGS)
		swap_number(data, length);
}

/* Operations are in nests that are numbered. */
static void swap_ops(int type, void *data, size_t length)
{
	(void)type;
	swap_attrs(data, length, swap_op);
}

static void swap_family(int type, void *data, size_t length)
{
	switch (type) {
	case CTRL_ATTR_FAMILY_ID:
	case CTRL_ATTR_VERSION:
	case CTRL_ATTR_HDRSIZE:
	case CTRL_ATTR_MAXATTR:
		swap_number(data, length);
		break;
	case CTRL_ATTR_OPS:
		swap_attrs(data, length, swap_ops);
		break;
	}
}

static void swap_header(struct nlmsghdr *nlh)
{
	ta_swap(&nlh->nlmsg_len, sizeof(nlh->nlmsg_len));
	ta_swap(&nlh->nlmsg_type, sizeof(nlh->nlmsg_type));
	ta_swap(&nlh->nlmsg_flags, sizeof(nlh->nlmsg_flags));
	ta_swap(&nlh->nlmsg_seq, sizeof(nlh->nlmsg_seq));
	ta_swap(&nlh->nlmsg_pid, sizeof(nlh->nlmsg_pid));
}

void ta_swap_message(struct nlmsghdr *nlh, size_t length)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	uint8_t *attrs = (uint8_t *)nlh + NLMSG_HDRLEN + GENL_HDRLEN;
	swap_fn swap = swap_answer;

	swap_header(nlh);
	/* A note is text. */
	if (nlh->nlmsg_type == NLMSG_NOOP || nlh->nlmsg_len > length ||
	    nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return;
	if (nlh->nlmsg_type == GENL_ID_CTRL)
		swap = swap_family;
	else if (genl->cmd == TASKACCT_CMD_GAP)
		swap = swap_gap;
	swap_attrs(attrs, nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, swap);
}
