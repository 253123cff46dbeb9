// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users at one time, as one reader is told of them
 */

#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include <taskacct_features.h>

#include "record.h"
#include "uid_entry.h"
#include "uid_rows.h"
#include "uid_usage.h"

static size_t size_of_row(const struct taskacct_uid_rows *rows)
{
	switch (rows->kind) {
	case TASKACCT_UID_IO:
		return sizeof(struct taskacct_uid_io_row);
	case TASKACCT_UID_TIMES:
		return sizeof(struct taskacct_uid_times_row);
	default:
		return sizeof(struct taskacct_uid_row) +
		       rows->states * sizeof(struct taskacct_uid_usage);
	}
}

/**
 * taskacct_uid_rows_alloc() - make room for users
 * @rows: where; it has the kind and the states
 * @room: for how many
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_rows_alloc(struct taskacct_uid_rows *rows, unsigned int room)
{
	rows->room = room;
	rows->size = size_of_row(rows);
	rows->names = kvmalloc_array(room, 2 * sizeof(*rows->names),
				     GFP_KERNEL_ACCOUNT);
	/* Zeroed: what a user has used is added. */
	rows->rows = kvcalloc(room, rows->size, GFP_KERNEL_ACCOUNT);
	return rows->names && rows->rows ? 0 : -ENOMEM;
}

/**
 * taskacct_uid_rows_free() - let go of users
 * @rows: from taskacct_uid_totals_read()
 *
 * Context: task context, may sleep.
 */
void taskacct_uid_rows_free(struct taskacct_uid_rows *rows)
{
	kvfree(rows->names);
	kvfree(rows->rows);
	kvfree(rows->lines);
	*rows = (struct taskacct_uid_rows){
		.kind = rows->kind,
		.states = rows->states,
	};
}

/**
 * taskacct_uid_rows_add() - add a user's name
 * @rows: to these
 * @entry: the user
 * @ns: whose numbers to use; users that have none there are one
 *
 * Context: the only reader.
 * Return: 0, or -ENOSPC if there is no room.
 */
int taskacct_uid_rows_add(struct taskacct_uid_rows *rows,
			  struct taskacct_uid_entry *entry,
			  struct user_namespace *ns)
{
	if (rows->nr_names >= rows->room)
		return -ENOSPC;
	rows->names[rows->nr_names++] = (struct taskacct_uid_name){
		.uid = uid_valid(entry->uid) ?
			       from_kuid_munged(ns, entry->uid) : (u32)-1,
		.entry = entry,
	};
	return 0;
}

/* Under the entry's lock */
static struct taskacct_uid_record record_of(const struct taskacct_uid_name *name,
					    u64 now)
{
	const struct taskacct_uid_entry *entry = name->entry;

	return (struct taskacct_uid_record){
		.version = TASKACCT_UID_RECORD_VERSION,
		.state = entry->state,
		.flags = uid_valid(entry->uid) ? 0 : TASKACCT_UID_REST,
		.uid = name->uid,
		.absent = taskacct_record_absent(),
		.tasks = entry->tasks,
		.ended = entry->ended,
		.first = entry->first,
		.last = entry->tasks ? now : max(entry->first, entry->last),
	};
}

static void add_io(struct taskacct_uid_io_row *row,
		   const struct taskacct_uid_name *name)
{
	const struct taskacct_uid_usage *from = name->entry->usage;
	struct taskacct_uid_io *to = row->io;
	unsigned int i;

	row->uid = name->uid;
	for (i = 0; i < TASKACCT_UID_STATES; i++, from++, to++) {
		to->rchar += from->rchar;
		to->wchar += from->wchar;
		to->read_bytes += from->read_bytes;
		to->written += from->written;
	}
}

static void add_times(struct taskacct_uid_times_row *row,
		      const struct taskacct_uid_name *name)
{
	const struct taskacct_uid_usage *from = name->entry->usage;
	unsigned int i;

	row->uid = name->uid;
	for (i = 0; i < TASKACCT_UID_STATES; i++, from++) {
		row->user += from->user;
		row->system += from->system;
	}
}

/* The first of those that have the same number is most often the only one. */
static void add_record(struct taskacct_uid_row *row,
		       const struct taskacct_uid_name *name,
		       unsigned int states, u64 now)
{
	const struct taskacct_uid_entry *entry = name->entry;
	const struct taskacct_uid_record record = record_of(name, now);
	unsigned int i;

	if (!row->record.version) {
		row->record = record;
		for (i = 0; i < states; i++)
			row->usage[i] = entry->usage[i];
		return;
	}
	row->record.tasks += record.tasks;
	row->record.ended += record.ended;
	row->record.first = min(row->record.first, record.first);
	row->record.last = max(row->record.last, record.last);
	for (i = 0; i < states; i++)
		taskacct_uid_usage_add(&row->usage[i], &entry->usage[i]);
}

