// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lines of an audit: sums held against books
 *
 * How far the two may be apart, and why, is in Documentation/audit.rst.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

/*
 * A record is made when a task has nothing left to do but to leave its CPU for good:
 * what that takes is in no record, nor what its message takes.
 */
#define END_NS 5000

/* So with the instant at which a task changes its user */
#define CHANGE_NS 5000

/*
 * What the module tells of a live task that is about to leave its CPU is as old as its last
 * tick; at a change of user it counts to the instant. So who changes between a reading and
 * the answer that tells of him may be behind by a tick, of which there are 100 a second at
 * least, on each CPU.
 */
#define TICK_NS 10000000

/* The kernel tells a cgroup's time in whole microseconds, and pgpgin in KiB. */
#define CGROUP_NS 1000
#define PGPGIN_BYTES 1024

/*
 * The way to user mode is booked when a task begins it: up to so much more than has
 * passed may be booked of a CPU.
 */
#define WAY_NS 2000

/* Compares, and takes the line; @shift: what is known to be missing in the records */
static void add_row(struct audit_rows *rows, const struct audit_group *group,
		    struct audit_row row, int64_t shift)
{
	const int64_t least = group->sure.v[row.item];
	const int64_t most = least + group->maybe.v[row.item];

	row.used = (struct audit_range){ least, most };
	row.ended = group->ended;
	row.weight = group->sure.v[AUDIT_CPU];
	if (least + shift > row.booked.max)
		row.residual = least + shift - row.booked.max;
	else if (most + shift < row.booked.min)
		row.residual = most + shift - row.booked.min;
	row.closes = row.residual <= row.above && -row.residual <= row.below;
	rows->compared++;
	if (row.closes && row.scope == AUDIT_OF_PROCESS)
		return;
	rows->v = audit_grow(rows->v, rows->n, &rows->room, sizeof(*rows->v));
	rows->v[rows->n++] = row;
}

/* What a book that was read four times says of the interval */
static struct audit_range within(const int64_t *v)
{
	return (struct audit_range){
		.min = v[AUDIT_END_FROM] - v[AUDIT_BEGIN_TO],
		.max = v[AUDIT_END_TO] - v[AUDIT_BEGIN_FROM],
	};
}

/*
 * A rule: a line of the machine's books, what it is about, and how far it may be off.
 * The last switch of a task is in no record, as it comes after it. Where the kernel
 * preempts itself the task may even have been made to wait between the two; and who is
 * preempted when it has said that it will sleep has a switch, and then no run.
 */
struct rule {
	enum audit_line line;
	const char *book;
	enum audit_item item;
	int64_t below;
	int64_t above;
	int64_t each_cpu;
	int64_t each_end;
	int64_t each_preempted;
	int64_t above_preempted;
	bool last_switch;
};

static const struct rule rules[] = {
	/* The search for other work, before a CPU is idle, is booked for who left it. */
	{ AUDIT_RQ_CPU_TIME, "schedstat", AUDIT_CPU, .below = AUDIT_UNBOUND,
	  .each_end = END_NS },
	{ AUDIT_RQ_RUN_DELAY, "schedstat", AUDIT_RUN_DELAY,
	  .each_preempted = AUDIT_UNBOUND },
	{ AUDIT_RQ_PCOUNT, "schedstat", AUDIT_RUNS, .each_preempted = 1 },
	{ AUDIT_RQ_PCOUNT, "schedstat", AUDIT_SWITCHES, .each_cpu = 1,
	  .each_preempted = 1, .above_preempted = AUDIT_UNBOUND, .last_switch = true },
	{ AUDIT_CTXT, "stat", AUDIT_SWITCHES, .below = AUDIT_UNBOUND,
	  .last_switch = true },
	{ AUDIT_FORKS, "stat", AUDIT_TASKS, .below = 0 },
	{ AUDIT_PGFAULT, "vmstat", AUDIT_FAULTS, .below = AUDIT_UNBOUND },
	{ AUDIT_PGPGIN, "vmstat", AUDIT_READ, .below = PGPGIN_BYTES,
	  .above = AUDIT_UNBOUND },
	{ AUDIT_DIRTIED, "vmstat", AUDIT_WRITE, .above = AUDIT_UNBOUND },
};

