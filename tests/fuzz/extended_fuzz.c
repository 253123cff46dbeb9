// SPDX-License-Identifier: GPL-2.0-only
/*
 * What taskacct has beyond taskstats: records, messages with all that can be
 * wanted, gaps, and filters as the kernel tells them.
 *
 * The input's first byte says what the rest is: bytes to be decoded, or values
 * to be encoded and decoded again.
 */
#include <assert.h>
#include <errno.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "handle.h"
#include "input.h"
#include "taskacct.h"

static bool is_within(const struct taskacct_name *name,
		      const struct nlmsghdr *nlh, size_t size)
{
	const char *from = (const char *)nlh;

	return !name->text || (name->text >= from &&
			       name->text + name->length <= from + size);
}

static void try_message(struct input *in)
{
	struct taskacct_message message;
	struct taskacct_gap gap;
	struct nlmsghdr *nlh;
	int i;

	if (in->left < sizeof(*nlh))
		return;
	nlh = input_copy(in->data, in->left);
	nlh->nlmsg_len = (uint32_t)in->left;
	if (!taskacct_decode_message(&message, nlh)) {
		assert(is_within(&message.exe, nlh, in->left) &&
		       is_within(&message.cgroup, nlh, in->left) &&
		       is_within(&message.cmdline, nlh, in->left));
		for (i = 0; i < message.n_records; i++)
			assert(message.records[i].length < in->left);
	}
	if (!taskacct_decode_gap(&gap, nlh))
		assert(is_within(&gap.cpus, nlh, in->left));
	free(nlh);
}

/* Whatever is beyond the end of a record is absent, and 0. */
static void try_record(struct input *in)
{
	void *data = input_copy(in->data, in->left);
	struct taskacct_extended record;
	enum taskacct_validity validity;
	int err, m;

	err = taskacct_decode_record(&record, data, in->left);
	assert(!err || err == -EBADMSG);
	assert(memchr(record.r.comm, 0, sizeof(record.r.comm)));
	for (m = 0; m < TASKACCT_MEMBERS; m++) {
		validity = taskacct_validity(&record, m);
		assert(validity <= TASKACCT_GONE);
		if (!in->left)
			assert(validity == TASKACCT_ABSENT &&
			       !taskacct_value(&record, m));
	}
	free(data);
}

/* Every group in exactly one of the masks, as the kernel has it */
static void fill(struct taskacct_record *r, struct input *in)
{
	__u64 *const masks[] = {
		&r->valid, &r->absent, &r->off, &r->late, &r->gone,
	};
	const uint16_t kinds[] = { 1, 2, 4 };
	unsigned int i;

	input_take(in, r, sizeof(*r));
	r->version = TASKACCT_RECORD_VERSION;
	r->size = sizeof(*r);
	r->kind = kinds[input_u8(in) % 3];
	r->comm[sizeof(r->comm) - 1] = '\0';
	for (i = 0; i < 5; i++)
		*masks[i] = 0;
	for (i = 0; i < __TASKACCT_HAS_MAX; i++)
		*masks[input_u8(in) % 5] |= UINT64_C(1) << i;
}

/* What of several groups lasts longest; a value without a group is valid. */
static enum taskacct_validity expected(const struct taskacct_record *r,
				       uint64_t groups)
{
	const struct {
		uint64_t mask;
		enum taskacct_validity validity;
	} reasons[] = {
		{ r->absent, TASKACCT_ABSENT },
		{ r->off, TASKACCT_OFF },
		{ r->late, TASKACCT_LATE },
		{ r->gone, TASKACCT_GONE },
	};
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (reasons[i].mask & groups)
			return reasons[i].validity;
	return TASKACCT_VALID;
}

/* All that a cut record has is as in the whole one; the rest is absent. */
static void compare_cut(const struct taskacct_extended *cut,
			const struct taskacct_extended *whole)
{
	enum taskacct_validity validity;
	int m;

	for (m = 0; m < TASKACCT_MEMBERS; m++) {
		validity = taskacct_validity(cut, m);
		if (validity == TASKACCT_ABSENT)
			continue;
		assert(validity == taskacct_validity(whole, m));
		assert(taskacct_value(cut, m) == taskacct_value(whole, m));
	}
}

/* So many kinds of waits, each of so many bytes, all of the input */
static struct nl_msg *make_waits(struct input *in, unsigned int kinds,
				 size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_size(16384);
	char data[64] = { 0 };
	unsigned int i;

	assert(msg && nlmsg_put(msg, 0, 0, 31, 0, 0));
	for (i = 0; i < kinds; i++) {
		input_take(in, data, size);
		assert(!nla_put(msg, (int)(TASKACCT_WAITS_ATTR_CPU + i),
				(int)size, data));
	}
	return msg;
}

/* A kind is as it was sent, as far as it goes, and the rest is 0. */
static void compare_kinds(const struct taskacct_extended *record,
			  struct nl_msg *msg, size_t size)
{
	static const struct taskacct_wait none;
	const struct nlattr *attr;
	size_t known;
	int i;

