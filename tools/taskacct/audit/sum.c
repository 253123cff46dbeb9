// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks used within an interval, by process, user, cgroup, and in all
 *
 * The interval is from an instant between the first two readings of the books to one
 * between the last two. What is used between two readings that belong together may
 * count or not. So of each task the choice is made that is right in any case, and
 * where there is none, what it used may belong to its groups or not.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "sum.h"

/* What a task used within the interval, and whose it was before and is then */
struct flow {
	const struct audit_task *task;
	struct audit_amounts used;
	uint64_t from_cgroup;
	uint32_t from_uid;
	bool sure;
	bool ended;
};

static int compare(const void *a, const void *b)
{
	const struct audit_process *left = a, *right = b;

	return left->tgid < right->tgid ? -1 : left->tgid > right->tgid;
}

static struct audit_process *find_process(const struct audit_sum *sum,
					  uint32_t tgid)
{
	const struct audit_process key = { .tgid = tgid };
	struct audit_process **found;

	found = tfind(&key, &sum->processes, compare);
	return found ? *found : NULL;
}

static struct audit_process *get_process(struct audit_sum *sum, uint32_t tgid)
{
	struct audit_process *process = find_process(sum, tgid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		die(STATUS_REFUSED, "out of memory");
	process->tgid = tgid;
	if (!tsearch(process, &sum->processes, compare))
		die(STATUS_REFUSED, "out of memory");
	return process;
}

struct audit_group *audit_sum_user(struct audit_sum *sum, uint32_t uid)
{
	struct audit_user_group *user;
	size_t i;

