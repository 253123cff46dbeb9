// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters as Documentation/interface.rst has them. In the nest, other than
 * among the attributes of a request, nothing is passed over.
 */
#include <errno.h>

#include <linux/taskacct.h>

#include "attr.h"
#include "filter.h"
#include "model.h"

#define KINDS (TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS)

/* Payload by condition; all others are none */
static const uint8_t sizes[] = {
	[TASKACCT_FILTER_ATTR_PAD] = 0,
	[TASKACCT_FILTER_ATTR_KINDS] = 4,
	[TASKACCT_FILTER_ATTR_UID_MIN] = 4,
	[TASKACCT_FILTER_ATTR_UID_MAX] = 4,
	[TASKACCT_FILTER_ATTR_CGROUP_ID] = 8,
	[TASKACCT_FILTER_ATTR_CGROUP_FD] = 4,
	[TASKACCT_FILTER_ATTR_MIN_LIFETIME] = 8,
	[TASKACCT_FILTER_ATTR_MIN_CPU_TIME] = 8,
	[TASKACCT_FILTER_ATTR_FAILED] = 0,
	[TASKACCT_FILTER_ATTR_ONE_IN] = 4,
};

/* What is there, by condition; of the same one the last */
struct conditions {
	const struct nlattr *of[sizeof(sizes)];
};

static int check(const struct nlattr *attr)
{
	const unsigned int type = attr_type(attr);

	if (!type || type >= sizeof(sizes) || attr->nla_type & NLA_F_NESTED)
		return -EINVAL;
	if (attr_size(attr) != sizes[type])
		return sizes[type] ? -EINVAL : -ERANGE;
	if (type == TASKACCT_FILTER_ATTR_KINDS &&
	    (!attr_number(attr) || attr_number(attr) > KINDS))
		return -ERANGE;
	return type == TASKACCT_FILTER_ATTR_ONE_IN && !attr_number(attr) ?
		       -ERANGE :
		       0;
}

static int collect(struct conditions *all, const char *data, size_t left)
{
	const struct nlattr *attr = (const struct nlattr *)data;
	int err;

	memset(all, 0, sizeof(*all));
	for (; attr_fits(attr, left); attr = attr_next(attr, &left)) {
		err = check(attr);
		if (err)
			return err;
		all->of[attr_type(attr)] = attr;
	}
	return left ? -EINVAL : 0;
}

static uint64_t value_of(const struct conditions *all, unsigned int type,
			 uint64_t otherwise)
{
	return all->of[type] ? attr_number(all->of[type]) : otherwise;
}

static int find_cgroup(struct model_filter *filter,
		       const struct conditions *all)
{
	const bool by_fd = all->of[TASKACCT_FILTER_ATTR_CGROUP_FD];
	const bool by_id = all->of[TASKACCT_FILTER_ATTR_CGROUP_ID];
	int fd;

	if (by_fd && by_id)
		return -EINVAL;
	filter->cgroup = value_of(all, TASKACCT_FILTER_ATTR_CGROUP_ID, 0);
	if (by_id && !model_has_cgroup(filter->cgroup))
		return -ENOENT;
	if (!by_fd)
		return 0;
	fd = (int)value_of(all, TASKACCT_FILTER_ATTR_CGROUP_FD, 0);
	filter->has |= FILTER_HAS(CGROUP_ID);
	return model_cgroup(fd, &filter->cgroup) == CGROUP_V2 ? 0 : -EBADF;
}

int filter_check(const char *data, size_t size)
{
	struct conditions all;

	return collect(&all, data, size);
}

int filter_take(struct model_filter *filter, unsigned int type,
		const char *data, size_t size)
{
	struct conditions all;
	unsigned int i;
	int err;

	memset(filter, 0, sizeof(*filter));
	if (!(type & NLA_F_NESTED))
		return -EINVAL;
	err = collect(&all, data, size);
	if (err)
		return err;
	for (i = TASKACCT_FILTER_ATTR_KINDS; i < sizeof(sizes); i++)
		if (all.of[i] && i != TASKACCT_FILTER_ATTR_CGROUP_FD)
			filter->has |= 1U << i;
	filter->kinds = (uint32_t)value_of(&all, TASKACCT_FILTER_ATTR_KINDS,
					   0);
	filter->uid_min = (uint32_t)value_of(&all, TASKACCT_FILTER_ATTR_UID_MIN,
					     0);
	filter->uid_max = (uint32_t)value_of(&all, TASKACCT_FILTER_ATTR_UID_MAX,
					     UINT32_MAX);
	filter->min_lifetime =
		value_of(&all, TASKACCT_FILTER_ATTR_MIN_LIFETIME, 0);
	filter->min_cpu_time =
		value_of(&all, TASKACCT_FILTER_ATTR_MIN_CPU_TIME, 0);
	filter->one_in = (uint32_t)value_of(&all, TASKACCT_FILTER_ATTR_ONE_IN,
					    1);
	if (filter->uid_min > filter->uid_max)
		return -EINVAL;
	return find_cgroup(filter, &all);
}

static int at_least(uint64_t min, uint64_t value_min, uint64_t value_max)
{
	if (value_min >= min)
		return 1;
	return value_max >= min ? -1 : 0;
}

static int uid_meets(const struct model_filter *filter,
		     const struct facts *facts)
{
	if (!(filter->has & (FILTER_HAS(UID_MIN) | FILTER_HAS(UID_MAX))))
		return 1;
	if (!facts->knows_uid)
		return -1;
	return facts->uid >= filter->uid_min && facts->uid <= filter->uid_max;
}

/* It has no others below it, but for the root, which has all. */
static int cgroup_meets(const struct model_filter *filter,
			const struct facts *facts)
{
	if (!(filter->has & FILTER_HAS(CGROUP_ID)) ||
	    filter->cgroup == model_cgroups.root)
		return 1;
	if (!facts->cgroup || filter->cgroup != model_cgroups.own)
		return -1;
	return facts->cgroup == filter->cgroup;
}

int filter_meets(const struct model_filter *filter, const struct facts *facts)
{
	const int each[] = {
		uid_meets(filter, facts),
		cgroup_meets(filter, facts),
		filter->has & FILTER_HAS(FAILED) ? facts->failed : 1,
		at_least(filter->min_lifetime, facts->lifetime_min,
			 facts->lifetime_max),
		at_least(filter->min_cpu_time, facts->cpu_min,
			 facts->cpu_max),
		filter->one_in > 1 ? -1 : 1,
	};
	unsigned int i;
	int all = 1;

	for (i = 0; i < sizeof(each) / sizeof(*each); i++) {
		if (!each[i])
			return 0;
		if (each[i] < 0)
			all = -1;
	}
	return all;
}

bool filter_is_reported(const struct model_filter *filter, const char *data,
			size_t size)
{
	struct model_filter reported;

	return !filter_take(&reported, NLA_F_NESTED, data, size) &&
	       reported.has == filter->has && reported.kinds == filter->kinds &&
	       reported.uid_min == filter->uid_min &&
	       reported.uid_max == filter->uid_max &&
	       reported.cgroup == filter->cgroup &&
	       reported.min_lifetime == filter->min_lifetime &&
	       reported.min_cpu_time == filter->min_cpu_time &&
	       reported.one_in == filter->one_in;
}