	for (i = 0; i < TASKACCT_WAITS; i++) {
		attr = nlmsg_find_attr(nlmsg_hdr(msg), 0,
				       TASKACCT_WAITS_ATTR_CPU + i);
		known = !attr ? 0 : size < sizeof(none) ? size : sizeof(none);
		assert(record->wait_length[i] == known);
		assert(!known ||
		       !memcmp(&record->wait[i], nla_data(attr), known));
		assert(!memcmp((const char *)&record->wait[i] + known, &none,
			       sizeof(none) - known));
	}
}

static void try_waits(struct input *in)
{
	const unsigned int kinds = input_u8(in) % (2 * TASKACCT_WAITS);
	const size_t size = input_u8(in) % 64, cut = input_u16(in);
	struct nl_msg *msg = make_waits(in, kinds, size);
	const size_t n = (size_t)nlmsg_datalen(nlmsg_hdr(msg));
	struct taskacct_extended record = { .length = 0 };
	void *part = input_copy(nlmsg_data(nlmsg_hdr(msg)), cut % (n + 1));
	int err;

	assert(!taskacct_decode_waits(&record, nlmsg_data(nlmsg_hdr(msg)), n));
	compare_kinds(&record, msg, size);
	err = taskacct_decode_waits(&record, part, cut % (n + 1));
	assert(!err || err == -EBADMSG);
	free(part);
	nlmsg_free(msg);
}

static void try_values(struct input *in)
{
	const size_t longer = input_u8(in) % 64, cut = input_u16(in);
	struct taskacct_extended whole, shorter;
	struct taskacct_record r;
	const size_t n = sizeof(r) + longer, at = cut % (sizeof(r) + 1);
	uint8_t *data = calloc(1, n), *part;
	int m;

	assert(data);
	fill(&r, in);
	memcpy(data, &r, sizeof(r));
	assert(!taskacct_decode_record(&whole, data, n));
	assert(whole.length == n && !memcmp(&whole.r, &r, sizeof(r)));
	for (m = 0; m < TASKACCT_MEMBERS; m++)
		assert(taskacct_validity(&whole, m) ==
		       (m >= TASKACCT_R_WAIT_CPU_COUNT ?
				TASKACCT_ABSENT :
				expected(&r, taskacct_member_info(m)->groups)));
	assert(taskacct_value(&whole, TASKACCT_R_PID) == r.pid &&
	       taskacct_value(&whole, TASKACCT_R_KIND) == r.kind &&
	       (int64_t)taskacct_value(&whole, TASKACCT_R_NICE) == r.nice);
	part = input_copy(data, at);
	assert(taskacct_decode_record(&shorter, part, at) ==
	       (at < offsetof(struct taskacct_record, flags) ? -EBADMSG : 0));
	if (at >= offsetof(struct taskacct_record, comm))
		compare_cut(&shorter, &whole);
	free(part);
	free(data);
}

static struct nl_msg *begin(uint8_t cmd)
{
	const struct genlmsghdr genl = { .cmd = cmd, .version = 1 };
	struct nl_msg *msg = nlmsg_alloc_size(16384);

	assert(msg && nlmsg_put(msg, 0, 0, 31, 0, 0));
	assert(!nlmsg_append(msg, (void *)(uintptr_t)&genl, sizeof(genl),
			     NLMSG_ALIGNTO));
	return msg;
}

/* Some bytes of the input, which are a name */
static size_t put_name(struct nl_msg *msg, int type, struct input *in,
		       char name[256], bool string)
{
	size_t n = input_u8(in);

	input_take(in, name, n);
	if (string) {
		name[n] = '\0';
		n = strlen(name);
	}
	assert(!nla_put(msg, type, (int)(n + string), name));
	return n;
}

static bool is_name(const struct taskacct_name *name, const char *put, size_t n)
{
	return name->length == n && !memcmp(name->text, put, n);
}

/* A message with all that can be wanted, put together and taken apart */
static void try_whole(struct input *in)
{
	const int n = 1 + input_u8(in) % TASKACCT_RECORDS_MAX;
	char exe[257], cgroup[257], arguments[257];
	struct taskacct_record r[TASKACCT_RECORDS_MAX];
	size_t exe_n, cgroup_n, arguments_n;
	struct taskacct_message message;
	struct taskacct_stream stream;
	struct nl_msg *msg = begin(TASKACCT_CMD_EXIT);
	int i;

	for (i = 0; i < n; i++) {
		fill(&r[i], in);
		assert(!nla_put(msg, TASKACCT_TYPE_PAD, 0, NULL));
		assert(!nla_put(msg, TASKACCT_TYPE_RECORD, sizeof(r[i]),
				&r[i]));
	}
	input_take(in, &stream, sizeof(stream));
	assert(!nla_put(msg, TASKACCT_TYPE_STREAM, sizeof(stream), &stream));
	exe_n = put_name(msg, TASKACCT_TYPE_EXE_PATH, in, exe, true);
	cgroup_n = put_name(msg, TASKACCT_TYPE_CGROUP_PATH, in, cgroup, true);
	arguments_n = put_name(msg, TASKACCT_TYPE_CMDLINE, in, arguments,
			       false);
	assert(!taskacct_decode_message(&message, nlmsg_hdr(msg)));
	assert(!message.n_classic && message.n_records == n);
	for (i = 0; i < n; i++)
		assert(!memcmp(&message.records[i].r, &r[i], sizeof(r[i])));
	assert(message.has_stream &&
	       !memcmp(&message.stream, &stream, sizeof(stream)));
	assert(is_name(&message.exe, exe, exe_n) &&
	       is_name(&message.cgroup, cgroup, cgroup_n) &&
	       is_name(&message.cmdline, arguments, arguments_n));
	nlmsg_free(msg);
}