	for (i = 0; i < sum->n_users; i++)
		if (sum->users[i].uid == uid)
			return &sum->users[i].group;
	sum->users = audit_grow(sum->users, sum->n_users, &sum->users_room,
				sizeof(*sum->users));
	user = &sum->users[sum->n_users++];
	memset(user, 0, sizeof(*user));
	user->uid = uid;
	return &user->group;
}

static void add(struct audit_group *group, const struct flow *flow, bool whole)
{
	int i;

	group->ended += flow->ended;
	group->changes += !whole;
	if (whole && flow->sure) {
		audit_add(&group->sure, &flow->used, 1);
		return;
	}
	for (i = 0; i < AUDIT_ITEMS; i++)
		if (flow->used.v[i] > 0)
			group->maybe.v[i] += flow->used.v[i];
}

/* The place of a cgroup, or -1 */
static long place_of(const struct audit_sum *sum, uint64_t id)
{
	const struct audit_cgroup *cgroup = audit_books_cgroup(sum->books, id);

	return cgroup ? cgroup - sum->books->cgroups : -1;
}

static bool is_within(const struct audit_sum *sum, long cgroup, long above)
{
	while (cgroup >= 0 && cgroup != above)
		cgroup = sum->parents[cgroup];
	return cgroup >= 0;
}

/* One that came and went between two looks: its tasks may be of any cgroup. */
static void add_unplaced(struct audit_sum *sum, const struct flow *flow)
{
	size_t i;

	sum->unplaced++;
	for (i = 0; i < sum->books->n_cgroups; i++)
		add(&sum->cgroups[i], flow, sum->parents[i] < 0);
}

static void add_to_cgroups(struct audit_sum *sum, const struct flow *flow)
{
	const long to = place_of(sum, flow->task->cgroup);
	const long from = place_of(sum, flow->from_cgroup);
	long i;

	if (to < 0 || from < 0) {
		add_unplaced(sum, flow);
		return;
	}
	for (i = to; i >= 0; i = sum->parents[i])
		add(&sum->cgroups[i], flow, is_within(sum, from, i));
	for (i = from; i >= 0; i = sum->parents[i])
		if (!is_within(sum, to, i))
			add(&sum->cgroups[i], flow, false);
}

/* The record of one that was there, and not of another that was the same before */
static const struct audit_task *find_record(const struct audit_tasks *ended,
					    const struct audit_task *task)
{
	const struct audit_task *record = audit_tasks_find(ended, task);
	const struct audit_task *last = ended->v + ended->n;

	while (record && record < last && audit_is_same(record, task) &&
	       record->end <= task->end)
		record++;
	return record && record < last && audit_is_same(record, task) ? record :
									NULL;
}

/*
 * One that was alive when it was asked at the end, and ended soon after. Between its exit
 * and its end the module tells of its user what was counted when he was last asked for:
 * it may be without what it used since.
 */
static bool is_leaving(const struct audit_sum *sum, const struct flow *flow)
{
	return !flow->ended && find_record(&sum->seen->ended, flow->task);
}

static void add_to_all(struct audit_sum *sum, const struct flow *flow)
{
	const struct audit_task *task = flow->task;
	const bool same = flow->from_uid == task->uid;
	const bool leaving = is_leaving(sum, flow);

	add(&sum->machine, flow, true);
	add(&sum->all_users, flow, !leaving);
	add(&get_process(sum, task->tgid)->group, flow, true);
	add(audit_sum_user(sum, task->uid), flow, same && !leaving);
	if (!same)
		add(audit_sum_user(sum, flow->from_uid), flow, false);
	if (!sum->books->no_cgroups)
		add_to_cgroups(sum, flow);
}

/* Of a process, whose children begin in its cgroup and as its user */
static void note_home(struct audit_sum *sum, const struct audit_task *task)
{
	struct audit_process *process = get_process(sum, task->tgid);
	int i;

	memcpy(process->comm, task->comm, sizeof(process->comm));
	for (i = 0; i < process->n_homes; i++)
		if (process->homes[i].cgroup == task->cgroup &&
		    process->homes[i].uid == task->uid)
			return;
	if (i == AUDIT_HOMES)
		return;
	process->homes[i].cgroup = task->cgroup;
	process->homes[i].uid = task->uid;
	process->n_homes++;
}

/*
 * Where a task began that was not there at the beginning. Where its parent moved, or
 * changed its user, it is not known whether before or after that: another than it has.
 */
static void find_origin(const struct audit_sum *sum, struct flow *flow)
{
	const struct audit_task *task = flow->task;
	const bool leads = task->pid == task->tgid;
	const struct audit_process *parent;
	int i;

	parent = find_process(sum, leads ? task->ppid : task->tgid);
	for (i = 0; parent && i < parent->n_homes; i++) {
		if (parent->homes[i].cgroup != task->cgroup)
			flow->from_cgroup = parent->homes[i].cgroup;
		if (parent->homes[i].uid != task->uid)
			flow->from_uid = parent->homes[i].uid;
	}
}

static void settle(struct audit_sum *sum, const struct audit_task *task,
		   const struct audit_task *before, bool sure, bool ended)
{
	struct flow flow = {
		.task = task,
		.used = task->used,
		.from_cgroup = before ? before->cgroup : task->cgroup,
		.from_uid = before ? before->uid : task->uid,
		.sure = sure,
		.ended = ended,
	};

	sum->untracked += !task->tracked || (before && !before->tracked);
	if (before)
		audit_add(&flow.used, &before->used, -1);
	else
		find_origin(sum, &flow);
	add_to_all(sum, &flow);
}

/*
 * One that ended and was seen neither at the beginning nor at the end. What it used
 * before the second reading need not count, nor what it used after the third; what it used
 * after the first may, and so what it used before the last. Where it is neither known to
 * be all of the one nor all of the other kind, it may count or not: one that was being
 * made, or was on its way from its exit to its end, while all tasks were asked.
 */
static void settle_unseen(struct audit_sum *sum, const struct audit_task *task)
{
	const uint64_t *from = sum->books->from, *to = sum->books->to;
	bool sure;

	if (task->end <= from[AUDIT_BEGIN_TO] ||
	    task->start >= to[AUDIT_END_FROM])
		return;
	sure = task->start >= to[AUDIT_BEGIN_FROM] &&
	       task->end <= from[AUDIT_END_TO];
	settle(sum, task, NULL, sure, true);
}

/*
 * Has another task that was the same ended before this one did, or was looked at? It was
 * the first thread of a process, and this one has taken its number and its begin over, by
 * exec. What ended before the beginning is no matter.
 */
static bool has_former(const struct audit_tasks_seen *seen,
		       const struct audit_task *task)
{
	const struct audit_task *before = audit_tasks_find(&seen->begin, task);
	const struct audit_task *former;

	former = before ? find_record(&seen->ended, before) :
			  audit_tasks_find(&seen->ended, task);
	return former && former != task && former->end <= task->end;
}

/* One whose record is not to be settled, for what it was when it was asked is */
static bool is_live(const struct audit_tasks_seen *seen,
		    const struct audit_task *task)
{
	const struct audit_task *after = audit_tasks_find(&seen->end, task);

	return after && task->end > after->end;
}

static bool has_vanished(const struct audit_tasks_seen *seen,
			 const struct audit_task *before)
{
	return !audit_tasks_find(&seen->end, before) &&
	       !find_record(&seen->ended, before);
}

/*
 * One that took over the number of another. What it had used at the beginning is of a
 * task that has vanished; where there is none, it was made later, or was not asked at the
 * beginning, as it took it over just then.
 */
static void settle_taken_over(struct audit_sum *sum,
			      const struct audit_task *task, bool ended)
{
	struct audit_process *process = get_process(sum, task->tgid);

	settle(sum, task, NULL, process->vanished > 0, ended);
	process->vanished -= process->vanished > 0;
}

/*
 * Is it one that has taken over a number since the beginning? The first thread may have
 * ended before that: then it is there at the end, and should have been at the beginning.
 */
static bool took_over(const struct audit_books *books,
		      const struct audit_tasks_seen *seen,
		      const struct audit_task *task, bool ended)
{
	if (audit_tasks_find(&seen->begin, task))
		return has_former(seen, task);
	return !ended && task->start < books->to[AUDIT_BEGIN_FROM];
}

static void settle_end(struct audit_sum *sum,
		       const struct audit_tasks_seen *seen,
		       const struct audit_task *task, bool ended)
{
	const struct audit_task *before = audit_tasks_find(&seen->begin, task);

	/* One that was the same, before that */
	if (ended && before && task->end <= before->end)
		return;
	if (took_over(sum->books, seen, task, ended))
		settle_taken_over(sum, task, ended);
	else if (before || !ended)
		settle(sum, task, before, true, ended);
	else
		settle_unseen(sum, task);
}

/* What it had used is taken from what the one used that it has become. */
static void settle_vanished(struct audit_sum *sum,
			    const struct audit_task *before)
{
	struct audit_task nothing = *before;

	memset(&nothing.used, 0, sizeof(nothing.used));
	settle(sum, &nothing, before, true, false);
}

static void settle_all(struct audit_sum *sum,
		       const struct audit_tasks_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->begin.n; i++) {
		if (!has_vanished(seen, &seen->begin.v[i]))
			continue;
		get_process(sum, seen->begin.v[i].tgid)->vanished++;
		settle_vanished(sum, &seen->begin.v[i]);
	}
	for (i = 0; i < seen->end.n; i++)
		settle_end(sum, seen, &seen->end.v[i], false);
	for (i = 0; i < seen->ended.n; i++)
		if (!is_live(seen, &seen->ended.v[i]))
			settle_end(sum, seen, &seen->ended.v[i], true);
}

