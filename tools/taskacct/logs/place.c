// SPDX-License-Identifier: GPL-2.0-only
/*
 * A place in the shared memory, and as text: an object of JSON
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "place.h"
#include "taskacct.h"

/* Of 8,192 CPUs */
#define PLACE_MAX (256 << 10)
#define LANES_MAX (8192 * TASKACCT_RING_LANES)

void place_name(char *ring)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	snprintf(ring, PLACE_RING, "exits-%" PRIx64 ".%09" PRIu64,
		 (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
}

void place_free(struct place *p)
{
	free(p->numbers);
	free(p->cpus);
	memset(p, 0, sizeof(*p));
}

void place_begin(struct place *p, unsigned int n)
{
	char *possible = taskacct_possible_cpus();
	unsigned int *cpus = NULL;
	const int n_cpus = possible ? taskacct_parse_cpus(possible, &cpus) : 0;

	free(possible);
	*p = (struct place){
		.numbers = alloc(n ?: 1, sizeof(*p->numbers)),
		.n = n,
		.cpus = cpus,
		.n_cpus = n_cpus > 0 ? (unsigned int)n_cpus : 0,
	};
}

void place_copy(struct place *to, const struct place *from)
{
	uint64_t *numbers = alloc(from->n ?: 1, sizeof(*numbers));
	unsigned int *cpus = alloc(from->n_cpus ?: 1, sizeof(*cpus));

	memcpy(numbers, from->numbers, from->n * sizeof(*numbers));
	memcpy(cpus, from->cpus, from->n_cpus * sizeof(*cpus));
	place_free(to);
	*to = *from;
	to->numbers = numbers;
	to->cpus = cpus;
}

uint64_t place_sum(const struct place *p)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < p->n; i++)
		sum += p->numbers[i];
	return sum;
}

/* The lane of an exit, or NULL */
static uint64_t *lane_of(const struct place *p, const struct taskacct_record *r)
{
	const unsigned int lane = r->flags & TASKACCT_RECORD_LAST ?
					  TASKACCT_RING_PROCESSES :
					  TASKACCT_RING_THREADS;
	unsigned int i = r->cpu < p->n_cpus ? r->cpu + 1 : p->n_cpus;

	/* No CPU stands behind its number, and most of them stand there. */
	while (i && p->cpus[i - 1] != r->cpu)
		i--;
	if (!i || i * TASKACCT_RING_LANES > p->n)
		return NULL;
	return &p->numbers[(i - 1) * TASKACCT_RING_LANES + lane];
}

void place_pass(struct place *p, const struct nlmsghdr *nlh)
{
	const size_t needed =
		offsetof(struct taskacct_record, cpu) + sizeof(uint32_t);
	const struct nlattr *attr;
	struct taskacct_record r;
	uint64_t *number;
	int32_t ahead;

	attr = nlmsg_find_attr((struct nlmsghdr *)nlh, GENL_HDRLEN,
			       TASKACCT_TYPE_RECORD);
	if (!attr || nla_len(attr) < (int)needed)
		return;
	memcpy(&r, nla_data(attr), needed);
	number = lane_of(p, &r);
	if (!number)
		return;
	/* The message has the lower half of it. */
	ahead = (int32_t)(nlh->nlmsg_seq - (uint32_t)*number);
	if (ahead >= 0)
		*number += (uint32_t)ahead + 1;
}

char *place_print(const struct place *p)
{
	struct json_object *o = json_object_new_object();
	struct json_object *at = json_object_new_array();
	unsigned int i;
	char *text;

	for (i = 0; i < p->n; i++)
		json_object_array_add(at, json_object_new_uint64(p->numbers[i]));
	json_object_object_add(o, "ring", json_object_new_string(p->ring));
	json_object_object_add(o, "at", at);
	text = copy(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	return text;
}

static struct json_object *member(struct json_object *o, const char *name,
				  enum json_type type)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, name, &v);
	return json_object_is_type(v, type) ? v : NULL;
}

/* Numbers begin with 1. */
static bool are_numbers(struct json_object *at)
{
	const size_t n = json_object_array_length(at);
	struct json_object *number;
	size_t i;

	for (i = 0; i < n; i++) {
		number = json_object_array_get_idx(at, i);
		if (!json_object_is_type(number, json_type_int) ||
		    !json_object_get_uint64(number))
			return false;
	}
	return n && n <= LANES_MAX;
}

static bool is_place(struct json_object *o)
{
	struct json_object *at = member(o, "at", json_type_array);

	return member(o, "ring", json_type_string) && at && are_numbers(at);
}

static void take(struct place *p, struct json_object *o)
{
	struct json_object *at = member(o, "at", json_type_array);
	const unsigned int n = (unsigned int)json_object_array_length(at);
	struct json_object *number;
	unsigned int i;

	if (p->n != n) {
		place_free(p);
		place_begin(p, n);
	}
	snprintf(p->ring, sizeof(p->ring), "%s",
		 json_object_get_string(member(o, "ring", json_type_string)));
	for (i = 0; i < n; i++) {
		number = json_object_array_get_idx(at, i);
		p->numbers[i] = json_object_get_uint64(number);
	}
}

bool place_parse(struct place *p, const char *text, size_t length)
{
	struct json_tokener *tokener;
	struct json_object *o;
	bool is;

	if (length > PLACE_MAX)
		return false;
	tokener = json_tokener_new();
	if (!tokener)
		return false;
	o = json_tokener_parse_ex(tokener, text, (int)length);
	json_tokener_free(tokener);
	is = is_place(o);
	if (is)
		take(p, o);
	json_object_put(o);
	return is;
}