static void try_gap(struct input *in)
{
	struct nl_msg *msg = begin(TASKACCT_CMD_GAP);
	const uint64_t queue = input_u64(in), memory = input_u64(in),
		       since = input_u64(in);
	struct taskacct_stream stream;
	struct taskacct_gap gap;
	char cpus[257];
	size_t n;

	input_take(in, &stream, sizeof(stream));
	assert(!nla_put_u64(msg, TASKACCT_GAP_ATTR_QUEUE, queue));
	assert(!nla_put_u64(msg, TASKACCT_GAP_ATTR_MEMORY, memory));
	n = put_name(msg, TASKACCT_GAP_ATTR_CPUMASK, in, cpus, true);
	assert(!nla_put_u64(msg, TASKACCT_GAP_ATTR_SINCE, since));
	assert(!nla_put(msg, TASKACCT_GAP_ATTR_STREAM, sizeof(stream),
			&stream));
	assert(!taskacct_decode_gap(&gap, nlmsg_hdr(msg)));
	assert(gap.queue == queue && gap.memory == memory &&
	       gap.since_ns == since && is_name(&gap.cpus, cpus, n) &&
	       !memcmp(&gap.stream, &stream, sizeof(stream)));
	nlmsg_free(msg);
}

static const struct condition {
	int type;
	size_t size;
	size_t at;
} conditions[] = {
	{ TASKACCT_FILTER_ATTR_KINDS, 4, offsetof(struct taskacct_filter, kinds) },
	{ TASKACCT_FILTER_ATTR_UID_MIN, 4, offsetof(struct taskacct_filter, uid_min) },
	{ TASKACCT_FILTER_ATTR_UID_MAX, 4, offsetof(struct taskacct_filter, uid_max) },
	{ TASKACCT_FILTER_ATTR_CGROUP_ID, 8, offsetof(struct taskacct_filter, cgroup_id) },
	{ TASKACCT_FILTER_ATTR_MIN_LIFETIME, 8,
	  offsetof(struct taskacct_filter, min_lifetime) },
	{ TASKACCT_FILTER_ATTR_MIN_CPU_TIME, 8,
	  offsetof(struct taskacct_filter, min_cpu_time) },
	{ TASKACCT_FILTER_ATTR_ONE_IN, 4,
	  offsetof(struct taskacct_filter, one_in) },
};

/* A filter as a listener has it reported, conditions in any order */
static void try_filter(struct input *in)
{
	struct taskacct_filter put = { .cgroup_fd = -1 }, got;
	struct nl_msg *msg = begin(TASKACCT_CMD_LISTENER_GET);
	struct nlattr *nest = nla_nest_start(msg, TASKACCT_LISTENER_ATTR_FILTER);
	const struct condition *c;
	unsigned int n;

	for (n = input_u8(in) % 16; n; n--) {
		c = &conditions[input_u8(in) % 7];
		input_take(in, (char *)&put + c->at, c->size);
		assert(!nla_put(msg, c->type, (int)c->size,
				(char *)&put + c->at));
		put.has |= UINT32_C(1) << c->type;
	}
	if (input_u8(in) % 2) {
		assert(!nla_put_flag(msg, TASKACCT_FILTER_ATTR_FAILED));
		put.has |= UINT32_C(1) << TASKACCT_FILTER_ATTR_FAILED;
	}
	nla_nest_end(msg, nest);
	ta_filter_parse(&got, nest);
	assert(!memcmp(&got, &put, sizeof(put)));
	nlmsg_free(msg);
}

/* What no kernel tells is passed over. */
static void try_nest(struct input *in)
{
	const uint32_t all = (UINT32_C(2) << TASKACCT_FILTER_ATTR_MAX) - 1;
	struct taskacct_filter filter;
	struct nlattr *nest;

	nest = malloc(NLA_HDRLEN + in->left);
	assert(nest);
	nest->nla_len = (uint16_t)(NLA_HDRLEN + in->left);
	nest->nla_type = TASKACCT_LISTENER_ATTR_FILTER;
	memcpy(nest + 1, in->data, in->left);
	ta_filter_parse(&filter, nest);
	assert(!(filter.has & ~all) && filter.cgroup_fd == -1);
	free(nest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(struct input *in) = {
		try_record, try_message, try_values, try_whole,
		try_gap,    try_filter,	 try_nest,   try_waits,
	};
	struct input in = { data, size };

	tries[input_u8(&in) % 8](&in);
	return 0;
}