static int64_t times(int64_t bound, int64_t n)
{
	if (!n || !bound)
		return 0;
	return bound == AUDIT_UNBOUND ? bound : bound * n;
}

static int64_t plus(int64_t bound, int64_t more)
{
	if (bound == AUDIT_UNBOUND || more == AUDIT_UNBOUND)
		return AUDIT_UNBOUND;
	return bound + more;
}

static void set_bounds(struct audit_row *row, const struct rule *rule,
		       const struct audit_sum *sum)
{
	const int64_t ended = sum->machine.ended;
	const int64_t both = times(rule->each_cpu, audit_books_cpus(sum->books)) +
			     times(rule->each_end, ended);

	row->above = plus(rule->above, both);
	row->below = plus(rule->below, both);
	if (sum->books->preempts) {
		row->below = plus(row->below,
				  times(rule->each_preempted, ended));
		row->above = plus(row->above, rule->above_preempted);
	}
}

static void add_rule(struct audit_rows *rows, const struct audit_sum *sum,
		     const struct rule *rule)
{
	const struct audit_machine *m = sum->books->machine;
	struct audit_row row = { .scope = AUDIT_OF_MACHINE, .name = "machine" };
	int64_t v[AUDIT_READINGS];
	int i;

	for (i = 0; i < AUDIT_READINGS; i++) {
		/* CPUs take what they had booked with them. */
		if (!m[i].has[rule->line] ||
		    (rule->line <= AUDIT_RQ_PCOUNT &&
		     !audit_books_same_cpus(sum->books)))
			return;
		v[i] = m[i].v[rule->line];
	}
	row.booked = within(v);
	row.item = rule->item;
	row.book = rule->book;
	set_bounds(&row, rule, sum);
	add_row(rows, &sum->machine, row,
		rule->last_switch ? sum->machine.ended : 0);
}

static void add_machine(struct audit_rows *rows, const struct audit_sum *sum)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		add_rule(rows, sum, &rules[i]);
}

static bool cpus_are_known(const struct audit_books *books)
{
	int i;

	for (i = 0; i < AUDIT_READINGS; i++)
		if (!books->cpu[i].has)
			return false;
	/* No time passes on one that is away, which has no line then. */
	return audit_books_same_cpus(books);
}

/* All that the module has booked of a CPU, against the time that passed meanwhile */
static void add_cpu(struct audit_rows *rows, const struct audit_books *books,
		    size_t cpu)
{
	const struct audit_cpus *then = &books->cpu[AUDIT_BEGIN_TO];
	const struct audit_cpus *now = &books->cpu[AUDIT_END_FROM];
	struct audit_group group = { .ended = 0 };
	int64_t before, after;

	if (!audit_cpus_whole(then, cpu, &before) ||
	    !audit_cpus_whole(now, cpu, &after))
		return;
	group.sure.v[AUDIT_WALL] = after - before;
	add_row(rows, &group,
		(struct audit_row){ .scope = AUDIT_OF_CPU,
				    .id = (uint32_t)cpu,
				    .item = AUDIT_WALL,
				    .book = "cputime",
				    .booked = { now->from - then->to,
						now->to - then->from },
				    .below = WAY_NS,
				    .above = WAY_NS },
		0);
}