/*
 * Has another taken over its number and begin? Then it has exited, and is there under the
 * other's old number until it is at its end; its record has its own.
 */
static bool was_replaced(const struct audit_tasks *tasks,
			 const struct audit_task *task)
{
	const struct audit_task first = { .pid = task->tgid,
					  .start = task->start };

	return task->pid != task->tgid && audit_tasks_find(tasks, &first);
}

/* What had ended before is no matter of this interval. */
static void drop_ended(struct audit_tasks *tasks)
{
	size_t i, n = 0;

	for (i = 0; i < tasks->n; i++)
		if (was_replaced(tasks, &tasks->v[i]))
			tasks->v[i].ended = true;
	for (i = 0; i < tasks->n; i++)
		if (!tasks->v[i].ended)
			tasks->v[n++] = tasks->v[i];
	tasks->n = n;
}

bool audit_sum_is_whole(const struct audit_books *books,
			struct audit_tasks_seen *seen)
{
	size_t i, vanished = 0, taken = 0;

	audit_tasks_sort(&seen->begin);
	audit_tasks_sort(&seen->end);
	audit_tasks_sort(&seen->ended);
	drop_ended(&seen->begin);
	drop_ended(&seen->end);
	for (i = 0; i < seen->begin.n; i++)
		vanished += has_vanished(seen, &seen->begin.v[i]);
	for (i = 0; i < seen->end.n; i++)
		taken += took_over(books, seen, &seen->end.v[i], false);
	for (i = 0; i < seen->ended.n; i++)
		taken += !is_live(seen, &seen->ended.v[i]) &&
			 took_over(books, seen, &seen->ended.v[i], true);
	return vanished <= taken;
}

