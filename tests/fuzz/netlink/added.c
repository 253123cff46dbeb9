// SPDX-License-Identifier: GPL-2.0-only
/* What taskacct has added to requests: wants, filters, batches, cgroups */
#include <linux/taskacct.h>

#include "maker.h"

#define KINDS (TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS)

/* One that is of use, or one that is not */
static uint32_t any_of(struct maker *m, const uint32_t *values, unsigned int n)
{
	if (rng_one_in(m->rng, 16))
		return (uint32_t)rng_next(m->rng);
	return values[rng_below(m->rng, n)];
}

void maker_put_want(struct maker *m)
{
	const uint32_t record = TASKACCT_WANT_RECORD;
	const uint32_t usual[] = {
		0, record, record | TASKACCT_WANT_BARE,
		record | TASKACCT_WANT_STREAM, TASKACCT_WANT_STREAM,
		TASKACCT_WANT_STREAM,
		record | TASKACCT_WANT_BARE | TASKACCT_WANT_STREAM,
		record | TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CGROUP_PATH |
			TASKACCT_WANT_CMDLINE,
		TASKACCT_WANT_BARE,
	};
	uint32_t want = any_of(m, usual, 9);

	if (rng_one_in(m->rng, 4))
		want = rng_below(m->rng, 64);
	maker_put(m, TASKACCT_CMD_ATTR_WANT, &want, sizeof(want));
}

void maker_put_cgroup(struct maker *m, unsigned int type)
{
	uint32_t fd = (uint32_t)m->world->fds[rng_below(m->rng, MAKE_FDS)];

	if (rng_one_in(m->rng, 8))
		fd = any_of(m, (const uint32_t[]){ 0, 1, 7, UINT32_MAX }, 4);
	maker_put(m, type, &fd, sizeof(fd));
}

static void put_number(struct maker *m, unsigned int type,
		       const uint32_t *values, unsigned int n)
{
	const uint32_t value = any_of(m, values, n);

	maker_put(m, type, &value, sizeof(value));
}

/* Times that all tasks reach, some, or none */
static void put_time(struct maker *m, unsigned int type)
{
	static const uint64_t times[] = {
		0, 1, 1000000, 100000000, UINT64_C(360000000000000), UINT64_MAX,
	};

	maker_put(m, type, &times[rng_below(m->rng, 6)], sizeof(times[0]));
}

static void put_cgroup_id(struct maker *m)
{
	const uint64_t ids[] = {
		m->world->cgroups.root, m->world->cgroups.own,
		m->world->cgroups.own, 0, UINT64_MAX,
	};

	maker_put(m, TASKACCT_FILTER_ATTR_CGROUP_ID,
		  &ids[rng_below(m->rng, 5)], sizeof(ids[0]));
}

/* Right in itself, but for what some of its values say */
static void put_condition(struct maker *m, unsigned int type)
{
	static const uint32_t kinds[] = {
		TASKACCT_KIND_TASK, TASKACCT_KIND_PROCESS, KINDS, KINDS, 0, 4,
	};
	static const uint32_t uids[] = {
		0, 0, 1, 1000, 65534, UINT32_MAX,
	};

	switch (type) {
	case TASKACCT_FILTER_ATTR_KINDS:
		put_number(m, type, kinds, 6);
		break;
	case TASKACCT_FILTER_ATTR_UID_MIN:
	case TASKACCT_FILTER_ATTR_UID_MAX:
		put_number(m, type, uids, 6);
		break;
	case TASKACCT_FILTER_ATTR_CGROUP_ID:
		put_cgroup_id(m);
		break;
	case TASKACCT_FILTER_ATTR_CGROUP_FD:
		maker_put_cgroup(m, type);
		break;
	case TASKACCT_FILTER_ATTR_MIN_LIFETIME:
	case TASKACCT_FILTER_ATTR_MIN_CPU_TIME:
		put_time(m, type);
		break;
	case TASKACCT_FILTER_ATTR_ONE_IN:
		put_number(m, type, (const uint32_t[]){ 1, 1, 2, 7, 0 }, 5);
		break;
	default:
		maker_put(m, type, NULL, 0);
	}
}

/* Of the wrong size, of no known type, or with flags */
static void put_odd_condition(struct maker *m)
{
	unsigned int type = rng_below(m->rng, TASKACCT_FILTER_ATTR_MAX + 3);

	if (rng_one_in(m->rng, 4))
		type |= NLA_F_NESTED;
	if (rng_one_in(m->rng, 8))
		type |= NLA_F_NET_BYTEORDER;
	maker_put(m, type, NULL, rng_below(m->rng, 12));
}

void maker_put_filter(struct maker *m)
{
	const bool odd = rng_one_in(m->rng, 8);
	unsigned int n = rng_below(m->rng, 5);
	struct nlattr *nest;

	nest = maker_put(m, TASKACCT_CMD_ATTR_FILTER |
			    (odd && rng_one_in(m->rng, 4) ? 0 : NLA_F_NESTED),
			 NULL, 0);
	for (; n; n--) {
		if (odd && rng_one_in(m->rng, 2))
			put_odd_condition(m);
		else
			put_condition(m, 1 + rng_below(m->rng,
						TASKACCT_FILTER_ATTR_MAX));
	}
	maker_close(m, nest);
	/* What is left over of the last, or the beginning of another */
	if (odd && rng_one_in(m->rng, 2))
		nest->nla_len = (uint16_t)(nest->nla_len -
					   rng_below(m->rng, 6) % nest->nla_len);
}

void maker_put_batch(struct maker *m)
{
	static const uint32_t bytes[] = {
		1, 1000, TASKACCT_BATCH_BYTES, TASKACCT_BATCH_BYTES,
		TASKACCT_BATCH_BYTES_MAX, TASKACCT_BATCH_BYTES_MAX + 1, 0,
	};
	static const uint32_t msecs[] = {
		1, 1, 20, TASKACCT_BATCH_MSECS, TASKACCT_BATCH_MSECS_MAX,
		TASKACCT_BATCH_MSECS_MAX + 1, 0,
	};
	const unsigned int which = 1 + rng_below(m->rng, 3);

	if (which & 1)
		put_number(m, TASKACCT_CMD_ATTR_BATCH_BYTES, bytes, 7);
	if (which & 2)
		put_number(m, TASKACCT_CMD_ATTR_BATCH_MSECS, msecs, 7);
}
