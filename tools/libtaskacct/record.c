// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The extended record and its waits: their values, and whether they are valid
 *
 * The structs only ever grow at their end, and the header that this is built
 * with says where their members are. What a sender of an older version does not
 * have is told by the length of what it sent.
 */
#include <errno.h>
#include <string.h>

#include <netlink/attr.h>

#include "log_swap.h"
#include "taskacct.h"

/**
 * struct member_place - a value and its place
 * @info: what is known of it
 * @offset: where it is in struct taskacct_extended
 * @size: bytes
 */
struct member_place {
	struct taskacct_member_info info;
	uint16_t offset;
	uint16_t size;
};

/* Of NONE there is no bit. */
#define TASKACCT_HAS_NONE 64
#define BIT(n) ((n) < 64 ? UINT64_C(1) << (n) % 64 : 0)
#define HAS(group) BIT(TASKACCT_HAS_##group)

#define PLACE(of, its_name, its_unit, its_groups)                           \
	{                                                                   \
		.info = { .name = its_name,                                 \
			  .unit = TASKACCT_UNIT_##its_unit,                 \
			  .groups = its_groups },                           \
		.offset = offsetof(struct taskacct_extended, of),           \
		.size = sizeof(((struct taskacct_extended *)NULL)->of),     \
	}

