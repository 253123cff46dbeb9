// SPDX-License-Identifier: GPL-2.0-only
/*
 * What instances of the agent's metrics have used within an interval
 *
 * An instance comes when the first of its kind ends, and begins at 0. So one that was not in
 * the sample before has used all that its counters say. pmrep(1) knows no rate for it.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"

/* @last: counters as they were in the last sample that had them */
struct instance {
	int id;
	uint64_t last[VALUES];
	struct used used;
};

static void *instances;
static bool first;

static int compare_ids(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct instance *find_instance(int id)
{
	const struct instance key = { .id = id };
	struct instance *new;
	void *node;

	node = tfind(&key, &instances, compare_ids);
	if (node)
		return *(struct instance **)node;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->id = id;
	if (!tsearch(new, &instances, compare_ids)) {
		free(new);
		return NULL;
	}
	return new;
}

void sums_begin(bool is_first)
{
	first = is_first;
}

int sums_add(int id, enum value value, uint64_t n)
{
	struct instance *instance = find_instance(id);
	uint64_t before;

	if (!instance)
		return -ENOMEM;
	before = instance->last[value];
	if (!first)
		instance->used.n[value] += n < before ? n : n - before;
	instance->used.valid[value] = true;
	instance->last[value] = n;
	return 0;
}

/* What sums_each() is called with */
struct visit {
	void (*look)(int id, const struct used *used, void *data);
	void *data;
};

static void look_at_node(const void *node, VISIT when, void *closure)
{
	const struct instance *instance = *(struct instance *const *)node;
	const struct visit *visit = closure;

	if (when == postorder || when == leaf)
		visit->look(instance->id, &instance->used, visit->data);
}

void sums_each(void (*look)(int id, const struct used *used, void *data),
	       void *data)
{
	struct visit visit = { .look = look, .data = data };

	twalk_r(instances, look_at_node, &visit);
}

static void clear_node(const void *node, VISIT when, void *closure)
{
	struct instance *instance = *(struct instance *const *)node;

	(void)closure;
	if (when == postorder || when == leaf)
		memset(&instance->used, 0, sizeof(instance->used));
}

void sums_clear(void)
{
	twalk_r(instances, clear_node, NULL);
}
