// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding: struct taskstats of any version and length, and messages that
 * carry it.
 *
 * The input's first byte says what the rest is: a struct, a message, or values
 * to be encoded and decoded again.
 */
#include <assert.h>
#include <errno.h>

#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "fields.h"
#include "input.h"
#include "taskacct.h"

#define FIRST 8
#define LAST 17

/* What the kernel's headers of these versions have, not the library's table */
static const size_t lengths[LAST + 1] = {
	[8] = 328,  [9] = 344,	[10] = 352, [11] = 368, [12] = 400,
	[13] = 416, [14] = 432, [15] = 560, [16] = 560, [17] = 688,
};

static bool is_text(unsigned int f)
{
	return taskacct_field_info(f)->unit == TASKACCT_UNIT_TEXT;
}

/* Where a version has a field, or a negative number */
static int place_in(unsigned int version, unsigned int f)
{
	const struct field_place *place = &taskacct_field_offsets[f];

	if (version == 15)
		return place->offset15;
	return place->info.since <= version ? place->offset : -1;
}

static void put_value(uint8_t *to, size_t size, uint64_t value)
{
	const uint64_t time[2] = { value / 1000000000, value % 1000000000 };

	if (size == sizeof(time))
		memcpy(to, time, size);
	else
		memcpy(to, &value, size); /* little endian: the low bytes */
}

/* What of a value a field can hold */
static uint64_t fitting(unsigned int f, uint64_t value)
{
	const size_t size = taskacct_field_offsets[f].size;

	if (size < sizeof(value))
		value &= (UINT64_C(1) << 8 * size) - 1;
	if (taskacct_field_info(f)->unit == TASKACCT_UNIT_SIGNED)
		value = (uint64_t)(int64_t)(int8_t)value;
	return value;
}

static void encode(uint8_t *data, unsigned int version,
		   const struct taskacct_stats *stats)
{
	unsigned int f;
	int at;

	memset(data, 0, lengths[version]);
	for (f = 0; f < TASKACCT_FIELDS; f++) {
		at = place_in(version, f);
		if (at < 0)
			continue;
		if (is_text(f))
			memcpy(data + at, stats->comm, 32);
		else
			put_value(data + at, taskacct_field_offsets[f].size,
				  stats->v[f]);
	}
}

static void fill(struct taskacct_stats *stats, unsigned int version,
		 struct input *in)
{
	unsigned int f;

	memset(stats, 0, sizeof(*stats));
	for (f = 0; f < TASKACCT_FIELDS; f++)
		if (!is_text(f))
			stats->v[f] = fitting(f, input_u64(in));
	stats->v[TASKACCT_F_VERSION] = version;
	input_take(in, stats->comm, 32);
}

/* All that went in is there, and nothing else is. */
static void compare(const struct taskacct_stats *got,
		    const struct taskacct_stats *put, unsigned int version)
{
	unsigned int f;

	for (f = 0; f < TASKACCT_FIELDS; f++) {
		assert(taskacct_has(got, f) == (place_in(version, f) >= 0));
		if (!is_text(f))
			assert(got->v[f] ==
			       (taskacct_has(got, f) ? put->v[f] : 0));
	}
	assert(!strcmp(got->comm, put->comm));
}

/* What a cut struct tells is what the whole one tells, or not valid. */
static void compare_cut(const struct taskacct_stats *cut,
			const struct taskacct_stats *whole)
{
	unsigned int f;

	for (f = 0; f < TASKACCT_FIELDS; f++) {
		if (!taskacct_has(cut, f))
			assert(!cut->v[f]);
		else if (!is_text(f))
			assert(taskacct_has(whole, f) &&
			       cut->v[f] == whole->v[f]);
	}
}

/* A length that gives version 14 another layout */
static bool ambiguous(const struct taskacct_stats *stats, size_t length)
{
	return stats->v[TASKACCT_F_VERSION] == 14 && length == lengths[15];
}