static void note_homes(struct audit_sum *sum, const struct audit_tasks *tasks)
{
	size_t i;

	for (i = 0; i < tasks->n; i++)
		note_home(sum, &tasks->v[i]);
}

/*
 * The kernel goes on to count what one uses that has exited until it leaves its CPU for
 * good: that is no more than its record says. Where it was at its end before the books
 * were read, it had ended.
 */
static void take_records(struct audit_tasks *tasks,
			 const struct audit_tasks *ended, uint64_t read)
{
	const struct audit_task *record;
	struct audit_task *task;
	size_t i, n = 0;
	int item;

	for (i = 0; i < tasks->n; i++) {
		task = &tasks->v[i];
		record = task->ending ? find_record(ended, task) : NULL;
		if (record && record->end <= read)
			continue;
		for (item = 0; record && item < AUDIT_ITEMS; item++)
			if (task->used.v[item] > record->used.v[item])
				task->used.v[item] = record->used.v[item];
		tasks->v[n++] = *task;
	}
	tasks->n = n;
}

/* Is one cgroup's path that of another, or below it? */
static bool is_below(const char *path, const char *above)
{
	const size_t length = strlen(above);

	if (!strcmp(above, "/"))
		return true;
	return !strncmp(path, above, length) &&
	       (!path[length] || path[length] == '/');
}

static long find_parent(const struct audit_books *books, size_t of)
{
	const char *path = books->cgroups[of].path;
	size_t i, length, longest = 0;
	long parent = -1;

	for (i = 0; i < books->n_cgroups; i++) {
		length = strlen(books->cgroups[i].path);
		/* One of the same path is another, and is gone. */
		if (length > longest && length < strlen(path) &&
		    is_below(path, books->cgroups[i].path)) {
			longest = length;
			parent = (long)i;
		}
	}
	return parent;
}

static void make_cgroups(struct audit_sum *sum)
{
	const size_t n = sum->books->n_cgroups;
	size_t i;

	sum->cgroups = calloc(n + 1, sizeof(*sum->cgroups));
	sum->parents = calloc(n + 1, sizeof(*sum->parents));
	if (!sum->cgroups || !sum->parents)
		die(STATUS_REFUSED, "out of memory");
	for (i = 0; i < n; i++)
		sum->parents[i] = find_parent(sum->books, i);
}

void audit_sum_make(struct audit_sum *sum, struct audit_tasks_seen *seen)
{
	sum->seen = seen;
	make_cgroups(sum);
	take_records(&seen->begin, &seen->ended,
		     sum->books->from[AUDIT_BEGIN_TO]);
	take_records(&seen->end, &seen->ended, sum->books->from[AUDIT_END_TO]);
	note_homes(sum, &seen->begin);
	note_homes(sum, &seen->end);
	note_homes(sum, &seen->ended);
	settle_all(sum, seen);
}

void audit_sum_free(struct audit_sum *sum)
{
	tdestroy(sum->processes, free);
	free(sum->cgroups);
	free(sum->parents);
	free(sum->users);
}
