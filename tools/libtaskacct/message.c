// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages of taskacct taken apart: what was asked for beyond the classic
 * records, and gaps
 */
#include <errno.h>
#include <string.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "taskacct.h"

_Static_assert(sizeof(struct taskacct_stream) <=
		       sizeof(((struct taskacct_message *)NULL)->room),
	       "struct taskacct_stream has outgrown its room");

static struct taskacct_name name_of(const struct nlattr *attr)
{
	return (struct taskacct_name){ .text = nla_data(attr),
				       .length = (size_t)nla_len(attr) };
}

/* Without what stands behind the NUL, and whether or not there is one */
static struct taskacct_name string_of(const struct nlattr *attr)
{
	struct taskacct_name name = name_of(attr);

	name.length = strnlen(name.text, name.length);
	return name;
}

/* As with records: as far as it goes, and as far as it is known */
static void take_stream(struct taskacct_stream *stream,
			const struct nlattr *attr)
{
	const size_t length = (size_t)nla_len(attr);

	memset(stream, 0, sizeof(*stream));
	memcpy(stream, nla_data(attr),
	       length < sizeof(*stream) ? length : sizeof(*stream));
}

static int take_record(struct taskacct_message *message,
		       const struct nlattr *attr)
{
	if (message->n_records == TASKACCT_RECORDS_MAX)
		return -EBADMSG;
	return taskacct_decode_record(&message->records[message->n_records++],
				      nla_data(attr), (size_t)nla_len(attr));
}

/* They follow the record that they belong to. */
static int take_waits(struct taskacct_message *message,
		      const struct nlattr *attr)
{
	if (!message->n_records)
		return -EBADMSG;
	return taskacct_decode_waits(&message->records[message->n_records - 1],
				     nla_data(attr), (size_t)nla_len(attr));
}

static int take_attr(struct taskacct_message *message,
		     const struct nlattr *attr)
{
	switch (nla_type(attr)) {
	case TASKACCT_TYPE_RECORD:
		return take_record(message, attr);
	case TASKACCT_TYPE_WAITS:
		return take_waits(message, attr);
	case TASKACCT_TYPE_STREAM:
		take_stream(&message->stream, attr);
		message->has_stream = true;
		return 0;
	case TASKACCT_TYPE_EXE_PATH:
		message->exe = string_of(attr);
		return 0;
	case TASKACCT_TYPE_CGROUP_PATH:
		message->cgroup = string_of(attr);
		return 0;
	case TASKACCT_TYPE_CMDLINE:
		message->cmdline = name_of(attr);
		return 0;
	default: /* a classic one, or one that is not known yet */
		return 0;
	}
}

int taskacct_decode_message(struct taskacct_message *message,
			    const struct nlmsghdr *nlh)
{
	struct nlattr *attr;
	int left, err;

	/* Records are cleared as they are decoded: they are most of it. */
	message->n_records = 0;
	message->has_stream = false;
	memset(&message->stream, 0, sizeof(message->stream));
	message->exe = (struct taskacct_name){ .text = NULL };
	message->cgroup = message->exe;
	message->cmdline = message->exe;
	message->n_classic = 0;
	err = taskacct_records(nlh, message->classic);
	if (err < 0)
		return err;
	message->n_classic = err;
	nlmsg_for_each_attr(attr, (struct nlmsghdr *)nlh, GENL_HDRLEN, left) {
		err = take_attr(message, attr);
		if (err)
			return err;
	}
	return 0;
}

static bool take_u64(uint64_t *value, const struct nlattr *attr)
{
	if (nla_len(attr) < (int)sizeof(*value))
		return false;
	memcpy(value, nla_data(attr), sizeof(*value));
	return true;
}

int taskacct_decode_gap(struct taskacct_gap *gap, const struct nlmsghdr *nlh)
{
	struct nlattr *attr;
	bool good = true;
	int left;

	memset(gap, 0, sizeof(*gap));
	if (!nlmsg_valid_hdr(nlh, GENL_HDRLEN))
		return -EBADMSG;
	nlmsg_for_each_attr(attr, (struct nlmsghdr *)nlh, GENL_HDRLEN, left) {
		switch (nla_type(attr)) {
		case TASKACCT_GAP_ATTR_QUEUE:
			good &= take_u64(&gap->queue, attr);
			break;
		case TASKACCT_GAP_ATTR_MEMORY:
			good &= take_u64(&gap->memory, attr);
			break;
		case TASKACCT_GAP_ATTR_CPUMASK:
			gap->cpus = string_of(attr);
			break;
		case TASKACCT_GAP_ATTR_SINCE:
			good &= take_u64(&gap->since_ns, attr);
			break;
		case TASKACCT_GAP_ATTR_STREAM:
			take_stream(&gap->stream, attr);
			break;
		}
	}
	return good ? 0 : -EBADMSG;
}