#define MEMBER(number, field, member, unit, group, ...) \
	[TASKACCT_R_##field] = PLACE(r.member, #member, unit, HAS(group)),

#define WAIT(number, kind, name, group, ...)                                 \
	PART(kind, COUNT, name, count, COUNT, HAS(group))                    \
	PART(kind, TOTAL, name, total, NS, HAS(group))                       \
	PART(kind, MAX, name, max, NS, HAS(group) | HAS(EXTREMES))           \
	PART(kind, MIN, name, min, NS, HAS(group) | HAS(EXTREMES))

#define PART(kind, field, name, part, unit, groups)                          \
	[TASKACCT_R_WAIT_##kind##_##field] =                                 \
		PLACE(wait[TASKACCT_WAIT_##kind].part,                       \
		      "wait_" #name "_" #part, unit, groups),

/* Two rows with the same number do not compile, nor does one with too high a number. */
#pragma GCC diagnostic error "-Woverride-init"

static const struct member_place places[TASKACCT_MEMBERS] = {
	TASKACCT_SINGLES(MEMBER)
	TASKACCT_SUMS(MEMBER)
	TASKACCT_EACH_WAIT(WAIT)
};

/* Nothing of the struct but what is reserved is missing in the table. */
#define SIZE_OF(number, field, member, ...) \
	+sizeof(((struct taskacct_record *)NULL)->member)

_Static_assert(0 TASKACCT_SINGLES(SIZE_OF) TASKACCT_SUMS(SIZE_OF)
	       SIZE_OF(, , reserved) == sizeof(struct taskacct_record),
	       "a member of struct taskacct_record is not in the table");

#define GROUP_NAME(group, name) [TASKACCT_HAS_##group] = #name,

static const char *const group_names[] = { TASKACCT_GROUPS(GROUP_NAME) };

#define ONE(...) +1

_Static_assert(0 TASKACCT_GROUPS(ONE) == __TASKACCT_HAS_MAX,
	       "a group is not in the table");
_Static_assert(0 TASKACCT_EACH_WAIT(ONE) == TASKACCT_WAITS,
	       "a kind of waits is not in the table");

#define FOUR(...) +4
#define IN_TABLE 0 TASKACCT_SINGLES(ONE) TASKACCT_SUMS(ONE) TASKACCT_EACH_WAIT(FOUR)

_Static_assert(IN_TABLE == TASKACCT_MEMBERS,
	       "TASKACCT_NEXT_NUMBER is not raised, or a number is left out");

/* What is behind these in a struct may not move: programs were compiled with it. */
_Static_assert(sizeof(struct taskacct_record) <=
		       sizeof(((struct taskacct_extended *)NULL)->room),
	       "struct taskacct_record has outgrown its room");
_Static_assert(TASKACCT_WAITS <= TASKACCT_WAITS_ROOM,
	       "kinds of waits have outgrown their room");

/* Its number may come from a program that was compiled with a later header. */
static const struct member_place *place_of(enum taskacct_member member)
{
	return (unsigned int)member < TASKACCT_MEMBERS ? &places[member] : NULL;
}

const struct taskacct_member_info *
taskacct_member_info(enum taskacct_member member)
{
	const struct member_place *place = place_of(member);

	return place ? &place->info : NULL;
}

const char *taskacct_group_name(unsigned int bit)
{
	return bit < __TASKACCT_HAS_MAX ? group_names[bit] : NULL;
}

/* Whether the message had a value: of the record, or of a kind of waits */
static bool was_sent(const struct taskacct_extended *record,
		     const struct member_place *place)
{
	const size_t r = offsetof(struct taskacct_extended, r);
	const size_t wait = offsetof(struct taskacct_extended, wait);
	size_t end = place->offset + place->size;

	if (place->offset < wait)
		return end - r <= record->length;
	end -= wait;
	return (end - 1) % sizeof(*record->wait) <
	       record->wait_length[(end - 1) / sizeof(*record->wait)];
}

enum taskacct_validity taskacct_validity(const struct taskacct_extended *record,
					 enum taskacct_member member)
{
	const struct member_place *place = place_of(member);
	const struct taskacct_record *r = &record->r;
	uint64_t groups;

	if (!place || !was_sent(record, place))
		return TASKACCT_ABSENT;
	groups = place->info.groups;
	if ((r->valid & groups) == groups)
		return TASKACCT_VALID;
	/* Of several groups what lasts longest is reported. */
	if (r->absent & groups)
		return TASKACCT_ABSENT;
	if (r->off & groups)
		return TASKACCT_OFF;
	if (r->late & groups)
		return TASKACCT_LATE;
	return r->gone & groups ? TASKACCT_GONE : TASKACCT_ABSENT;
}

uint64_t taskacct_value(const struct taskacct_extended *record,
			enum taskacct_member member)
{
	const struct member_place *place = place_of(member);
	const uint8_t *at;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	if (!place)
		return 0;
	at = (const uint8_t *)record + place->offset;
	switch (place->size) {
	case sizeof(uint8_t):
		return place->info.unit == TASKACCT_UNIT_SIGNED ?
			       (uint64_t)(int64_t)(int8_t)*at :
			       *at;
	case sizeof(u16):
		memcpy(&u16, at, sizeof(u16));
		return u16;
	case sizeof(u32):
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case sizeof(u64):
		memcpy(&u64, at, sizeof(u64));
		return u64;
	default: /* a text */
		return 0;
	}
}

void ta_record_swap(void *data, size_t length)
{
	const size_t r = offsetof(struct taskacct_extended, r);
	const size_t waits = offsetof(struct taskacct_extended, wait);
	const struct member_place *place;

	for (place = places; place < places + TASKACCT_MEMBERS; place++)
		if (place->offset < waits && place->size <= sizeof(uint64_t) &&
		    place->offset - r + place->size <= length)
			ta_swap((uint8_t *)data + place->offset - r,
				place->size);
}

/* The version from which on members are only ever added */
#define OLDEST_VERSION 3

int taskacct_decode_record(struct taskacct_extended *record, const void *data,
			   size_t length)
{
	struct taskacct_record *r = &record->r;

	memset(record, 0, sizeof(*record));
	record->length = length;
	memcpy(r, data, length < sizeof(*r) ? length : sizeof(*r));
	r->comm[sizeof(r->comm) - 1] = '\0';
	if (length < offsetof(struct taskacct_record, flags) ||
	    r->version < OLDEST_VERSION)
		return -EBADMSG;
	switch (r->kind) {
	case TASKACCT_KIND_TASK:
	case TASKACCT_KIND_PROCESS:
	case TASKACCT_KIND_CGROUP:
		return 0;
	default:
		return -EBADMSG;
	}
}

int taskacct_decode_waits(struct taskacct_extended *record, const void *data,
			  size_t length)
{
	const uint8_t *at = data, *end = at + length;
	const struct nlattr *attr;
	size_t size;
	int kind;

	/* By hand: there are eight in each record, and libnl has calls for it. */
	for (; at + NLA_HDRLEN <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const struct nlattr *)at;
		if (attr->nla_len < NLA_HDRLEN ||
		    attr->nla_len > (size_t)(end - at))
			return -EBADMSG;
		kind = (attr->nla_type & NLA_TYPE_MASK) -
		       TASKACCT_WAITS_ATTR_CPU;
		if (kind < 0 || kind >= TASKACCT_WAITS)
			continue;
		size = attr->nla_len - NLA_HDRLEN;
		/* Mostly it is of the size that is known here, which is copied in few steps. */
		if (size >= sizeof(*record->wait)) {
			size = sizeof(*record->wait);
			memcpy(&record->wait[kind], at + NLA_HDRLEN, sizeof(*record->wait));
		} else {
			memcpy(&record->wait[kind], at + NLA_HDRLEN, size);
		}
		record->wait_length[kind] = size;
	}
	return at < end ? -EBADMSG : 0;
}