static void add_to_row(const struct taskacct_uid_rows *rows, void *row,
		       const struct taskacct_uid_name *name, u64 now)
{
	raw_spin_lock(&name->entry->lock);
	switch (rows->kind) {
	case TASKACCT_UID_RECORDS:
		add_record(row, name, rows->states, now);
		break;
	case TASKACCT_UID_IO:
		add_io(row, name);
		break;
	case TASKACCT_UID_TIMES:
		add_times(row, name);
		break;
	}
	raw_spin_unlock(&name->entry->lock);
}

static unsigned int byte_of(const struct taskacct_uid_name *name,
			    unsigned int shift)
{
	return name->uid >> shift & 0xff;
}

/*
 * Keeps the order of those that have the same byte. Returns false where all
 * have, and nothing was done. For the only reader.
 */
static bool sort_by_byte(struct taskacct_uid_name *to,
			 const struct taskacct_uid_name *from, unsigned int nr,
			 unsigned int shift)
{
	static unsigned int start[257];
	unsigned int i;

	memset(start, 0, sizeof(start));
	for (i = 0; i < nr; i++)
		start[byte_of(&from[i], shift) + 1]++;
	if (start[byte_of(from, shift) + 1] == nr)
		return false;
	for (i = 1; i < 256; i++)
		start[i] += start[i - 1];
	for (i = 0; i < nr; i++)
		to[start[byte_of(&from[i], shift)]++] = from[i];
	return true;
}

/*
 * Byte by byte, from the lowest one up: of thousands of users that takes a tenth
 * of what comparing them with each other does, as sort() would. Returns where
 * they are in order.
 */
static struct taskacct_uid_name *sort_names(struct taskacct_uid_rows *rows)
{
	struct taskacct_uid_name *from = rows->names;
	struct taskacct_uid_name *to = from + rows->room;
	unsigned int shift;

	for (shift = 0; shift < 32 && rows->nr_names > 1; shift += 8)
		if (sort_by_byte(to, from, rows->nr_names, shift))
			swap(from, to);
	return from;
}

/**
 * taskacct_uid_rows_fill() - read what the users have used that were added
 * @rows: the users
 *
 * Names are put in order, and not rows, which are much larger.
 *
 * Context: the only reader; live tasks have been counted; may sleep.
 */
void taskacct_uid_rows_fill(struct taskacct_uid_rows *rows)
{
	const struct taskacct_uid_name *name = sort_names(rows);
	const u64 now = ktime_get_boottime_ns();
	unsigned int i;

	for (i = 0; i < rows->nr_names; i++, name++) {
		/* Several may have the same number for the reader. */
		if (!i || name->uid != name[-1].uid)
			rows->nr++;
		add_to_row(rows, taskacct_uid_rows_at(rows, rows->nr - 1), name,
			   now);
	}
	kvfree(rows->names);
	rows->names = NULL;
}

static bool fill_line(struct taskacct_uid_line *line, struct task_struct *t,
		      kuid_t only, struct user_namespace *ns)
{
	const struct taskacct_uid_task *task = taskacct_uid_task_find(t);
	const kuid_t uid = task ? READ_ONCE(task->uid) : INVALID_UID;

	if (!task || READ_ONCE(task->dead) ||
	    (uid_valid(only) && !uid_eq(uid, only)))
		return false;
	line->uid = from_kuid_munged(ns, uid);
	line->pid = task_pid_vnr(t);
	/* A name that changes meanwhile may be half of each. */
	data_race(strscpy_pad(line->comm, t->comm, sizeof(line->comm)));
	memcpy(line->io, task->io, sizeof(line->io));
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct taskacct_uid_line *one = a, *other = b;

	if (one->uid != other->uid)
		return one->uid < other->uid ? -1 : 1;
	return one->pid < other->pid ? -1 : one->pid > other->pid;
}

/**
 * taskacct_uid_rows_read_lines() - add the tasks, in debug mode
 * @rows: to these
 * @only: of one user, or INVALID_UID
 * @ns: whose numbers to use
 *
 * Tasks that come meanwhile may be left out.
 *
 * Context: the only reader; task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_rows_read_lines(struct taskacct_uid_rows *rows, kuid_t only,
				 struct user_namespace *ns)
{
	unsigned int room = taskacct_uid_task_count() + 64;
	struct task_struct *leader, *t;

	rows->lines = kvmalloc_array(room, sizeof(*rows->lines),
				     GFP_KERNEL_ACCOUNT);
	if (!rows->lines)
		return -ENOMEM;
	rcu_read_lock();
	for_each_process_thread(leader, t)
		if (rows->nr_lines < room &&
		    fill_line(&rows->lines[rows->nr_lines], t, only, ns))
			rows->nr_lines++;
	rcu_read_unlock();
	sort(rows->lines, rows->nr_lines, sizeof(*rows->lines), compare_lines,
	     NULL);
	return 0;
}