/* Which CPU a task was on is in no record: so tasks are held against all together. */
static void add_cpus(struct audit_rows *rows, const struct audit_sum *sum)
{
	const struct audit_books *books = sum->books;
	const int64_t ways = WAY_NS * audit_books_cpus(books);
	int64_t v[AUDIT_READINGS];
	size_t i;

	if (!cpus_are_known(books))
		return;
	for (i = 0; i < books->cpu[AUDIT_END_FROM].times.n; i++)
		add_cpu(rows, books, i);
	if (sum->untracked)
		return;
	for (i = 0; i < AUDIT_READINGS; i++)
		v[i] = audit_cpus_tasks(&books->cpu[i]);
	add_row(rows, &sum->machine,
		(struct audit_row){ .scope = AUDIT_OF_MACHINE,
				    .name = "machine",
				    .item = AUDIT_ON_CPU,
				    .book = "cputime",
				    .booked = within(v),
				    .below = ways + END_NS * sum->machine.ended,
				    .above = ways },
		0);
}

/* One that was made meanwhile began with nothing; one that is gone has no book. */
static void add_cgroup(struct audit_rows *rows, const struct audit_sum *sum,
		       size_t i)
{
	const struct audit_cgroup *cgroup = &sum->books->cgroups[i];
	const struct audit_group *group = &sum->cgroups[i];
	const int64_t bound = CGROUP_NS + END_NS * group->ended;

	if (!cgroup->has[AUDIT_END_TO])
		return;
	add_row(rows, group,
		(struct audit_row){ .scope = AUDIT_OF_CGROUP,
				    .name = cgroup->path,
				    .item = AUDIT_CPU,
				    .book = "cpu.stat",
				    .booked = within(cgroup->ns),
				    .below = bound,
				    .above = bound },
		0);
}

static const struct audit_amounts *
find_user(const struct audit_books *books, enum audit_when when, uint32_t uid)
{
	static const struct audit_amounts none;
	size_t i;

	for (i = 0; i < books->n_users[when]; i++)
		if (books->users[when][i].uid == uid)
			return &books->users[when][i].used;
	return &none;
}

/* Items that a user has; of when his tasks began the module keeps nothing. */
#define USER_ITEMS AUDIT_TASKS

/* Items that a process has; of CPUs there is one book for all. */
#define PROCESS_ITEMS AUDIT_ON_CPU

/* Nothing was booked between two readings: none of his tasks was on a CPU. */
static bool is_quiet(const struct audit_amounts *from,
		     const struct audit_amounts *to)
{
	return !memcmp(from, to, sizeof(*from));
}

static int64_t user_bound(const struct audit_sum *sum,
			  const struct audit_group *group,
			  const struct audit_amounts *const *used)
{
	const int busy =
		!is_quiet(used[AUDIT_BEGIN_FROM], used[AUDIT_BEGIN_TO]) +
		!is_quiet(used[AUDIT_END_FROM], used[AUDIT_END_TO]);

	return CHANGE_NS * group->changes +
	       TICK_NS * busy * audit_books_cpus(sum->books);
}

static void add_user(struct audit_rows *rows, struct audit_sum *sum,
		     uint32_t uid)
{
	const struct audit_group *group = audit_sum_user(sum, uid);
	const struct audit_amounts *used[AUDIT_READINGS];
	int64_t v[AUDIT_READINGS], bound;
	int i, when;

	for (when = 0; when < AUDIT_READINGS; when++)
		used[when] = find_user(sum->books, when, uid);
	for (i = 0; i < USER_ITEMS; i++) {
		for (when = 0; when < AUDIT_READINGS; when++)
			v[when] = used[when]->v[i];
		bound = i == AUDIT_CPU ? user_bound(sum, group, used) : 0;
		add_row(rows, group,
			(struct audit_row){ .scope = AUDIT_OF_USER,
					    .id = uid,
					    .item = i,
					    .book = "users",
					    .booked = within(v),
					    .below = bound,
					    .above = bound },
			0);
	}
}