static void try_struct(struct input *in)
{
	const size_t shift = input_u8(in) % 8, cut = input_u16(in);
	struct taskacct_stats stats, shorter;
	uint8_t *data = malloc(shift + in->left);
	size_t n;
	int err;

	assert(data);
	memcpy(data + shift, in->data, in->left);
	err = taskacct_decode(&stats, data + shift, in->left);
	assert(err == (in->left < 2 ? -EBADMSG : 0));
	assert(stats.length == in->left && !stats.comm[32]);
	free(data);

	n = in->left ? cut % in->left : 0;
	data = input_copy(in->data, n);
	if (!taskacct_decode(&shorter, data, n) && !ambiguous(&stats, n) &&
	    !ambiguous(&stats, in->left))
		compare_cut(&shorter, &stats);
	free(data);
}

static void try_values(struct input *in)
{
	const unsigned int version = FIRST + input_u8(in) % (LAST - FIRST + 1);
	struct taskacct_stats put, got;
	uint8_t *data;

	fill(&put, version, in);
	data = malloc(lengths[version]);
	assert(data);
	encode(data, version, &put);
	assert(!taskacct_decode(&got, data, lengths[version]));
	compare(&got, &put, version);
	free(data);
}

static void try_message(struct input *in)
{
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	struct nlmsghdr *nlh;
	int i, n;

	if (in->left < sizeof(*nlh))
		return;
	nlh = input_copy(in->data, in->left);
	nlh->nlmsg_len = (uint32_t)in->left;
	n = taskacct_records(nlh, records);
	assert(n == -EBADMSG || (n >= 0 && n <= TASKACCT_RECORDS_MAX));
	for (i = 0; i < n; i++) {
		assert(records[i].kind == TASKACCT_PID ||
		       records[i].kind == TASKACCT_TGID);
		assert(records[i].paired == (n > 1));
		assert(records[i].stats.length < in->left);
		assert(memmem(nlh, in->left, &records[i].id,
			      sizeof(records[i].id)));
	}
	free(nlh);
}

static void add_record(struct nl_msg *msg, bool process, uint32_t id,
		       unsigned int version, const struct taskacct_stats *put)
{
	uint8_t data[688];
	struct nlattr *nest;

	encode(data, version, put);
	nest = nla_nest_start(msg, process ? TASKSTATS_TYPE_AGGR_TGID :
					     TASKSTATS_TYPE_AGGR_PID);
	nla_put_u32(msg, process ? TASKSTATS_TYPE_TGID : TASKSTATS_TYPE_PID,
		    id);
	nla_put(msg, TASKSTATS_TYPE_STATS, (int)lengths[version], data);
	nla_nest_end(msg, nest);
}

/* A message with one or two records, put together and taken apart */
static void try_records(struct input *in)
{
	const unsigned int version = FIRST + input_u8(in) % (LAST - FIRST + 1);
	struct taskacct_classic records[TASKACCT_RECORDS_MAX];
	const int n = 1 + input_u8(in) % TASKACCT_RECORDS_MAX;
	struct taskacct_stats put[TASKACCT_RECORDS_MAX];
	struct genlmsghdr genl = { .cmd = TASKSTATS_CMD_NEW };
	struct nl_msg *msg = nlmsg_alloc_size(4096);
	struct nlmsghdr *nlh;
	int i;

	nlh = nlmsg_put(msg, 0, 0, 31, 0, 0);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	for (i = 0; i < n; i++) {
		fill(&put[i], version, in);
		add_record(msg, i, 4711 + (uint32_t)i, version, &put[i]);
	}
	assert(taskacct_records(nlh, records) == n);
	for (i = 0; i < n; i++) {
		assert(records[i].kind == (i ? TASKACCT_TGID : TASKACCT_PID));
		assert(records[i].id == 4711 + (uint32_t)i);
		compare(&records[i].stats, &put[i], version);
	}
	nlmsg_free(msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(struct input *in) = {
		try_struct, try_message, try_values, try_records,
	};
	struct input in = { data, size };

	tries[input_u8(&in) % 4](&in);
	return 0;
}
