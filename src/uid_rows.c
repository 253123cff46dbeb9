// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users at one time, as one reader is told of them
 */

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/user_namespace.h>

#include <taskacct_features.h>

#include "uid.h"
#include "uid_rows.h"
#include "uid_usage.h"

/**
 * taskacct_uid_rows_alloc() - make room for users
 * @rows: where
 * @room: for how many
 *
 * Context: task context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int taskacct_uid_rows_alloc(struct taskacct_uid_rows *rows, unsigned int room)
{
	rows->nr = 0;
	rows->rows = kvmalloc_array(room, sizeof(*rows->rows),
				    GFP_KERNEL_ACCOUNT);
	return rows->rows ? 0 : -ENOMEM;
}

/**
 * taskacct_uid_rows_free() - let go of users
 * @rows: from taskacct_uid_read()
 *
 * Context: task context, may sleep.
 */
void taskacct_uid_rows_free(struct taskacct_uid_rows *rows)
{
	kvfree(rows->rows);
	kvfree(rows->lines);
	*rows = (struct taskacct_uid_rows){};
}

static u64 since_boot(u64 ticks, u64 now)
{
	return now - min(now, jiffies64_to_nsecs(get_jiffies_64() - ticks));
}

/**
 * taskacct_uid_rows_add() - add a user
 * @rows: to these
 * @room: for how many there is room
 * @entry: the user
 * @now: when it was looked for live tasks, in ns since boot
 *
 * Context: under rcu_read_lock(), or the entry stays for another reason.
 * Return: 0 or -ENOSPC.
 */
int taskacct_uid_rows_add(struct taskacct_uid_rows *rows, unsigned int room,
			  struct taskacct_uid_entry *entry, u64 now)
{
	struct taskacct_uid_row *row = &rows->rows[rows->nr];

	if (rows->nr >= room)
		return -ENOSPC;
	raw_spin_lock(&entry->lock);
	row->uid = entry->uid;
	row->record = (struct taskacct_uid_record){
		.version = TASKACCT_UID_RECORD_VERSION,
		.state = entry->state,
		.flags = uid_valid(entry->uid) ? 0 : TASKACCT_UID_REST,
		.absent = taskacct_features_absent(),
		.tasks = entry->tasks,
		.ended = entry->ended,
		.first = entry->first,
		.last = entry->tasks ? now : since_boot(entry->last, now),
	};
	memcpy(row->usage, entry->usage, sizeof(row->usage));
	raw_spin_unlock(&entry->lock);
	rows->nr++;
	return 0;
}

static bool fill_line(struct taskacct_uid_line *line, struct task_struct *t,
		      kuid_t only, struct user_namespace *ns)
{
	const struct taskacct_uid_task *task = taskacct_uid_task_find(t);

	if (!task || READ_ONCE(task->dead) ||
	    (uid_valid(only) && !uid_eq(READ_ONCE(task->uid), only)))
		return false;
	line->uid = from_kuid_munged(ns, READ_ONCE(task->uid));
	line->pid = task_pid_vnr(t);
	strscpy_pad(line->comm, t->comm, sizeof(line->comm));
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

static int compare_rows(const void *a, const void *b)
{
	const struct taskacct_uid_row *one = a, *other = b;

	return one->record.uid < other->record.uid ?
		       -1 : one->record.uid > other->record.uid;
}

static void merge(struct taskacct_uid_row *row,
		  const struct taskacct_uid_row *other)
{
	unsigned int i;

	row->record.tasks += other->record.tasks;
	row->record.ended += other->record.ended;
	row->record.first = min(row->record.first, other->record.first);
	row->record.last = max(row->record.last, other->record.last);
	for (i = 0; i < TASKACCT_UID_STATES; i++)
		taskacct_uid_usage_add(&row->usage[i], &other->usage[i]);
}

/**
 * taskacct_uid_rows_view() - number users, and put them in order
 * @rows: the users
 * @ns: whose numbers to use; users that have none there are one
 *
 * Context: task context.
 */
void taskacct_uid_rows_view(struct taskacct_uid_rows *rows,
			    struct user_namespace *ns)
{
	struct taskacct_uid_row *row, *last;
	unsigned int i, nr = 0;

	for (i = 0; i < rows->nr; i++) {
		row = &rows->rows[i];
		row->record.uid = uid_valid(row->uid) ?
					  from_kuid_munged(ns, row->uid) :
					  (u32)-1;
	}
	sort(rows->rows, rows->nr, sizeof(*rows->rows), compare_rows, NULL);
	for (i = 0; i < rows->nr; i++) {
		row = &rows->rows[i];
		last = nr ? &rows->rows[nr - 1] : NULL;
		if (last && last->record.uid == row->record.uid)
			merge(last, row);
		else
			rows->rows[nr++] = *row;
	}
	rows->nr = nr;
}