/* All users together, whoever changed from the one to the other */
static void add_all_users(struct audit_rows *rows, const struct audit_sum *sum)
{
	const struct audit_books *books = sum->books;
	int64_t v[AUDIT_READINGS], bound = 0;
	size_t u;
	int i, when;

	for (u = 0; u < sum->n_users; u++)
		bound += CHANGE_NS * sum->users[u].group.changes;
	for (i = 0; i < USER_ITEMS; i++) {
		memset(v, 0, sizeof(v));
		for (when = 0; when < AUDIT_READINGS; when++)
			for (u = 0; u < books->n_users[when]; u++)
				v[when] += books->users[when][u].used.v[i];
		add_row(rows, &sum->all_users,
			(struct audit_row){ .scope = AUDIT_OF_MACHINE,
					    .name = "machine",
					    .item = i,
					    .book = "users",
					    .booked = within(v),
					    .below = i ? 0 : bound,
					    .above = i ? 0 : bound },
			0);
	}
}

static void add_users(struct audit_rows *rows, struct audit_sum *sum)
{
	const struct audit_books *books = sum->books;
	size_t u;

	if (!books->has_users)
		return;
	add_all_users(rows, sum);
	for (u = 0; u < books->n_users[AUDIT_END_TO]; u++)
		if (books->users[AUDIT_END_TO][u].uid != AUDIT_REST)
			add_user(rows, sum, books->users[AUDIT_END_TO][u].uid);
}

/* What twalk_r() hands on */
struct walk {
	struct audit_rows *rows;
	const struct audit_sum *sum;
	const struct audit_tasks *ended;
};

