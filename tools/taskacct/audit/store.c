// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an audit knows of tasks: what they had used, and when
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "store.h"

void *audit_grow(void *v, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return v;
	*room = *room ? 2 * *room : 256;
	v = reallocarray(v, *room, size);
	if (!v)
		die(STATUS_REFUSED, "out of memory");
	return v;
}

static void take_amounts(struct audit_amounts *used,
			 const struct taskacct_extended *record)
{
	const struct taskacct_wait *wait = &record->wait[TASKACCT_WAIT_CPU];
	const struct taskacct_record *r = &record->r;

	used->v[AUDIT_CPU] = (int64_t)r->runtime;
	used->v[AUDIT_RUN_DELAY] = (int64_t)wait->total;
	used->v[AUDIT_RUNS] = (int64_t)wait->count;
	used->v[AUDIT_SWITCHES] = (int64_t)(r->nvcsw + r->nivcsw);
	used->v[AUDIT_FAULTS] = (int64_t)(r->min_flt + r->maj_flt);
	used->v[AUDIT_READ] = (int64_t)r->read_bytes;
	used->v[AUDIT_WRITE] = (int64_t)r->write_bytes;
	used->v[AUDIT_RCHAR] = (int64_t)r->rchar;
	used->v[AUDIT_WCHAR] = (int64_t)r->wchar;
	used->v[AUDIT_TASKS] = r->kind == TASKACCT_KIND_PROCESS ?
				       (int64_t)r->threads :
				       1;
	used->v[AUDIT_ON_CPU] = (int64_t)r->on_cpu;
	used->v[AUDIT_WALL] = 0;
}

/* One that is older than the accounting is known since that began. */
static bool is_tracked(const struct taskacct_extended *record)
{
	const enum taskacct_validity validity =
		taskacct_validity(record, TASKACCT_R_ON_CPU);

	return validity == TASKACCT_VALID || validity == TASKACCT_LATE;
}

void audit_tasks_add(struct audit_tasks *tasks,
		     const struct taskacct_extended *record)
{
	const struct taskacct_record *r = &record->r;
	struct audit_task *task;

	tasks->v = audit_grow(tasks->v, tasks->n, &tasks->room,
			      sizeof(*tasks->v));
	task = &tasks->v[tasks->n++];
	task->pid = r->init_pid;
	task->tgid = r->init_tgid;
	task->ppid = r->init_ppid;
	task->uid = r->uid;
	task->cgroup = r->cgroup;
	task->start = r->start;
	task->end = r->end;
	task->ending = r->flags & TASKACCT_RECORD_ENDING;
	task->ended = (r->flags & TASKACCT_RECORD_ENDED) && !task->ending;
	task->early = r->flags & TASKACCT_RECORD_EARLY;
	task->tracked = is_tracked(record);
	memcpy(task->comm, r->comm, sizeof(task->comm));
	take_amounts(&task->used, record);
}

static int compare(const void *a, const void *b)
{
	const struct audit_task *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return 0;
}

/* Those that are the same in the order in which they ended */
static int compare_ends(const void *a, const void *b)
{
	const struct audit_task *left = a, *right = b;
	const int order = compare(a, b);

	if (order || left->end == right->end)
		return order;
	return left->end < right->end ? -1 : 1;
}

void audit_tasks_sort(struct audit_tasks *tasks)
{
	if (tasks->n)
		qsort(tasks->v, tasks->n, sizeof(*tasks->v), compare_ends);
}

bool audit_is_same(const struct audit_task *a, const struct audit_task *b)
{
	return !compare(a, b);
}

const struct audit_task *audit_tasks_find(const struct audit_tasks *tasks,
					  const struct audit_task *task)
{
	const struct audit_task *found;

	if (!tasks->n)
		return NULL;
	found = bsearch(task, tasks->v, tasks->n, sizeof(*tasks->v), compare);
	while (found && found > tasks->v && !compare(found - 1, task))
		found--;
	return found;
}

void audit_add(struct audit_amounts *to, const struct audit_amounts *what,
	       int64_t times)
{
	int i;

	for (i = 0; i < AUDIT_ITEMS; i++)
		to->v[i] += times * what->v[i];
}
