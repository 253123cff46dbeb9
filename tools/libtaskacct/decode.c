// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From bytes to values: struct taskstats by version and length, and the
 * messages that carry it
 */
#include <errno.h>
#include <string.h>

#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/taskacct.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "fields.h"
#include "taskacct.h"

/* The table does not say what came before this one. */
#define OLDEST_VERSION 8

/*
 * The kernels on the way to version 15 had its layout and still said 14; the
 * length tells. Nothing else of that length says so.
 */
bool ta_layout_of_15(unsigned int version, size_t length)
{
	return version == 15 || (version == 14 && length == 560);
}

static uint64_t fetch(const uint8_t *data, size_t size)
{
	int64_t time[2];
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (size) {
	case 1:
		return *data;
	case 2:
		memcpy(&u16, data, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, data, sizeof(u32));
		return u32;
	case 8:
		memcpy(&u64, data, sizeof(u64));
		return u64;
	default: /* seconds and nanoseconds */
		memcpy(time, data, sizeof(time));
		return (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
	}
}

static void decode_field(struct taskacct_stats *stats, const uint8_t *data,
			 enum taskacct_field field)
{
	const struct field_place *place = &taskacct_field_offsets[field];

	if (place->info.unit == TASKACCT_UNIT_TEXT) {
		/* There is a byte more for the end, zeroed. */
		memcpy(stats->comm, data, place->size);
		return;
	}
	stats->v[field] = fetch(data, place->size);
	if (place->info.unit == TASKACCT_UNIT_SIGNED)
		stats->v[field] = (uint64_t)(int64_t)(int8_t)stats->v[field];
}

int taskacct_decode(struct taskacct_stats *stats, const void *data,
		    size_t length)
{
	unsigned int version, since, f;
	bool is15;
	int offset;

	memset(stats, 0, sizeof(*stats));
	stats->length = length;
	if (length < sizeof(uint16_t))
		return -EBADMSG;
	version = fetch(data, sizeof(uint16_t));
	if (version < OLDEST_VERSION)
		version = OLDEST_VERSION;
	is15 = ta_layout_of_15(version, length);

	for (f = 0; f < TASKACCT_FIELDS; f++) {
		const struct field_place *place = &taskacct_field_offsets[f];

		since = place->info.since;
		offset = is15 ? place->offset15 : place->offset;
		if (offset < 0 || (!is15 && since > version) ||
		    (size_t)offset + place->size > length)
			continue;
		decode_field(stats, (const uint8_t *)data + offset, f);
		stats->valid[f / 64] |= UINT64_C(1) << (f % 64);
	}
	return 0;
}

static int decode_nest(const struct nlattr *nest,
		       struct taskacct_classic *record)
{
	const struct nlattr *id = NULL, *stats = NULL;
	struct nlattr *attr;
	int left;

	nla_for_each_nested(attr, nest, left) {
		switch (nla_type(attr)) {
		case TASKSTATS_TYPE_PID:
		case TASKSTATS_TYPE_TGID:
			id = attr;
			break;
		case TASKSTATS_TYPE_STATS:
			stats = attr;
			break;
		}
	}
	if (!id || nla_len(id) < (int)sizeof(uint32_t) || !stats)
		return -EBADMSG;
	record->kind = nla_type(nest) == TASKSTATS_TYPE_AGGR_TGID ?
			       TASKACCT_TGID :
			       TASKACCT_PID;
	record->id = nla_get_u32(id);
	return taskacct_decode(&record->stats, nla_data(stats),
			       (size_t)nla_len(stats));
}

static void tell_last(struct taskacct_classic *records, int n)
{
	struct taskacct_classic *r;

	for (r = records; r < records + n; r++) {
		r->paired = n > 1;
		/* Before version 12 the kernel does not set it; taskacct does. */
		if (r->kind == TASKACCT_TGID ||
		    (r->paired && r->stats.v[TASKACCT_F_VERSION] < 12))
			r->last = r->paired;
		else
			r->last = r->stats.v[TASKACCT_F_FLAG] & AGROUP;
	}
}

int taskacct_records(const struct nlmsghdr *nlh,
		     struct taskacct_classic records[TASKACCT_RECORDS_MAX])
{
	struct nlattr *attr;
	int left, err, n = 0;

	if (!nlmsg_valid_hdr(nlh, GENL_HDRLEN))
		return -EBADMSG;
	nlmsg_for_each_attr(attr, (struct nlmsghdr *)nlh, GENL_HDRLEN, left) {
		if (nla_type(attr) != TASKSTATS_TYPE_AGGR_PID &&
		    nla_type(attr) != TASKSTATS_TYPE_AGGR_TGID)
			continue;
		if (n == TASKACCT_RECORDS_MAX)
			return -EBADMSG;
		err = decode_nest(attr, &records[n]);
		if (err)
			return err;
		n++;
	}
	/* An attribute that is longer than what is left of the message */
	if (left > 0)
		return -EBADMSG;
	tell_last(records, n);
	return n;
}