/* The first process of a number, in a list that is sorted */
static size_t find_first(const struct audit_tasks *list, uint32_t tgid)
{
	size_t from = 0, to = list->n, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (list->v[middle].pid < tgid)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Is it in a reading, and was not at its end there? */
static bool was_alive(const struct audit_tasks *reading,
		      const struct audit_task *process)
{
	const struct audit_task *found = audit_tasks_find(reading, process);

	return found && !found->ended;
}

/*
 * What a process had used that has ended since. One that was not there had not begun yet,
 * or was over: where the times of both tell neither, it may be either.
 */
static void add_ended(struct audit_range *range, const struct walk *walk,
		      enum audit_when when, const struct audit_task *process,
		      enum audit_item item)
{
	const struct audit_books *books = walk->sum->books;

	if (was_alive(&books->processes[when], process) ||
	    process->start >= books->to[when])
		return;
	range->max += process->used.v[item];
	if (process->end <= books->from[when] ||
	    audit_tasks_find(&books->processes[when], process))
		range->min += process->used.v[item];
}

/*
 * What one had used by a reading that was there. What the kernel adds until it leaves its
 * CPU for good is in no record: of one that has exited no more than that counts. One that
 * was at its end without a record had been before.
 */
static void add_seen(struct audit_range *range, const struct audit_task *process,
		     const struct audit_task *record, enum audit_item item)
{
	int64_t used = process->used.v[item], last = used;

	if (process->ended)
		return;
	if (record && process->ending)
		last = record->used.v[item];
	range->min += used < last ? used : last;
	range->max += last;
}

/* What processes of a number had used by a reading */
static void add_processes_of(struct audit_range *range, const struct walk *walk,
			     enum audit_when when, uint32_t tgid,
			     enum audit_item item)
{
	const struct audit_tasks *list = &walk->sum->books->processes[when];
	size_t i;

	for (i = find_first(list, tgid);
	     i < list->n && list->v[i].pid == tgid; i++) {
		add_seen(range, &list->v[i],
			 audit_tasks_find(walk->ended, &list->v[i]), item);
	}
	list = walk->ended;
	for (i = find_first(list, tgid);
	     i < list->n && list->v[i].pid == tgid; i++)
		add_ended(range, walk, when, &list->v[i], item);
}

static void add_process(const struct walk *walk,
			const struct audit_process *process)
{
	struct audit_range v[AUDIT_READINGS];
	struct audit_row row = { .scope = AUDIT_OF_PROCESS,
				 .name = process->comm,
				 .id = process->tgid,
				 .book = "processes" };
	int i, when;

	for (i = 0; i < PROCESS_ITEMS; i++) {
		memset(v, 0, sizeof(v));
		for (when = 0; when < AUDIT_READINGS; when++)
			add_processes_of(&v[when], walk, when, process->tgid,
					 i);
		row.item = i;
		row.booked.min = v[AUDIT_END_FROM].min - v[AUDIT_BEGIN_TO].max;
		row.booked.max = v[AUDIT_END_TO].max - v[AUDIT_BEGIN_FROM].min;
		add_row(walk->rows, &process->group, row, 0);
	}
}

static void visit_process(const void *node, VISIT visit, void *arg)
{
	const struct audit_process *const *process = node;

	if (visit == postorder || visit == leaf)
		add_process(arg, *process);
}

void audit_rows_make(struct audit_rows *rows, struct audit_sum *sum,
		     const struct audit_tasks *processes)
{
	struct walk walk = { .rows = rows, .sum = sum, .ended = processes };
	size_t i;

	add_machine(rows, sum);
	add_cpus(rows, sum);
	for (i = 0; i < sum->books->n_cgroups && !sum->books->no_cgroups; i++)
		add_cgroup(rows, sum, i);
	add_users(rows, sum);
	twalk_r(sum->processes, visit_process, &walk);
}

const struct audit_item_info audit_items[AUDIT_ITEMS] = {
	[AUDIT_CPU] = { "cpu_ns", "cpu", UNIT_NS },
	[AUDIT_RUN_DELAY] = { "run_delay_ns", "delay", UNIT_NS },
	[AUDIT_RUNS] = { "runs", "runs", UNIT_COUNT },
	[AUDIT_SWITCHES] = { "switches", "switches", UNIT_COUNT },
	[AUDIT_FAULTS] = { "faults", "faults", UNIT_COUNT },
	[AUDIT_READ] = { "read_bytes", "read", UNIT_BYTES },
	[AUDIT_WRITE] = { "write_bytes", "write", UNIT_BYTES },
	[AUDIT_RCHAR] = { "rchar", "rchar", UNIT_BYTES },
	[AUDIT_WCHAR] = { "wchar", "wchar", UNIT_BYTES },
	[AUDIT_TASKS] = { "tasks", "tasks", UNIT_COUNT },
	[AUDIT_ON_CPU] = { "on_cpu_ns", "on-cpu", UNIT_NS },
	[AUDIT_WALL] = { "wall_ns", "wall", UNIT_NS },
};

const char *const audit_scopes[] = {
	[AUDIT_OF_MACHINE] = "machine",
	[AUDIT_OF_CGROUP] = "cgroup",
	[AUDIT_OF_CPU] = "cpu",
	[AUDIT_OF_USER] = "user",
	[AUDIT_OF_PROCESS] = "process",
};

/* The group with the most CPU time first, then by name, number and item */
static int compare(const void *a, const void *b)
{
	const struct audit_row *left = a, *right = b;
	int names;

	if (left->scope != right->scope)
		return left->scope < right->scope ? -1 : 1;
	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	names = left->name && right->name ? strcmp(left->name, right->name) : 0;
	if (names)
		return names;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	if (left->item != right->item)
		return left->item < right->item ? -1 : 1;
	return strcmp(left->book, right->book);
}

void audit_rows_sort(struct audit_rows *rows)
{
	if (rows->n)
		qsort(rows->v, rows->n, sizeof(*rows->v), compare);
}

size_t audit_rows_open(const struct audit_rows *rows)
{
	size_t i, open = 0;

	for (i = 0; i < rows->n; i++)
		open += !rows->v[i].closes;
	return open;
}

bool audit_row_is_reported(const struct audit_row *row)
{
	return !row->closes || row->used.max || row->booked.max;
}

int64_t audit_row_bound(const struct audit_row *row)
{
	if (row->residual)
		return row->residual > 0 ? row->above : row->below;
	return row->above == AUDIT_UNBOUND ? row->below : row->above;
}
