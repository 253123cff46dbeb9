/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters: what they are, and who meets them */
#ifndef FUZZ_FILTER_H
#define FUZZ_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bit of model_filter.has */
#define FILTER_HAS(what) (1U << TASKACCT_FILTER_ATTR_##what)

/**
 * struct model_filter - conditions
 * @has: which there are, FILTER_HAS(); a cgroup counts as CGROUP_ID
 * @kinds: TASKACCT_KIND_*
 * @uid_min: lowest uid
 * @uid_max: highest uid
 * @cgroup: id of a cgroup
 * @min_lifetime: in ns
 * @min_cpu_time: in ns
 * @one_in: of how many one
 */
struct model_filter {
	uint32_t has;
	uint32_t kinds;
	uint32_t uid_min;
	uint32_t uid_max;
	uint64_t cgroup;
	uint64_t min_lifetime;
	uint64_t min_cpu_time;
	uint32_t one_in;
};

/**
 * struct facts - what is known of a task or of a process
 * @uid: real uid
 * @knows_uid: it is known
 * @failed: 1 if its end has a code other than 0, 0 if not, negative: unknown
 * @cgroup: id of its cgroup, 0: unknown
 * @lifetime_min: ns that it has lived at least
 * @lifetime_max: and at most
 * @cpu_min: ns that it has run at least
 * @cpu_max: and at most
 */
struct facts {
	uint32_t uid;
	bool knows_uid;
	int failed;
	uint64_t cgroup;
	uint64_t lifetime_min;
	uint64_t lifetime_max;
	uint64_t cpu_min;
	uint64_t cpu_max;
};

/* Nothing is known. */
static inline struct facts facts_none(void)
{
	return (struct facts){
		.failed = -1,
		.lifetime_max = UINT64_MAX,
		.cpu_max = UINT64_MAX,
	};
}

/**
 * filter_check() - whether a filter is one, whatever it says
 * @data: what is in the nest
 * @size: its length
 *
 * Return: 0 or the module's negative errno.
 */
int filter_check(const char *data, size_t size);

/**
 * filter_take() - what a filter's attribute means
 * @filter: receives it
 * @type: of the attribute, flags and all
 * @data: its payload, aligned
 * @size: bytes
 *
 * Return: 0 or the error that it has to give.
 */
int filter_take(struct model_filter *filter, unsigned int type,
		const char *data, size_t size);

/**
 * filter_meets() - whether a task or process meets a filter, but for its kind
 * @filter: filter
 * @facts: of the task or process
 *
 * Return: 1 if it does, 0 if not, negative if that is not known.
 */
int filter_meets(const struct model_filter *filter, const struct facts *facts);

/**
 * filter_is_reported() - whether a nest in an answer says what was asked for
 * @filter: what was asked for
 * @data: payload of the nest, aligned
 * @size: bytes
 *
 * Return: true if it does.
 */
bool filter_is_reported(const struct model_filter *filter, const char *data,
			size_t size);

#endif /* FUZZ_FILTER_H */
