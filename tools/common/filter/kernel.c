// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of a filter the kernel can decide
 *
 * Each function says whether the kernel's conditions are all that its part of the filter
 * asks for. Where they are less, records come that are still to be decided here.
 */
#include <string.h>

#include "base/cgroup.h"
#include "node.h"

static bool has(const struct taskacct_filter *kernel, int attr)
{
	return kernel->has & UINT32_C(1) << attr;
}

static void add(struct taskacct_filter *kernel, int attr)
{
	kernel->has |= UINT32_C(1) << attr;
}

static bool is_field(const struct node *node, const char *name)
{
	return !strcmp(node->field->name, name);
}

static bool push_users(const struct node *node, struct taskacct_filter *k)
{
	if (has(k, TASKACCT_FILTER_ATTR_UID_MIN) || node->low > UINT32_MAX)
		return false;
	k->uid_min = (uint32_t)node->low;
	k->uid_max = node->high > UINT32_MAX ? UINT32_MAX :
					       (uint32_t)node->high;
	add(k, TASKACCT_FILTER_ATTR_UID_MIN);
	add(k, TASKACCT_FILTER_ATTR_UID_MAX);
	return true;
}

static void push_least(uint64_t low, uint64_t *least, struct taskacct_filter *k,
		       int attr)
{
	if (low <= *least)
		return;
	*least = low;
	add(k, attr);
}

/* A directory that cannot be opened here is that of another machine, or gone. */
static bool push_cgroup(const struct node *node, struct taskacct_filter *k)
{
	int fd;

	if (has(k, TASKACCT_FILTER_ATTR_CGROUP_FD))
		return false;
	fd = cgroup_open(node->text);
	if (fd < 0)
		return false;
	k->cgroup_fd = fd;
	add(k, TASKACCT_FILTER_ATTR_CGROUP_FD);
	return true;
}

/*
 * The kernel compares the sum of utime and stime, which is no less than either. The field
 * cpu is exact, and can be less than what ticks made of it.
 */
static bool push_range(const struct node *node, struct taskacct_filter *k)
{
	if (node->low > node->high)
		return false;
	if (is_field(node, "uid") || is_field(node, "user"))
		return push_users(node, k);
	if (is_field(node, "utime") || is_field(node, "stime"))
		push_least(node->low, &k->min_cpu_time, k,
			   TASKACCT_FILTER_ATTR_MIN_CPU_TIME);
	if (!is_field(node, "lifetime"))
		return false;
	push_least(node->low, &k->min_lifetime, k,
		   TASKACCT_FILTER_ATTR_MIN_LIFETIME);
	return node->high == UINT64_MAX;
}

static bool push_failed(struct taskacct_filter *k)
{
	add(k, TASKACCT_FILTER_ATTR_FAILED);
	return true;
}

/* exit!=0 */
static bool is_failure(const struct node *left)
{
	return left->kind == NODE_EXIT_RANGE && !left->low && !left->high;
}

static bool push(const struct node *node, struct taskacct_filter *k)
{
	bool left;

	switch (node->kind) {
	case NODE_AND:
		left = push(node->left, k);
		return push(node->right, k) && left;
	case NODE_FAILED:
		return push_failed(k);
	case NODE_NOT:
		return is_failure(node->left) && push_failed(k);
	case NODE_TREE:
		return push_cgroup(node, k);
	case NODE_RANGE:
		return push_range(node, k);
	default:
		return false;
	}
}

bool filter_kernel(const struct filter *filter, struct taskacct_filter *kernel)
{
	return !filter || push(filter->root, kernel);
}
